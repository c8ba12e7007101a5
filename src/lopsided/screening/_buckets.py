"""Rows by key, in sorted arrays that merge as they grow: twelve bytes a key."""

import numpy as np
from numpy.typing import NDArray

_MOST_FOUND = 16  # rows of a bucket that a lookup gives, the earliest


class Buckets:
    """Rows that were filed under keys, several to a row.

    Examples
    --------
    >>> buckets = Buckets()
    >>> buckets.file(np.array([7, 9, 7], dtype=np.uint64), np.array([0, 1, 2], dtype=np.int32))
    >>> [found.tolist() for found in buckets.find(np.array([7], dtype=np.uint64))]
    [[0, 0], [0, 2]]
    """

    def __init__(self) -> None:
        self._runs: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []

    def file(self, keys: NDArray[np.uint64], rows: NDArray[np.int32]) -> None:
        """File rows under keys; rows must rise from call to call."""
        order = np.argsort(keys, kind="stable")
        run = keys[order], rows[order]
        # A run is merged with those before it that are not larger, so that there are few of them.
        while self._runs and len(self._runs[-1][0]) <= len(run[0]):
            before = self._runs.pop()
            joined = np.concatenate([before[0], run[0]])
            order = np.argsort(joined, kind="stable")
            run = joined[order], np.concatenate([before[1], run[1]])[order]
        self._runs.append(run)

    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Return pairs of a place in `keys` and a row that is filed under that key."""
        places, rows = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.int32)]
        for filed, filed_rows in self._runs:
            first = np.searchsorted(filed, keys, side="left")
            counts = np.minimum(np.searchsorted(filed, keys, side="right") - first, _MOST_FOUND)
            place = np.repeat(np.arange(len(keys)), counts)
            within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
            places.append(place)
            rows.append(filed_rows[first[place] + within])
        return np.concatenate(places), np.concatenate(rows)
