"""The number of ranked items that count as found: as many as are estimated to be positive."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.pu._share import PositiveShare, measure_share
from lopsided.pu._trials import FEWEST_POSITIVES

_VAGUE = 0.5  # an interval from nothing to more than half of the items does not say where to stop


def estimate_share(X: Any, y: NDArray[Any]) -> PositiveShare | None:
    """Return the share of positives among the unlabeled rows; None where it can hardly be known."""
    if y.sum() < FEWEST_POSITIVES:
        return None
    return unless_vague(*measure_share(X, y, random_state=0))


def unless_vague(share: PositiveShare, low: float) -> PositiveShare | None:
    """Return the share, or None where its interval says next to nothing."""
    return None if low * share.n_unlabeled < 1 and share.high > _VAGUE else share


def draw_line(scores: NDArray[np.float64], n_hidden: int) -> float:
    """Return the score at which an item counts as found: between the last of so many, and the next.

    The 0 of an SVM is no such line: where few positives stand against thousands, next to nothing reaches it.
    """
    ranked = np.sort(scores)[::-1]
    if n_hidden == 0:  # above all, by as much as can be seen
        return max(0.0, float(ranked[0] + 0.01 * (ranked[0] - ranked[-1]) + 0.01))
    return float(ranked[n_hidden - 1 : n_hidden + 1].mean())
