"""Costs that are chosen from the data: how much more a positive costs, and how many rows may be wrong."""

import numpy as np
from numpy.typing import NDArray

# Between equal rows (0) and equal classes (1). On the nine data sets that defaults are chosen on, the rules
# keep an edge with 0.75 at the largest shares of errors, and predict both classes; not so with 0.5 and 1.
_POWER = 0.75
# Shares of either class that may be on the wrong side, were both as heavy.
_SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8)
_LEAST_WRONG = 5  # positives that may be wrong at the least: fewer is learning by heart


def cost_of_positive(beta: float | str, signs: NDArray[np.int8], weights: NDArray[np.float64]) -> float:
    """Return the cost of a positive over that of a negative: ``beta``, or what suits the classes if "auto".

    Examples
    --------
    >>> signs = np.array([1] + 16 * [-1], dtype=np.int8)
    >>> cost_of_positive("auto", signs, np.ones(17)), cost_of_positive(3.0, signs, np.ones(17))
    (8.0, 3.0)
    """
    if not isinstance(beta, str):
        return float(beta)
    positive = float(weights[signs > 0].sum())
    return max(1.0, float((weights.sum() - positive) / positive) ** _POWER)


def ladder_of_nu(signs: NDArray[np.int8], weights: NDArray[np.float64]) -> list[float]:
    """Return values of nu to try, rising.

    The larger class may weigh at most 1 / (2 share), as if nu were for two classes of that size.
    """
    positive = float(weights[signs > 0].sum())
    share = positive / float(weights.sum())
    larger = max(share, 1 - share)
    able = [wrong for wrong in _SHARES if 2 * wrong * larger < 1]
    enough = [wrong for wrong in able if wrong * positive >= _LEAST_WRONG] or able[-1:]
    return [2 * wrong * larger for wrong in enough]
