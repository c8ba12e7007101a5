import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csc_array, csr_array, csr_matrix

from lopsided._kernels.stumps import step_of_signs
from lopsided.boosting import _stumps
from lopsided.boosting._stumps import PresenceStumps, ThresholdStumps
from reference import boosting as twin


def pairs_of(y, D):
    return np.column_stack([np.where(y > 0, D, 0.0), np.where(y > 0, 0.0, D)])


def check_weights(stumps, n, y, D):
    """The weights beneath each question are those of a loop over its rows; all four add to 1."""
    weights = stumps.weights(pairs_of(y, D))
    assert len(weights) == n
    for number in range(n):
        (pp, pm), (mp, mm) = twin.sums(stumps.applies(number), y, D)
        np.testing.assert_allclose(weights[number], [pp, pm], atol=1e-15)
        assert pp + pm + mp + mm == pytest.approx(1)


@pytest.mark.parametrize("form", [np.asarray, csr_array, csc_array, csr_matrix])
def test_presence_is_the_same_for_every_form_of_a_matrix(form, words):
    X, y = words()
    X = X * np.random.default_rng(0).normal(size=X.shape)  # below 0 is there too
    D = np.random.default_rng(1).dirichlet(np.ones(len(y)))
    stumps = PresenceStumps(form(X))
    check_weights(stumps, X.shape[1], y, D)
    np.testing.assert_array_equal(stumps.weights(pairs_of(y, D)), PresenceStumps(X).weights(pairs_of(y, D)))
    for number in (0, 7, X.shape[1] - 1):
        assert stumps.question(number) == (number, None)
        np.testing.assert_array_equal(stumps.applies(number), X[:, number] != 0)


def test_a_zero_that_is_stored_is_no_presence():
    X = csr_array((np.array([0.0, 1.0]), np.array([0, 0]), np.array([0, 1, 2])), shape=(2, 1))
    assert PresenceStumps(X).applies(0).tolist() == [False, True]
    assert X.nnz == 2, "the input was changed"


@given(arrays(np.float64, (12, 2), elements=st.integers(-3, 3) | st.floats(-1, 1)), st.integers(0, 99))
def test_thresholds_are_every_way_to_cut_a_column(X, seed):
    rng = np.random.default_rng(seed)
    y, D = rng.choice([-1, 1], 12), rng.dirichlet(np.ones(12))
    stumps = ThresholdStumps(X)
    wanted = {
        (j, tuple(X[:, j] > value)) for j in range(2) for value in np.unique(X[:, j])[:-1]
    }  # brute force: a set of rows for each value but the largest
    check_weights(stumps, len(wanted), y, D)
    got = set()
    for number in range(len(wanted)):
        feature, threshold = stumps.question(number)
        np.testing.assert_array_equal(X[:, feature] > threshold, stumps.applies(number))
        got.add((feature, tuple(stumps.applies(number))))
    assert got == wanted


def test_thresholds_are_the_same_for_sparse_columns():
    X = np.random.default_rng(0).poisson(0.5, size=(40, 5)).astype(np.float64)
    y, D = np.where(X[:, 0] > 0, 1, -1), np.full(40, 1 / 40)
    dense, sparse = ThresholdStumps(X), ThresholdStumps(csr_array(X))
    np.testing.assert_array_equal(dense.weights(pairs_of(y, D)), sparse.weights(pairs_of(y, D)))


def test_many_rows_get_at_most_255_thresholds(monkeypatch):
    monkeypatch.setattr(_stumps, "_LARGE", 1000)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=2000), rng.integers(0, 4, 2000), np.ones(2000)])
    y, D = rng.choice([-1, 1], 2000), np.full(2000, 1 / 2000)
    stumps = ThresholdStumps(X)
    n = len(stumps.weights(pairs_of(y, D)))
    assert 200 < n <= 255 + 3
    check_weights(stumps, n, y, D)
    of_first = [stumps.applies(number).mean() for number in range(n - 3)]
    assert np.abs(np.diff([1, *of_first, 0])).max() < 0.02  # slices of about one in 256


def test_a_constant_column_asks_nothing():
    assert len(ThresholdStumps(np.ones((5, 2))).weights(np.zeros((5, 2)))) == 0


def test_neighbouring_numbers_are_told_apart():
    X = np.array([[1.0], [np.nextafter(1.0, 2)], [1e308], [-1e308]])
    stumps = ThresholdStumps(X)
    assert [stumps.applies(number).sum() for number in range(3)] == [3, 2, 1]
    assert all((X[:, 0] > stumps.question(k).threshold).sum() == 3 - k for k in range(3))


@pytest.mark.parametrize(("beta", "alpha"), [(1, 0.549306), (2, 0.628329)])
def test_the_root_of_equation_11_as_published(beta, alpha):
    assert step_of_signs(0.30, 0.10, 0.15, 0.45, beta, 1e-3) == pytest.approx(alpha, abs=5e-7)


@given(arrays(np.float64, 4, elements=st.floats(1e-3, 1)), st.floats(1, 16))
def test_the_root_of_equation_11_is_a_root(W, beta):
    pp, pm, mp, mm = W / W.sum()
    alpha = step_of_signs(pp, pm, mp, mm, beta, 1e-9)
    Y = np.exp(alpha)
    residual = mp * Y**2 + pm / beta * Y ** (1 + 1 / beta) - pp / beta * Y ** (1 - 1 / beta) - mm
    assert abs(residual) < 1e-10 * max(1.0, Y**2)
    assert alpha == pytest.approx(twin.step(pp, pm, mp, mm, beta, 1e-9), abs=1e-9)


@pytest.mark.parametrize("beta", [1, 4])
def test_a_step_without_errors_is_finite(beta):
    most = 0.5 * np.log(1001)
    assert step_of_signs(0.5, 0, 0, 0.5, 4, 1e-3) == pytest.approx(most)
    assert step_of_signs(0, 0.5, 0.5, 0, 4, 1e-3) == pytest.approx(-most)
    assert 0 < step_of_signs(0.5, 0, 0, 0.5, beta, 1e-3) < 5
