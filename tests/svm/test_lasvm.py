"""The compiled online SVM against hand-solved toys, its slow twin, an exact solver and LIBSVM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.svm import SVC

from lopsided import LASVC, make_lopsided
from reference import lasvm as slow
from reference import svm_qp

TOL = 1e-3
PARAMETERS = {
    "linear": {},
    "poly": {"degree": 2, "gamma": 0.25, "coef0": 1.0},
    "rbf": {"gamma": 0.25},
    "sigmoid": {"gamma": 0.0625, "coef0": -0.5},
}
CONVEX = ["linear", "poly", "rbf"]  # the sigmoid is no inner product: its dual has no single optimum
FORMS = {
    "float64": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
}
every_kernel = pytest.mark.parametrize("kernel", PARAMETERS)
every_convex_kernel = pytest.mark.parametrize("kernel", CONVEX)
every_form = pytest.mark.parametrize("form", FORMS)
every_cost = pytest.mark.parametrize("cost", [1, 1000])  # of a positive, where a negative costs 1


def overlapping(n=120, seed=0):
    """Rows that float32 holds exactly and of which a third is zero; one in five is positive."""
    X, y = make_lopsided(n, 5, 0.2, separation=1.5, random_state=seed)
    X = np.round(X * 16) / 16
    X[np.abs(X) < 0.45] = 0
    return X, y


def gram(kernel, X, Z=None):
    return slow.KERNELS[kernel](X, X if Z is None else Z, **PARAMETERS[kernel])


def signs(y):
    return np.where(np.asarray(y) == 1, 1.0, -1.0)


def bounds(y, C=1.0, cost=1):
    return np.where(np.asarray(y) == 1, cost * C, C)


def model(kernel="rbf", C=1.0, cost=1, selection="sequential", **parameters):
    parameters = {**PARAMETERS[kernel], "tol": TOL, **parameters}
    return LASVC(C=C, kernel=kernel, class_weight={0: 1, 1: cost}, selection=selection, **parameters)


def alphas(fitted, n):
    """The signed alphas of all rows; outside the support they are 0."""
    alpha = np.zeros(n)
    alpha[fitted.support_] = fitted.dual_coef_[0]
    return alpha


def rounding(fitted, K):
    """What float32 kernel values may do to a score."""
    return 1e-9 + 4e-7 * np.abs(fitted.dual_coef_).sum() * np.abs(K).max()


# Toys


def test_two_points_by_hand():
    # lam = (g_i - g_j) / eta = 2 / 4, so w = 0.5 * 2 = 1, and f(2) = 1 makes b = -1
    fitted = LASVC(kernel="linear", selection="sequential").fit([[0.0], [2.0]], [0, 1])
    assert_allclose(alphas(fitted, 2), [-0.5, 0.5])
    assert_allclose(fitted.decision_function([[0.0], [1.0], [2.0], [5.0]]), [-1, 0, 1, 4], atol=1e-12)
    assert fitted.dual_objective_ == pytest.approx(0.5)
    assert_array_equal(fitted.predict([[0.5], [1.0], [1.5]]), [0, 0, 1])  # 0 is the negative's
    assert_array_equal(fitted.n_support_, [1, 1])
    assert_array_equal(fitted.classes_, [0, 1])
    assert fitted.dual_coef_.shape == (1, 2)
    assert fitted.intercept_.shape == (1,)


def test_two_points_at_the_bound_by_hand():
    # the step is cut at C = 0.25: w = 0.5; g is 0 at the positive, -1 at the negative, b is half way
    fitted = LASVC(C=0.25, kernel="linear", selection="sequential").fit([[0.0], [2.0]], [0, 1])
    assert_allclose(alphas(fitted, 2), [-0.25, 0.25])
    assert_allclose(fitted.decision_function([[0.0], [2.0]]), [-0.5, 0.5], atol=1e-12)


def test_three_points_the_farthest_is_no_support_vector():
    fitted = LASVC(kernel="linear", selection="sequential").fit([[0.0], [2.0], [4.0]], [0, 1, 1])
    assert_allclose(alphas(fitted, 3), [-0.5, 0.5, 0], atol=1e-6)
    assert_allclose(fitted.decision_function([[4.0]]), [3], atol=1e-3)
    assert sorted(fitted.support_) == [0, 1]


@pytest.mark.parametrize(
    ("cost", "expected", "everywhere"),
    [
        # w = 0 whatever the alphas, so W = sum |alpha|: the positive in the middle is bound by its C = 1,
        # the negatives share that and are free, hence f = -1 at them, and everywhere
        (1, [-0.5, 1, -0.5], -1),
        # at four times the cost the negatives are bound first, the positive is free
        (4, [-1, 2, -1], 1),
    ],
)
def test_three_points_in_a_row_by_hand(cost, expected, everywhere):
    X, y = [[-1.0], [0.0], [1.0]], [0, 1, 0]
    fitted = model("linear", cost=cost, n_epochs="converge", tol=1e-9).fit(X, y)
    assert_allclose(alphas(fitted, 3), expected, atol=1e-6)
    assert_allclose(fitted.decision_function([[-3.0], [0.0], [2.0]]), [everywhere] * 3, atol=1e-5)
    assert fitted.dual_objective_ == pytest.approx(np.abs(expected).sum())


def test_unlike_everything_else_by_hand():
    # K = 1 on the diagonal, else 0: every positive has alpha 1 - b, every negative -1 - b, and they cancel
    X = 1000.0 * np.arange(10)[:, None]
    y = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0, 0])
    b = (3 - 7) / 10
    fitted = LASVC(C=100, gamma=1.0, selection="sequential", n_epochs="converge", tol=1e-9).fit(X, y)
    assert_allclose(alphas(fitted, 10), np.where(y == 1, 1 - b, -1 - b), atol=1e-6)
    assert_allclose(fitted.decision_function([[-500.0]]), [b], atol=1e-6)


# The slow twin itself


@every_kernel
@every_cost
def test_invariants_of_the_twin_after_every_step(kernel, cost):
    X, y = overlapping(60)
    K, y, C = gram(kernel, X), signs(y), bounds(y, 10, cost)
    twin = slow.LASVM(K, y, C)
    value = 0.0
    for k in slow.seeded_order(y):
        for step in (twin.process, lambda _: twin.reprocess()):
            step(k)
            assert abs(twin.alpha.sum()) <= 1e-9
            assert_allclose(twin.g[twin.inside], (y - K @ twin.alpha)[twin.inside], atol=1e-9)
            assert (twin.alpha >= twin.A).all()
            assert (twin.alpha <= twin.B).all()
            assert not twin.alpha[~twin.inside].any()
            assert twin.objective() >= value - 1e-9
            value = twin.objective()


@every_convex_kernel
@every_cost
def test_the_twin_reaches_the_exact_optimum(kernel, cost):
    X, y = overlapping(60)
    K, y, C = gram(kernel, X), signs(y), bounds(y, 1, cost)
    twin = slow.learn(slow.LASVM(K, y, C), slow.seeded_order(y)).finish()
    S = np.flatnonzero(twin.inside)
    best, _ = svm_qp.solve(K[np.ix_(S, S)], y[S], C[S])
    optimum = slow.objective(K[np.ix_(S, S)], y[S], best)
    assert -1e-6 * optimum <= optimum - twin.objective() <= TOL / 2 * C[S].sum()
    assert 0 <= twin.gap() <= TOL / 2 * C[S].sum()

    slow.converge(twin, slow.seeded_order(y))
    best, b = svm_qp.solve(K, y, C)
    optimum = slow.objective(K, y, best)
    assert -1e-6 * optimum <= optimum - twin.objective() <= TOL / 2 * C.sum()
    sure = np.abs(K @ best + b) > 1e-2
    assert_array_equal(np.sign(twin.f(K))[sure], np.sign(K @ best + b)[sure])


def test_the_exact_solver_agrees_with_libsvm():
    X, y = overlapping(80)
    K, y, C = gram("rbf", X), signs(y), np.random.default_rng(0).uniform(0.1, 30, 80)
    alpha, b = svm_qp.solve(K, y, C)
    libsvm = SVC(kernel="precomputed", tol=1e-9).fit(K, y, sample_weight=C)
    assert svm_qp.gap(K, y, C, alpha, b) <= 1e-8 * slow.objective(K, y, alpha)
    assert_allclose(alpha, alphas(libsvm, 80), atol=1e-5)
    assert b == pytest.approx(libsvm.intercept_[0], abs=1e-6)


def test_the_twin_does_not_mind_how_rows_are_numbered():
    X, y = overlapping(60)
    K, y = gram("rbf", X), signs(y)
    moved = np.random.default_rng(1).permutation(60)  # row r of the second is row moved[r] of the first
    first = slow.learn(slow.LASVM(K, y, 10, 1e-12), range(60))
    second = slow.LASVM(K[np.ix_(moved, moved)], y[moved], 10, 1e-12)
    second.alpha, second.g, second.inside = first.alpha[moved], first.g[moved], first.inside[moved]
    assert_allclose(second.finish().f(K[:, moved]), first.finish().f(K), atol=1e-9)


# The compiled estimator against the twin


@every_kernel
@every_form
@every_cost
def test_every_row_of_a_stream_is_a_step_of_the_twin(kernel, form, cost):
    X, y = overlapping()
    K = gram(kernel, X)
    streamed = model(kernel, cost=cost)
    twins = [slow.LASVM(K, signs(y), bounds(y, 1, cost), TOL)]
    X = FORMS[form](X)
    value = 0.0
    for k in range(len(y)):
        streamed.partial_fit(X[k : k + 1], y[k : k + 1], classes=[0, 1])
        alpha = alphas(streamed, len(y))
        assert abs(alpha.sum()) <= 1e-9 * max(1, np.abs(alpha).sum())
        assert (np.minimum(0, bounds(y, 1, cost) * signs(y)) <= alpha).all()
        assert (alpha <= np.maximum(0, bounds(y, 1, cost) * signs(y))).all()
        twins = slow.follow(twins, k, lambda twin, alpha=alpha: np.allclose(twin.alpha, alpha, 1e-4, 1e-4))
        for twin in twins:
            assert streamed.intercept_[0] == pytest.approx(twin.b, abs=1e-3)
            assert streamed.dual_objective_ == pytest.approx(twin.objective(), rel=1e-4, abs=1e-6)
        assert streamed.dual_objective_ >= value - 1e-6 * abs(value)
        value = streamed.dual_objective_
        assert streamed.n_labels_ == k + 1
    assert_allclose(streamed.decision_function(X), twins[0].f(K), atol=2e-3)


@every_kernel
@every_form
@every_cost
@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
def test_one_epoch_is_one_of_the_twin(kernel, form, cost, selection):
    X, y = overlapping()
    fitted = model(kernel, cost=cost, selection=selection, pool_size=9, random_state=3).fit(FORMS[form](X), y)
    assert_array_equal(np.sort(fitted.queried_), np.arange(len(y)))
    assert {len(values) for values in fitted.history_.values()} == {len(y)}
    assert_array_equal(fitted.history_["n_labels"], np.arange(1, len(y) + 1))
    check_against_twin(fitted, gram(kernel, X), signs(y), bounds(y, 1, cost))
    assert np.isfinite(fitted.history_["distance"]).sum() > (
        100 if selection in ("active", "exhaustive") else -1
    )


def check_against_twin(fitted, K, y, C, precision=1e-3):
    """Every label a step of the twin, the distances its scores, the end its optimum; returns that twin."""
    for t, twins in enumerate(slow.replay(fitted, K, y, C, precision)):
        if t < len(fitted.queried_) and np.isfinite(fitted.history_["distance"][t]):
            distances = np.array([abs(twin.f(K[fitted.queried_[t]])) for twin in twins])
            assert np.min(np.abs(distances - fitted.history_["distance"][t])) <= precision
    differences = [abs(twin.finish().objective() - fitted.dual_objective_) for twin in twins]
    assert min(differences) <= fitted.tol / 2 * C.sum()
    return twins[np.argmin(differences)]


def test_seeds_of_both_classes_come_first():
    X, y = overlapping()
    fitted = model().fit(X, y)
    order = slow.seeded_order(y)
    assert_array_equal(np.sort(fitted.queried_[:10]), order[:10])
    assert_array_equal(fitted.queried_[10:], order[10:])
    few = model().fit(X[:30], y[:30])
    assert_array_equal(np.sort(few.queried_), np.arange(30))


def test_on_one_and_the_same_kernel_matrix_nothing_is_rounded():
    X, y = overlapping()
    K = gram("rbf", X).astype(np.float32).astype(np.float64)
    fitted = LASVC(C=10, kernel="precomputed", selection="sequential", tol=1e-10).fit(K, y)
    twin = check_against_twin(fitted, K, signs(y), bounds(y, 10), 1e-8)
    assert_allclose(alphas(fitted, len(y)), twin.alpha, atol=1e-7)
    assert_allclose(fitted.decision_function(K), twin.f(K), atol=1e-7)


# Optimality


@every_convex_kernel
@every_form
@every_cost
def test_finish_reaches_the_optimum_of_the_expansion(kernel, form, cost):
    X, y = overlapping()
    K, C = gram(kernel, X), bounds(y, 10, cost)
    fitted = model(kernel, C=10, cost=cost).fit(FORMS[form](X), y)
    *_, twins = slow.replay(fitted, K, signs(y), C)
    missed = []
    for twin in twins:
        S = np.flatnonzero(twin.inside)
        best, _ = svm_qp.solve(K[np.ix_(S, S)], signs(y)[S], C[S])
        optimum = slow.objective(K[np.ix_(S, S)], signs(y)[S], best)
        missed.append((optimum - fitted.dual_objective_) / (TOL / 2 * C[S].sum()))
    assert any(-1e-2 <= share <= 1 for share in missed)
    assert 0 <= fitted.dual_gap_ <= TOL / 2 * C.sum()


@every_kernel
@every_form
@every_cost
def test_signs_bounds_and_free_vectors(kernel, form, cost):
    X, y = overlapping()
    K, C = gram(kernel, X), bounds(y, 1, cost)
    fitted = model(kernel, cost=cost).fit(FORMS[form](X), y)
    alpha, side = alphas(fitted, len(y)), signs(y)
    assert (alpha[fitted.support_] * side[fitted.support_] > 0).all()
    assert (np.abs(alpha) <= C).all()
    assert abs(alpha.sum()) <= 1e-9 * np.abs(alpha).sum()
    assert_array_equal(fitted.n_support_, [np.sum(alpha < 0), np.sum(alpha > 0)])
    assert_allclose(sparse_or_dense(fitted.support_vectors_), X[fitted.support_])
    free = (alpha != 0) & (np.abs(alpha) < C)
    margins = side * fitted.decision_function(FORMS[form](X))
    assert free.any()
    assert_allclose(margins[free], 1, atol=TOL + rounding(fitted, K))


@every_convex_kernel
@every_form
@every_cost
def test_convergence_on_all_examples(kernel, form, cost):
    X, y = overlapping()
    K, C, side = gram(kernel, X), bounds(y, 1, cost), signs(y)
    fitted = model(kernel, cost=cost, n_epochs="converge").fit(FORMS[form](X), y)
    best, b = svm_qp.solve(K, side, C)
    optimum = slow.objective(K, side, best)
    assert fitted.converged_
    assert -1e-5 * optimum <= optimum - fitted.dual_objective_ <= TOL / 2 * C.sum()
    scores = K @ best + b
    sure = np.abs(scores) > 1e-2
    assert_array_equal(fitted.predict(FORMS[form](X))[sure], scores[sure] > 0)
    assert -1e-6 * optimum <= fitted.dual_gap_ <= TOL / 2 * C.sum()
    gap = svm_qp.gap(K, side, C, alphas(fitted, len(y)), fitted.intercept_[0])
    assert fitted.dual_gap_ == pytest.approx(gap, abs=rounding(fitted, K) * C.sum())


@pytest.mark.parametrize("selection", ["sequential", "random", "active"])
@pytest.mark.parametrize("C", [1e-4, 1e-2, 1.0, 100.0])
def test_convergence_whatever_the_data(selection, C):
    """Few points, many of them equal, kernels from nearly constant to nearly the identity."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, n_features = rng.integers(4, 60), rng.integers(1, 4)
        X = rng.standard_normal((n, n_features)) if seed % 2 else rng.integers(-1, 2, (n, n_features)) * 1.0
        y = np.r_[0, 1, rng.random(n - 2) < 0.3].astype(int)
        gamma = 10 ** rng.uniform(-4, 1)
        fitted = LASVC(C, gamma=gamma, selection=selection, n_epochs="converge", random_state=0).fit(X, y)
        gap = svm_qp.gap(slow.rbf(X, X, gamma), signs(y), C, alphas(fitted, n), fitted.intercept_[0])
        assert fitted.converged_
        assert gap <= TOL / 2 * C * n * 1.01 + 1e-6 * fitted.dual_objective_
        assert fitted.dual_gap_ == pytest.approx(gap, abs=1e-6 * C * n + 1e-5 * fitted.dual_objective_)


