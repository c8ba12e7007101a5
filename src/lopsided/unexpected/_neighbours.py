"""Similarities of the nearest rows, computed in blocks that fit into memory."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
_ENTRIES = 4_000_000  # of a block of similarities: 32 MB


def nearest(
    rows: Any,
    references: Any,
    own: NDArray[np.intp],
    k: int,
    similarity: Callable[[Any, Any], NDArray[Any]],
) -> tuple[Vector, Vector]:
    """Return the similarity to the nearest reference, and its mean over the k nearest, a row itself left out.

    Parameters
    ----------
    rows, references : CSR or array
        Of one kind.
    own : array of shape (n_rows,)
        The place of each row among the references, or -1.
    k : int
        How many neighbours; all there are where there are fewer.
    similarity : callable
        Of some rows and the references, a dense array.

    Returns
    -------
    best, mean : arrays of shape (n_rows,)
        0 where there is nothing to compare with.
    """
    n, n_references = rows.shape[0], references.shape[0]
    best, mean = np.zeros(n), np.zeros(n)
    if n == 0 or n_references == 0:
        return best, mean
    step = max(1, _ENTRIES // n_references)
    for start in range(0, n, step):
        block = slice(start, min(start + step, n))
        near = similarity(rows[block], references)
        mine = np.flatnonzero(own[block] >= 0)
        near[mine, own[block][mine]] = -np.inf
        best[block], mean[block] = best_and_mean(near, k)
    return best, mean


def best_and_mean(near: NDArray[Any], k: int) -> tuple[Vector, Vector]:
    """Return the largest value of each row, and the mean of the k largest; ``-inf`` does not count.

    Examples
    --------
    >>> best_and_mean(np.array([[1.0, -np.inf, 3.0], [-np.inf, -np.inf, -np.inf]]), 2)
    (array([3., 0.]), array([2., 0.]))
    """
    kept = min(k, near.shape[1])
    top = np.partition(near, near.shape[1] - kept, axis=1)[:, near.shape[1] - kept :]
    counts = np.isfinite(top)
    best = np.where(counts.any(axis=1), top.max(axis=1, initial=-np.inf), 0.0)
    mean = np.where(counts, top, 0.0).sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
    return best, mean
