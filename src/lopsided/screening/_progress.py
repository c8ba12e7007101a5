"""The recall curve with its band, and the expected cost of the next relevant item."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._finding_rate import read_pace
from lopsided.screening._record import Screened
from lopsided.screening._remaining import estimate_remaining


class Curve(NamedTuple):
    """Relevant records found against labels spent."""

    n_labels: NDArray[np.intp]
    """1, 2, 3, ..."""
    n_found: NDArray[np.intp]
    """How many relevant records were known after so many labels."""
    recall: NDArray[np.float64]
    """The share of all relevant records that this is, by the present estimate; NaN where it cannot tell."""
    low: NDArray[np.float64]
    """The lower end of the band around `recall`."""
    high: NDArray[np.float64]
    """The upper end of the band around `recall`."""
    labels_to_next: float | None
    """About how many labels the next relevant record will cost; None where it cannot be told."""


class RecallCurve(NamedTuple):
    """Recall against the number of labels, with a band.

    Examples
    --------
    >>> RecallCurve(*np.array([[1, 2], [1, 1], [0.5, 0.5], [0.2, 0.2], [1, 1]])).recall
    array([0.5, 0.5])
    """

    n_labels: NDArray[np.intp]
    """1, 2, 3, ..."""
    found: NDArray[np.intp]
    """How many relevant items were known after so many labels."""
    recall: NDArray[np.float64]
    """The share of all relevant items that this is, by the present estimate; NaN where it cannot tell."""
    low: NDArray[np.float64]
    """The recall if as many are left as the upper end of the estimate says; NaN where it cannot tell."""
    high: NDArray[np.float64]
    """The recall if as few are left as the lower end of the estimate says; NaN where it cannot tell."""


def recall_curve(screened: Screened, *, confidence: float = 0.95) -> RecallCurve:
    """Return the recall after each label, with a band.

    The band comes from the estimate of what is left now: it says how sure one is of the total by which every
    point of the curve is divided, so that it moves as a whole when the estimate does.

    Parameters
    ----------
    screened : Screened
        The answers so far.
    confidence : float, default=0.95
        How often the band is to contain the true curve, between 0 and 1.

    Returns
    -------
    RecallCurve
        Five arrays of the length of the answers.

    Examples
    --------
    >>> nan, rows = np.full(4, np.nan), np.arange(4)
    >>> all_labeled = Screened(rows, rows < 2, ["most likely"] * 4, nan, 4 - rows, 4)
    >>> recall_curve(all_labeled).recall
    array([0.5, 1. , 1. , 1. ])
    """
    found = np.cumsum(screened.relevant, dtype=np.intp)
    told = estimate_remaining(screened, confidence=confidence)
    shares = [
        found / max(told.found + left, 1) if told.can_tell else np.full(len(found), np.nan)
        for left in (told.left, told.high, told.low)
    ]
    return RecallCurve(np.arange(1, len(found) + 1), found, *shares)


def expected_labels_for_next(screened: Screened) -> float | None:
    """Return about how many labels the next relevant item will cost.

    It is the reciprocal of the rate at which relevant items were found among the most likely ones, corrected
    for its fall as the search goes on (learned from the design topics of ``research/remaining_check.py``).
    Single waits differ: on those topics three of four were shorter, and one in ten was more than 2.5 times as
    long.

    Parameters
    ----------
    screened : Screened
        The answers so far.

    Returns
    -------
    float or None
        None where fewer than four relevant items were found as the most likely one, or nothing is left.

    Examples
    --------
    >>> nan, rows = np.full(40, np.nan), np.arange(40)
    >>> every_fourth = Screened(rows, rows % 4 == 3, ["most likely"] * 40, nan, 99 - rows, 99)
    >>> 4 < expected_labels_for_next(every_fourth) < 12
    True
    """
    pace = read_pace(screened)
    if pace.n_hits < 4 or pace.n_left == 0:
        return None
    last, recent, longer = np.log(pace.rates)
    wait = 1 + np.exp(0.09 - 0.58 * last - 1.29 * recent + 0.26 * longer)
    return float(min(wait, pace.n_left))
