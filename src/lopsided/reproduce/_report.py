"""The report of a run: a page, the same as Markdown, and the numbers behind both, as files."""

import csv
import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lopsided._files import write_atomically
from lopsided.report import Bars, Cell, Plot, Table
from lopsided.reproduce._figures import alone, draw_all
from lopsided.reproduce._markdown import render_markdown
from lopsided.reproduce._page import render_report
from lopsided.reproduce._reproduction import ItemResult
from lopsided.reproduce._summary import Report


def write_report(folder: str | os.PathLike[str], report: Report) -> Path:
    """Write everything into a folder, each file whole or not at all; returns the page.

    Parameters
    ----------
    folder : path
        Made where there is none. It gets ``report.html``, ``report.md``, ``figures/*.svg`` and
        ``tables/*.csv``; what an earlier report of the same papers left there is replaced.
    report : Report
    """
    folder = Path(folder)
    figures = {
        (paper.paper.id, name): draw_all(item.blocks, f"{paper.paper.id}-{name}")
        for paper in report.papers
        for name, item in paper.items.items()
    }
    drawn = {name: alone(svg) for group in figures.values() for name, svg in group.items() if svg}
    _write_all(folder / "figures", ".svg", drawn, report)
    tables = {
        name: content
        for paper in report.papers
        for item in paper.items.values()
        for name, content in _tables(f"{paper.paper.id}-{item.name}", item).items()
    }
    _write_all(folder / "tables", ".csv", tables, report)
    _write(folder / "report.md", render_markdown(report, figures))
    page = folder / "report.html"
    _write(page, render_report(report, figures))
    return page


def _write(path: Path, content: str) -> None:
    with write_atomically(path) as file:
        file.write(content.encode(errors="replace"))


def _write_all(folder: Path, suffix: str, contents: Mapping[str, str], report: Report) -> None:
    for name, content in contents.items():
        _write(folder / f"{name}{suffix}", content)
    for paper in report.papers:  # of a run that had more
        for path in folder.glob(f"{paper.paper.id}-*{suffix}"):
            if path.stem not in contents:
                path.unlink()


def _tables(name: str, item: ItemResult) -> dict[str, str]:
    """Each table and each picture of an item as CSV, one number a line."""
    rows: dict[str, list[Sequence[object]]] = {}
    for block in item.blocks:
        writer = _WRITERS.get(type(block))
        if writer is not None:
            rows[f"{name}-{len(rows) + 1}"] = writer(block)
    return {name: _as_csv(lines) for name, lines in rows.items()}


def _as_csv(rows: Sequence[Sequence[object]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _of_table(table: Table) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [("line", "column", "ours", "spread", "printed", "note")]
    for line, cells in table.lines:
        for column, cell in zip(table.columns, cells, strict=True):
            if isinstance(cell, Cell):
                rows.append((line, column, cell.ours, cell.spread, cell.printed, cell.note))
            elif cell:
                rows.append((line, column, None, None, None, cell))
    return rows


def _of_plot(plot: Plot) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [("series", plot.x, plot.y, "spread")]
    for series in plot.series:
        spread = series.spread if len(series.spread) else [None] * len(series.x)
        rows += [(series.name, x, y, s) for x, y, s in zip(series.x, series.y, spread, strict=True)]
    return rows


def _of_bars(bars: Bars) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [("bar", "group", bars.y)]
    for name, values in bars.bars:
        rows += [(name, group, value) for group, value in zip(bars.groups, values, strict=True)]
    return rows


_WRITERS: dict[type, Callable[..., list[Sequence[object]]]] = {
    Table: _of_table,
    Plot: _of_plot,
    Bars: _of_bars,
}
