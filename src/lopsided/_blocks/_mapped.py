"""Rows of a memory-mapped array, read in bands."""

import mmap
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from lopsided._blocks._base import BlockFunction, RowBlocks, as_rows

_BYTES = 2**25  # of a block: what is read between two looks at the memory of the process


class MappedBlocks(RowBlocks):
    """RowBlocks of a memory-mapped array; pages that were read are given back after each block."""

    def __init__(self, X: Any, check: Callable[[Any], None]) -> None:
        n_together = max(1, _BYTES // max(1, X.shape[1] * X.itemsize))
        ends = np.minimum(np.arange(n_together, X.shape[0] + n_together, n_together), X.shape[0])
        super().__init__(ends, X.shape[1], X.dtype)
        self._X = X
        # Pages changed in a private copy (mode "c") would be lost.
        is_shared = isinstance(X.base, mmap.mmap) and X.mode in ("r", "r+")
        self._mapping = X.base if is_shared and hasattr(X.base, "madvise") else None
        self._check(check)

    def map(
        self,
        function: BlockFunction,
        *sides: NDArray[Any],
        rows: NDArray[np.intp] | None = None,
        n_jobs: int | None = None,
    ) -> list[Any]:
        """Return what the function gives for each block, in ``n_jobs`` threads."""
        parts = self.parts(sides, rows)
        if effective_n_jobs(n_jobs) <= 1:
            return [self._apply(function, *part) for part in parts]
        work: list[Callable[..., Any]] = [delayed(self._apply)(function, *part) for part in parts]
        return list(Parallel(n_jobs=n_jobs, require="sharedmem")(work))

    def _apply(
        self,
        function: BlockFunction,
        block: int,
        chosen: NDArray[np.intp] | None,
        sides: list[NDArray[Any]],
    ) -> Any:
        band = np.asarray(self._X[self.edges[block] : self.edges[block + 1]])
        if self._X.dtype != self.dtype and chosen is not None:
            band, chosen = band[chosen], None  # fewer rows to convert
        result = function(as_rows(band, self.dtype), chosen, *sides)
        if self._mapping is not None:
            self._mapping.madvise(mmap.MADV_DONTNEED)
        return result
