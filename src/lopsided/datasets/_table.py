"""A table of text cells, held by its distinct lines."""

import csv
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

MISSING = "?"


class CsvTable:
    """The rows of a CSV file without its header.

    Two rows of KDD 99 in three repeat an earlier one, so each distinct line is parsed once.

    Parameters
    ----------
    names : sequence of str
        The column names.
    lines : sequence of str
        One line of comma separated cells for each row; ``?`` is a missing cell.

    Attributes
    ----------
    names : tuple of str
        The column names.
    n_repeated : int
        How many rows repeat an earlier row.

    Examples
    --------
    >>> table = CsvTable(["size", "kind"], ["1,a", "?,b", "1,a"])
    >>> len(table), table.n_repeated
    (3, 1)
    >>> table.numbers("size")
    array([ 1., nan,  1.])
    """

    def __init__(self, names: Sequence[str], lines: Sequence[str]) -> None:
        position: dict[str, int] = {}
        self._index = np.array([position.setdefault(line, len(position)) for line in lines], dtype=np.intp)
        self._distinct = list(position)
        self.names = tuple(names)
        self.n_repeated = len(lines) - len(position)
        seen: dict[str, str] = {}  # equal cells are kept once: there are few different ones
        rows = [list(map(seen.setdefault, row, row)) for row in csv.reader(self._distinct)]
        for line, row in zip(self._distinct, rows, strict=True):
            if len(row) != len(names):
                raise ValueError(f"expected {len(names)} columns, got {len(row)} in the line {line[:60]!r}")
        columns = zip(*rows, strict=True) if rows else ((),) * len(names)
        self._columns: dict[str, tuple[str, ...]] = dict(zip(names, columns, strict=True))

    def __len__(self) -> int:
        return len(self._index)

    def lines(self) -> Iterator[str]:
        """Return the rows in their order, as they were written."""
        return (self._distinct[i] for i in self._index)

    def text(self, name: str) -> NDArray[np.object_]:
        """Return one column as str."""
        return np.array(self._columns[name], dtype=object)[self._index]

    def values(self, name: str) -> set[str]:
        """Return the distinct cells of one column, the missing mark left out."""
        return set(self._columns[name]) - {MISSING}

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return one column as numbers; missing is NaN."""
        try:
            cells = [np.nan if cell == MISSING else float(cell) for cell in self._columns[name]]
        except ValueError as error:
            raise ValueError(f"expected numbers in the column {name!r}: {error}") from error
        return np.array(cells, dtype=np.float64)[self._index]

    def codes(self, name: str, categories: Sequence[str]) -> NDArray[np.float64]:
        """Return one column as positions in ``categories``; missing is NaN."""
        code: dict[str, float] = {category: i for i, category in enumerate(categories)}
        code[MISSING] = np.nan
        return np.array([code[cell] for cell in self._columns[name]], dtype=np.float64)[self._index]

    def has_missing(self) -> NDArray[np.bool_]:
        """Return for each row whether one of its cells is missing."""
        missing = [MISSING in line.split(",") for line in self._distinct]
        return np.array(missing, dtype=bool)[self._index]


def words(text: str) -> tuple[str, ...]:
    """Return the names of a list that is written as one text.

    Examples
    --------
    >>> words("age sex income")
    ('age', 'sex', 'income')
    """
    return tuple(text.split())
