"""When to stop asking: the support vectors stop growing, or nothing unseen lies within the margin."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

# A plateau of the number of support vectors may be false: on letter recognition it stands still from 200 to
# 360 labels and then doubles. So a plateau counts only if a random look at the unseen finds (nearly) nobody
# within the margin, which spends no label.
GLANCE = 300  # unseen examples looked at
MOST_INSIDE = 0.02  # share of them within the margin at which it counts as exhausted


class Saturation:
    """The number of support vectors has stopped growing (section 3.4 of Ertekin et al. 2007).

    With s_t support vectors after t labels and a window of w = max(50, ceil(t / 10)) labels, the curve is
    flat at t if (s_t - s_{t-w}) / w <= 0.05, for three labels in a row and not before t = 2 w. While informative
    examples remain, nearly every label adds a support vector: the slope is then near 1.
    """

    slope = 0.05
    patience = 3

    def __init__(self) -> None:
        self._counts: list[int] = []
        self._n_flat = 0
        self._look_at = 0

    def is_flat(self, n_support: int) -> bool:
        """Take in the count after one more label, and say whether the curve is flat."""
        self._counts.append(n_support)
        t = len(self._counts)
        window = max(50, ceil(0.1 * t))
        grown = n_support - self._counts[t - 1 - window] if t > window else n_support
        flat = t >= 2 * window and grown <= self.slope * window
        self._n_flat = self._n_flat + 1 if flat else 0
        return self._n_flat >= self.patience and t >= self._look_at

    def is_exhausted(self, distances: NDArray[np.float64]) -> bool:
        """Whether a plateau is a true one, by |f| of unseen examples; if not, look again a little later."""
        if len(distances) == 0 or np.mean(distances < 1) <= MOST_INSIDE:
            return True
        self._look_at = len(self._counts) + max(10, len(self._counts) // 50)
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
