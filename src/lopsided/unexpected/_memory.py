"""Rows that were judged in fit are known again: what fit found of them is the answer."""

from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


def row_keys(rows: Any) -> list[str]:
    """Return one key a row, equal for equal rows; as text, which every format can keep.

    Examples
    --------
    >>> keys = row_keys(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> keys[0] == keys[2], keys[0] == keys[1]
    (True, False)
    """
    if not hasattr(rows, "indptr"):
        return [_digest(row.tobytes()) for row in np.asarray(rows, dtype=np.float64) + 0.0]
    indices = np.asarray(rows.indices, dtype=np.int64)
    data = np.asarray(rows.data, dtype=np.float64)
    ends = rows.indptr.tolist()
    return [_digest(indices[a:b].tobytes() + data[a:b].tobytes()) for a, b in pairwise(ends)]


def mean_by_key(keys: list[str], scores: NDArray[np.float64]) -> dict[str, float]:
    """Return the mean score of equal rows.

    Examples
    --------
    >>> mean_by_key(["a", "b", "a"], np.array([1.0, 5.0, 2.0]))
    {'a': 1.5, 'b': 5.0}
    """
    sums: dict[str, list[float]] = {}
    for key, score in zip(keys, scores.tolist(), strict=True):
        sums.setdefault(key, []).append(score)
    return {key: sum(values) / len(values) for key, values in sums.items()}


def _digest(row: bytes) -> str:
    return blake2b(row, digest_size=16).hexdigest()
