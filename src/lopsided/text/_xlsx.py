"""Workbooks of Excel: one sheet, a row at a time."""

import warnings
from collections.abc import Iterator
from typing import Any

from lopsided.terminal import one_line
from lopsided.text._cells import write_cell
from lopsided.text._source import DocumentFile
from lopsided.text._zip_limits import is_bomb, open_zip

_LARGEST = 4 * 2**30  # bytes of a workbook, unpacked
_MOST_ROWS = 2**20  # of a sheet; a row with a higher number would let openpyxl count up to it


class _RefusedError(ValueError):
    """A workbook that is not read, with what to do about it."""


def read_xlsx(
    source: DocumentFile, sheet: str | None = None
) -> tuple[list[str], Iterator[tuple[str, list[str]]]]:
    """Return the header of a sheet, the first one if none is named, and the place and cells of each row.

    Values are those that were saved; formulas are not computed. Blank rows are left out.
    """
    rows = _iter_workbook(source, sheet)
    header = next(rows, None)
    return ([], iter(())) if header is None else (header[1], rows)


def _iter_workbook(source: DocumentFile, sheet: str | None) -> Iterator[tuple[str, list[str]]]:
    try:
        import openpyxl
    except ImportError:
        raise ImportError(
            "reading XLSX needs openpyxl. Install it with: pip install 'lopsided[tables]'"
        ) from None
    begun = False
    with source.open() as file:
        _refuse_bombs(source, file)
        try:
            book = _quietly(openpyxl.load_workbook, file, read_only=True, data_only=True, keep_links=False)
            for row in _iter_sheet(source, _choose_sheet(source, book, sheet)):
                yield row
                begun = True
        except _RefusedError:
            raise
        # openpyxl raises whatever broken XML leads to: KeyError, TypeError, IndexError, ParseError, ...
        except Exception as error:
            if begun:
                source.skip(source.name, f"the rest is unreadable ({type(error).__name__})")
                return
            raise _RefusedError(
                f"{source.name} is not a whole XLSX file ({type(error).__name__}). Save it again, or as CSV."
            ) from None


def _refuse_bombs(source: DocumentFile, file: Any) -> None:
    with open_zip(file, source.name) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if size > _LARGEST or is_bomb(size, sum(member.compress_size for member in members)):
            raise _RefusedError(f"{source.name} unpacks to {size:,} bytes, too many. Save it as CSV.")
    file.seek(0)


def _choose_sheet(source: DocumentFile, book: Any, name: str | None) -> Any:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if name is None and sheets:
        name = next(iter(sheets))
        if len(sheets) > 1:
            others = ", ".join(one_line(other[:100], "utf-8") for other in list(sheets)[1:20])
            source.repair(source.name, f"only the first of {len(sheets)} sheets is read (others: {others})")
    if name not in sheets:
        listed = ", ".join(one_line(title[:100], "utf-8") for title in list(sheets)[:20]) or "none"
        raise _RefusedError(f"no sheet '{name}' in {source.name} (sheets: {listed}). Name one with sheet=.")
    return sheets[name]


def _iter_sheet(source: DocumentFile, sheet: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows that are not blank; the first one is the header, and the others are as long as it."""
    sheet.reset_dimensions()  # they may be wrong, and each row would be filled up to them
    rows = enumerate(sheet.iter_rows(max_row=_MOST_ROWS, values_only=True), start=1)
    width, longer = 0, False
    while True:
        number, values = _quietly(next, rows, (0, ()))
        if not number:
            break
        cells = [write_cell(value) for value in values]
        while cells and not cells[-1].strip():
            cells.pop()
        if not cells:
            continue
        width = width or len(cells)
        if len(cells) > width and not longer:
            longer = True
            source.repair(
                f"{source.name}:{number}", "cells behind the last column of the header are left out"
            )
        yield f"{source.name}:{number}", cells[:width] + [""] * (width - len(cells))


def _quietly(function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a function of openpyxl without its warnings about styles, extensions and dates out of range."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)
