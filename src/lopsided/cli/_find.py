"""``lopsided find``: more like these."""

import json
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lopsided._files import write_atomically
from lopsided.cli._label_faces import escape, short
from lopsided.datasets._progress import status
from lopsided.pu._find import find_more
from lopsided.pu._find_report import FindRecord, FindReport
from lopsided.text import Documents, read_documents
from lopsided.text._readers import _format_of_name

_TOP = {"terminal": 20, ".html": 500}  # so many are listed if nothing else is asked for; elsewhere all
_SUFFIXES = (".html", ".csv", ".tsv", ".json", ".jsonl")
_TABLES = ("csv", "tsv", "jsonl", "parquet", "ris")
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("positives", type=_PATH)
@click.argument("unlabeled", type=_PATH)
@click.option("--text", metavar="COLUMN", multiple=True, help="Column of the text; 'text' if not given.")
@click.option("--id", metavar="COLUMN", multiple=True, help="Column of the ids; file:line if not given.")
@click.option(
    "--format", metavar="NAME", multiple=True, help="What is read (csv, mbox, ...) if its name does not say."
)
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help=f"List the best N. If not given: {_TOP['terminal']} here, {_TOP['.html']} in a page, else all.",
)
@click.option(
    "--out",
    type=_PATH,
    metavar="FILE",
    multiple=True,
    help=f"Write the list as well: {' '.join(_SUFFIXES)}. May be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    positives: Path,
    unlabeled: Path,
    text: tuple[str, ...],
    id: tuple[str, ...],
    format: tuple[str, ...],
    top: int | None,
    out: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Rank the texts of UNLABELED by how much they are like those of POSITIVES.

    Each is a folder of texts, mail (mbox, Maildir), CSV, TSV, JSONL, Parquet or RIS. The list says which
    words speak for a text and which texts are over the line; how many there should be is estimated. Where
    POSITIVES and UNLABELED need different columns or formats, give the option twice, in this order.
    """
    options = {"text": _pair("--text", text), "id": _pair("--id", id), "format": _pair("--format", format)}
    for file in out:
        _check_out(file, positives, unlabeled)
    with status("reading ..."):
        known, heap = _read_both(positives, unlabeled, options)
    with status(f"comparing {len(heap):,} texts with {len(known):,} ..."):
        report = find_more(known, heap)
    notes = [
        f"{path}: {documents.summary()}"
        for path, documents in ((positives, known), (unlabeled, heap))
        if documents.problems
    ]
    for file in out:
        with status(f"writing {file.name} ..."):
            _write(report, file, top, f"More like {positives.resolve().name}", notes)
    for note in notes:
        click.echo(f"lopsided: {' '.join(escape(note).split())}", err=True)
    if as_json:
        sources = {"positives": _source(positives, known), "unlabeled": _source(unlabeled, heap)}
        files = [str(file) for file in out]
        click.echo(json.dumps({**sources, **report.plain(top), "files": files}, indent=2))
        return
    _print_table(report.first(top or _TOP["terminal"]))
    _print_summary(report, min(top or _TOP["terminal"], len(report)), out)


def _pair(option: str, values: tuple[str, ...]) -> tuple[str | None, str | None]:
    """What was said about POSITIVES and about UNLABELED; said once, it holds for both."""
    if len(values) > 2:
        raise click.UsageError(
            f"{option} is given {len(values)} times; once, or once each for POSITIVES and UNLABELED."
        )
    return (values[0], values[-1]) if values else (None, None)


def _check_out(file: Path, positives: Path, unlabeled: Path) -> None:
    """Say before the work what would go wrong behind it."""
    if file.suffix.lower() not in _SUFFIXES:
        raise click.UsageError(f"--out writes {', '.join(_SUFFIXES)}; got '{file.name}'. Rename it.")
    if file.is_dir():
        raise click.UsageError(f"--out '{file}' is a folder. Name a file in it.")
    for source in (positives, unlabeled):
        if source.resolve() in (file.resolve(), *(file.resolve().parents if source.is_dir() else ())):
            raise click.UsageError(
                f"--out '{file}' is '{source}' or lies in it, which is read here. Name another file."
            )


def _read_both(
    positives: Path, unlabeled: Path, options: dict[str, tuple[str | None, str | None]]
) -> tuple[Documents, Documents]:
    """Both sources; columns are asked only of tables, unless none is one."""
    sources = (positives, unlabeled)
    is_table = [
        not p.is_dir() and (f or _format_of_name(p)) in _TABLES
        for p, f in zip(sources, options["format"], strict=True)
    ]
    read = []
    for i, path in enumerate(sources):
        chosen: dict[str, Any] = {"format": options["format"][i]}
        if is_table[i] or not any(is_table):
            chosen |= {"text": options["text"][i], "id": options["id"][i]}
        read.append(read_documents(path, mail="text", **chosen))
    return read[0], read[1]


def _source(path: Path, documents: Documents) -> dict[str, Any]:
    skipped = len({problem.id for problem in documents.problems if problem.skipped})
    repaired = len({problem.id for problem in documents.problems if not problem.skipped})
    return {"path": str(path), "documents": len(documents), "skipped": skipped, "repaired_or_odd": repaired}


def _write(report: FindReport, file: Path, top: int | None, title: str, notes: list[str]) -> None:
    suffix = file.suffix.lower()
    n = _TOP.get(suffix) if top is None else top
    match suffix:
        case ".html":
            written = report.to_html(n, title=title, notes=notes)
        case ".json":
            written = report.to_json(n) + "\n"
        case ".jsonl":
            written = "".join(json.dumps(record.plain()) + "\n" for record in report.first(n))
        case _:
            written = report.to_csv(n, delimiter="\t" if suffix == ".tsv" else ",")
    with write_atomically(file) as target:
        target.write(written.encode())


def _print_table(records: list[FindRecord]) -> None:
    """Draw a table on a terminal; elsewhere write plain lines, one a row, that other programs can cut."""
    rows = [(f"{r.rank:,}", f"{r.score:+.2f}", short(r.id), ", ".join(r.words)) for r in records]
    lines = [[" ".join(escape(cell).split()) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for line in lines:
            click.echo("\t".join(line))
        return
    table = Table("", "score", "text", "because of", box=None, pad_edge=False)
    for record, (rank, score, id, words) in zip(records, lines, strict=True):
        style = "" if record.found else "dim"
        table.add_row(
            Text(rank), Text(score, "green" if record.found else ""), Text(id), Text(words), style=style
        )
    table.columns[0].justify = table.columns[1].justify = "right"
    Console(highlight=False).print(table)


def _print_summary(report: FindReport, n_listed: int, out: tuple[Path, ...]) -> None:
    lines = [
        f"{report.summary()}.",
        f"Listed: {n_listed:,}. Over the line (score 0): {report.n_found:,}.",
        *report.left_out(),
        *(f"Written: {file}" for file in out),
    ]
    click.echo(escape("\n".join(lines)))
