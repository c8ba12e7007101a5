"""A table with all its columns, for those who learn from more than one text a row."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lopsided.text._documents import Documents, Problem
from lopsided.text._readers import format_of_name
from lopsided.text._source import DocumentFile
from lopsided.text._tables import check_delimiter, iter_rows

TABLES = ("csv", "tsv", "jsonl", "parquet", "xlsx")
_MAX_BYTES = 10 * 2**20  # longer lines are skipped


@dataclass(frozen=True)
class WholeTable:
    """The columns of a table by their names, where each row stands, and a record of what went wrong.

    Examples
    --------
    >>> table = WholeTable({"age": ["41", None]}, ["t.csv:2", "t.csv:3"])
    >>> len(table), table.summary()
    (2, '2 rows')
    """

    columns: dict[str, list[Any]]
    ids: list[str]
    problems: list[Problem] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)

    def summary(self) -> str:
        """Return one line: how many rows there are, how many were skipped and repaired, and why."""
        told = Documents([""] * len(self), self.ids, None, self.problems).summary()
        return told.replace(" document", " row", 1)


def read_table(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    label: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
) -> WholeTable:
    r"""Read CSV, TSV, XLSX, JSON lines or Parquet with all columns.

    Parameters
    ----------
    path : str or path-like
        The file; its suffix says the format (also with .gz, .xz or .bz2 behind it).
    id : str or None, default=None
        The column of the ids, which is then no other column. If not given, they say where the row stands.
    label : str or None, default=None
        A column that must be there.
    format : str or None, default=None
        "csv", "tsv", "xlsx", "jsonl" or "parquet", instead of the suffix.
    delimiter : str or None, default=None
        Character between two cells of CSV and TSV; None recognises it by the header.

    Returns
    -------
    table : WholeTable
        Cells of CSV, TSV and XLSX are str; what is missing is None.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.csv")
    ...     _ = file.write_text("age,town\n41,Ljubljana\n,Bled\n")
    ...     read_table(file).columns
    {'age': ['41', None], 'town': ['Ljubljana', 'Bled']}
    """
    path = Path(path)
    known = format or format_of_name(path)
    if not path.exists():
        raise FileNotFoundError(f"no file or folder '{path}'. Check the path.")
    if known not in TABLES:
        raise ValueError(
            f"'{path}' is no table by its name (known: {', '.join(TABLES)}). Name its format with format= "
            "(in the shell: --format)."
        )
    check_delimiter(delimiter)
    source = DocumentFile(path, _MAX_BYTES, delimiter=delimiter)
    named = {key: column for key, column in (("id", id), ("label", label)) if column is not None}
    columns: dict[str, _Column] = {}
    ids: list[str] = []
    for place, row in iter_rows(source, known, named):
        for name in row.keys() - columns.keys():
            columns[name] = _Column(len(ids))
        for name, column in columns.items():
            column.add(row.get(name))
        ids.append(place if id is None else source.identify(place, row.get(id)))
    if not ids:
        skipped = Documents([], [], None, source.problems).summary().removeprefix("0 documents")
        raise ValueError(f"no rows in '{path}'{skipped}. A header and a row behind it are needed.")
    order = _in_order(row.keys(), columns)
    return WholeTable({name: columns[name].cells for name in order if name != id}, ids, source.problems)


def _in_order(last: Any, columns: dict[str, "_Column"]) -> Sequence[str]:
    """Return the names as the last row has them, then those it lacks."""
    names = list(last)
    if len(names) == len(columns):
        return names
    return [*names, *sorted(columns.keys() - last)]


class _Column:
    """Cells of a column; equal texts are kept once, because there are few different ones."""

    def __init__(self, n_before: int) -> None:
        self.cells: list[Any] = [None] * n_before
        self._seen: dict[str, str] = {}

    def add(self, cell: Any) -> None:
        self.cells.append(self._seen.setdefault(cell, cell) if isinstance(cell, str) else cell)
