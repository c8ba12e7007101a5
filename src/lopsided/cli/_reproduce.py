"""``lopsided reproduce``: five papers again, on real data."""

import json
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import click
from click.core import ParameterSource

from lopsided._wording import format_duration
from lopsided.cli._long_work import RESULTS, open_kept, refuse_with_report, say_what_was_there
from lopsided.experiments import Extent, Paper
from lopsided.experiments._page import details
from lopsided.experiments._plain import plain_record
from lopsided.experiments._report import write_report
from lopsided.experiments._reproduction import (
    ItemResult,
    Reproduction,
    claims_of,
    extent_of,
    items_for,
    judge,
    reproduce,
)
from lopsided.experiments._summary import Facts, RunReport, facts_of, missing_of, without
from lopsided.papers import PAPERS, find_paper
from lopsided.report._text import write_blocks
from lopsided.runs import KeptResults, Results, ResultSource, Runner
from lopsided.terminal import WorkProgress, echo, say

_OUT = Path("lopsided-reproduce")
_MOST_JOBS = 8  # unless somebody says otherwise: each process holds its own data


@click.command()
@click.argument("papers", nargs=-1, metavar="[PAPER]...")
@click.option("--table", "tables", multiple=True, metavar="N", help="Run only this table of PAPER.")
@click.option("--figure", "figures", multiple=True, metavar="N", help="Run only this figure of PAPER.")
@click.option("--item", "others", multiple=True, metavar="NAME", help="Run only this item.")
@click.option(
    "--claim", "claims", multiple=True, metavar="ID", help="Run only this claim and the items it needs."
)
@click.option(
    "--quick/--full",
    default=True,
    help="A reduced run of about 15 minutes [default], or the extent of the papers.",
)
@click.option(
    "--seeds",
    "n_seeds",
    type=click.IntRange(1),
    metavar="N",
    help="Number of repetitions for randomised methods.",
)
@click.option(
    "--jobs",
    "n_jobs",
    type=click.IntRange(1),
    metavar="N",
    help=f"Processes to use. [default: one per core, at most {_MOST_JOBS}]",
)
@click.option("--dask", metavar="ADDRESS", help="Address of a Dask scheduler to compute on.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help=f"Folder for the report and the results. [default: {_OUT}; with --report, RESULTS]",
)
@click.option(
    "--report",
    "kept",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="RESULTS",
    help="Write the report from the results of an earlier run in this folder, and compute nothing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    papers: tuple[str, ...],
    tables: tuple[str, ...],
    figures: tuple[str, ...],
    others: tuple[str, ...],
    claims: tuple[str, ...],
    quick: bool,
    n_seeds: int | None,
    n_jobs: int | None,
    dask: str | None,
    out: Path | None,
    kept: Path | None,
    as_json: bool,
) -> int:
    """Reproduce five papers: published values beside ours, and a verdict on each claim.

    PAPER is sculley-2007, li-2007, ertekin-2007, leskovec-2003 or yu-2003; without one, all papers run. You
    can interrupt the run at any time: the results so far are kept in DIR, and the same command continues
    from there. The report is DIR/report.html, with report.md beside it.
    """
    ids = [_know(id_, PAPERS, "no paper {}") for id_ in dict.fromkeys(papers)] or list(PAPERS)
    named = [*(f"table{n}" for n in tables), *(f"figure{n}" for n in figures), *others]
    plans = _plan([find_paper(id_) for id_ in ids], named, [id_.upper() for id_ in claims])
    out = out or kept or _OUT
    if kept:
        refuse_with_report("quick", "n_seeds", "n_jobs", "dask")
        facts = Facts.read(kept)
    else:
        facts = facts_of(_command_line(), quick=quick, seeds=n_seeds)
    with open_kept(kept) if kept else Results(out / RESULTS) as results:
        say_what_was_there(results)
        progress = WorkProgress()
        source: ResultSource
        if kept:
            source = KeptResults(results)
        else:
            source = Runner(
                results,
                n_jobs=_n_jobs() if n_jobs is None else n_jobs,
                dask=dask,
                tell=progress.tell,
                say=progress.say,
            )
            facts.write(out)
        run = _Run(out, facts, progress, source, as_json, [plan.paper.id for plan in plans])
        try:
            for plan in plans:
                run.do(plan, extent_of(plan.paper, quick=facts.quick, n_seeds=facts.seeds))
        except KeyboardInterrupt:
            run.stop("interrupted")
            say(f"interrupted; what was done is kept in {out}: the same call goes on from there")
            return 130
        except OSError:
            with suppress(OSError):  # what the disk is too full for: the first reason is the one to tell
                run.stop("ended by an error")
            raise
    return run.finish()


@dataclass(frozen=True)
class _Plan:
    paper: Paper
    items: list[str]
    claims: list[str]


def _plan(papers: Sequence[Paper], named: Sequence[str], claims: Sequence[str]) -> list[_Plan]:
    """Return what of each paper is wanted; all of it, unless something is named."""
    _check_items(papers, named)
    known = [id_ for paper in papers for id_ in paper.claims]
    for id_ in claims:
        for other in PAPERS:
            if id_ not in known and id_ in find_paper(other).claims:
                raise click.UsageError(f"{id_} is a claim of {other}. Name that paper, or none.")
        _know(id_, known, "no claim {}")
    if not named and not claims:
        return [_Plan(paper, list(paper.items), list(paper.claims)) for paper in papers]
    plans = []
    for paper in papers:
        own_items = [name for name in named if name in paper.items]
        own_claims = [id_ for id_ in paper.claims if id_ in claims]
        if own_items or own_claims:
            judged = {*own_claims, *claims_of(paper, own_items)}
            items = items_for(paper, own_items, own_claims)
            plans.append(_Plan(paper, items, [id_ for id_ in paper.claims if id_ in judged]))
    return plans


