"""When to stop asking: the support vectors stop growing, or nothing unseen lies within the margin."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

GLANCE = 2000  # unseen examples looked at before a plateau is believed
_WELL_INSIDE = 0.9  # |f| below which one of them counts: just inside the margin lies what rounding put there


class Saturation:
    """The number of support vectors stands still (section 3.4 of Ertekin et al. 2007), and rightly so.

    With s_t support vectors after t labels and a window of w = max(50, t / 10, (t - s_t) / 4) labels, the curve
    is flat at t if |s_t - s_{t-w}| <= 0.015 w, for three labels in a row and not before t = 2 w. While
    informative examples remain, nearly every label adds a support vector: the slope is then near 1. A falling
    count is no rest either: the border still moves. Labels that added nothing, t - s_t of them, make the window
    longer: where they are many, the rare class lies in islands that are found late.

    A plateau may be false: on letter recognition the count stands still from 200 to 360 labels and then doubles.
    So it counts only if a random look at many unseen examples, which spends no label, finds none well within
    the margin.

    The constants were chosen on seven of the paper's data sets (letter-A, satimage, USPS, and corn, crude,
    interest and money-fx of Reuters); the rest of its table was not looked at.
    """

    slope = 0.015
    patience = 3

    def __init__(self) -> None:
        self._counts: list[int] = []
        self._n_flat = 0
        self._look_at = 0

    def is_flat(self, n_support: int) -> bool:
        """Take in the count after one more label, and say whether the curve is flat."""
        self._counts.append(n_support)
        t = len(self._counts)
        window = max(50, ceil(t / 10), ceil((t - n_support) / 4))
        flat = t >= 2 * window and abs(n_support - self._counts[t - 1 - window]) <= self.slope * window
        self._n_flat = self._n_flat + 1 if flat else 0
        return self._n_flat >= self.patience and t >= self._look_at

    def is_exhausted(self, distances: NDArray[np.float64]) -> bool:
        """Whether a plateau is a true one, by |f| of unseen examples; if not, look again a little later."""
        if not np.any(distances < _WELL_INSIDE):
            return True
        self._look_at = len(self._counts) + max(10, len(self._counts) // 20)
        return False


class MarginExhaustion:
    """The closest candidate is no closer to the border than the free support vectors, which lie at |f| = 1.

    One such candidate is enough if all unseen examples were searched; a random pool bounds only the closest
    few per cent, so there it must happen ten times in a row.
    """

    def __init__(self, tol: float, searched_all: bool) -> None:
        self._least = 1 - tol
        self._patience = 1 if searched_all else 10
        self._n_outside = 0

    def is_exhausted(self, distance: float) -> bool:
        """Take in the |f| of the chosen candidate."""
        self._n_outside = self._n_outside + 1 if distance >= self._least else 0
        return self._n_outside >= self._patience
