import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator

from lopsided.online._regressor import OnlineRegressor
from reference.values import SlowRegressor

PARAMETERS = [
    {},
    {"eta0": 0.3, "initial_value": 4.0},
    {"eta0": 1.7, "epsilon": 0.5},
    {"epsilon": 0.2, "fit_intercept": False, "initial_value": -1.0},
]


def made(n=200, d=6, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return X, X @ np.arange(d) + 2 + noise * rng.normal(size=n)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_step_by_step_as_the_twin(parameters):
    X, y = made()
    slow = SlowRegressor(X.shape[1], **parameters)
    model = OnlineRegressor(**parameters)
    for x, value in zip(X, y, strict=True):
        slow.update(x, value)
        model.partial_fit(x[None], np.array([value]))
        np.testing.assert_allclose(model.coef_, slow.w[:-1], atol=1e-10)
        assert model.intercept_ == pytest.approx(slow.w[-1] + slow.start)
        assert model.predict(x[None])[0] == pytest.approx(slow.predict(x))
    assert model.n_updates_ == slow.n_updates > 0


def test_by_hand():
    model = OnlineRegressor().fit([[2.0]], [5.0])  # |x|^2 + 1 = 5: a step of 1
    assert (model.coef_.tolist(), model.intercept_, model.n_updates_) == ([2.0], 1.0, 1)
    model.partial_fit([[1.0]], [5.0])  # it predicts 3; 2 are missing, |x|^2 + 1 = 2
    assert (model.coef_.tolist(), model.intercept_, model.n_updates_) == ([3.0], 2.0, 2)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_sparse_is_dense(parameters, kind):
    X, y = made()
    dense, sparse = (OnlineRegressor(**parameters).fit(matrix, y) for matrix in (X, kind(X)))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-12)
    assert sparse.intercept_ == pytest.approx(dense.intercept_)
    np.testing.assert_allclose(sparse.predict(kind(X)), dense.predict(X))


def test_a_column_named_twice_in_a_sparse_row_counts_as_its_sum():
    twice = csr_matrix((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    once = OnlineRegressor().fit([[3.0, 1.0]], [7.0])
    np.testing.assert_allclose(OnlineRegressor().fit(twice, [7.0]).coef_, once.coef_)
    np.testing.assert_allclose(
        once.partial_fit(twice, np.array([1.0])).coef_,
        OnlineRegressor().fit([[3.0, 1.0], [3.0, 1.0]], [7.0, 1.0]).coef_,
    )
    assert twice.nnz == 3, "the input was changed"


def test_fit_is_partial_fit_in_pieces_and_forgets():
    X, y = made()
    whole = OnlineRegressor().fit(y[:, None], X[:, 0]).fit(X, y)
    pieces = OnlineRegressor()
    for start in range(0, len(y), 30):
        pieces.partial_fit(X[start : start + 30], y[start : start + 30])
    lists = OnlineRegressor().partial_fit(X[:9].tolist(), y[:9].tolist()).partial_fit(X[9:], y[9:].tolist())
    for model in (pieces, lists):
        np.testing.assert_array_equal(model.coef_, whole.coef_)
        assert (model.intercept_, model.n_updates_) == (whole.intercept_, whole.n_updates_)


def test_float32_is_computed_in_float64():
    X, y = made()
    narrow = X.astype(np.float32)
    a, b = OnlineRegressor().fit(narrow, y), OnlineRegressor().fit(narrow.astype(np.float64), y)
    np.testing.assert_array_equal(a.coef_, b.coef_)


@given(st.floats(-50, 50), st.floats(0, 2), st.integers(0, 1000))
def test_a_step_of_1_ends_at_the_tube(value, epsilon, seed):
    X, y = made(n=20, seed=seed)
    model = OnlineRegressor(epsilon=epsilon).fit(X, y)
    before, coef, n_updates = model.predict(X[:1])[0], model.coef_.copy(), model.n_updates_
    model.partial_fit(X[:1], np.array([value]))
    after = model.predict(X[:1])[0]
    if abs(value - before) <= epsilon:
        assert (after, model.n_updates_) == (before, n_updates)
        np.testing.assert_array_equal(model.coef_, coef)
    else:
        assert abs(value - after) == pytest.approx(epsilon, abs=1e-9)
        assert model.n_updates_ == n_updates + 1


@given(st.floats(0.01, 1.99), st.integers(0, 1000))
def test_no_step_leads_away_from_the_truth(eta0, seed):
    """Where values are exact, each step projects: the distance to the true weights never grows."""
    X, y = made(n=40, noise=0, seed=seed)
    truth = np.append(np.arange(6), 2)
    model, last = OnlineRegressor(eta0=eta0), np.linalg.norm(truth)
    for x, value in zip(X, y, strict=True):
        model.partial_fit(x[None], np.array([value]))
        distance = np.linalg.norm(np.append(model.coef_, model.intercept_) - truth)
        assert distance <= last + 1e-9
        last = distance


def test_units_do_not_matter():
    X, y = made()
    model = OnlineRegressor(epsilon=0.1, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(
        OnlineRegressor(epsilon=1.0, fit_intercept=False).fit(X, 10 * y).coef_, 10 * model.coef_
    )
    np.testing.assert_allclose(
        OnlineRegressor(epsilon=0.1, fit_intercept=False).fit(10 * X, y).coef_, model.coef_ / 10
    )
    np.testing.assert_allclose(
        OnlineRegressor(epsilon=0.1, fit_intercept=False).fit(X, -y).coef_, -model.coef_
    )


def test_small_steps_average_noise():
    X, y = made(n=20_000, noise=2.0)
    truth = np.append(np.arange(6), 2)
    wild, calm = (OnlineRegressor(eta0=eta0).fit(X, y) for eta0 in (1.0, 0.02))
    wild_error, calm_error = (
        np.linalg.norm(np.append(model.coef_, model.intercept_) - truth) for model in (wild, calm)
    )
    assert calm_error < 0.3 < wild_error


def test_a_row_of_zeros():
    X, y = np.zeros((1, 3)), np.array([5.0])
    model = OnlineRegressor().fit(X, y)
    assert (model.coef_.tolist(), model.intercept_) == ([0, 0, 0], 5.0)
    for zeros in (X, csr_matrix(X)):
        model = OnlineRegressor(fit_intercept=False).fit(zeros, y)
        assert (model.coef_.tolist(), model.intercept_, model.n_updates_) == ([0, 0, 0], 0.0, 0)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0, np.nan, 0.0]], [1.0], "NaN"),
        ([[1.0, np.inf, 0.0]], [1.0], "infinity"),
        ([[1.0, 2.0, 0.0]], [np.nan], "NaN"),
        ([[1.0, 2.0, 0.0]], [1.0, 2.0], "inconsistent"),
        ([[1.0, 2.0, 0.0]], [[1.0, 2.0]], "1d array"),
        (np.empty((0, 3)), np.empty(0), "0 sample"),
    ],
)
def test_bad_input_changes_nothing(X, y, message, first):
    model = OnlineRegressor()
    if not first:
        model.fit([[1.0, 2.0, 3.0]], [4.0])
        kept = model.coef_.copy()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(np.array(X), np.array(y))
    if not first:
        np.testing.assert_array_equal(model.coef_, kept)


