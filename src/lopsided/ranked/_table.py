"""Records as a table of text that a spreadsheet can open, and that makes it compute nothing."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


def write_table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], delimiter: str) -> str:
    """The header and a line for each row.

    Examples
    --------
    >>> row = {"id": "=A1", "score": -0.5, "words": ["a", "b"]}
    >>> write_table(["id", "score", "words"], [row], ";").splitlines()
    ['id;score;words', "'=A1;-0.5;a, b"]
    """
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return file.getvalue()


def _cell(value: Any) -> str:
    """A value as text; what could be a formula gets an apostrophe in front, and numbers stay numbers."""
    match value:
        case None:
            return ""
        case bool() | int():
            return str(int(value))
        case float():
            return f"{value:.6g}"
        case list():
            value = ", ".join(value)
    return f"'{value}" if value.startswith(_FORMULA) else value
