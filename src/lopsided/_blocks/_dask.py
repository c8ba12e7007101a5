"""Rows of a Dask array: each pass is one graph, which runs where the array's blocks are."""

import sys
from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._blocks._base import BlockFunction, RowBlocks, as_rows

_FEW = 32  # a row number has as many bits, so fewer rows than one in 32 are sent as numbers


class DaskBlocks(RowBlocks):
    """The blocks of a Dask array of NumPy or CSR blocks.

    The function of a pass is sent once, with a bit for each row that it looks at. A worker that is lost costs
    nothing but time: nothing is kept on workers but what Dask keeps there.
    """

    def __init__(self, X: Any, check: Callable[[Any], None]) -> None:
        check_chunks(X)
        super().__init__(np.cumsum(X.chunks[0]), X.shape[1], X.dtype)
        self._blocks = X.to_delayed().ravel()
        self._check(check)

    def map(
        self,
        function: BlockFunction,
        *sides: NDArray[Any],
        rows: NDArray[np.intp] | None = None,
        n_jobs: int | None = None,
    ) -> list[Any]:
        """Return what the function gives for each block, all in one graph."""
        dask: Any = import_module("dask")

        shared = dask.delayed(_Pass(function, self.dtype), pure=False, traverse=False)
        apply = dask.delayed(_apply, pure=False)
        tasks = []
        for block, chosen, mine in self.parts(sides, rows):
            shape = (int(self.edges[block + 1] - self.edges[block]), self.shape[1])
            sent = _Sent(_packed_rows(chosen, shape[0]), tuple(_packed(side) for side in mine))
            tasks.append(
                apply(shared, self._blocks[block], shape, dask.delayed(sent, pure=False, traverse=False))
            )
        try:
            return list(dask.compute(*tasks))
        except Exception as error:
            known = in_one_line(error)
            if known is None:
                raise
            raise known from error


def is_dask(X: Any) -> bool:
    """Return whether this is a Dask array, without loading Dask."""
    arrays = sys.modules.get("dask.array")
    return arrays is not None and isinstance(X, arrays.Array)


def check_chunks(X: Any) -> None:
    """Refuse a Dask array whose blocks are not rows of known number."""
    if X.ndim != 2:
        raise ValueError(
            f"X must have rows and columns; got a Dask array of {X.ndim} dimensions. Reshape it."
        )
    if np.isnan(X.shape[1]) or any(np.isnan(size) for size in X.chunks[0]):
        raise ValueError(
            "X has blocks of unknown size; expected a known number of rows in each. Call "
            "X.compute_chunk_sizes() first."
        )
    if len(X.chunks[1]) > 1:
        raise ValueError(
            f"X has its columns split into {len(X.chunks[1])} chunks; expected whole rows. "
            "Call X = X.rechunk({1: -1}) first."
        )


def score_lazily(score: Callable[[Any], Any], X: Any, dtype: Any, n_scores: int | None = None) -> Any:
    """Return ``score(block)`` of every block as a lazy Dask array: a number, or so many, for each row."""
    check_chunks(X)
    block_dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    empty = np.empty(0 if n_scores is None else (0, n_scores), dtype=dtype)
    shape = {"drop_axis": 1} if n_scores is None else {"chunks": (X.chunks[0], (n_scores,))}
    return X.map_blocks(partial(_scored, score, block_dtype, empty), dtype=dtype, meta=empty, **shape)


class _Pass(NamedTuple):
    """The function of a pass, and the dtype in which it gets each block."""

    function: BlockFunction
    dtype: Any


class _Bits(NamedTuple):
    """A boolean array, a bit for each entry."""

    packed: NDArray[np.uint8]
    n: int

    def unpacked(self) -> NDArray[np.bool_]:
        return np.unpackbits(self.packed, count=self.n).astype(bool)


class _Sent(NamedTuple):
    """The rows of one block to look at (None: all), and their part of each side array, as they are sent."""

    chosen: Any
    sides: tuple[Any, ...]


def _packed(side: NDArray[Any]) -> Any:
    return _Bits(np.packbits(side), len(side)) if side.dtype == bool and side.ndim == 1 else side


def _packed_rows(chosen: NDArray[np.intp] | None, n: int) -> Any:
    if chosen is None or len(chosen) * _FEW < n:
        return None if chosen is None else chosen.astype(np.int32)
    mask = np.zeros(n, dtype=bool)
    mask[chosen] = True
    return _packed(mask)


def _apply(work: _Pass, block: Any, shape: tuple[int, int], sent: _Sent) -> Any:
    """Run on a worker."""
    if tuple(block.shape) != shape:
        raise ValueError(
            f"a block of X has shape {tuple(block.shape)}; its chunks say {shape}. Call "
            "X.compute_chunk_sizes(), or pass the right chunks."
        )
    chosen = sent.chosen
    if isinstance(chosen, _Bits):
        chosen = np.flatnonzero(chosen.unpacked())
    sides = [side.unpacked() if isinstance(side, _Bits) else side for side in sent.sides]
    return work.function(as_rows(block, work.dtype), chosen, *sides)


def _scored(score: Callable[[Any], Any], block_dtype: Any, empty: NDArray[Any], block: Any) -> Any:
    if block.shape[0] == 0:
        return empty
    return np.asarray(score(as_rows(block, block_dtype)), dtype=empty.dtype)


def in_one_line(error: Exception) -> OSError | None:
    """Return what went wrong on the cluster; None for an error of the work itself."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    if isinstance(error, distributed.KilledWorker):
        return OSError(
            f"a block of X was lost with every worker that took it: {error}. Use smaller chunks, or "
            "workers with more memory."
        )
    if isinstance(error, (CancelledError, distributed.comm.CommClosedError)):
        return OSError(f"the Dask scheduler is gone: {error}. Start it again, and connect a new Client.")
    return None
