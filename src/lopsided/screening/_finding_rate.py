"""The distribution of the number of relevant items left, given the pace of finding.

While the most likely items are shown, relevant ones come at a rate that falls as they run out. How the rate,
the length of the search and the number of unlabelled items relate to the number left was learned from the
design topics of ``research/remaining_check.py``. The logarithm of that number follows a t distribution around
a linear function of a few logarithms, and the logarithm of its scale is such a function too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._record import Screened

FREEDOM = 5  # degrees of freedom of the t distribution: tails heavy enough for a topic unlike the others


class Pace(NamedTuple):
    """The pace at which relevant items were found among the most likely ones.

    Examples
    --------
    >>> Pace(n_shown=40, n_hits=10, n_found=12, n_left=900, rates=(0.1, 0.2, 0.4)).n_shown
    40
    """

    n_shown: int
    """How many items were shown as the most likely one."""
    n_hits: int
    """How many of these were relevant."""
    n_found: int
    """How many relevant items are known, however they were found."""
    n_left: int
    """How many items are unlabelled."""
    rates: tuple[float, float, float]
    """Relevant items per question since the last, the fourth last and the sixteenth last relevant one."""


def read_pace(screened: Screened) -> Pace:
    """Return the pace at which relevant items are found now.

    Examples
    --------
    >>> relevant = np.array([True, True, False, True, False, False])
    >>> nan, rows = np.full(6, np.nan), np.arange(6)
    >>> pace = read_pace(Screened(rows, relevant, ["most likely"] * 6, nan, 50 - rows, 50))
    >>> [round(rate, 2) for rate in pace.rates]  # 1.5 in 4, 3.5 in 7, 3.5 in 7
    [0.38, 0.5, 0.5]
    """
    shown = screened.relevant[np.array([reason == "most likely" for reason in screened.reasons], dtype=bool)]
    ago = len(shown) - np.flatnonzero(shown)[::-1]  # questions since each relevant one, itself included
    rates = []
    for k in (1, 4, 16):
        questions = ago[k - 1] if len(ago) >= k else len(shown)
        rates.append(float((min(k, len(ago)) + 0.5) / (questions + 1)))
    n_labels, n_found = len(screened.rows), int(screened.relevant.sum())
    return Pace(len(shown), len(ago), n_found, screened.n_items - n_labels, (rates[0], rates[1], rates[2]))


def log_density(pace: Pace, left: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the density, but for a constant, of each number of relevant items left.

    Examples
    --------
    >>> slow = Pace(n_shown=400, n_hits=80, n_found=90, n_left=9000, rates=(0.01, 0.02, 0.1))
    >>> few, many = log_density(slow, np.array([5.0, 500.0]))
    >>> bool(few > many)
    True
    """
    last, recent, longer = np.log(pace.rates)
    found = np.log(max(pace.n_found, 1))
    center = (
        -2.05
        + 0.61 * np.log(max(pace.n_left, 1))
        - 0.41 * found
        + 0.83 * np.log(pace.n_shown + 1)
        + 0.14 * last
        + 1.52 * recent
        - 0.38 * longer
    )
    scale = np.exp(0.48 - 0.145 * found + 0.285 * recent - 0.36 * longer)
    z = (np.log(left + 0.5) - center) / scale
    density: NDArray[np.float64] = -(FREEDOM + 1) / 2 * np.log1p(z * z / FREEDOM) - np.log(left + 0.5)
    return density
