"""An estimate, with an interval, of the number of relevant items not yet labelled."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._wording import pluralize
from lopsided.screening._checks import Checks, interval_of_checks, log_likelihood, read_checks
from lopsided.screening._finding_rate import Pace, log_density, read_pace
from lopsided.screening._record import Screened

FEWEST_FOUND = 5  # relevant items below which no number is told
FEWEST_CHECKS = 5  # random checks below which no number is told
WIDEST = 10  # ratio of the ends of the interval for all relevant items, above which no number is told


class Remaining(NamedTuple):
    """An estimate of the number of relevant items left, with an interval.

    Examples
    --------
    >>> Remaining(12, 3.0, 0, 9, True, "12 found; about 3 are left (0 to 9, with 95% confidence).").high
    9
    """

    found: int
    """How many relevant items are known."""
    left: float
    """The estimated number of relevant items among the unlabelled ones."""
    low: int
    """The lower end of the interval for `left`."""
    high: int
    """The upper end of the interval for `left`."""
    can_tell: bool
    """Whether enough is known for a number. Otherwise show `sentence` alone."""
    sentence: str
    """The estimate in words, or what is missing for one."""


def estimate_remaining(screened: Screened, *, confidence: float = 0.95) -> Remaining:
    """Estimate how many relevant items are among those not yet labelled.

    The interval has two sources. Random checks also meet relevant items that the ranking knows nothing of.
    The rate at which relevant items are found among the most likely ones tells how far the search has come.
    What that rate means was learned from other topics, with its uncertainty. Where no most likely items were
    shown, the checks alone decide, and the interval is exact. Without random checks no number is told: a
    ranking says nothing about relevant items that are unlike those found so far.

    Few random checks are enough: with one question in five instead of one in twenty, the interval is 5 %
    narrower and the search takes 3 % more labels to 95 % recall (mean over 24 topics).

    Parameters
    ----------
    screened : Screened
        The answers so far. The scores in it are not read.
    confidence : float, default=0.95
        How often the interval is to contain the truth, between 0 and 1.

    Returns
    -------
    Remaining
        With ``can_tell`` False where too little is known, and a sentence that says what would help. ``low``
        and ``high`` are there in any case.

    Examples
    --------
    >>> rows = np.arange(200)
    >>> reasons = ["random check" if row % 10 == 0 else "most likely" for row in rows]
    >>> relevant = (rows < 100) & (rows % 20 == 7) | (rows < 40) & (rows % 10 > 0)
    >>> no_model = np.full(200, np.nan)
    >>> screened = Screened(rows, relevant, reasons, no_model, 2000 - rows, 2000)
    >>> print(estimate_remaining(screened).sentence)
    39 found; about 1 is left (0 to 8, with 95% confidence).
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1; got {confidence}.")
    found, n_left = int(screened.relevant.sum()), screened.n_items - len(screened.rows)
    if n_left == 0:
        return Remaining(found, 0.0, 0, 0, True, f"{found:,} found; nothing is left to label.")
    checks, pace = read_checks(screened), read_pace(screened)
    if pace.n_shown:
        left, low, high = _combine(checks, pace, confidence)
    else:
        low, high = interval_of_checks(checks, n_left, confidence)
        left = min(max(n_left * (checks.hit.sum() + 0.5) / (len(checks.hit) + 1), low), high)
    missing = _missing(found, len(checks.hit), low, high)
    sentence = missing or (
        f"{found:,} found; about {left:,.0f} {'is' if round(left) == 1 else 'are'} left "
        f"({low:,} to {high:,}, with {confidence:.0%} confidence)."
    )
    return Remaining(found, float(left), low, high, not missing, sentence)


def _combine(checks: Checks, pace: Pace, confidence: float) -> tuple[float, int, int]:
    """Return the median and the interval of the number left, by the pace and by the checks."""
    grid, width = group_numbers(pace.n_left)
    weight = log_density(pace, grid + (width - 1) / 2) + log_likelihood(checks, grid) + np.log(width)
    total = np.cumsum(np.exp(weight - weight.max()))
    total /= total[-1]
    tail = (1 - confidence) / 2
    at_low, middle, at_high = np.searchsorted(total, [tail, 0.5, 1 - tail])
    return float(grid[middle]), int(grid[at_low]), int(grid[at_high] + width[at_high] - 1)


def group_numbers(most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the numbers from 0 to ``most``, in groups of about 5 % above 40: their first ones and sizes.

    Examples
    --------
    >>> first, size = group_numbers(50)
    >>> first[-3:], size[-3:]
    (array([45., 47., 50.]), array([2., 3., 1.]))
    """
    ratio = np.arange(0, 1 + np.log(max(most, 41) / 41) / 0.05)
    first = np.unique(np.concatenate([np.arange(41), np.floor(41 * np.exp(0.05 * ratio)), [most]]))
    first = first[first <= most].astype(float)
    return first, np.diff(np.append(first, most + 1))


def _missing(found: int, n_checks: int, low: int, high: int) -> str:
    """Return what is missing for a number, as a sentence; empty where nothing is."""
    if found < FEWEST_FOUND:
        return (
            f"Too early to tell how many are left: {pluralize(found, 'relevant item')} found. "
            f"Find {FEWEST_FOUND} or more, by a search or by going on."
        )
    if n_checks < FEWEST_CHECKS:
        return (
            f"Too early to tell how many are left: {pluralize(n_checks, 'random check')} made. "
            f"Make {FEWEST_CHECKS} or more."
        )
    if found + high > WIDEST * (found + low):
        return (
            f"Too early to tell how many are left: anything from {low:,} to {high:,}. "
            "Go on until relevant items become rarer, or make more random checks."
        )
    return ""
