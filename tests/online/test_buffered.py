"""What both online SVMs must keep: the optimum on short streams, finite numbers, saving without a trace."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.svm import SVC

from lopsided.online import OnlineSVM, RelaxedOnlineSVM


def gap(model, X, y, C):
    """By how much the conditions of the optimum are violated, over all examples."""
    signs = 2 * y - 1
    alpha = model.dual_coef_ * signs
    g = signs - X @ model.coef_[0]
    may_grow = np.where(signs > 0, alpha < C, alpha > 0)
    may_shrink = np.where(signs > 0, alpha > 0, alpha < C)
    return g[may_grow].max() - g[may_shrink].min()


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_optimum_is_reached_after_every_example(d):
    """b alone may move, and leave examples without a place on its wrong side."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, d))
        y = (X[:, 0] > 0).astype(int)
        model = OnlineSVM()
        for i in range(len(y)):
            model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
            if len(set(y[: i + 1])) == 2:
                assert gap(model, X[: i + 1], y[: i + 1], 100.0) < 3e-3, (seed, i)


@pytest.mark.parametrize("learner", [OnlineSVM(), RelaxedOnlineSVM(buffer_size=20)], ids=str)
def test_features_too_large_for_kernel_values_are_refused(learner):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    X[5] *= 1e19
    with pytest.raises(ValueError, match="Scale the features"):
        learner.partial_fit(X, y, classes=[0, 1])
    assert len(learner.dual_coef_) == 5  # those before it are learned, and the learner goes on
    learner.partial_fit(X[6:], y[6:])
    assert np.isfinite(learner.coef_).all()


@pytest.mark.parametrize("learner", [OnlineSVM(C=1.0), RelaxedOnlineSVM(buffer_size=20)], ids=str)
def test_saving_leaves_no_trace(learner):
    """Noise, so that the smallest difference would grow."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 2, 200)
    learner.partial_fit(X[:100], y[:100], classes=[0, 1])
    untouched = pickle.loads(pickle.dumps(learner))
    for _ in range(3):
        pickle.dumps(learner)
    for model in (learner, untouched):
        model.partial_fit(X[100:], y[100:])
    assert_array_equal(learner.coef_, untouched.coef_)
    fresh = type(learner)(**learner.get_params()).partial_fit(X, y, classes=[0, 1])
    assert_array_equal(learner.coef_, fresh.coef_)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("places", np.array([7], dtype=np.int32)),
        ("K", np.full((1, 1), np.nan, dtype=np.float32)),
        ("g", np.zeros(3)),
        ("known", np.zeros((1, 3))),
    ],
)
def test_a_damaged_state_is_refused(key, value):
    learner = OnlineSVM().fit([[0.0], [1.0]], [0, 1])
    state = learner._core.state()
    with pytest.raises(ValueError, match=key):
        learner._make(learner._made_of, state | {key: value})


@pytest.mark.parametrize("scale", [10.0**k for k in range(-8, 9, 2)], ids="{:g}".format)
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_the_optimum_at_every_scale(C, scale):
    """C / scale^2 gives the same problem: a curvature is small relative to the kernel values."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    signs, bound = 2 * y - 1, C / scale**2
    model = OnlineSVM(C=bound).fit(X * scale, y)
    assert gap(model, X * scale, y, bound) < 3e-3
    alpha, w = model.dual_coef_, model.dual_coef_ @ X * scale
    libsvm = SVC(C=bound, kernel="linear").fit(X * scale, y)
    expected = np.abs(libsvm.dual_coef_).sum() - libsvm.coef_[0] @ libsvm.coef_[0] / 2
    assert alpha @ signs - w @ w / 2 == pytest.approx(expected, rel=1e-5)
