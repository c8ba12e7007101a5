"""Read what rules are learned from or applied to: texts, or the columns of a table."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from lopsided.text._input import read_texts


def read_data(data: Any, *, needed_by: str) -> tuple[list[str] | None, dict[str, list[Any]]]:
    """Return texts, or None and the columns of a table."""
    if issparse(data):
        raise ValueError(
            f"{needed_by} reads texts or a table with named columns; got a sparse matrix. Use "
            "LPUBoostStumps for it, or pass the texts."
        )
    if isinstance(data, Mapping):
        columns = {str(name): list(cells) for name, cells in data.items()}
    elif hasattr(data, "columns") and hasattr(data, "__getitem__"):
        names = [str(name) for name in data.columns]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two columns are called {name!r}. Rename one.")
        columns = {str(name): _frame_column(data[name]) for name in data.columns}
    elif getattr(data, "ndim", 1) == 2:
        columns = {f"x{j}": list(column) for j, column in enumerate(np.asarray(data).T)}
    else:
        return read_texts("data", _iterable(data), needed_by=needed_by), {}
    lengths = {len(cells) for cells in columns.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"{needed_by} needs columns of one length, and a row at least; got {len(columns):,} columns of "
            f"{', '.join(f'{n:,}' for n in sorted(lengths)) or 'no'} rows."
        )
    return None, columns


def _iterable(data: Any) -> Iterable[str | bytes]:
    return data.tolist() if isinstance(data, np.ndarray) else data


def _frame_column(column: Any) -> list[Any]:
    """Cells of a data frame's column, None where one is missing."""
    if hasattr(column, "isna"):
        return [None if gone else cell for cell, gone in zip(column.tolist(), column.isna(), strict=True)]
    return list(column.to_list())
