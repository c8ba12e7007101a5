"""Run a paper: its units, its tables and figures, and the verdicts on its claims."""

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lopsided.experiments._claims import UNTESTED, Claim, ClaimVerdict
from lopsided.experiments._extent import Extent, seeds
from lopsided.experiments._paper import Item, Paper
from lopsided.report import Block, Text
from lopsided.runs import Answers, Source, Unit, reason_of


@dataclass(frozen=True)
class ItemResult:
    """The result of a table or figure."""

    name: str
    item: Item
    summary: Any
    """Its measurements; None where nothing could be computed."""
    blocks: Sequence[Block]
    times: Mapping[str, float]
    """Key of each unit -> the seconds it took when it was computed."""
    failed: dict[str, str]
    """Key of each unit that failed -> traceback."""
    skipped: dict[str, str]
    """Key of each unit that was skipped -> what is missing."""
    versions: Mapping[str, str]
    """Key of each unit -> version and commit of the code that computed it."""

    @property
    def n_units(self) -> int:
        """Number of its units, including those that others depend on."""
        return len(self.times)

    @property
    def seconds(self) -> float:
        """Seconds that all of its units took."""
        return sum(self.times.values())


@dataclass(frozen=True)
class Reproduction:
    """The results of a paper, or of a part of it, and the verdicts on its claims."""

    paper: Paper
    extent: Extent
    items: dict[str, ItemResult]
    verdicts: list[ClaimVerdict]


def extent_of(paper: Paper, *, quick: bool, n_seeds: int | None = None) -> Extent:
    """Return the extent with ``n_seeds`` runs, or with as many as the paper has."""
    return Extent(seeds(n_seeds or (paper.n_quick_runs if quick else paper.n_runs)), quick)


def items_for(paper: Paper, items: Iterable[str], claims: Iterable[str]) -> list[str]:
    """Return the tables and figures that are needed, in the paper's order; by default all of them."""
    items, claims = list(items), list(claims)
    if not items and not claims:
        return list(paper.items)
    wanted = {*items, *(name for id_ in claims for name in paper.claims[id_].items)}
    return [name for name in paper.items if name in wanted]


def claims_of(paper: Paper, items: Iterable[str]) -> list[str]:
    """Return the claims that need nothing beyond these tables and figures."""
    there = set(items)
    return [id_ for id_, claim in paper.claims.items() if set(claim.items) <= there]


def reproduce(
    paper: Paper,
    extent: Extent,
    source: Source,
    *,
    items: Sequence[str] | None = None,
    claims: Sequence[str] | None = None,
    begin: Callable[[str], None] = lambda name: None,
    tell: Callable[[ItemResult], None] = lambda result: None,
) -> Reproduction:
    """Return the results of all units of the items, and the verdicts on the claims.

    Parameters
    ----------
    paper : Paper
    extent : Extent
    source : Source
        A `Runner` does units that are not done yet.
    items : sequence of str, optional
        Which tables and figures; None: all.
    claims : sequence of str, optional
        Which claims; None: all.
    begin : callable, optional
        Called with the name of each table and figure before its work begins.
    tell : callable, optional
        Called with each table and figure when it is there.
    """
    results: dict[str, ItemResult] = {}
    for name in paper.items if items is None else items:
        begin(name)
        results[name] = _item(name, paper.items[name], extent, source)
        tell(results[name])
    return Reproduction(paper, extent, results, judge(paper, results, claims))


def judge(
    paper: Paper, results: Mapping[str, ItemResult], claims: Sequence[str] | None = None
) -> list[ClaimVerdict]:
    """Return the verdicts on the claims, or on some of them, from the tables and figures there are."""
    there = {name: result.summary for name, result in results.items() if result.summary}
    return [_judge(claim, there) for id_, claim in paper.claims.items() if claims is None or id_ in claims]


def _judge(claim: Claim, results: Mapping[str, Any]) -> ClaimVerdict:
    try:
        return claim.judge(results)
    except Exception as error:  # what is there of the tables is not enough
        why = f"its check could not be made of what there is: {type(error).__name__}: {error}"
        return ClaimVerdict(claim.id, UNTESTED, "", why)


def _item(name: str, item: Item, extent: Extent, source: Source) -> ItemResult:
    asked: list[Answers] = []
    broken: dict[str, str] = {}  # where the item itself fails, which it may if units did

    def ask(units: Sequence[Unit]) -> list[Any]:
        answers = source.ask(units)
        asked.append(answers)
        if answers.failed or answers.skipped:
            raise _MissingError
        return answers.results

    summary, blocks = None, []
    try:
        asked.append(source.ask(list(item.units(extent, ask))))
        if asked[-1].results:
            summary = item.summarise(asked[-1])
            blocks = list(item.show(summary)) if summary else []
    except _MissingError:
        pass
    except (OSError, ImportError):  # of the source: nothing more can be done
        raise
    except Exception:  # recorded with its traceback, which the report shows; the other items go on
        broken = {f"{name} of what was computed": traceback.format_exc()}
    failed = {key: text for answers in asked for key, text in answers.failed.items()} | broken
    skipped = {key: text for answers in asked for key, text in answers.skipped.items()}
    times = {key: seconds for answers in asked for key, seconds in answers.times.items()}
    versions = {key: code for answers in asked for key, code in answers.versions.items()}
    blocks = blocks or [Text([_why_nothing(failed, skipped)])]
    return ItemResult(name, item, summary, blocks, times, failed, skipped, versions)


class _MissingError(Exception):
    """Units that others depend on could not be done."""


def _why_nothing(failed: dict[str, str], skipped: dict[str, str]) -> str:
    if skipped:
        return f"Skipped: {next(iter(skipped.values()))}"
    if failed:
        return f"Failed: {reason_of(next(iter(failed.values())))}"
    return "Nothing to compute here."
