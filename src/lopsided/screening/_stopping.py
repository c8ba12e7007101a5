"""Rules that say when to stop screening: each is one plain sentence, and they can be combined."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._wording import pluralize
from lopsided.screening._record import Screened
from lopsided.screening._remaining import Remaining, estimate_remaining

FEWEST = 5  # relevant items below which support vectors say nothing


class StopReason(NamedTuple):
    """One stopping rule, and what it says now.

    Examples
    --------
    >>> reason = StopReason("run of irrelevant", True, 120, "The last 50 answers were all irrelevant.")
    >>> reason.fires, reason.since
    (True, 120)
    """

    rule: str
    """Its name: "target recall", "run of irrelevant" or "saturation"."""
    fires: bool
    """Whether the rule says now that one can stop."""
    since: int | None
    """The number of labels when it said so for the first time; None where it never did. It is kept when the
    rule takes its advice back: a person who follows the rule would have stopped there."""
    sentence: str
    """What the rule sees, as a plain sentence."""


def stop_reasons(
    screened: Screened,
    *,
    target_recall: float = 0.95,
    confidence: float = 0.95,
    run_length: int = 50,
    earlier: Sequence[StopReason] = (),
) -> list[StopReason]:
    """Return what each stopping rule says.

    - "target recall": the share found is at least the target even if as many relevant items are left as the
      upper end of :func:`estimate_remaining` says. That end alone is exceeded half as often as the interval
      fails, which makes up for looking at the rule again and again.
    - "run of irrelevant": so many answers in a row were irrelevant, those that were given beforehand aside,
      and something relevant is known.
    - "saturation": over so many answers, or a tenth of all where that is more, the number of support vectors
      grew by at most half as many, and five relevant items are known. The model has settled; nothing follows
      from this about what is left.

    Parameters
    ----------
    screened : Screened
        The answers so far.
    target_recall : float, default=0.95
        The share of the relevant items that is to be found.
    confidence : float, default=0.95
        How sure one has to be that the share is reached.
    run_length : int, default=50
        How many answers in a row have to be irrelevant, and over how many answers the number of support
        vectors has to be level.
    earlier : sequence of StopReason, optional
        What an earlier call returned: ``since`` of "target recall" is taken from there. Without it, and where
        the rule fires now, it is looked for at up to a hundred earlier numbers of labels.

    Returns
    -------
    list of StopReason
        The rules "target recall", "run of irrelevant" and "saturation".

    Examples
    --------
    >>> nan, rows = np.full(60, np.nan), np.arange(60)
    >>> screened = Screened(rows, rows < 10, ["most likely"] * 60, nan, 1000 - rows, 1000)
    >>> [(reason.rule, reason.fires, reason.since) for reason in stop_reasons(screened)]
    [('target recall', False, None), ('run of irrelevant', True, 60), ('saturation', False, None)]
    """
    estimate = estimate_remaining(screened, confidence=confidence)
    return [
        _target_recall(screened, estimate, target_recall, confidence, earlier),
        _run_of_irrelevant(screened, run_length),
        _saturation(screened, run_length),
    ]


def can_stop(
    reasons: Sequence[StopReason], rules: Sequence[str], combine: Literal["all", "any"] = "all"
) -> bool:
    """Return whether all, or any, of the named rules say that one can stop.

    Parameters
    ----------
    reasons : sequence of StopReason
        What :func:`stop_reasons` returned.
    rules : sequence of str
        Names of the rules to follow. Without a name there is nothing that could say so: False.
    combine : {"all", "any"}, default="all"
        Whether all of them have to fire, or one is enough.

    Returns
    -------
    bool

    Examples
    --------
    >>> reasons = [StopReason("saturation", True, 80, ""), StopReason("target recall", False, None, "")]
    >>> names = ["saturation", "target recall"]
    >>> can_stop(reasons, names), can_stop(reasons, names, "any")
    (False, True)
    """
    fires = {reason.rule: reason.fires for reason in reasons}
    unknown = sorted(set(rules) - set(fires))
    if unknown:
        raise ValueError(f"no stopping rule {unknown[0]!r} (rules: {', '.join(fires)})")
    combined: Callable[[list[bool]], bool] = all if combine == "all" else any
    return bool(rules) and combined([fires[rule] for rule in rules])


def _target_recall(
    screened: Screened,
    estimate: Remaining,
    target: float,
    confidence: float,
    earlier: Sequence[StopReason],
) -> StopReason:
    name = "target recall"
    at_least = _recall_at_least(estimate)
    fires = estimate.can_tell and at_least >= target
    since = next((reason.since for reason in earlier if reason.rule == name), None)
    if since is None and fires:
        since = _first_reached(screened, target, confidence)
    if not estimate.can_tell:
        sentence = estimate.sentence
    else:
        verdict = "the target is reached" if fires else f"the target is {target:.0%}"
        sentence = (
            f"At least {at_least:.0%} of the relevant items are found, "
            f"with a confidence of {confidence:.0%}: {verdict}."
        )
    return StopReason(name, fires, since, sentence)


def _recall_at_least(estimate: Remaining) -> float:
    return estimate.found / max(estimate.found + estimate.high, 1)


def _first_reached(screened: Screened, target: float, confidence: float) -> int:
    """Return the first of a hundred numbers of labels at which the target was reached; the last is now."""
    n_labels = len(screened.rows)
    for n in np.unique(np.linspace(1, n_labels, 100).astype(int)).tolist():
        told = estimate_remaining(truncate(screened, n), confidence=confidence)
        if told.can_tell and _recall_at_least(told) >= target:
            break
    return int(n)


def truncate(screened: Screened, n: int) -> Screened:
    """Return the record as it was after so many labels, without the model, which is not known.

    Examples
    --------
    >>> none = np.zeros(3)
    >>> truncate(Screened(none, none > 0, ["given"] * 3, none, none, 9), 2).reasons
    ['given', 'given']
    """
    rows, relevant, reasons, probability, n_unlabelled, n_items = screened[:6]
    return Screened(rows[:n], relevant[:n], reasons[:n], probability[:n], n_unlabelled[:n], n_items)


def _run_of_irrelevant(screened: Screened, length: int) -> StopReason:
    asked = np.array([reason != "given" for reason in screened.reasons], dtype=bool)
    runs = _runs(screened.relevant, asked)
    found = np.cumsum(screened.relevant)
    fired = np.flatnonzero((runs >= length) & (found > 0))
    run = int(runs[-1]) if len(runs) else 0
    fires = bool(len(fired)) and bool(fired[-1] == len(runs) - 1)
    if run == 0 or not found[-1]:
        sentence = (
            "No relevant item is known yet." if not screened.relevant.any() else "The last was relevant."
        )
    else:
        sentence = f"The last {pluralize(run, 'answer')} were all irrelevant; the rule asks for {length:,}."
    return StopReason("run of irrelevant", fires, int(fired[0]) + 1 if len(fired) else None, sentence)


def _runs(relevant: NDArray[np.bool_], asked: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return after each answer how many in a row were asked for and irrelevant.

    Examples
    --------
    >>> _runs(np.array([False, True, False, False]), np.array([False, True, True, True]))
    array([0, 0, 1, 2])
    """
    steps = np.cumsum(asked & ~relevant)
    return steps - np.maximum.accumulate(np.where(relevant, steps, 0))


def _saturation(screened: Screened, length: int) -> StopReason:
    name = "saturation"
    support = screened.n_support
    if support is None or not np.isfinite(support).any():
        return StopReason(name, False, None, "There is no model with support vectors.")
    n = np.arange(1, len(support) + 1)
    window = np.maximum(length, n // 10)
    grown = support - support[np.maximum(n - window, 1) - 1]  # NaN where either is unknown
    with np.errstate(invalid="ignore"):
        level = (grown <= window / 2) & (n > window) & (np.cumsum(screened.relevant) >= FEWEST)
    fired = np.flatnonzero(level)
    fires = bool(len(level)) and bool(level[-1])
    now = f"over the last {pluralize(int(window[-1]), 'answer')}"
    if not np.isfinite(grown[-1]):
        sentence = f"The number of support vectors is not known {now}."
    else:
        sentence = f"The model gained {pluralize(int(max(grown[-1], 0)), 'support vector')} {now}."
    return StopReason(name, fires, int(fired[0]) + 1 if len(fired) else None, sentence)
