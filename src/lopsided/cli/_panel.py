"""``lopsided bench panel``: our defaults beside plain baselines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from lopsided._files import write_atomically
from lopsided.bench.panel import HALVES, REGIMES, FindingResults, Standing, run_found, run_panel, write_page
from lopsided.bench.panel._page import blocks_of
from lopsided.bench.panel._sets import read_split
from lopsided.bench.panel._standing import OURS
from lopsided.bench.panel.found import FINDINGS, PEERS, list_blocks
from lopsided.cli._long_work import RESULTS, open_kept, refuse_with_report, say_what_was_there
from lopsided.compare._method import versions_of
from lopsided.report._text import write_blocks
from lopsided.runs import KeptResults, Results, Runner
from lopsided.terminal import WorkProgress, echo, say

_FOUND = "found"  # beside the regimes: the findings
_FACTS = "run.json"  # beside the results: the command and the versions
_FACTS_OF_KEPT = ("command", "versions", "draws")


@click.command(name="panel")
@click.argument("names", nargs=-1, metavar="[REGIME]...")
@click.option(
    "--half",
    type=click.Choice((*HALVES, "both")),
    default="both",
    show_default=True,
    help="Data sets on which defaults were tuned, those set apart to judge them, or both.",
)
@click.option("--only", metavar="NAME,...", help="Run only these data sets.")
@click.option("--draws", default=10, show_default=True, type=click.IntRange(1), help="Draws per data set.")
@click.option("--jobs", "n_jobs", default=1, show_default=True, help="Processes to use; -1 uses all cores.")
@click.option("--dask", metavar="ADDRESS", help="Address of a Dask scheduler to compute on.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the page and the results. [with --report: RESULTS]",
)
@click.option(
    "--report",
    "kept",
    metavar="RESULTS",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Write the page from the results of an earlier run in this folder, and compute nothing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
def command(
    names: tuple[str, ...],
    half: str,
    only: str | None,
    draws: int,
    n_jobs: int,
    dask: str | None,
    out: Path | None,
    kept: Path | None,
    as_json: bool,
) -> int:
    """Compare our defaults with plain baselines over a panel of data sets.

    REGIME is one of rare, active, positives, one-sided, unexpected and rules; or found: defects that were
    found on other data, measured again, with a number of draws of their own. Without a name, all are run.
    With --out, the results are kept and the same call resumes an interrupted run.

    \b
    lopsided bench panel rare --half tune
    lopsided bench panel found
    lopsided bench panel --jobs -1 --out panel
    """
    for name in names:
        if name not in (*REGIMES, _FOUND):
            raise click.UsageError(f"no regime '{name}'. There are: {', '.join([*REGIMES, _FOUND])}.")
    if only is not None and (len(names) != 1 or names[0] == _FOUND):
        got = "found, which has none" if names == (_FOUND,) else str(len(names))
        raise click.UsageError(f"--only chooses data sets of one REGIME; got {got}. Pass one.")
    chosen = [] if only is None else _split_names(only, names[0])
    halves = HALVES if half == "both" else (half,)
    facts: dict[str, Any] = {"command": _command(names, half, draws), "draws": draws}
    if kept:
        refuse_with_report("draws", "n_jobs", "dask")
        out, facts = out or kept, _read_facts(kept)
    progress = WorkProgress()
    standings, found = [], FindingResults()
    with (
        open_kept(kept) if kept else Results(None if out is None else out / RESULTS) as results,
        nullcontext(KeptResults(results))
        if kept
        else Runner(results, n_jobs=n_jobs, dask=dask, tell=progress.tell, say=progress.say) as source,
    ):
        say_what_was_there(results)
        try:
            for name in names or ((*REGIMES, _FOUND) if half == "both" else REGIMES):
                progress.begin(name)
                if name == _FOUND:
                    found = run_found(source)
                    continue
                standing = run_panel(name, source, halves=halves, n_draws=facts["draws"], only=chosen)
                standings += [standing] if standing.scores or not kept else []
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        except KeyboardInterrupt:
            progress.end()
            rest = "nothing is kept without --out" if out is None else f"the same call resumes from {out}"
            say(f"interrupted; {rest}")
            return 130
        finally:
            progress.end()
    facts.setdefault("versions", _versions(standings, found))
    if as_json:
        plain = [_plain(standing, halves) for standing in standings]
        click.echo(json.dumps([*plain, *_plain_findings(found)], indent=2))
    else:
        for standing in standings:
            for one in halves:
                if standing.sets(one):
                    echo(f"\n{standing.regime.title}: {one}\n")
                    echo(write_blocks(blocks_of(standing, one)))
        for title, blocks in list_blocks(found):
            echo(f"\n{title}\n")
            echo(write_blocks(blocks))
    if out is not None:
        page = out / "panel.md"
        with write_atomically(page) as file:
            file.write(write_page(standings, facts["command"], facts["versions"], found).encode())
        if not kept:
            with write_atomically(out / _FACTS) as file:
                file.write((json.dumps(facts, indent=2) + "\n").encode())
        if not as_json:
            echo(f"\nPage: {page}")
    return 0 if found.draws or any(standing.scores for standing in standings) else 1


def _split_names(only: str, regime: str) -> list[str]:
    """Return the names in a list; a name may itself have a comma, such as "glass, 2 known"."""
    there = {name for half in read_split()[regime].values() for name in half}
    chosen, name = [], ""
    for part in only.split(","):
        name = f"{name},{part}" if name else part.strip()
        if name.strip() in there:
            chosen.append(name.strip())
            name = ""
    return [*chosen, name.strip()] if name else chosen


def _read_facts(folder: Path) -> dict[str, Any]:
    """Return what an earlier run wrote about itself."""
    path = folder / _FACTS
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if not all(name in facts for name in _FACTS_OF_KEPT):
            raise ValueError("it lacks " + ", ".join(sorted(set(_FACTS_OF_KEPT) - set(facts))))
    except (OSError, TypeError, ValueError) as error:
        raise click.UsageError(
            f"'{path}' does not describe a run of the panel ({error}). Name the --out folder of a run."
        ) from None
    return dict(facts)


def _command(names: Sequence[str], half: str, draws: int) -> str:
    parts = ["lopsided bench panel", *names]
    parts += [] if half == "both" else [f"--half {half}"]
    parts += [] if draws == 10 else [f"--draws {draws}"]
    return " ".join(parts)


def _versions(standings: Sequence[Standing], found: FindingResults) -> str:
    methods = [s.regime.methods[name] for s in standings for name in s.methods if name != OURS]
    methods += [PEERS[row] for *_, row in found.draws if row in PEERS]
    return ", ".join(f"{name} {number}" for name, number in versions_of(methods).items())


def _plain(standing: Standing, halves: Sequence[str]) -> dict[str, object]:
    return {
        "regime": standing.name,
        "metric": standing.regime.metric,
        "best_baseline": standing.best_baseline,
        "halves": {
            half: {
                name: {method: standing.values(name, method).tolist() for method in standing.scores[name]}
                for name in standing.sets(half)
            }
            for half in halves
        },
        "without_result": standing.problems,
    }


def _plain_findings(found: FindingResults) -> Iterator[dict[str, object]]:
    """Yield the draws of each table, None where a draw lacks a number, and what the library says."""
    for name, finding in FINDINGS.items():
        tables = {
            key: {
                row: [_without_nan(draw) for draw in found.draws[name, key, row]]
                for row in found.rows(name, key)
            }
            for key in finding.tables
        }
        said = {place: found.said[name, place] for place in finding.messages if (name, place) in found.said}
        if said or any(tables.values()):
            yield {"found": name, "title": finding.title, "tables": tables, "messages": said}


def _without_nan(draw: Mapping[str, float]) -> dict[str, float | None]:
    return {number: None if value != value else value for number, value in draw.items()}
