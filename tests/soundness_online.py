"""What every online SVM must be after each example it saw, and the optimum it may be compared with."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from reference import lasvm


def make_data(n=40, d=4, seed=0, noise=0.1):
    """Rows of norm 1 around two opposite directions, some labels flipped; the first three are mixed."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    y[:3] = [1, -1, 1]
    X = rng.standard_normal((n, d)) + 1.5 * y[:, None] * np.eye(d)[0]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X.astype(np.float32).astype(
        np.float64
    )  # kernel values, kept in float32, are then rounded in one way only
    flipped = rng.random(n) < noise
    flipped[:3] = False
    return X, np.where(flipped, -y, y)


def check_dual(model, rows, C=(1.0, 1.0)):
    """Feasible alphas of which the weights are made; ``rows`` are those in the buffer, C of -1 and of +1."""
    alpha, y = model.dual_coef_.ravel(), np.asarray(model.buffer_labels_)
    bound = np.where(y > 0, C[1], C[0])
    assert len(alpha) == len(y) == len(rows)
    assert abs(alpha.sum()) <= 1e-9 * max(1.0, np.abs(alpha).sum())
    assert (y * alpha >= 0).all()
    assert (y * alpha <= bound * (1 + 1e-12)).all()
    assert_allclose(model.coef_[0], alpha @ rows, atol=1e-9 * max(1.0, np.abs(alpha).sum()))
    if len(set(y.tolist())) < 2:
        assert_array_equal(model.coef_, np.zeros_like(model.coef_))
        assert_array_equal(model.intercept_, [0.0])


def follow(slow, fast, x, label, precision):
    """Show both an example; return whether the fast one did as the slow one.

    After most steps two gradients are equal, and rounding decides who moves next. So both arrive at
    the optimum of those that take part, but by other ways; where the number of steps ended before, nothing
    can be said. Where nothing was optimised they are equal, an eviction included.
    """
    dense = x.toarray()[0] if sparse.issparse(x) else x[0]
    s = slow.score(dense)
    slow.update(dense, int(label), s)
    fast.partial_fit(x, [label], classes=[-1, 1])
    assert_array_equal(fast.buffer_labels_, slow.y)
    models = np.append(fast.coef_, fast.intercept_), np.append(slow.w, slow.b)
    atol = precision if label * s < slow.update_margin else 1e-9
    slow.adopt(np.abs(fast.dual_coef_), fast.coef_[0], fast.intercept_[0])
    return slow.was_cut or np.allclose(*models, rtol=0, atol=atol)


def dual_objective(model, rows):
    """What the machine maximises, of the alphas it has."""
    return lasvm.objective(rows @ rows.T, np.asarray(model.buffer_labels_), model.dual_coef_.ravel())
