"""The share of a uniform density under a convex decreasing one, by a generic optimiser and by plain loops."""

import math
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize


def parts(edges, n_parts):
    """Mass of the uniform density, then of the triangles 2 (b - t) / b^2, in each bin; one row a bin."""

    def triangle_below(t, b):
        return 1.0 if t >= b else (2 * b * t - t * t) / (b * b)

    rows = []
    for left, right in pairwise(edges):
        row = [right - left]
        for j in range(1, n_parts + 1):
            b = j / n_parts
            row.append(triangle_below(right, b) - triangle_below(left, b))
        rows.append(row)
    return rows


def log_likelihood(weights, edges, counts):
    rows = parts(edges, len(weights) - 1)
    return sum(
        n * math.log(sum(w * c for w, c in zip(weights, row, strict=True)))
        for n, row in zip(counts, rows, strict=True)
        if n
    )


def em(edges, counts, n_parts, n_steps):
    """Weights of all parts after so many steps of EM: each row is dealt to the parts it may be of."""
    rows = parts(edges, n_parts)
    weights = [1 / (n_parts + 1)] * (n_parts + 1)
    for _ in range(n_steps):
        dealt = [0.0] * (n_parts + 1)
        for n, row in zip(counts, rows, strict=True):
            fitted = sum(w * c for w, c in zip(weights, row, strict=True))
            for j, c in enumerate(row):
                if n:
                    dealt[j] += n * weights[j] * c / fitted
        weights = [d / sum(counts) for d in dealt]
    return weights


def most_likely(edges, counts, n_parts):
    """The weights of largest likelihood: the problem is concave, so any solver finds the same one."""
    C = np.array(parts(edges, n_parts))
    seen = np.asarray(counts) > 0
    share = np.asarray(counts)[seen] / np.sum(counts)

    def loss(w):
        fitted = C[seen] @ w + 1e-12
        return -share @ np.log(fitted), -C[seen].T @ (share / fitted)

    start = np.full(n_parts + 1, 1 / (n_parts + 1))
    result = minimize(
        loss,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * (n_parts + 1),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1, "jac": np.ones_like},
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    return result.x
