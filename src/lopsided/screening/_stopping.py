"""Stopping rules: whether each of them says stop, since when, and why in one sentence."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._wording import pluralize
from lopsided.screening._record import Screened
from lopsided.screening._remaining import Remaining, estimate_remaining

FEWEST = 5  # relevant items below which support vectors say nothing


class StopReason(NamedTuple):
    """One stopping rule and its present verdict.

    Examples
    --------
    >>> reason = StopReason("run of irrelevant", True, 120, "The last 50 answers were all irrelevant.")
    >>> reason.fires, reason.since
    (True, 120)
    """

    rule: str
    """Its name: "target recall", "run of irrelevant" or "saturation"."""
    fires: bool
    """Whether the rule says stop now."""
    since: int | None
    """The number of labels at which it first said stop; None if it never did. The number is kept when a later
    find contradicts the rule: a person who follows the rule would have stopped there."""
    sentence: str
    """The observation behind the verdict, in one sentence."""
    applies: bool = True
    """Whether the rule means anything for the questions that are asked; if not, it is not counted."""


def stop_reasons(
    screened: Screened,
    *,
    target_recall: float = 0.95,
    confidence: float = 0.95,
    run_length: int = 50,
    earlier: Sequence[StopReason] = (),
) -> list[StopReason]:
    """Return the verdict of each stopping rule.

    - "target recall": the share found reaches the target even if as many relevant items are left as the
      upper end of :func:`estimate_remaining` says. The truth lies above that end half as often as it lies
      outside the interval, which makes up for checking the rule after every answer.
    - "run of irrelevant": the last `run_length` answers were all irrelevant, and at least one relevant item
      is known. Labels that were given beforehand do not count.
    - "saturation": over the last `run_length` answers (or a tenth of all answers, if that is more) the model
      gained at most half as many support vectors, and five relevant items are known. It applies only while
      at least half of these answers are about items on the decision boundary. Other questions rarely change
      the support vectors, so the rule would fire at once. It says nothing about what is left.

    Parameters
    ----------
    screened : Screened
        The answers so far.
    target_recall : float, default=0.95
        Share of the relevant items to find.
    confidence : float, default=0.95
        Confidence of the estimate of what is left.
    run_length : int, default=50
        Number of consecutive irrelevant answers, and the number of answers over which support vectors are
        counted.
    earlier : sequence of StopReason, optional
        The result of an earlier call: ``since`` of "target recall" is taken from there. Without it, the rule
        is checked at up to a hundred earlier numbers of labels.

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
    """Return whether all, or any, of the named rules say stop.

    Parameters
    ----------
    reasons : sequence of StopReason
        What :func:`stop_reasons` returned.
    rules : sequence of str
        Names of the rules to follow. Rules that do not apply are not counted; if no rule is left, the result
        is False.
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
    known = {reason.rule: reason for reason in reasons}
    unknown = sorted(set(rules) - set(known))
    if unknown:
        raise ValueError(f"no stopping rule {unknown[0]!r} (rules: {', '.join(known)})")
    fires = [known[rule].fires for rule in rules if known[rule].applies]
    combined: Callable[[list[bool]], bool] = all if combine == "all" else any
    return bool(fires) and combined(fires)


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
    if since is None and (fires or not earlier):
        since = first_reached(screened, np.arange(1, len(screened.rows) + 1), target, confidence)
    if not estimate.can_tell:
        sentence = estimate.sentence
    else:
        verdict = "The target is reached." if fires else f"The target is {target:.0%}."
        share = f"At least {at_least:.0%} of the relevant items are found"
        sentence = f"{share} ({confidence:.0%} confidence). {verdict}"
    return StopReason(name, fires, since, sentence)


def _recall_at_least(estimate: Remaining) -> float:
    return estimate.found / max(estimate.found + estimate.high, 1)


def first_reached(
    screened: Screened, places: NDArray[np.intp], target: float, confidence: float
) -> int | None:
    """Return the first of up to a hundred numbers of labels at which the target was reached."""
    if not len(places):
        return None
    for n in places[np.unique(np.linspace(0, len(places) - 1, 100).astype(int))].tolist():
        told = estimate_remaining(truncate(screened, n), confidence=confidence)
        if told.can_tell and _recall_at_least(told) >= target:
            return int(n)
    return None


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
    fired = run_fires(screened, length)
    run = int(_irrelevant_runs(screened)[-1]) if len(fired) else 0
    if not screened.relevant.any():
        sentence = "No relevant item is known yet."
    elif run == 0:
        sentence = "The last answer was relevant, or was given beforehand."
    else:
        sentence = f"The last {pluralize(run, 'answer')} were all irrelevant; the rule asks for {length:,}."
    return StopReason("run of irrelevant", _now(fired), _first(fired), sentence)


def run_fires(screened: Screened, length: int) -> NDArray[np.bool_]:
    """Return after each answer whether "run of irrelevant" said stop."""
    return (_irrelevant_runs(screened) >= length) & (np.cumsum(screened.relevant) > 0)


def _irrelevant_runs(screened: Screened) -> NDArray[np.intp]:
    asked = np.array([reason != "given" for reason in screened.reasons], dtype=bool)
    return _runs(screened.relevant, asked)


def _now(fired: NDArray[np.bool_]) -> bool:
    return len(fired) > 0 and bool(fired[-1])


def _first(fired: NDArray[np.bool_]) -> int | None:
    """Return the number of labels at which a rule first fired."""
    return int(fired.argmax()) + 1 if fired.any() else None


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
        return StopReason(name, False, None, "There is no model with support vectors.", applies=False)
    fired = saturation_fires(screened, length)
    grown, window, applies = _growth(screened, length)
    now = f"over the last {pluralize(int(window[-1]), 'answer')}"
    if not applies[-1]:
        sentence = (
            "Does not apply: it needs questions about items on the decision boundary, as the strategy "
            "'border' asks them."
        )
    elif not np.isfinite(grown[-1]):
        sentence = f"The number of support vectors is not known {now}."
    else:
        sentence = f"The model gained {pluralize(int(max(grown[-1], 0)), 'support vector')} {now}."
    return StopReason(name, _now(fired), _first(fired), sentence, bool(applies[-1]))


def saturation_fires(screened: Screened, length: int) -> NDArray[np.bool_]:
    """Return after each answer whether "saturation" said stop."""
    if screened.n_support is None:
        return np.zeros(len(screened.rows), dtype=bool)
    grown, window, applies = _growth(screened, length)
    n = np.arange(1, len(grown) + 1)
    with np.errstate(invalid="ignore"):
        level = (grown <= window / 2) & (n > window)
    return level & applies & (np.cumsum(screened.relevant) >= FEWEST)


def _growth(
    screened: Screened, length: int
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.bool_]]:
    """Return after each answer the support vectors gained in the window, its length, and its kind.

    The last array says whether at least half of the answers in the window were about items on the boundary.
    """
    support = screened.n_support
    assert support is not None, "the callers look"
    n = np.arange(1, len(support) + 1)
    window = np.minimum(np.maximum(length, n // 10), n)
    grown = support - support[np.maximum(n - window, 1) - 1]  # NaN where either is unknown
    border = np.cumsum([0] + [reason == "border" for reason in screened.reasons])
    return grown, window, 2 * (border[n] - border[n - window]) >= window
