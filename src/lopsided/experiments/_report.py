"""The report of a run: a page, the same as Markdown, and the numbers behind both, as files."""

import os
from collections.abc import Mapping
from pathlib import Path

from lopsided._files import write_atomically
from lopsided.experiments._markdown import render_markdown
from lopsided.experiments._page import render_report
from lopsided.experiments._summary import RunReport
from lopsided.report._csv import write_blocks
from lopsided.report._figures import alone, draw_all


def write_report(folder: str | os.PathLike[str], report: RunReport) -> Path:
    """Write everything into a folder, each file whole or not at all, and return the path of the page.

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
        for name, content in write_blocks(item.blocks, f"{paper.paper.id}-{item.name}").items()
    }
    _write_all(folder / "tables", ".csv", tables, report)
    _write(folder / "report.md", render_markdown(report, figures))
    page = folder / "report.html"
    _write(page, render_report(report, figures))
    return page


def _write(path: Path, content: str) -> None:
    with write_atomically(path) as file:
        file.write(content.encode(errors="replace"))


def _write_all(folder: Path, suffix: str, contents: Mapping[str, str], report: RunReport) -> None:
    for name, content in contents.items():
        _write(folder / f"{name}{suffix}", content)
    for paper in report.papers:  # of a run that had more
        for path in folder.glob(f"{paper.paper.id}-*{suffix}"):
            if path.stem not in contents:
                path.unlink()
