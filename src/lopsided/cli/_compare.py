"""``lopsided compare``: all methods that fit, on the user's own rows."""

import json
from pathlib import Path

import click

from lopsided._files import write_atomically
from lopsided.cli._cluster import dask_option, start_workers
from lopsided.cli._long_work import say_what_was_there
from lopsided.compare import REGIMES, Comparison, compare
from lopsided.report import Bars
from lopsided.report._text import write_blocks
from lopsided.runs import Results, Runner
from lopsided.terminal import WorkProgress, echo, say


@click.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--label", metavar="COLUMN", help="Column of the class. For a folder, the sub-folders are the classes."
)
@click.option("--regime", type=click.Choice(tuple(REGIMES)), required=True, help="Kind of labels.")
@click.option("--text", metavar="COLUMN", help="Learn from the words in this column.")
@click.option("--positive", metavar="VALUE", help="Positive class. [default: the rarest]")
@click.option(
    "--methods",
    multiple=True,
    metavar="NAME",
    help="Run only methods whose names contain NAME. May be repeated.",
)
@click.option(
    "--runs", "n_runs", type=click.IntRange(1), default=5, show_default=True, help="Number of random splits."
)
@click.option("--jobs", "n_jobs", default=1, show_default=True, help="Processes to use; -1 uses all cores.")
@click.option(
    "--limit",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="MINUTES",
    help="A method that exceeds this time limit in a single run is skipped.",
)
@dask_option
@click.option("--format", metavar="NAME", help="Format of DATA (csv, jsonl, ...) if its name does not tell.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the report and the results."
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
    limit: float,
    dask: str | None,
    format: str | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Compare our methods with the installed peers on your own table or folder, on the same splits.

    \b
    lopsided compare claims.csv --label fraud --regime rare
    lopsided compare papers.csv --label relevant --text abstract --regime pu
    lopsided compare mail/ --regime one-sided --positive ham
    lopsided compare news.jsonl --label topic --text body --regime unexpected
    """
    progress = WorkProgress()
    with (
        start_workers(dask) as address,
        Results(None if out is None else out / "results.sqlite") as results,
        Runner(
            results,
            n_jobs=n_jobs,
            dask=address,
            limit=60 * limit,
            tell=progress.tell,
            say=progress.say,
        ) as runner,
    ):
        say_what_was_there(results)
        try:
            found = compare(
                data,
                regime,
                runner,
                label=label,
                text=text,
                positive=positive,
                format=format,
                methods=methods or None,
                n_runs=n_runs,
                begin=progress.begin,
            )
        except KeyboardInterrupt:
            progress.end()
            kept = "nothing is kept without --out"
            if out is not None:
                kept = f"what was done is kept in {out}: the same call goes on from there"
            say(f"interrupted; {kept}")
            return 130
        finally:
            progress.end()
    page = None if out is None else _write(found, out, f"{REGIMES[regime]}: {data.name}".capitalize())
    if as_json:
        click.echo(json.dumps({**found.plain(), "page": None if page is None else str(page)}, indent=2))
    else:
        echo("\n".join(found.about))
        echo("\n" + write_blocks([block for block in found.blocks() if not isinstance(block, Bars)]))
        if page is not None:
            echo(f"\nReport: {page}")
    return 0 if found.outcomes else 1


def _write(found: Comparison, out: Path, title: str) -> Path:
    page = out / f"{found.regime}.html"
    for path, text in ((page, found.to_html(title)), (page.with_suffix(".md"), found.to_markdown(title))):
        with write_atomically(path) as target:
            target.write(text.encode())
    return page
