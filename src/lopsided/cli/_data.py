"""``lopsided data``: which data sets there are, fetch them, count them again."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import click

from lopsided.datasets import verify
from lopsided.datasets._cache import cache_folder, find, load
from lopsided.datasets._registry import DATA_SETS, get
from lopsided.datasets._verify import Verification
from lopsided.terminal import echo, print_table, status

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def command() -> None:
    """List, fetch and verify the data sets.

    A data set is searched for in the folder LOPSIDED_DATA, in the cache, and at its public source.
    """


@command.command("list")
@_JSON
def list_(as_json: bool) -> None:
    """List all data sets, and where each is available."""
    rows: list[dict[str, Any]] = []
    for data_set in DATA_SETS.values():
        found = find(data_set.copies)
        rows.append(
            {
                "name": data_set.name,
                "title": data_set.title,
                "where": found.where if found else None,
                "part": (found.copy.part or None) if found else None,
                "files": [str(path) for path in found.paths] if found else [],
                "source": data_set.source,
                "terms": data_set.terms,
            }
        )
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    print_table(
        ("name", "at hand", "what it is", "terms"),
        [(row["name"], _at_hand(row), row["title"], row["terms"]) for row in rows],
        boxed=True,
    )
    echo(f"The cache is {cache_folder()}.")


@command.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@_JSON
def fetch(names: tuple[str, ...], as_json: bool) -> None:
    """Fetch data sets that are not available on this machine yet."""
    rows = []
    for name in _known(names):
        with status(f"{name} ..."):
            loaded = load(get(name))
        row = {"name": name, "where": loaded.where, "files": [str(path) for path in loaded.paths]}
        rows.append(row | {"differs": loaded.copy.differs})
        if not as_json:
            echo(f"{name}: {loaded.where}, {', '.join(row['files'])}. {loaded.copy.differs}")
    if as_json:
        click.echo(json.dumps(rows, indent=2))


@command.command("verify")
@click.argument("names", metavar="[NAME...]", nargs=-1)
@_JSON
@click.pass_context
def verify_(ctx: click.Context, names: tuple[str, ...], as_json: bool) -> None:
    """Check the published counts of the named data sets, or of all that are available.

    The exit code is 1 if a count differs or a file is damaged.
    """
    verdicts = []
    for name in _known(names) or list(DATA_SETS):
        with status(f"{name}: counting ..."):
            verdict = verify(name)
        verdicts.append(verdict)
        if not as_json:
            _print_verdict(verdict)
    if as_json:
        rows = [asdict(verdict) | {"agrees": verdict.agrees} for verdict in verdicts]
        click.echo(json.dumps(rows, indent=2))
    else:
        _print_summary(verdicts)
    if not all(verdict.agrees for verdict in verdicts):
        ctx.exit(1)


def _known(names: Sequence[str]) -> list[str]:
    """Check all names before any work starts."""
    for name in names:
        try:
            get(name)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
    return list(dict.fromkeys(names))


def _at_hand(row: dict[str, Any]) -> str:
    where: str = row["where"] or "-"
    return f"{where} (only {row['part']})" if row["part"] else where


def _print_verdict(verdict: Verification) -> None:
    if verdict.error is not None:
        echo(f"{verdict.name}: {verdict.error}")
    elif verdict.where is None:
        echo(f"{verdict.name}: not at hand")
    else:
        print_table(
            ("fact", "expected", "found", ""),
            [
                (
                    fact.name,
                    f"{fact.expected:,}",
                    "nothing" if fact.found is None else f"{fact.found:,}",
                    "agrees" if fact.agrees else "DISAGREES",
                )
                for fact in verdict.facts
            ],
            title=f"{verdict.name} ({verdict.where})",
            boxed=True,
        )


def _print_summary(verdicts: Sequence[Verification]) -> None:
    facts = [fact for verdict in verdicts for fact in verdict.facts]
    wrong = sum(not fact.agrees for fact in facts)
    damaged = sum(verdict.error is not None for verdict in verdicts)
    absent = sum(verdict.where is None and verdict.error is None for verdict in verdicts)
    if absent == len(verdicts):
        echo("Nothing to verify: none of these data sets is at hand. 'lopsided data fetch NAME' brings one.")
        return
    echo(
        f"{len(facts) - wrong} of {len(facts)} counts agree; "
        f"{len(verdicts) - absent} of {len(verdicts)} data sets at hand, {damaged} damaged."
    )
