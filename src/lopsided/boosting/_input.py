"""Read what rules are learned from or applied to: texts, or the columns of a table."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import issparse

from lopsided.boosting._columns import read_columns
from lopsided.text._input import read_texts


def read_data(data: Any, *, needed_by: str) -> tuple[list[str] | None, dict[str, list[Any]]]:
    """Return texts, or None and the columns of a table."""
    if issparse(data):
        raise ValueError(
            f"{needed_by} reads texts or a table with named columns; got a sparse matrix. Use "
            "LPUBoostStumps for it, or pass the texts."
        )
    columns = read_columns(data, needed_by=needed_by)
    if columns is None:
        return read_texts("data", _iterable(data), needed_by=needed_by), {}
    return None, columns


def _iterable(data: Any) -> Iterable[str | bytes]:
    return data.tolist() if isinstance(data, np.ndarray) else data
