"""``lopsided simulate``: how much work a strategy would have saved on records whose labels are known."""

import json
from pathlib import Path
from typing import Any

import click

from lopsided._files import write_atomically
from lopsided._wording import pluralize
from lopsided.report import Plot
from lopsided.report._text import write_blocks
from lopsided.screening import STRATEGIES, SimulatedScreening, simulate
from lopsided.screening._asreview import simulate_asreview
from lopsided.screening._simulation_page import blocks_of, page_of, plain_simulation
from lopsided.terminal import WorkProgress, echo, say
from lopsided.text import Problem, Record, Roles, iter_records, preview_records

_PATH = click.Path(path_type=Path)
_YES = {"1", "1.0", "y", "yes", "true", "t", "relevant", "include", "included"}
_NO = {"0", "0.0", "-1", "n", "no", "false", "f", "irrelevant", "not relevant", "exclude", "excluded"}


@click.command()
@click.argument("table", type=_PATH)
@click.option("--label", required=True, metavar="COLUMN", help="Column of the true labels.")
@click.option(
    "--text",
    multiple=True,
    metavar="COLUMN",
    help="Column to read. May be repeated. [default: title and abstract; keywords are read too]",
)
@click.option("--positive", metavar="VALUE", help="Label of a relevant record, if it is not 1, yes or true.")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    type=click.Choice(tuple(STRATEGIES)),
    metavar="NAME",
    help=f"Which record is shown next: {', '.join(STRATEGIES)}. May be repeated. [default: mixed]",
)
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="Runs of each strategy.")
@click.option(
    "--start",
    type=click.Choice(("both", "relevant", "nothing")),
    default="both",
    show_default=True,
    help="Known at first: a relevant and an irrelevant record, a relevant one, or nothing.",
)
@click.option(
    "--asreview",
    type=_PATH,
    metavar="PYTHON",
    help="Python of an environment with ASReview 3: its default is run from the same starts.",
)
@click.option("--format", metavar="NAME", help="What TABLE is (csv, ris, ...) if its name does not say.")
@click.option("--out", type=_PATH, metavar="PAGE", help="Write a page with curves: an HTML file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    table: Path,
    label: str,
    text: tuple[str, ...],
    positive: str | None,
    strategies: tuple[str, ...],
    seeds: int,
    start: Any,
    asreview: Path | None,
    format: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Screen TABLE again, with the labels that it holds as answers.

    Shows how many labels each strategy needs to find 95 % of the relevant records, and when each stopping
    rule would have ended the screening.

    \b
    lopsided simulate review.csv --label included
    lopsided simulate review.ris --label included --strategy mixed --strategy border --out simulated.html
    """
    records, relevant = _read(table, label, text, positive, format)
    if not 0 < sum(relevant) < len(relevant):
        raise click.UsageError(
            f"{sum(relevant):,} of {len(relevant):,} records in '{table}' are relevant by '{label}'; a "
            "simulation needs both. Name the label of a relevant record with --positive."
        )
    if asreview is not None and start != "both":
        raise click.UsageError(
            "--asreview starts from a relevant and an irrelevant record. Use --start both."
        )
    progress = WorkProgress()
    progress.begin(f"{len(records):,} records")
    try:
        found = simulate(
            records,
            relevant,
            strategies=strategies or ("mixed",),
            seeds=seeds,
            start=start,
            tell=progress.tell,
        )
        if asreview is not None:
            found = _with_asreview(found, asreview, records, relevant, progress)
    finally:
        progress.end()
    if out is not None:
        lead = f"{pluralize(found.n_relevant, 'relevant record')} in {found.n_items:,} of {table.name}."
        with write_atomically(out) as target:
            target.write(page_of(found, title=f"Screening {table.name} again", lead=lead).encode())
    if as_json:
        click.echo(json.dumps({**plain_simulation(found), "page": None if out is None else str(out)}))
        return
    echo(f"{found.n_relevant:,} relevant among {found.n_items:,} records.\n")
    echo(write_blocks([block for block in blocks_of(found) if not isinstance(block, Plot)]))
    if out is not None:
        echo(f"\nReport: {out}")


def _read(
    table: Path, label: str, text: tuple[str, ...], positive: str | None, format: str | None
) -> tuple[list[Record], list[bool]]:
    """Return the records that have a label, and whether each is relevant."""
    preview = preview_records(table, format=format)
    missing = [name for name in (label, *text) if name not in preview.columns]
    if missing:
        raise click.UsageError(
            f"no column '{missing[0]}' in '{table}' (columns: {', '.join(preview.columns)}). "
            f"Name one with {'--label' if missing[0] == label else '--text'}."
        )
    title = preview.roles.title
    if text:
        title = title if title in text else None
        texts = tuple(name for name in text if name != title)
    else:
        texts = tuple(name for name in preview.roles.text if name != label)
    id_column = None if preview.roles.id in (label, title, *texts) else preview.roles.id
    problems: list[Problem] = []
    roles = Roles(title=title, text=texts, id=id_column, label=label)
    everything = list(iter_records(table, roles, format=format, problems=problems))
    records = [record for record in everything if record.label.strip()]
    if problems:
        say(f"{pluralize(len(problems), 'problem')} in '{table}'; the first: {problems[0]}")
    if len(records) < len(everything):
        say(f"{len(everything) - len(records):,} of {len(everything):,} records have no label: left out.")
    return records, [_is_relevant(record.label.strip(), positive, label) for record in records]


def _is_relevant(value: str, positive: str | None, column: str) -> bool:
    if positive is not None:
        return value == positive
    if value.lower() in _YES:
        return True
    if value.lower() in _NO:
        return False
    raise click.UsageError(
        f"'{value}' in column '{column}' is neither yes nor no. Name the label of a relevant record with "
        "--positive."
    )


def _with_asreview(
    found: SimulatedScreening,
    python: Path,
    records: list[Record],
    relevant: list[bool],
    progress: WorkProgress,
) -> SimulatedScreening:
    """Add a run of ASReview's default beside each run of the first strategy."""
    ours = found.of(found.strategies[0])
    version, runs = simulate_asreview(python, records, relevant, ours, tell=progress.tell)
    say(f"beside ASReview {version}")
    return found._replace(runs=(*found.runs, *runs))
