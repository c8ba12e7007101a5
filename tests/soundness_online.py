"""What every online SVM must be after each example it saw, and the optimum it may be compared with."""

from itertools import islice

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
    X = X.astype(np.float32).astype(np.float64)  # kernel values are kept in float32
    flipped = rng.random(n) < noise
    flipped[:3] = False
    return X, np.where(flipped, -y, y)


def check_dual(model, rows, C=(1.0, 1.0), frozen=0.0, frozen_sum=0.0):
    """Feasible alphas of which the weights are made; ``rows`` are those in the buffer, C of -1 and of +1.

    ``frozen`` and ``frozen_sum`` are sum y_i alpha_i x_i and sum y_i alpha_i of those that have left.
    """
    alpha, y = model.dual_coef_.ravel(), np.asarray(model.buffer_labels_)
    bound, size = np.where(y > 0, C[1], C[0]), max(1.0, np.abs(alpha).sum())
    assert len(alpha) == len(y) == len(rows)
    assert abs(alpha.sum() + frozen_sum) <= 1e-9 * size
    assert (y * alpha >= 0).all()
    assert (y * alpha <= bound * (1 + 1e-12)).all()
    assert_allclose(model.coef_[0], alpha @ rows + frozen, atol=1e-9 * size)


class Ledger:
    """Knows what is in the buffer of a relaxed SVM and what those that left have given to its weights."""

    def __init__(self, model, size, C):
        self.model, self.size, self.C = model, size, C
        self.kept, self.frozen, self.frozen_sum = [], 0.0, 0.0

    @property
    def rows(self):
        return np.array([x for x, _ in self.kept])

    def learn(self, x, label):
        """Show the model an example, and look at its dual afterwards."""
        alphas = np.append(self.model.dual_coef_, 0.0) if self.kept else np.zeros(1)
        self.kept.append((x, label))
        labels = [label for _, label in self.kept]
        if len(self.kept) > self.size:
            k = next(k for k, label in enumerate(labels) if labels.count(label) > 1)
            self.frozen = self.frozen + alphas[k] * self.kept[k][0]
            self.frozen_sum += alphas[k]
            del self.kept[k], labels[k]
        self.model.partial_fit(x[None], [label], classes=[-1, 1])
        assert_array_equal(self.model.buffer_labels_, labels)
        check_dual(self.model, self.rows, self.C, self.frozen, self.frozen_sum)


def check_optimal(model, rows, C):
    """The conditions of the optimum, within tol: alpha = 0 or y f <= 1, and alpha = C or y f >= 1."""
    y = np.asarray(model.buffer_labels_)
    alpha, margin = y * model.dual_coef_.ravel(), y * model.decision_function(rows)
    assert (margin[alpha < C * (1 - 1e-9)] >= 1 - model.tol).all()
    assert (margin[alpha > 0] <= 1 + model.tol).all()


def follow(slow, fast, x, label, precision, most_branches=300):
    """Show both an example and return the slow one in the state of the fast one, or None if it led elsewhere.

    After most steps two gradients are equal, and rounding decides whom the next takes: all ways are tried.
    Where nothing is optimised, both are equal to the last digits, an eviction included.
    """
    dense = x.toarray()[0] if sparse.issparse(x) else x[0]
    s = slow.score(dense)
    fast.partial_fit(x, [label], classes=[-1, 1])
    model = np.append(fast.coef_, fast.intercept_)
    atol = precision if label * s < slow.update_margin else 1e-9
    for state in islice(slow.branches(dense, int(label), s), most_branches):
        if np.allclose(model, np.append(state.w, state.b), rtol=0, atol=atol):
            assert_array_equal(fast.buffer_labels_, state.y)
            state.adopt(np.abs(fast.dual_coef_), fast.coef_[0], fast.intercept_[0])
            return state
    return None


def dual_objective(model, rows):
    """What the machine maximises, of the alphas it has."""
    return lasvm.objective(rows @ rows.T, np.asarray(model.buffer_labels_), model.dual_coef_.ravel())
