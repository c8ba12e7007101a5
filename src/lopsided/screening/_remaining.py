"""How many relevant items are among those not yet labelled."""

from typing import NamedTuple

from lopsided._wording import pluralize
from lopsided.screening._checks import interval_of_checks, read_checks
from lopsided.screening._record import Screened


class Remaining(NamedTuple):
    """How many relevant items are left, with an interval.

    Examples
    --------
    >>> Remaining(12, 3.1, 0, 9, True, "12 found, about 3 left (0 to 9, with a confidence of 95 %).").high
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
    """Remaining how many relevant items are among those not yet labelled.

    Parameters
    ----------
    screened : Screened
        The answers so far.
    confidence : float, default=0.95
        How often the interval is to contain the truth, between 0 and 1.

    Returns
    -------
    Remaining
        With ``can_tell`` False where too little is known, and a sentence that says what would help.

    Examples
    --------
    >>> nan = np.full(20, np.nan)
    >>> rows, none = np.arange(20), np.zeros(20, bool)
    >>> screened = Screened(rows, none, ["random check"] * 20, nan, 100 - rows, 100)
    >>> estimate = estimate_remaining(screened)
    >>> estimate.low, estimate.high, estimate.can_tell
    (0, 14, False)
    """
    found, n_labels = int(screened.relevant.sum()), len(screened.rows)
    n_left = screened.n_items - n_labels
    if n_left == 0:
        return Remaining(found, 0.0, 0, 0, True, f"{pluralize(found, 'relevant item')} found; none is left.")
    checks = read_checks(screened)
    low, high = interval_of_checks(checks, n_left, confidence)
    hits = int(checks.hit.sum())
    left = n_left * (hits + 0.5) / (len(checks.hit) + 1)
    if found == 0 or len(checks.hit) < 20 or hits == 0:
        return Remaining(found, left, low, high, False, "It is too early for an estimate of what is left.")
    sentence = f"{found:,} found, about {left:,.0f} left ({low:,} to {high:,}, confidence {confidence:.0%})."
    return Remaining(found, left, low, high, True, sentence)
