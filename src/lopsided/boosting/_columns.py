"""The columns of a table, as a mapping, a data frame or an array has them; and rows of numbers from them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided.boosting._cells import Numbers, Values

_LARGEST = 1e100  # the square of a larger number is not finite


def read_columns(data: Any, *, needed_by: str) -> dict[str, list[Any]] | None:
    """Return the cells of each column, None where one is missing; None where ``data`` is no table.

    Examples
    --------
    >>> read_columns({"age": [41, None], "town": ["Bled", "Ptuj"]}, needed_by="find_rules")
    {'age': [41, None], 'town': ['Bled', 'Ptuj']}
    >>> list(read_columns(np.array([[1, 2], [3, 4]]), needed_by="find_rules"))
    ['x0', 'x1']
    >>> read_columns(["a text"], needed_by="find_rules") is None
    True
    """
    if issparse(data):
        return None
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
        return None
    lengths = {len(cells) for cells in columns.values()}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(
            f"{needed_by} needs columns of one length, and a row at least; got {len(columns):,} columns of "
            f"{', '.join(f'{n:,}' for n in sorted(lengths)) or 'no'} rows."
        )
    return columns


def standardize(columns: Sequence[Numbers | Values]) -> NDArray[np.float64]:
    """Return columns of mean 0 and deviation 1, with indicators of missing values and categories."""
    made: list[NDArray[np.float64]] = []
    for column in columns:
        if isinstance(column, Values):
            made += [(column.codes == code).astype(float) for code in range(len(column.names))]
            continue
        values = np.clip(column.values, -_LARGEST, _LARGEST)
        missing = np.isnan(values)
        known = values[~missing]
        scaled = np.where(missing, 0.0, (values - known.mean()) / (known.std() or 1.0))
        made.append(scaled)
        if missing.any():
            made.append(missing.astype(float))
    return np.column_stack(made)


def _frame_column(column: Any) -> list[Any]:
    """Return the cells of a data frame's column, None where one is missing."""
    if hasattr(column, "isna"):
        return [None if gone else cell for cell, gone in zip(column.tolist(), column.isna(), strict=True)]
    return list(column.to_list())
