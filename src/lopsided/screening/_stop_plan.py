"""A plan of when to stop: the stopping rules that somebody follows, their numbers, and how they combine."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from lopsided._wording import pluralize
from lopsided.screening._record import Screened
from lopsided.screening._stopping import (
    StopReason,
    can_stop,
    first_reached,
    run_fires,
    saturation_fires,
    stop_reasons,
)

RULES = ("target recall", "run of irrelevant", "saturation")
COMBINATION = "combination"


class StopPlan(NamedTuple):
    """The stopping rules that somebody follows.

    Examples
    --------
    >>> StopPlan(rules=("target recall",), target_recall=0.9).combine
    'all'
    """

    rules: tuple[str, ...] = RULES[:2]
    """Names of the rules that count."""
    combine: Literal["all", "any"] = "all"
    """Whether all of them have to say stop at the same time, or one is enough."""
    target_recall: float = 0.95
    """Share of the relevant items to find."""
    confidence: float = 0.95
    """Confidence with which the share has to be reached."""
    run_length: int = 50
    """Number of consecutive irrelevant answers, and of the answers over which support vectors are counted."""


DEFAULT_PLAN = StopPlan()


class PlanVerdict(NamedTuple):
    """The verdicts of all rules, and that of the plan.

    Examples
    --------
    >>> PlanVerdict([], StopReason("combination", False, None, "")).plan.fires
    False
    """

    rules: list[StopReason]
    """Every rule, whether the plan follows it or not."""
    plan: StopReason
    """The combination of the rules that the plan follows."""


def judge_plan(screened: Screened, plan: StopPlan, earlier: PlanVerdict | None = None) -> PlanVerdict:
    """Return what each stopping rule says, and what a plan makes of it.

    Parameters
    ----------
    screened : Screened
        The answers so far.
    plan : StopPlan
    earlier : PlanVerdict, optional
        The verdict on fewer answers under the same plan. Numbers of labels at which "target recall" and the
        plan first said stop are taken from it.

    Returns
    -------
    PlanVerdict

    Examples
    --------
    >>> nan, rows = np.full(60, np.nan), np.arange(60)
    >>> screened = Screened(rows, rows < 10, ["most likely"] * 60, nan, 1000 - rows, 1000)
    >>> plan = StopPlan(rules=("run of irrelevant", "saturation"), run_length=20)
    >>> judge_plan(screened, plan).plan.since
    30
    """
    rules = stop_reasons(
        screened,
        target_recall=plan.target_recall,
        confidence=plan.confidence,
        run_length=plan.run_length,
        earlier=() if earlier is None else _not_undone(earlier.rules, screened),
    )
    counted = [reason for reason in rules if reason.rule in plan.rules and reason.applies]
    fires = can_stop(rules, plan.rules, plan.combine)
    since = None
    if earlier is not None:
        (kept,) = _not_undone([earlier.plan], screened)
        since = kept.since
    if since is None and counted and (fires or earlier is None):
        since = _first_stop(screened, plan, counted)
    return PlanVerdict(rules, StopReason(COMBINATION, fires, since, _say(plan, counted), bool(counted)))


def _not_undone(reasons: Sequence[StopReason], screened: Screened) -> list[StopReason]:
    """Return reasons without numbers of labels beyond the present one: answers were taken back."""
    n = len(screened.rows)
    return [one if one.since is None or one.since <= n else one._replace(since=None) for one in reasons]


def _first_stop(screened: Screened, plan: StopPlan, counted: Sequence[StopReason]) -> int | None:
    """Return the number of labels at which the plan first said stop."""
    if plan.combine == "any":
        return min((reason.since for reason in counted if reason.since is not None), default=None)
    names = {reason.rule for reason in counted}
    together = np.ones(len(screened.rows), dtype=bool)
    if "run of irrelevant" in names:
        together &= run_fires(screened, plan.run_length)
    if "saturation" in names:
        together &= saturation_fires(screened, plan.run_length)
    places = np.flatnonzero(together) + 1
    if "target recall" in names:
        return first_reached(screened, places, plan.target_recall, plan.confidence)
    return int(places[0]) if len(places) else None


def _say(plan: StopPlan, counted: Sequence[StopReason]) -> str:
    if not plan.rules:
        return "No rule is chosen."
    if not counted:
        return "None of the chosen rules applies to the questions that are asked."
    n_fire = sum(reason.fires for reason in counted)
    if len(counted) == 1:
        return f"The rule says {'stop' if n_fire else 'go on'}."
    needed = "all are needed" if plan.combine == "all" else "one is enough"
    verb = "says" if n_fire == 1 else "say"
    return f"{n_fire} of {pluralize(len(counted), 'rule')} {verb} stop; {needed}."
