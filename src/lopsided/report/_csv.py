"""Records and blocks as CSV."""

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lopsided.report._blocks import Bars, Block, Cell, Plot, Table
from lopsided.report._table_writer import write_csv


def write_records(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], delimiter: str) -> str:
    """Return a header line and a line for each row; a spreadsheet that opens it computes nothing.

    Examples
    --------
    >>> row = {"id": "=A1", "score": -0.5, "words": ["a", "b"]}
    >>> write_records(["id", "score", "words"], [row], ";").splitlines()
    ['id;score;words', "'=A1;-0.5;a, b"]
    """
    file = io.StringIO()
    write_csv(file, columns, ([row[column] for column in columns] for row in rows), delimiter)
    return file.getvalue()


def write_blocks(blocks: Iterable[Block], name: str) -> dict[str, str]:
    """Return the CSV text of each table, plot and bar chart, one number a line, keyed by ``name-1``, ...

    Examples
    --------
    >>> tables = write_blocks([Table(("F1",), [("ours", [Cell(0.5)])])], "scores")
    >>> tables["scores-1"].splitlines()
    ['line,column,ours,spread,printed,note', 'ours,F1,0.5,,,']
    """
    tables: dict[str, str] = {}
    for block in blocks:
        rows = _ROWS.get(type(block))
        if rows is not None:
            file = io.StringIO()
            header, *lines = rows(block)
            write_csv(file, [str(name) for name in header], lines, exact=True, line_end="\n")
            tables[f"{name}-{len(tables) + 1}"] = file.getvalue()
    return tables


def _rows_of_table(table: Table) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [("line", "column", "ours", "spread", "printed", "note")]
    for line, cells in table.lines:
        for column, cell in zip(table.columns, cells, strict=True):
            if isinstance(cell, Cell):
                rows.append((line, column, cell.ours, cell.spread, cell.printed, cell.note))
            elif cell:
                rows.append((line, column, None, None, None, cell))
    return rows


def _rows_of_plot(plot: Plot) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [("series", plot.x, plot.y, "spread")]
    for series in plot.series:
        spread = series.spread if len(series.spread) else [None] * len(series.x)
        rows += [(series.name, x, y, s) for x, y, s in zip(series.x, series.y, spread, strict=True)]
    return rows


def _rows_of_bars(bars: Bars) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [("bar", "group", bars.y)]
    for name, values in bars.bars:
        rows += [(name, group, value) for group, value in zip(bars.groups, values, strict=True)]
    return rows


_ROWS: dict[type, Callable[..., list[Sequence[object]]]] = {
    Table: _rows_of_table,
    Plot: _rows_of_plot,
    Bars: _rows_of_bars,
}
