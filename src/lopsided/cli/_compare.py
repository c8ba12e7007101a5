"""``lopsided compare``: all methods that fit, on the user's own rows."""

import json
from pathlib import Path

import click

from lopsided._files import write_atomically
from lopsided.compare import REGIMES, compare
from lopsided.datasets._progress import status
from lopsided.reproduce._text import write_blocks
from lopsided.runs import Results, Runner


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--label", metavar="COLUMN", help="Column of the classes. A folder needs none.")
@click.option("--regime", type=click.Choice(tuple(REGIMES)), required=True, help="What the labels are like.")
@click.option("--text", metavar="COLUMN", help="Learn from the words of this column.")
@click.option("--positive", metavar="VALUE", help="The class that is looked for; the rarest if not given.")
@click.option("--method", "methods", multiple=True, metavar="NAME", help="Only this. May be repeated.")
@click.option("--runs", "n_runs", type=click.IntRange(1), default=5, show_default=True, help="Splits.")
@click.option("--jobs", "n_jobs", default=1, show_default=True, help="Processes at a time; -1: one a core.")
@click.option("--dask", metavar="ADDRESS", help="Work on the Dask cluster of this scheduler.")
@click.option("--format", metavar="NAME", help="What is read (csv, jsonl, ...) if its name does not say.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of a page, and of what was done."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    data: Path,
    label: str | None,
    regime: str,
    text: str | None,
    positive: str | None,
    methods: tuple[str, ...],
    n_runs: int,
    n_jobs: int,
    dask: str | None,
    format: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Compare our methods and the installed peers on your own table or folder, on the same splits.

    \b
    lopsided compare claims.csv --label fraud --regime rare
    lopsided compare papers.csv --label relevant --text abstract --regime pu
    lopsided compare mail/ --regime one-sided --positive ham
    lopsided compare news.jsonl --label topic --text body --regime unexpected
    """
    file = None if out is None else out / "results.sqlite"
    with Results(file) as results, status("comparing ..."):
        found = compare(
            data,
            regime,
            Runner(results, n_jobs=n_jobs, dask=dask),
            label=label,
            text=text,
            positive=positive,
            format=format,
            methods=methods or None,
            n_runs=n_runs,
        )
    page = None if out is None else out / f"{regime}.html"
    if page is not None:
        with write_atomically(page) as target:
            target.write(found.to_html(f"{REGIMES[regime]}: {data.name}".capitalize()).encode())
    if as_json:
        click.echo(json.dumps({**found.plain(), "page": None if page is None else str(page)}, indent=2))
        return
    click.echo("\n".join(found.about))
    click.echo(write_blocks(found.blocks()[:2]))
    if page is not None:
        click.echo(f"Written: {page}")
