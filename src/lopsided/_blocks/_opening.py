"""The rows that are read in blocks: a Dask array, a memory-mapped array."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lopsided._blocks._base import RowBlocks
from lopsided._blocks._dask import DaskBlocks, is_dask
from lopsided._blocks._mapped import MappedBlocks


def as_blocks(X: Any, check: Callable[[Any], None]) -> RowBlocks | None:
    """Return the blocks of a Dask array or of a memory-mapped array; None for anything else.

    The first pass calls ``check`` with every block, dense or canonical CSR; it raises what is wrong.

    Examples
    --------
    >>> as_blocks(np.ones((3, 2)), check=print) is None
    True
    """
    if is_dask(X):
        return DaskBlocks(X, check)
    if isinstance(X, np.memmap) and X.ndim == 2 and X.dtype.kind in "biuf" and X.size:
        return MappedBlocks(X, check)
    if hasattr(X, "to_dask_array"):
        raise ValueError(
            f"X is a Dask {type(X).__name__}; expected a Dask array. Call "
            "X.to_dask_array(lengths=True) first."
        )
    return None
