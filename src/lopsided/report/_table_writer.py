"""Tables and records as files that other programs open: CSV, TSV, JSON lines, XLSX, RIS.

A spreadsheet computes a cell that begins like a formula. So such a cell of CSV, TSV or XLSX gets an
apostrophe in front, and so does what stands behind a semicolon, a tab or a line end inside a cell, where a
program that expects another delimiter would begin a cell. Numbers that are given as numbers stay numbers.
"""

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import IO, Any

from lopsided._files import write_atomically
from lopsided.text import Record
from lopsided.text._ris_fields import TAGS

_FORMULA = re.compile(r"(\A|[;\t\r\n])([ ]*)(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])")
_FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".xlsx": "xlsx"}
_DELIMITERS = {"csv": ",", "tsv": "\t"}
# Control characters, lone surrogates and the two that are no characters: XML cannot hold them.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST_CELL = 32_767  # characters in a cell of Excel
_MOST_ROWS = 2**20 - 1  # below the header
_LISTS = ("authors", "editors", "keywords")  # of which RIS has a line for each
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def table_format(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format of a table to be written: the one named, else that of the suffix.

    Examples
    --------
    >>> table_format("found.tsv")
    'tsv'
    """
    known = format or _FORMATS.get(Path(path).suffix.lower(), "")
    if known not in _FORMATS.values():
        what = f"format '{format}'" if format else f"'{Path(path).name}'"
        raise ValueError(f"cannot write {what} as a table. Known: {', '.join(_FORMATS)}. Rename the file.")
    return known


def write_table(
    path: str | os.PathLike[str],
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    format: str | None = None,
) -> int:
    """Write a table that appears under its name only once it is complete, and return the number of rows.

    Parameters
    ----------
    path : str or path-like
        File to write; an old one is replaced.
    header : sequence of str
        Names of the columns.
    rows : iterable of sequences
        Cells: str, int, float, bool, None or a list of str. They are written as they come.
    format : str or None, default=None
        "csv", "tsv", "jsonl" or "xlsx", instead of the suffix.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "found.csv")
    ...     n = write_table(file, ["id", "score"], [["=1+1", 0.5], ["a;=2", None]])
    ...     print(n, file.read_text().splitlines())
    2 ['id,score', "'=1+1,0.5", "a;'=2,"]
    """
    known = table_format(path, format)
    write: Callable[[IO[bytes], Sequence[str], Iterable[Sequence[Any]]], int]
    match known:
        case "xlsx":
            write = _write_xlsx
        case "jsonl":
            write = _write_jsonl
        case _:
            write = _write_csv if known == "csv" else _write_tsv
    with write_atomically(path) as file:
        return write(file, header, rows)


def write_csv(
    file: IO[str],
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    delimiter: str = ",",
    *,
    exact: bool = False,
    line_end: str = "\r\n",
) -> int:
    """Write a header line and a line for each row, and return the number of rows.

    Floats have six significant digits, or all of theirs with ``exact``.
    """
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end)
    writer.writerow([guard_cell(name) for name in header])
    n = 0
    for row in rows:
        writer.writerow([_flatten(value, exact) for value in row])
        n += 1
    return n


def guard_cell(text: str) -> str:
    """Return text that no spreadsheet computes; what could be a formula gets an apostrophe in front.

    Examples
    --------
    >>> guard_cell("=1+1"), guard_cell("foo;=1+1"), guard_cell("1-2")
    ("'=1+1", "foo;'=1+1", '1-2')
    """
    return _FORMULA.sub(r"\1\2'", text)


def write_ris(path: str | os.PathLike[str], records: Iterable[Record]) -> int:
    """Write records as RIS, and return their number.

    The label becomes the tag LB. Fields that RIS does not know become notes: ``N1  - name: value``.

    Parameters
    ----------
    path : str or path-like
        File to write; an old one is replaced.
    records : iterable of Record
        What to write, as it comes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "found.ris")
    ...     n = write_ris(file, [Record("17", "Ships", "A ship sank.", {"score": "0.5"}, "relevant")])
    ...     print(file.read_text().split("\\n")[:6])
    ['TY  - GEN', 'ID  - 17', 'TI  - Ships', 'AB  - A ship sank.', 'LB  - relevant', 'N1  - score: 0.5']
    """
    n = 0
    with write_atomically(path) as file:
        for record in records:
            file.write("\r\n".join(_lines_of_ris(record)).encode("utf-8", "replace"))
            n += 1
    return n


def _lines_of_ris(record: Record) -> list[str]:
    fields = dict(record.fields)
    kind = fields.pop("type", "")
    lines = [f"TY  - {kind if re.fullmatch('[A-Z]{2,8}', kind) else 'GEN'}"]

    def add(tag: str, value: str) -> None:
        # a tag stands at the beginning of a line, so what goes on in another one is indented
        parts = [" ".join(_CONTROL.sub(" ", part).split()) for part in value.splitlines()]
        lines.append(f"{tag}  - " + "\r\n      ".join(filter(None, parts)))

    for tag, value in (("ID", record.id), ("TI", record.title), ("AB", record.text), ("LB", record.label)):
        if value:
            add(tag, value)
    for name, value in fields.items():
        if name in _LISTS:
            for part in value.split("; "):
                add(TAGS[name][0], part)
        elif name in TAGS and name not in ("id", "title", "abstract", "label"):
            add(TAGS[name][0], value)
        elif re.fullmatch("[A-Z][A-Z0-9]", name) and name not in ("TY", "ER"):
            add(name, value)
        else:
            add("N1", f"{name}: {value}")
    return [*lines, "ER  - ", "", ""]


def _write_csv(
    file: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[Any]], format: str = "csv"
) -> int:
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    n = write_csv(text, header, rows, _DELIMITERS[format])
    text.detach()  # flushes; the file is closed by its own context
    return n


def _write_tsv(file: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    return _write_csv(file, header, rows, "tsv")


def _write_jsonl(file: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    n = 0
    for row in rows:
        n += 1
        values = [None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row]
        file.write(json.dumps(dict(zip(header, values, strict=True))).encode() + b"\n")
    return n


def _write_xlsx(file: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
    except ImportError:
        raise ImportError(
            "writing XLSX needs openpyxl. Install it with: pip install 'lopsided[tables]'"
        ) from None
    book = Workbook(write_only=True)
    sheet = book.create_sheet("lopsided")

    def as_cell(value: Any) -> Any:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return None
        if isinstance(value, bool | int | float):
            return int(value) if isinstance(value, bool) else value
        text = _NOT_IN_XML.sub("", _flatten(value))
        cell = WriteOnlyCell(sheet, text[:_LONGEST_CELL])
        cell.data_type = "s"  # else openpyxl takes some texts for formulas and errors
        return cell

    sheet.append([as_cell(name) for name in header])
    n = 0
    for n, row in enumerate(rows, start=1):
        if n > _MOST_ROWS:
            raise ValueError(f"XLSX holds no more than {_MOST_ROWS:,} rows below the header. Write CSV.")
        sheet.append([as_cell(value) for value in row])
    book.save(file)
    return n


def _flatten(value: Any, exact: bool = False) -> str:
    """Return a value as text that no spreadsheet computes; numbers stay numbers."""
    match value:
        case None:
            return ""
        case str():
            return guard_cell(value)
        case Integral():
            return str(int(value))
        case Real():
            return repr(float(value)) if exact else f"{value:.6g}"
        case list() | tuple():
            value = ", ".join(map(str, value))
    return guard_cell(str(value))
