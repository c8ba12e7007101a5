"""The SVM's dual problem by an interior-point method: slow, exact, and unlike any pairwise solver."""

import numpy as np
from threadpoolctl import threadpool_limits

MAX_STEPS = 200


def solve(K, y, C, precision=1e-9):
    """Signed alphas and offset of the optimum; the duality gap is below ``precision`` of the objective.

    minimise   1/2 alpha' K alpha - y' alpha
    subject to A <= alpha <= B (between 0 and C_i y_i),  sum alpha = 0

    K must be positive semidefinite. Where no alpha is free, any b of an interval will do.
    """
    y = np.asarray(y, dtype=np.float64)
    C = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    kept = C > 0  # there is no room between equal bounds
    alpha = np.zeros(len(y))
    if len(np.unique(y[kept])) < 2:
        return alpha, 0.0
    K = np.asarray(K, dtype=np.float64)[np.ix_(kept, kept)]
    with threadpool_limits(1):  # small systems: a second thread only waits
        alpha[kept], b = _solve(K, y[kept], C[kept], precision)
    return alpha, b


def gap(K, y, C, alpha, b):
    """Primal minus dual objective: 0 at the optimum, never less where alpha is feasible."""
    y, scores = np.asarray(y), K @ alpha
    return float(alpha @ scores - alpha @ y + np.sum(C * np.maximum(0.0, 1.0 - y * (scores + b))))


def _solve(K, y, C, precision):
    """Mehrotra's predictor and corrector; z and w are the multipliers of the bounds, b is that of the sum."""
    A, B = np.minimum(0.0, C * y), np.maximum(0.0, C * y)
    n = len(y)
    alpha, b = y * np.minimum(C / 2, 1.0), 0.0
    z, w = 1 / (alpha - A), 1 / (B - alpha)
    for _ in range(MAX_STEPS):
        s, t = alpha - A, B - alpha
        gradient = K @ alpha - y + b - z + w
        excess = alpha.sum()
        size = max(1.0, abs(alpha @ y))
        if gap(K, y, C, alpha, b) <= precision * size and abs(excess) * max(1.0, abs(b)) <= precision * size:
            return alpha, b
        system = np.zeros((n + 1, n + 1))
        system[:n, :n] = K + np.diag(z / s + w / t)
        system[:n, n] = system[n, :n] = 1.0

        def step_towards(zs, wt, s=s, t=t, z=z, w=w, gradient=gradient, excess=excess, system=system):
            """Newton's step to the point where z s and w t have the given values."""
            right = -gradient + (zs - s * z) / s - (wt - t * w) / t
            solution = np.linalg.solve(system, np.append(right, -excess))
            d_alpha, d_b = solution[:n], solution[n]
            return d_alpha, d_b, (zs - s * z - z * d_alpha) / s, (wt - t * w + w * d_alpha) / t

        d_alpha, _, d_z, d_w = step_towards(0.0, 0.0)
        share = _longest(s, d_alpha, t, -d_alpha, z, d_z, w, d_w)
        before = s @ z + t @ w
        after = (s + share * d_alpha) @ (z + share * d_z) + (t - share * d_alpha) @ (w + share * d_w)
        centre = (after / before) ** 3 * before / (2 * n)
        d_alpha, d_b, d_z, d_w = step_towards(centre - d_alpha * d_z, centre + d_alpha * d_w)
        share = 0.995 * _longest(s, d_alpha, t, -d_alpha, z, d_z, w, d_w)
        alpha, b, z, w = alpha + share * d_alpha, b + share * d_b, z + share * d_z, w + share * d_w
    raise AssertionError(f"no optimum after {MAX_STEPS} steps: gap {gap(K, y, C, alpha, b)}")


def _longest(*pairs):
    """The longest step, up to 1, after which value + step * change is nowhere negative."""
    longest = 1.0
    for values, changes in zip(pairs[::2], pairs[1::2], strict=True):
        falling = changes < 0
        longest = min(longest, np.min(values[falling] / -changes[falling], initial=1.0))
    return longest