@every_form
@every_cost
def test_a_sigmoid_satisfies_the_conditions_at_its_end(form, cost):
    # no single optimum, but no pair may violate by more than tol
    X, y = overlapping()
    K, C, side = gram("sigmoid", X), bounds(y, 1, cost), signs(y)
    fitted = model("sigmoid", cost=cost, n_epochs="converge").fit(FORMS[form](X), y)
    alpha = alphas(fitted, len(y))
    g = side - K @ alpha
    up, low = alpha < np.maximum(0, C * side), alpha > np.minimum(0, C * side)
    assert g[up].max() - g[low].min() <= TOL + 2 * rounding(fitted, K)


# LIBSVM


@every_convex_kernel
@pytest.mark.parametrize("cost", [1, 19])
def test_convergence_equals_libsvm(kernel, cost):
    X, y = make_lopsided(500, 8, 0.05, separation=2.0, random_state=1)
    K, C = gram(kernel, X), bounds(y, 1, cost)
    libsvm = SVC(kernel=kernel, class_weight={0: 1, 1: cost}, **PARAMETERS[kernel]).fit(X, y)
    fitted = model(kernel, cost=cost, n_epochs="converge").fit(X, y)
    expected = slow.objective(K, signs(y), alphas(libsvm, len(y)))
    assert fitted.dual_objective_ == pytest.approx(expected, abs=TOL / 2 * C.sum())
    unseen, _ = make_lopsided(500, 8, 0.05, separation=2.0, random_state=2)
    scores = libsvm.decision_function(unseen)
    sure = np.abs(scores) > 1e-2
    assert_array_equal(fitted.predict(unseen)[sure], libsvm.predict(unseen)[sure])
    assert_allclose(fitted.decision_function(unseen), scores, atol=2e-2)


def test_gamma_scale_and_balanced_weights_are_scikit_learns():
    X, y = make_lopsided(300, 8, 0.1, random_state=0)
    X *= 3
    libsvm = SVC(class_weight="balanced", tol=1e-6).fit(X, y)
    for form in FORMS.values():
        fitted = LASVC(class_weight="balanced", n_epochs="converge", tol=1e-6, random_state=0).fit(form(X), y)
        assert_allclose(fitted.decision_function(form(X)), libsvm.decision_function(X), atol=1e-3)


def sparse_or_dense(rows):
    return rows.toarray() if sparse.issparse(rows) else rows
