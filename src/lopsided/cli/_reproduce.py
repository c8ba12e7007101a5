"""``lopsided reproduce``: five papers again, on real data."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from lopsided.reproduce._reproduction import (
    PAPERS,
    ItemResult,
    Reproduction,
    extent_of,
    find_paper,
    items_for,
    reproduce,
)
from lopsided.reproduce._text import write_blocks
from lopsided.runs import Results, Runner


@click.command()
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option("--table", "tables", multiple=True, metavar="N", help="Only this table of PAPER.")
@click.option("--figure", "figures", multiple=True, metavar="N", help="Only this figure of PAPER.")
@click.option("--item", "others", multiple=True, metavar="NAME", help="Only this of what else there is.")
@click.option("--claim", "claims", multiple=True, metavar="ID", help="Only this claim, and what it needs.")
@click.option(
    "--quick/--full", default=True, help="A quarter of an hour for all [default]; or as the papers."
)
@click.option("--seeds", "n_seeds", type=click.IntRange(1), help="Runs of what draws at random.")
@click.option("--jobs", "n_jobs", default=1, show_default=True, help="Processes at a time; -1: one a core.")
@click.option("--dask", metavar="ADDRESS", help="Work on the Dask cluster of this scheduler.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("lopsided-reproduce"),
    show_default=True,
    help="Folder of the report, and of results.sqlite, from which a later call goes on.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def command(
    papers: tuple[str, ...],
    tables: tuple[str, ...],
    figures: tuple[str, ...],
    others: tuple[str, ...],
    claims: tuple[str, ...],
    quick: bool,
    n_seeds: int | None,
    n_jobs: int,
    dask: str | None,
    out: Path,
    as_json: bool,
) -> None:
    """Run five papers again: published numbers beside ours, and a verdict on each claim.

    PAPER is sculley-2007, li-2007, ertekin-2007, leskovec-2003 or yu-2003; without one, all. It can be ended
    at any time: what was done is kept, and the same call goes on from there.
    """
    for id_ in papers:
        if id_ not in PAPERS:
            raise click.UsageError(f"no paper '{id_}'. There are: {', '.join(PAPERS)}.")
    wanted = [find_paper(id_) for id_ in papers or PAPERS]
    named = [*(f"table{n}" for n in tables), *(f"figure{n}" for n in figures), *others]
    plans = []
    for paper in wanted:
        own_items = [name for name in named if name in paper.items]
        own_claims = [id_ for id_ in claims if id_ in paper.claims]
        if named or claims:
            if own_items or own_claims:
                plans.append((paper, items_for(paper, own_items, own_claims), own_claims))
        else:
            plans.append((paper, list(paper.items), list(paper.claims)))
    _check_known(named, {name for paper in wanted for name in paper.items}, "item")
    _check_known(claims, {id_ for paper in wanted for id_ in paper.claims}, "claim")
    with Results(out / "results.sqlite") as results:
        if results.moved_aside is not None:
            click.echo(f"{results.path} was damaged: moved to {results.moved_aside}, begun anew", err=True)
        done = []
        for paper, items, ids in plans:
            runner = Runner(results, n_jobs=n_jobs, dask=dask)
            done.append(
                reproduce(
                    paper,
                    extent_of(paper, quick=quick, n_seeds=n_seeds),
                    runner,
                    items=items,
                    claims=ids,
                    tell=partial(_tell, paper.id, as_json),
                )
            )
    for reproduction in done:
        _tell_verdicts(reproduction, as_json)
    if as_json:
        click.echo(json.dumps([_record(reproduction) for reproduction in done], indent=2))


def _check_known(names: Any, known: set[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise click.UsageError(f"no {what} '{name}'. There are: {', '.join(sorted(known))}.")


def _tell(id_: str, as_json: bool, result: ItemResult) -> None:
    told = f"{id_} {result.name}: {result.n_units:,} units, {result.seconds:,.0f} s"
    for n, how in ((len(result.failed), "failed"), (len(result.skipped), "skipped")):
        told += f", {n:,} {how}" if n else ""
    click.echo(told, err=True)
    if not as_json:
        click.echo(f"== {id_} {result.name}: {result.item.caption}\n{write_blocks(result.blocks)}\n")
    sys.stdout.flush()


def _tell_verdicts(reproduction: Reproduction, as_json: bool) -> None:
    if as_json:
        return
    for verdict in reproduction.verdicts:
        claim = reproduction.paper.claims[verdict.id]
        click.echo(f"{claim.id} {verdict.verdict}: {claim.text}")
        if verdict.measured:
            click.echo(f"    {verdict.measured}")
        click.echo(f"    asked: {verdict.why}")


def _record(reproduction: Reproduction) -> dict[str, Any]:
    return {
        "paper": reproduction.paper.id,
        "quick": reproduction.extent.quick,
        "runs": len(reproduction.extent.seeds),
        "claims": [
            {"id": v.id, "verdict": v.verdict, "measured": v.measured, "asked": v.why}
            for v in reproduction.verdicts
        ],
    }