def test_rows_of_another_width_are_refused():
    model = OnlineRegressor().fit([[1.0, 2.0, 3.0]], [4.0])
    for rows in (np.ones((1, 2)), csr_matrix(np.ones((1, 4)))):
        with pytest.raises(ValueError, match="3 features"):
            model.partial_fit(rows, np.array([1.0]))
        with pytest.raises(ValueError, match="3 features"):
            model.predict(rows)


def test_before_anything_was_learned():
    with pytest.raises(NotFittedError):
        OnlineRegressor().predict([[1.0]])


@pytest.mark.parametrize("eta0", [0, 2, -1, np.nan])
def test_a_step_that_cannot_converge_is_refused(eta0):
    with pytest.raises(ValueError, match="eta0"):
        OnlineRegressor(eta0=eta0).fit([[1.0]], [1.0])


@pytest.mark.parametrize("parameters", PARAMETERS[:2], ids=str)
def test_scikit_learns_checks(parameters):
    for model, check in estimator_checks_generator(OnlineRegressor(**parameters)):
        if check.func.__name__ != "check_array_api_input":  # needs a setting of SciPy's
            check(model)


@pytest.mark.parametrize(("size", "value"), [(1e160, 1.0), (1.0, 1.7e308)])
def test_rows_and_values_too_large_to_be_learned(size, value):
    model = OnlineRegressor(eta0=1.9).fit([[1.0, 1.0]], [2.0])
    before = model.coef_.copy(), model.intercept_, model.n_updates_
    with pytest.raises(ValueError, match="too large to learn from"):
        model.partial_fit([[size, size]], [value])
    assert (model.coef_ == before[0]).all()
    assert (model.intercept_, model.n_updates_) == before[1:]
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_predictions_that_are_not_finite_are_refused(form):
    model = OnlineRegressor().fit([[1.0, 2.0]], [1e100])
    with pytest.raises(ValueError, match=r"predictions are not finite.*Scale the features"):
        model.predict(form(np.full((1, 2), 1e300)))
