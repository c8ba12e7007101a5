"""Documents in partitions of a Dask bag or of a column of a Dask data frame: each is read on a worker."""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from lopsided._compat import chosen_sparse

T = TypeVar("T")

_TOGETHER = 8  # results of partitions that a worker merges at a time


def is_in_partitions(X: object) -> bool:
    """Return whether these are documents of Dask, without loading Dask.

    A Dask data frame is not: it has columns, and one of them must be named.
    """
    if "dask" not in sys.modules:
        return False
    return hasattr(X, "to_delayed") and hasattr(X, "dask") and getattr(X, "ndim", 1) == 1


def vectorize_lazily(transform: Callable[[Any], Any], X: Any, n_columns: int, dtype: Any) -> Any:
    """Return the rows of all documents as a Dask array, a CSR block for each partition.

    How many rows a block has is not known before it is computed. The function is sent once.
    """
    dask, arrays = import_module("dask"), import_module("dask.array")
    meta = chosen_sparse(csr_array((0, n_columns), dtype=dtype))  # a worker has settings of its own
    shared = dask.delayed(partial(_transform, transform, type(meta)), pure=False, traverse=False)
    apply = dask.delayed(_call, pure=False)
    blocks = [
        arrays.from_delayed(apply(shared, part), shape=(np.nan, n_columns), dtype=dtype, meta=meta)
        for part in partitions(X)
    ]
    return arrays.concatenate(blocks, axis=0, allow_unknown_chunksizes=True)


def reduce_partitions(read: Callable[[Any], T], merge: Callable[[list[T]], T], X: Any) -> T:
    """Return what ``read`` finds in each partition, merged in the order of the partitions; one graph."""
    dask = import_module("dask")
    shared = dask.delayed(read, pure=False, traverse=False)
    parts = [dask.delayed(_call, pure=False)(shared, part) for part in partitions(X)]
    join = dask.delayed(merge, pure=False)
    while len(parts) > 1:
        parts = [join(parts[first : first + _TOGETHER]) for first in range(0, len(parts), _TOGETHER)]
    found: T = dask.compute(parts[0])[0]
    return found


def partitions(X: Any) -> list[Any]:
    """Return the partitions as delayed objects."""
    parts = X.to_delayed()
    return list(parts.ravel() if isinstance(parts, np.ndarray) else parts)


def as_documents(part: Any) -> Iterable[Any]:
    """Return the documents of a partition, which may be any iterable."""
    return part if hasattr(part, "__len__") else list(part)


def _call(function: Callable[[Any], Any], part: Any) -> Any:
    """Run on a worker."""
    return function(as_documents(part))


def _transform(transform: Callable[[Any], Any], form: type, documents: Any) -> Any:
    return form(transform(documents))
