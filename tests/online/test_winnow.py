"""Winnow, against its slow twin and the laws of its specification."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from lopsided.online import Winnow
from reference import online

FORMS = [np.asarray, sparse.csr_array]
CLASSES = [-1, 1]


def make_data(n=150, d=12, seed=0, binary=True):
    """Sparse rows that are not negative; positive are those with one of the first two features."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < 0.3).astype(float)
    y = np.where(X[:, :2].any(axis=1), 1, -1)
    if not binary:
        X *= rng.uniform(0.1, 2.0, X.shape)
    return X, np.where(rng.random(n) < 0.1, -y, y)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"factor": 1.5}, {"threshold": 2.0}, {"factor": 3.0, "threshold": 4.0, "initial_bias": 0.5}],
    ids=str,
)
def test_each_step_is_the_twins(form, binary, parameters):
    X, y = make_data(binary=binary)
    slow, fast, n_updates = online.Winnow(X.shape[1], **parameters), Winnow(**parameters), 0
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        s = slow.score(x)
        if t:
            assert fast.decision_function(form(x[None]))[0] == pytest.approx(s, rel=1e-9, abs=1e-9)
        n_updates += slow.update(x, label, s)
        fast.partial_fit(form(x[None]), [label], classes=CLASSES)
        assert_allclose(fast.coef_, slow.w[None], rtol=1e-9)
        assert_allclose(fast.intercept_, [slow.b], atol=1e-12)
        assert fast.n_updates_ == n_updates
        assert (fast.coef_ > 0).all()
    assert 0 < n_updates < len(y)


def test_a_toy_by_hand():
    X = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]])
    model = Winnow(factor=2.0).partial_fit(X[:1], [1], classes=CLASSES)
    assert_array_equal(model.coef_, [[2, 2, 1, 1]])  # 2 - 4 / 2 = 0: no clear yes, so a promotion
    assert_array_equal(model.intercept_, [-2])
    model.partial_fit(X[1:2], [-1])
    assert_array_equal(model.coef_, [[2, 1, 0.5, 0.5]])  # 4 - 2 > 0: a demotion
    model.partial_fit(X[2:], [1])
    assert_array_equal(model.coef_, [[4, 1, 0.5, 0.5]])  # 2 - 2 = 0
    assert_array_equal(model.predict(X), [1, -1, 1])  # 3, 0, 2: a score of 0 is negative, as in scikit-learn


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 4), d=st.sampled_from([16, 64, 256]))
@settings(max_examples=25)
def test_a_disjunction_is_learned_with_few_mistakes(seed, k, d):
    rng = np.random.default_rng(seed)
    literals = rng.choice(d, k, replace=False)
    X = (rng.random((400, d)) < rng.uniform(0.02, 0.5)).astype(float)
    y = np.where(X[:, literals].any(axis=1), 1, -1)
    model, n_mistakes = Winnow(factor=2.0, threshold=float(d)), 0
    model.partial_fit(np.zeros((1, d)), [-1], classes=CLASSES)  # -d: right, and nothing to move
    for x, label in zip(X, y, strict=True):
        n_mistakes += model.predict(x[None])[0] != label
        model.partial_fit(x[None], [label])
    assert n_mistakes <= 2 + 3 * k * (1 + np.log2(d))


def test_exponents_are_clipped():
    x = np.array([[1.0, 0.0]])
    model = Winnow(factor=2.0, threshold=1e100).partial_fit(x, [1], classes=CLASSES)
    for _ in range(250):
        model.partial_fit(x, [1])
    assert_allclose(model.coef_, [[2.0**200, 1.0]])
    model = Winnow(factor=2.0, initial_bias=100.0).partial_fit(x, [-1], classes=CLASSES)
    for _ in range(250):
        model.partial_fit(x, [-1])
    assert_allclose(model.coef_, [[2.0**-200, 1.0]])
    huge = Winnow(factor=30.0, threshold=1e300).partial_fit(x, [1], classes=CLASSES)
    for _ in range(250):
        huge.partial_fit(x, [1])
    assert np.isfinite(huge.decision_function(x)).all()


def test_the_default_threshold_hides_sparse_rows_at_first():
    """Half the number of features: a row with fewer scores below 0, so one-sided nothing would be learned."""
    model = Winnow().partial_fit(np.zeros((1, 10)), [-1], classes=CLASSES)
    rows = np.tril(np.ones((10, 10)))  # 1 to 10 features
    assert_array_equal(model.decision_function(rows), np.arange(1, 11) - 5.0)


def test_features_below_zero_are_refused():
    with pytest.raises(ValueError, match="Negative"):
        Winnow().fit([[1.0, -1.0], [0.0, 1.0]], [1, -1])
    model = Winnow().fit([[1.0, 1.0], [0.0, 1.0]], [1, -1])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="Negative"):
        model.partial_fit([[1.0, 1.0], [0.0, -1.0]], [-1, 1])
    assert_array_equal(model.coef_, before)
