"""The margin maximisers of Mapping Convergence, against exact solutions and the laws they rest on."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC, NuSVC

from lopsided import make_islands
from lopsided.pu import _solvers
from lopsided.pu._solvers import EstimatorSolver, LASVMSolver, LinearSolver, NuSolver
from reference import mapping_convergence as slow
from reference import svm_qp

FORMS = [np.asarray, sparse.csr_matrix, sparse.csr_array]
GAMMA = 0.8


def make_signs(seed=0, n=80, d=3, *, apart=2.0, share=0.4):
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(n) < share * n, 1, -1).astype(np.int8)
    return rng.normal(size=(n, d)) + apart / 2 * signs[:, None] / np.sqrt(d), signs


def rbf(A, B):
    return np.exp(-GAMMA * ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2))


def solve(solver, X, signs, n_left_out=0):
    return solver.solve(X, np.arange(X.shape[0]), signs, n_left_out)


# nu-SVM


@pytest.fixture
def precise(monkeypatch):
    """LIBSVM's tolerance is coarse where nu n is small; here it is not."""
    monkeypatch.setattr(_solvers, "NuSVC", partial(NuSVC, tol=1e-7))


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("nu", [0.01, 0.05, 0.15])
@pytest.mark.parametrize("apart", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("seed", range(3))
def test_rows_of_weight_zero_can_go_if_nu_is_scaled(seed, nu, apart):
    """In the dual sum a = nu and a_i <= 1 / n: without rows whose a is 0 it is nu n / n' that is the same."""
    X, y = make_signs(seed, apart=apart)
    whole = NuSVC(nu=nu, gamma=GAMMA, tol=1e-7).fit(X, y)
    kept = y > 0
    kept[whole.support_] = True
    kept[::7] = True  # and some of those that do not hold it
    n_gone = int((~kept).sum())
    part = NuSVC(nu=nu * len(y) / kept.sum(), gamma=GAMMA, tol=1e-7).fit(X[kept], y[kept])
    scores = whole.decision_function(X)
    assert_allclose(part.decision_function(X), scores, atol=1e-3 * np.abs(scores).max())
    ours = solve(NuSolver(nu, "rbf", GAMMA), X[kept], y[kept], n_gone)
    assert_allclose(ours.model.scores(X), scores, atol=1e-3 * np.abs(scores).max())
    assert ours.notes == ()


@pytest.mark.usefixtures("precise")
def test_without_the_scaling_the_margin_hardens():
    """Where there is no gap that is what lets the boundary slip into the positives."""
    X, y = make_signs(n=300, apart=2.5)
    whole = solve(NuSolver(0.1, "rbf", GAMMA), X, y)
    kept = np.flatnonzero(whole.support | (y > 0))
    assert len(kept) < 200
    scaled = NuSolver(0.1, "rbf", GAMMA).solve(X, kept, y[kept], len(y) - len(kept))
    hard = NuSolver(0.1, "rbf", GAMMA).solve(X, kept, y[kept], 0)
    scores, same, other = (solution.model.scores(X) for solution in (whole, scaled, hard))
    assert np.abs(same - scores).max() < 1e-3
    assert np.abs(other - scores).max() > 0.5


@pytest.mark.usefixtures("precise")
@pytest.mark.parametrize("nu", [0.05, 0.1, 0.15])
def test_nu_svm_is_the_optimum_of_a_c_svm(nu):
    """Divided by the margin rho it is that of C = 1 / (n rho), which here an interior-point method finds."""
    X, y = make_signs(n=60, apart=1.0)
    solution = solve(NuSolver(nu, "rbf", GAMMA), X, y)
    C = np.abs(solution.model.coef).max()  # some row is in error, so its weight is the bound
    alpha, b = svm_qp.solve(rbf(X, X), y, C)
    expected = rbf(X, X) @ alpha + b
    assert_allclose(solution.model.scores(X), expected, atol=1e-3)
    assert_array_equal(solution.support, np.abs(alpha) > 1e-6 * C)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_nu_svm_is_libsvms(form, kernel):
    X, y = make_signs()
    machine = NuSVC(nu=0.15, kernel=kernel, gamma=GAMMA).fit(X, y)
    solution = solve(NuSolver(0.15, kernel, GAMMA), form(X), y)
    assert_allclose(solution.model.scores(form(X)), machine.decision_function(X), atol=1e-3)
    weights = np.abs(machine.dual_coef_[0])
    held_by = machine.support_[weights > 1e-8 * weights.max()]  # the rest is dust
    assert_array_equal(np.flatnonzero(solution.support), np.sort(held_by))
    assert solution.sound == (kernel == "rbf")  # there is no line with so few on its wrong side


def test_many_sparse_rows_are_left_to_libsvm(monkeypatch):
    X, y = make_signs()
    few = solve(NuSolver(0.2, "linear", 1.0), sparse.csr_array(X), y)
    monkeypatch.setattr(_solvers, "_MOST_PRECOMPUTED", 10)
    many = solve(NuSolver(0.2, "linear", 1.0), sparse.csr_array(X), y)
    assert_allclose(many.model.scores(X), few.model.scores(X), atol=1e-3)
    assert_array_equal(many.support, few.support)


@given(
    n=st.integers(2, 60),
    n_positive=st.integers(1, 59),
    nu=st.floats(1e-4, 1.0),
    left_out=st.integers(0, 500),
)
@settings(max_examples=60)
def test_whatever_the_sizes_there_is_a_solution(n, n_positive, nu, left_out):
    """nu-SVM has none where nu > 2 min(n+, n-) / n; then it is lowered, and that is said."""
    n_positive = min(n_positive, n - 1)
    X, y = make_signs(n=n, share=n_positive / n, apart=5.0)
    assert (y > 0).sum() == n_positive
    solution = solve(NuSolver(nu, "rbf", GAMMA), X, y, left_out)
    assert np.isfinite(solution.model.scores(X)).all()
    assert solution.support[y > 0].any()
    assert solution.support[y < 0].any()
    smaller = min(n_positive, n - n_positive + left_out)
    if nu * (n + left_out) > 2 * smaller:
        assert len(solution.notes) == 1
        assert "nu lowered to" in solution.notes[0]
    if nu * (n + left_out) < 0.49 * smaller:
        assert solution.notes == ()


# LASVM


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_warm_start_ends_where_a_cold_one_does(form, seed, kernel):
    """Rows come in four parts, and rows that hold nothing go; the last solution is that of them all."""
    X, y = make_signs(seed, n=240, apart=3.0)
    C, warm = 5.0, LASVMSolver(5.0, kernel, GAMMA)
    K = rbf(X, X) if kernel == "rbf" else X @ X.T
    order = np.random.default_rng(seed).permutation(len(y))
    chosen = np.empty(0, dtype=np.intp)
    for part in np.array_split(order, 4):
        chosen = np.concatenate([chosen, part])
        solution = warm.solve(form(X), chosen, y[chosen], 0)
        alpha, b = svm_qp.solve(K[np.ix_(chosen, chosen)], y[chosen], C)
        exact = K[:, chosen] @ alpha + b
        assert_allclose(solution.model.scores(form(X)), exact, atol=0.02)
        chosen = chosen[solution.support | (y[chosen] > 0)]
    cold = LASVMSolver(C, kernel, GAMMA).solve(form(X), chosen, y[chosen], 0)
    assert_allclose(solution.model.scores(form(X)), cold.model.scores(form(X)), atol=0.02)


def test_rows_that_were_let_go_too_early_come_back():
    X, y = make_signs(0, n=120, apart=1.0)
    some, all_rows = np.arange(0, 120, 2), np.arange(120)
    warm = LASVMSolver(5.0, "rbf", GAMMA)
    first = warm.solve(X, all_rows, y, 0)
    warm.solve(X, some, y[some], 0)
    again = warm.solve(X, all_rows, y, 0)
    assert_allclose(again.model.scores(X), first.model.scores(X), atol=0.02)
    assert_array_equal(again.support, first.support)


def test_lasvm_keeps_its_count_of_rows():
    """The rows of the support vectors are rows of X, in whatever order they came."""
    X, y = make_signs(3, n=100, apart=2.0)
    warm = LASVMSolver(5.0, "rbf", GAMMA)
    for chosen in (np.arange(99, 0, -2), np.arange(100)[::-1], np.arange(100)):
        solution = warm.solve(X, chosen, y[chosen], 0)
        alpha, _ = svm_qp.solve(rbf(X[chosen], X[chosen]), y[chosen], 5.0)
        surely, surely_not = np.abs(alpha) > 0.05, np.abs(alpha) < 1e-6
        assert solution.support[surely].all()
        margin = y[chosen] * solution.model.scores(X[chosen])
        assert not solution.support[surely_not & (margin > 1.01)].any()


# Linear


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_linear_is_the_optimum(form, C):
    X, y = make_signs(n=60)
    solution = solve(LinearSolver(C), form(X), y)
    P, N = np.flatnonzero(y > 0).tolist(), np.flatnonzero(y < 0).tolist()
    scores, support = slow.linear_svm(X, C)(P, N, 0)
    assert_allclose(solution.model.scores(form(X)), scores, atol=2e-3)
    assert_array_equal(np.flatnonzero(solution.support), sorted(support))


# Any classifier


def test_an_estimator_with_support_vectors_names_them():
    X, y = make_signs()
    solution = solve(EstimatorSolver(SVC(kernel="linear")), X, y)
    machine = SVC(kernel="linear").fit(X, y)
    assert_array_equal(np.flatnonzero(solution.support), np.sort(machine.support_))
    assert_allclose(solution.model.scores(X), machine.decision_function(X))


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC(), RFE(LinearSVC())], ids=str)
def test_others_are_held_by_the_negatives_near_the_boundary(estimator):
    X, y = make_signs(apart=4.0)
    solution = solve(EstimatorSolver(estimator), X, y)
    scores = solution.model.scores(X)
    negative = y < 0
    held = negative & solution.support
    assert 0 < held.sum() < negative.sum()
    assert np.abs(scores[held]).max() <= np.abs(scores[negative & ~held]).min()
    assert not hasattr(estimator, "classes_")


def test_a_solver_sees_signs(monkeypatch):
    seen = []

    class Looking(LinearSVC):
        def fit(self, X, y):
            seen.append(set(y))
            return super().fit(X, y)

    X, y, _ = make_islands(20, 40, random_state=0)
    solve(EstimatorSolver(Looking()), X, np.where(y, 1, -1).astype(np.int8))
    assert seen == [{-1, 1}]
