"""``lopsided simulate``: how much work each strategy would have saved on records with known labels."""

import json
from pathlib import Path
from typing import Any

import click

from lopsided._files import write_atomically
from lopsided._wording import pluralize
from lopsided.cli._long_work import say_what_was_there
from lopsided.report import Plot
from lopsided.report._text import write_blocks
from lopsided.runs import Results, Runner, reason_of
from lopsided.screening import STRATEGIES, SimulatedScreening
from lopsided.screening._asreview import find_asreview
from lopsided.screening._labeled_table import find_columns, read_labeled
from lopsided.screening._simulation_page import blocks_of, page_of, plain_simulation
from lopsided.screening._simulation_units import units_of
from lopsided.terminal import WorkProgress, echo, say

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("table", type=_PATH)
@click.option("--label", required=True, metavar="COLUMN", help="Column of the true labels.")
@click.option(
    "--text",
    multiple=True,
    metavar="COLUMN",
    help="Column to learn from. May be repeated. [default: title and abstract, with keywords]",
)
@click.option(
    "--positive", metavar="VALUE", help="Label of relevant records. [default: 1, yes, true and the like]"
)
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    type=click.Choice(tuple(STRATEGIES)),
    metavar="NAME",
    help=f"Strategy that chooses the next record: {', '.join(STRATEGIES)}. May be repeated. [default: mixed]",
)
@click.option(
    "--seeds", type=click.IntRange(1), default=5, show_default=True, help="Number of runs of each strategy."
)
@click.option(
    "--start",
    type=click.Choice(("both", "relevant", "nothing")),
    default="both",
    show_default=True,
    help="Records that are known at the start: one of each kind, one relevant record, or none.",
)
@click.option(
    "--asreview",
    type=_PATH,
    metavar="PYTHON",
    help="Also run ASReview's default, from the same starts, in the environment of this Python.",
)
@click.option(
    "--jobs",
    type=click.IntRange(-1),
    default=1,
    show_default=True,
    help="Processes to use; -1 uses all cores.",
)
@click.option(
    "--results",
    type=_PATH,
    metavar="FILE",
    help="Keep the result of each run in FILE; the same command continues an interrupted simulation.",
)
@click.option("--format", metavar="NAME", help="Format of TABLE (csv, ris, ...) if its name does not tell.")
@click.option(
    "--out", type=_PATH, metavar="PAGE", help="Write the report with recall curves to this HTML file."
)
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
    jobs: int,
    results: Path | None,
    format: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Replay the screening of TABLE, a file of records with known labels.

    Shows how many labels each strategy needs to find 95 % of the relevant records, and when each stopping
    rule would have stopped.

    \b
    lopsided simulate review.csv --label included
    lopsided simulate review.ris --label included --strategy mixed --strategy border --out simulated.html
    """
    if asreview is not None and start != "both":
        raise click.UsageError(
            "--asreview starts from a relevant and an irrelevant record. Use --start both."
        )
    columns = find_columns(table, label, text, positive=positive, format=format)
    read = read_labeled(columns)
    if read.problems:
        say(f"{pluralize(len(read.problems), 'problem')} in '{table}'; the first: {read.problems[0]}")
    if read.n_unlabeled:
        say(f"Skipped {pluralize(read.n_unlabeled, 'record')} without a label.")
    n_relevant, n_records = sum(read.relevant), len(read.relevant)
    if not 0 < n_relevant < n_records:
        raise click.UsageError(
            f"{n_relevant:,} of {n_records:,} records in '{table}' are relevant by '{label}'; a simulation "
            "needs both. Name the label of a relevant record with --positive."
        )
    peer = None if asreview is None else find_asreview(asreview)
    todo = units_of(columns._replace(digest=read.digest), strategies or ("mixed",), seeds, start, peer)
    progress = WorkProgress()
    progress.begin(f"{n_records:,} records")
    with Results(results) as kept, Runner(kept, n_jobs=jobs, tell=progress.tell, say=progress.say) as runner:
        say_what_was_there(kept)
        try:
            answers = runner.ask(todo)
        finally:
            progress.end()
    if answers.failed:
        raise ValueError(reason_of(next(iter(answers.failed.values()))))
    if peer is not None:
        say(f"beside ASReview {peer[1]}")
    found = SimulatedScreening(n_records, n_relevant, tuple(answers.results))
    if out is not None:
        lead = f"{table.name} has {found.n_items:,} records, {found.n_relevant:,} of them relevant."
        with write_atomically(out) as target:
            target.write(page_of(found, title=f"Simulated screening of {table.name}", lead=lead).encode())
    if as_json:
        click.echo(json.dumps({**plain_simulation(found), "page": None if out is None else str(out)}))
        return
    echo(f"{found.n_relevant:,} relevant among {found.n_items:,} records.\n")
    echo(write_blocks([block for block in blocks_of(found) if not isinstance(block, Plot)]))
    if out is not None:
        echo(f"\nReport: {out}")
