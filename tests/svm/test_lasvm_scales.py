"""Features of any scale: the optimum of LIBSVM, a convergence that is verified, a refusal of overflow."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from lopsided import LASVC
from lopsided._kernels.rows import Rows, RowStore
from lopsided.svm import _machines
from reference import lasvm as slow
from reference.svm_qp import gap

TOL = 1e-3
SCALES = [10.0**k for k in range(-8, 9, 2)]
FORMS = [np.asarray, csr_array]
every_form = pytest.mark.parametrize("form", FORMS, ids=["dense", "csr"])
every_scale = pytest.mark.parametrize("scale", SCALES, ids="{:g}".format)


def apart(n=60, scale=1.0):
    """The rows of the report: a feature says the class."""
    X = np.random.default_rng(0).normal(size=(n, 3))
    return X * scale, (X[:, 0] > 0).astype(int)


def overlapping(n=60, scale=1.0):
    X = np.random.default_rng(0).normal(size=(n, 3))
    y = X[:, 0] + np.random.default_rng(1).normal(size=n) > 0
    return X * scale, y.astype(int)


def signs(y):
    return np.where(y == 1, 1.0, -1.0)


def alphas(fitted, n):
    """The signed alphas of all rows; outside the support they are 0."""
    alpha = np.zeros(n)
    alpha[fitted.support_] = fitted.dual_coef_[0]
    return alpha


def gram(fitted, X):
    """Kernel values in float64."""
    if fitted.kernel == "rbf":  # by distances: products as large as these lose all digits that count
        return np.exp(-fitted.gamma_ * cdist(X, X, "sqeuclidean"))
    if fitted.kernel == "poly":
        return slow.poly(X, X, fitted.gamma_, fitted.coef0, fitted.degree)
    return X @ X.T


def violation(K, y, C, alpha):
    """By how much the worst pair violates the optimality conditions."""
    g = signs(y) - K @ alpha
    may_grow, may_shrink = alpha < np.maximum(0, C * signs(y)), alpha > np.minimum(0, C * signs(y))
    return g[may_grow].max() - g[may_shrink].min()


# LIBSVM


@every_form
@every_scale
@pytest.mark.parametrize("data", [apart, overlapping])
@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear", "C": "scale"},
        {"kernel": "linear", "C": "scale", "class_weight": {0: 1.0, 1: 30.0}},
        {"kernel": "poly"},
        {"kernel": "poly", "C": 1e-3},
        {"kernel": "poly", "degree": 2, "gamma": "1 / scale**2", "coef0": 1.0},
        {"kernel": "rbf"},
        {"kernel": "rbf", "C": 1e3, "class_weight": {0: 5.0, 1: 1.0}},
        {"kernel": "rbf", "gamma": 1.0},
    ],
    ids=str,
)
def test_the_dual_is_libsvms(parameters, data, scale, form):
    X, y = data(scale=scale)
    parameters = dict(parameters)
    if parameters.get("C") == "scale":  # the same problem at every scale
        parameters["C"] = scale**-2
    if parameters.get("gamma") == "1 / scale**2":
        parameters["gamma"] = scale**-2
    check_against_libsvm(X, y, form, parameters)


@every_form
@every_scale
@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear"},
        {"kernel": "linear", "C": 1e3, "class_weight": {0: 1.0, 1: 3.0}},
        {"kernel": "poly", "gamma": 1e-5},
    ],
    ids=str,
)
def test_the_dual_is_libsvms_whatever_the_cost(parameters, scale, form):
    """Not with overlapping classes: the larger C times the kernel values, the longer LIBSVM takes."""
    check_against_libsvm(*apart(scale=scale), form, parameters)


def check_against_libsvm(X, y, form, parameters):
    libsvm = SVC(**parameters).fit(X, y)
    fitted = LASVC(n_epochs="converge", random_state=0, **parameters).fit(form(X), y)
    K, weights = gram(fitted, X), parameters.get("class_weight", {0: 1.0, 1: 1.0})
    C = parameters.get("C", 1.0) * np.where(y == 1, weights[1], weights[0])
    ours, theirs = (slow.objective(K, signs(y), alphas(model, len(y))) for model in (fitted, libsvm))
    assert fitted.converged_
    assert violation(K, y, C, alphas(fitted, len(y))) <= 2 * TOL
    assert ours == pytest.approx(theirs, rel=1e-4)
    assert fitted.dual_objective_ == pytest.approx(ours, rel=1e-5)
    scores = libsvm.decision_function(X)
    assert_allclose(fitted.decision_function(form(X)), scores, rtol=2e-2, atol=2e-2)
    sure = np.abs(scores) > 5e-2
    assert_array_equal(fitted.predict(form(X))[sure], libsvm.predict(X)[sure])


@every_form
@pytest.mark.parametrize("scale", [1e6, 1e7, 1e12, 1e18])
def test_one_epoch_at_a_large_scale(scale, form):
    X, y = apart(scale=scale)
    fitted = LASVC(kernel="linear").fit(form(X), y)
    assert fitted.converged_
    assert fitted.n_support_.all()
    assert fitted.score(form(X), y) > 0.9


@every_form
@pytest.mark.parametrize("exponent", [-40, -13, 13, 27])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
def test_a_power_of_two_changes_no_digit(C, exponent, form):
    """alpha goes with 1 / scale^2, the scores stay: no step depends on the scale."""
    X, y = overlapping(200)
    X[100:120] = X[:20]  # equal rows, some with another label
    factor = 2.0**exponent
    plain, scaled = (
        LASVC(C=C / by**2, kernel="linear").partial_fit(form(X * by), y, classes=[0, 1]) for by in (1, factor)
    )
    assert len(plain.support_) > 10
    assert_array_equal(scaled.support_, plain.support_)
    assert_array_equal(scaled.dual_coef_ * factor**2, plain.dual_coef_)
    assert_array_equal(scaled.intercept_, plain.intercept_)
    assert_array_equal(scaled.decision_function(form(X * factor)), plain.decision_function(form(X)))


@every_form
@pytest.mark.parametrize(("dtype", "wide"), [(np.float32, False), (np.float32, True), (np.float64, True)])
@pytest.mark.parametrize(("origin", "gamma"), [(1e3, 1.0), (1e5, 1.0), (1e8, 1e-6), (1e8, 1.0)])
def test_rbf_kernel_values_far_from_the_origin(origin, gamma, dtype, wide, form):
    """x.x + z.z - 2 x.z loses all digits that count, and K(x, x) was anything from 0 to 1."""
    X = np.random.default_rng(0).normal(size=(60, 5)) * np.sqrt(0.1 / gamma) + origin
    X[:, 2], X[7] = 0, X[11]
    X = X.astype(dtype)
    rows, numbers = Rows(form(X)), np.arange(60)
    store = RowStore("rbf", gamma, 0.0, 3, 5, form is csr_array, wide)
    store.extend(rows, numbers, numbers)
    distances = cdist(X.astype(float), X.astype(float), "sqeuclidean")
    assert_allclose(store.squared_distances(rows, numbers), distances, rtol=1e-12)
    assert_allclose(store.kernel_values(rows, numbers), np.exp(-gamma * distances), atol=2e-7)
    assert store.kernel_values(rows, numbers)[7, 11] == 1


def test_rows_in_float64_are_as_far_apart_as_the_store_keeps_them():
    X = np.array([[1e5 + 1e-3, 0.0, 1.0], [0.0, 1e5 + 2e-3, 3.0]])
    for form in FORMS:
        store = RowStore("rbf", 1.0, 0.0, 3, 3, form is csr_array, False)
        store.extend(Rows(form(X)), np.arange(2), np.arange(2))
        assert_array_equal(np.diag(store.kernel_values(Rows(form(X)), np.arange(2))), 1)


# Convergence is verified


@every_form
@pytest.mark.parametrize("n_epochs", [1, "converge"])
@pytest.mark.parametrize("scale", [30.0, 100.0, 1e4, 1e6, 1e8])
def test_converged_is_true_of_the_exact_problem(scale, n_epochs, form, monkeypatch):
    """Overlapping classes: up to sum |alpha| K 2^-24 of a gradient is the rounding of kernel values."""
    monkeypatch.setattr(_machines, "MOST_STEPS", 1_000_000)
    X, y = overlapping(scale=scale)
    fitted = LASVC(kernel="linear", n_epochs=n_epochs, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted.fit(form(X), y)
    assert fitted.converged_ == (not caught)
    assert fitted.converged_ == (scale <= 100)
    assert fitted.stop_reason_ == "exhausted"
    assert np.isfinite(fitted.dual_gap_)
    if fitted.converged_ and n_epochs == "converge":
        alpha = alphas(fitted, len(y))
        assert violation(X @ X.T, y, np.ones(len(y)), alpha) <= 2 * TOL
        expected = gap(X @ X.T, signs(y), 1.0, alpha, fitted.intercept_[0])
        assert fitted.dual_gap_ == pytest.approx(expected, abs=TOL)
    for warning in caught:
        assert warning.category is ConvergenceWarning
        assert "FINISH stopped after 1,000,000 steps" in str(warning.message)
        assert "Scale the features" in str(warning.message)


@every_form
@pytest.mark.parametrize(
    ("kernel", "tol"),
    [
        ("linear", 1e-9),
        ("poly", 1e-9),
        ("rbf", 1e-9),
        (lambda A, B: np.asarray((A @ B.T).todense() if hasattr(A, "todense") else A @ B.T), 1e-9),
    ],
    ids=["linear", "poly", "rbf", "callable"],
)
def test_a_tol_below_the_precision_of_kernel_values(kernel, tol, form):
    X, y = overlapping()
    fitted = LASVC(kernel=kernel, tol=tol, n_epochs="converge", random_state=0).fit(form(X), y)
    K = X @ X.T if callable(kernel) else gram(fitted, X)
    assert fitted.converged_
    assert violation(K, y, np.ones(len(y)), alphas(fitted, len(y))) <= 2 * tol


@pytest.mark.parametrize("n_epochs", [1, "converge"])
def test_what_rounding_hides_is_not_called_converged(n_epochs, monkeypatch):
    monkeypatch.setattr(_machines, "_MOST_CORRECTIONS", 0)
    X, y = overlapping(scale=300.0)
    fitted = LASVC(kernel="linear", n_epochs=n_epochs, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"precision of kernel values .* Scale the features"):
        fitted.fit(X, y)
    assert not fitted.converged_


@pytest.mark.parametrize("rows", [slice(0, 3), slice(0, 1)])
def test_one_class_is_not_a_solution(rows):
    X, _ = apart()
    fitted = LASVC().partial_fit(X[rows], np.ones(len(X[rows]), int), classes=[0, 1]).finish()
    assert not fitted.converged_
    assert fitted.dual_gap_ == np.inf
    assert len(fitted.support_) == 0


def test_a_class_that_was_never_read():
    X, y = apart(300)
    y[7] = 2
    fitted = LASVC(selection="active", max_labels=20, n_epochs="converge", random_state=1).fit(X, y)
    assert 7 not in fitted.queried_
    assert not fitted.converged_
    assert fitted.intercept_[2] == -1  # the margin of all that was read, on its far side
    assert np.isfinite(fitted.dual_gap_)
    assert 2 not in fitted.predict(X)


# Overflow


@every_form
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("scale", [1e155, 1e300])
def test_squares_that_overflow_are_refused(scale, kernel, form):
    X, y = apart()
    large = form(X * scale)
    words = r"X holds numbers above .*squares overflow\. Scale the features"
    refused = pytest.raises(ValueError, match=words)
    for gamma in ("scale", 1.0):
        with refused:
            LASVC(kernel=kernel, gamma=gamma).fit(large, y)
    fitted = LASVC(kernel=kernel).fit(form(X), y)
    scores = fitted.decision_function(form(X))
    for call in (
        fitted.decision_function,
        fitted.predict,
        fitted.query,
        lambda rows: fitted.partial_fit(rows, y),
    ):
        with refused:
            call(large)
    assert_array_equal(fitted.decision_function(form(X)), scores)


@every_form
def test_float32_rows_whose_squares_overflow_are_refused(form):
    X, y = apart()
    with pytest.raises(ValueError, match="squares overflow"):
        LASVC().fit(form((X * 1e25).astype(np.float32)), y)


@every_form
@pytest.mark.parametrize(("kernel", "large"), [("linear", 1e40), ("linear", 1e300), ("poly", 1e20)], ids=str)
def test_kernel_values_that_overflow_are_refused(kernel, large, form):
    X, y = apart()
    refused = pytest.raises(ValueError, match=r"kernel values are not finite\. Scale the features")
    with refused:
        LASVC(kernel=kernel, gamma=1.0).fit(form(X * large), y)
    fitted = LASVC(kernel=kernel, gamma=1.0, selection="active").fit(form(X), y)
    for call in (fitted.decision_function, fitted.predict, fitted.query):
        with refused:
            call(form(X * large))


def test_a_row_on_its_right_side_overflows_too():
    model = LASVC(kernel="poly", gamma=1.0).partial_fit([[1.0], [-1.0]], [1, 0])
    with pytest.raises(ValueError, match="kernel values are not finite"):
        model.partial_fit([[1e14]], [1])


@pytest.mark.parametrize("selection", ["active", "exhaustive"])
def test_one_candidate_that_overflows_is_enough(selection):
    X, y = apart(200)
    X[150] *= 1e20
    with pytest.raises(ValueError, match="kernel values are not finite"):
        LASVC(kernel="poly", gamma=1.0, selection=selection, random_state=0).fit(X, y)


@every_form
def test_products_that_overflow_are_no_kernel_values(form):
    """In float32, where gamma |x|^2 does not."""
    rows = Rows(form(np.array([[1e25, 0.0], [1.0, 2.0]], dtype=np.float32)))
    store = RowStore("rbf", 1e-50, 0.0, 3, 2, form is csr_array, False)
    store.extend(rows, np.arange(2), np.arange(2))
    values = store.kernel_values(rows, np.arange(2))
    assert np.isnan(values[0, 0])
    assert values[1, 1] == 1
    with pytest.raises(ValueError, match="kernel values are not finite"):
        store.scores(rows, np.ones((1, 2)))