def _know(name: str, known: Iterable[str], what: str) -> str:
    known = list(known)
    if name not in known:
        close = get_close_matches(name.lower(), [k.lower() for k in known], n=1)
        hint = f" Did you mean '{next(k for k in known if k.lower() == close[0])}'?" if close else ""
        there = (
            f"There {'is' if len(known) == 1 else 'are'}: {', '.join(known)}." if known else "There are none."
        )
        raise click.UsageError(f"{what.format(repr(name))}.{hint} {there}")
    return name


def _check_items(papers: Sequence[Paper], named: Sequence[str]) -> None:
    for name in named:
        if not any(name in paper.items for paper in papers):
            there = "; ".join(f"{paper.id} has {', '.join(paper.items)}" for paper in papers)
            close = get_close_matches(name, [n for paper in papers for n in paper.items], n=1)
            hint = f" Did you mean '{close[0]}'?" if close and not name[-1:].isdigit() else ""
            raise click.UsageError(
                f"no {name!r}.{hint} {there}. Tables and figures go by --table N, --figure N."
            )


def _n_jobs() -> int:
    from joblib import cpu_count

    return int(min(_MOST_JOBS, cpu_count()))


def _command_line() -> str:
    """Return the call as it can be typed again."""
    context = click.get_current_context()
    words = ["lopsided", "reproduce"]
    for parameter in context.command.params:
        name = parameter.name or ""
        value = context.params[name]
        if context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        if isinstance(parameter, click.Argument):
            words += value
        elif isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
        else:
            values = value if isinstance(value, tuple) else (value,)
            words += [word for v in values for word in (parameter.opts[0], str(v))]
    return shlex.join(words)


@dataclass
class _Run:
    """Papers one after the other, with a report after each."""

    out: Path
    facts: Facts
    progress: WorkProgress
    source: ResultSource
    as_json: bool
    waiting: list[str]
    """Papers that are not done yet."""
    done: list[Reproduction] = field(default_factory=list)
    _plan: _Plan | None = None
    _extent: Extent | None = None
    _items: dict[str, ItemResult] = field(default_factory=dict)
    """Items of the paper that is being done."""
    page: Path | None = None
    asked: dict[str, int] = field(init=False)
    """Number of claims of each paper that was asked for."""

    def __post_init__(self) -> None:
        self.asked = {id_: PAPERS[id_] for id_ in PAPERS if id_ in self.waiting}

    def do(self, plan: _Plan, extent: Extent) -> None:
        """Run a paper, tell its tables and verdicts, write the report."""
        self._plan, self._extent, self._items = plan, extent, {}
        result = reproduce(
            plan.paper,
            extent,
            self.source,
            items=plan.items,
            claims=plan.claims,
            begin=lambda name: self.progress.begin(f"{plan.paper.id} {name}"),
            tell=self._tell,
        )
        self._plan = None
        self.done.append(result)
        self.waiting.remove(plan.paper.id)
        if not self.as_json:
            _tell_verdicts(result)
        self._write(f"still to come: {', '.join(self.waiting)}" if self.waiting else "")

    def stop(self, why: str) -> None:
        """Write a report of what there is, and end."""
        self.progress.end()
        papers = list(self.done)
        if self._plan is not None and self._extent is not None and self._items:
            claims = [id_ for id_ in claims_of(self._plan.paper, self._items) if id_ in self._plan.claims]
            verdicts = judge(self._plan.paper, self._items, claims)
            papers.append(Reproduction(self._plan.paper, self._extent, self._items, verdicts))
        if papers:
            self._write(f"{why}; not finished: {', '.join(self.waiting)}", papers)

    def finish(self) -> int:
        """Print where the report is, and return the exit code: 1 where something failed."""
        report = RunReport(self.done, self.facts, self.asked)
        if self.as_json:
            click.echo(json.dumps(plain_record(report, self.page), indent=2))
        else:
            echo("\n".join(["", report.head, *report.other_heads, f"Report: {self.page}"]))
        if report.losses:
            again = "" if isinstance(self.source, KeptResults) else ", and the same call tries them again"
            echo(f"{report.losses}: the report says why{again}", err=True)
        return int(bool(report.failed))

    def _write(self, unfinished: str, papers: Sequence[Reproduction] | None = None) -> None:
        unfinished = unfinished and f"This run is not complete: {unfinished}."
        try:
            self.page = write_report(
                self.out, RunReport(papers or self.done, self.facts, self.asked, unfinished)
            )
        except OSError as error:
            raise OSError(
                f"the report cannot be written into {self.out}: {error.strerror or error}. What was computed "
                "is kept; mend this and run it again."
            ) from error

    def _tell(self, result: ItemResult) -> None:
        self.progress.end()
        self._items[result.name] = result
        assert self._plan is not None
        id_ = self._plan.paper.id
        told = f"{id_} {result.name}: {result.n_units:,} units, {format_duration(result.seconds)}"
        for n, how in ((len(result.failed), "failed"), (len(result.skipped), "skipped")):
            told += f", {n:,} {how}" if n else ""
        echo(told, err=True)
        if not self.as_json:
            echo(f"== {id_} {result.name}: {result.item.caption}\n{write_blocks(result.blocks)}\n")


def _tell_verdicts(reproduction: Reproduction) -> None:
    for verdict in reproduction.verdicts:
        claim = reproduction.paper.claims[verdict.id]
        echo(f"{claim.id} {verdict.verdict}: {claim.text}")
        for name, text in details(reproduction, verdict):
            echo(f"    {name}: {text}")
        if missing := missing_of(reproduction, verdict.id):
            echo(f"    {without(verdict)} {missing}")
