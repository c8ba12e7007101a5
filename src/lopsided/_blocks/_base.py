"""The base of all rows in blocks: a shape, a few rows on request, and passes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse, vstack

from lopsided._sparse import checked_sparse

BlockFunction = Callable[..., Any]  # what `RowBlocks.map` calls with each block


class RowBlocks(ABC):
    """Rows in blocks of consecutive rows, each read when a pass comes to it.

    A subclass says where the blocks end and implements `map`. All blocks are dense or all are CSR, of
    float32 or float64. Row numbers count from 0 through all blocks.

    Parameters
    ----------
    ends : int array
        Number of rows up to the end of each block.
    n_columns : int
    dtype : dtype
        float32 stays, anything else is converted to float64.
    """

    def __init__(self, ends: NDArray[np.intp], n_columns: int, dtype: Any) -> None:
        self.edges = np.concatenate([[0], ends]).astype(np.intp)
        self.shape = (int(self.edges[-1]), n_columns)
        self.dtype = np.dtype(np.float32 if dtype == np.float32 else np.float64)
        self.is_sparse = False  # until a block says otherwise, in `_check`
        self._kept = np.empty(
            0, dtype=np.intp
        )  # sorted numbers of the rows that were taken last, and the rows
        self._kept_rows: Any = None

    @abstractmethod
    def map(
        self,
        function: BlockFunction,
        *sides: NDArray[Any],
        rows: NDArray[np.intp] | None = None,
        n_jobs: int | None = None,
    ) -> list[Any]:
        """Return ``function(block, chosen, *sides)`` of every block that holds rows to look at, in one pass.

        Parameters
        ----------
        function : callable
            Gets a block in memory, the places of its rows to look at (None: all of them), and the part of
            each side array that belongs to these rows. What it returns should be small: it travels.
        *sides : arrays of shape (n_rows, ...)
            An entry for each row of all blocks.
        rows : int array, optional
            Numbers of the rows to look at, ascending and distinct. RowBlocks without any are not read.
        n_jobs : int or None, default=None
            Threads on this machine; a cluster has workers of its own.
        """

    def __getitem__(self, rows: NDArray[Any]) -> Any:
        """Return the rows of these numbers, or of this mask, in memory and in the order given.

        Rows that the last call returned, too, are not read again.
        """
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        wanted, place = np.unique(rows, return_inverse=True)
        known = np.isin(wanted, self._kept, assume_unique=True)
        if not known.all() or self._kept_rows is None:
            parts = self.map(_picked, rows=wanted[~known])
            if known.any():
                parts.append(self._kept_rows[np.searchsorted(self._kept, wanted[known])])
            order = np.argsort(np.concatenate([wanted[~known], wanted[known]]), kind="stable")
            self._kept, self._kept_rows = wanted, self._stacked(parts)[order]
        return self._kept_rows[np.searchsorted(self._kept, wanted)[place]]

    def parts(
        self, sides: tuple[NDArray[Any], ...], rows: NDArray[np.intp] | None
    ) -> Iterator[tuple[int, NDArray[np.intp] | None, list[NDArray[Any]]]]:
        """Yield the number, the chosen places and the sides of each block that holds rows to look at."""
        if rows is not None and len(rows) == self.shape[0]:
            rows = None
        bounds = self.edges if rows is None else np.searchsorted(rows, self.edges)
        for block, (first, last) in enumerate(pairwise(bounds)):
            if first == last:
                continue
            if rows is None:
                yield block, None, [side[first:last] for side in sides]
            else:
                chosen = rows[first:last]
                mine = [side[chosen] for side in sides]
                n = self.edges[block + 1] - self.edges[block]
                yield block, None if len(chosen) == n else chosen - self.edges[block], mine

    def _check(self, check: Callable[[Any], None]) -> None:
        """Run the check on every block, and learn whether blocks are sparse, in one pass."""
        sparse = self.map(partial(_kind, check))
        self.is_sparse = any(sparse)
        if self.is_sparse and not all(sparse):
            raise ValueError(
                f"X mixes sparse and dense blocks: {sum(sparse)} of {len(sparse)} are sparse. Convert all of "
                "them, by X.map_blocks(scipy.sparse.csr_array) say."
            )

    def _stacked(self, parts: list[Any]) -> Any:
        if not parts:
            empty = np.empty((0, self.shape[1]), dtype=self.dtype)
            return csr_array(empty) if self.is_sparse else empty
        if not issparse(parts[0]):
            return np.concatenate(parts)
        stacked = csr_array(vstack(parts, format="csr"))
        stacked.indices, stacked.indptr = (
            stacked.indices.astype(np.int32, copy=False),
            stacked.indptr.astype(np.int32, copy=False),
        )
        return stacked


def as_rows(block: Any, dtype: Any) -> Any:
    """Return a block as a C-contiguous array or canonical CSR of this dtype."""
    if issparse(block):
        return checked_sparse(block, "a block of X").tocsr().astype(dtype, copy=False)
    return np.ascontiguousarray(block, dtype=dtype)


def is_sparse(X: Any) -> bool:
    """Return whether rows are sparse, in memory or in blocks."""
    return X.is_sparse if isinstance(X, RowBlocks) else bool(issparse(X))


def _kind(check: Callable[[Any], None], block: Any, chosen: None) -> bool:
    check(block)
    return bool(issparse(block))


def _picked(block: Any, chosen: NDArray[np.intp] | None) -> Any:
    return block if chosen is None else block[chosen]
