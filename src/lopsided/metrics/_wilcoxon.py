"""The signed rank test of Wilcoxon (Biometrics Bulletin 1:80-83, 1945) for two methods over data sets.

SciPy's ``wilcoxon`` does not count 0.9 - 0.8 and 0.8 - 0.7 as tied, which differ by rounding alone, and its
exact p-values assume that no differences are tied.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._validation import as_numbers, check_same_length


class WilcoxonResult(NamedTuple):
    """Outcome of the test.

    Examples
    --------
    >>> wilcoxon_signed_rank([2, 3, 4], [1, 1, 1]).statistic
    0.0
    """

    statistic: float
    """The smaller of the rank sums of positive and of negative differences."""
    pvalue: float
    """The two-sided p-value."""
    n: int
    """Pairs that differ."""


def wilcoxon_signed_rank(
    x: ArrayLike, y: ArrayLike, *, method: Literal["normal", "exact"] = "normal"
) -> WilcoxonResult:
    """Test, on two sides, whether paired scores differ by chance only.

    Pairs without a difference are dropped and tied differences share their mean rank. Differences that
    disagree only by the rounding of floating point count as tied: 0.9 - 0.8 ties with 0.8 - 0.7.

    Parameters
    ----------
    x, y : array-like of shape (n_pairs,)
        Scores of two methods on the same data sets.
    method : {"normal", "exact"}, default="normal"
        Normal approximation with continuity and tie correction, or all assignments of signs counted.

    Returns
    -------
    result : WilcoxonResult
        ``statistic``, ``pvalue`` and ``n``; the p-value is 1 where no pair differs.

    Examples
    --------
    >>> wilcoxon_signed_rank([5, 6, 7, 8, 9, 10], [4, 4, 4, 4, 4, 4], method="exact")
    WilcoxonResult(statistic=0.0, pvalue=0.03125, n=6)
    """
    if method not in ("normal", "exact"):
        raise ValueError(f"method must be 'normal' or 'exact'; got {method!r}.")
    first, second = as_numbers(x, "x"), as_numbers(y, "y")
    check_same_length(x=len(first), y=len(second))
    if len(first) == 0:
        raise ValueError("The signed rank test needs at least one pair; got none.")
    if np.isinf(first).any() or np.isinf(second).any():
        raise ValueError("The signed rank test needs finite scores; got infinity. Drop those pairs.")
    signs, ranks = _signed_ranks(first, second)
    if len(ranks) == 0:
        return WilcoxonResult(0.0, 1.0, 0)
    statistic = float(min(ranks[signs > 0].sum(), ranks[signs < 0].sum()))
    pvalue = _normal_pvalue(statistic, ranks) if method == "normal" else _exact_pvalue(statistic, ranks)
    return WilcoxonResult(statistic, pvalue, len(ranks))


def _signed_ranks(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sign and the average rank of each difference that is not zero, the smallest first."""
    difference = x - y
    # Printed scores such as 91.94 are rounded to binary, so a difference is only known to a few units in
    # the last place of its operands (16 leaves room for scores that are themselves sums).
    doubt = 16 * np.finfo(np.float64).eps * np.maximum(np.abs(x), np.abs(y))
    real = np.abs(difference) > doubt
    order = np.argsort(np.abs(difference[real]))
    difference, doubt = difference[real][order], doubt[real][order]
    if len(difference) == 0:
        return difference, difference
    is_larger = np.diff(np.abs(difference)) > doubt[1:] + doubt[:-1]
    block = np.append(0, np.cumsum(is_larger))
    size = np.bincount(block)
    average_rank = np.cumsum(size) - (size - 1) / 2
    return np.sign(difference), average_rank[block]


def _normal_pvalue(statistic: float, ranks: NDArray[np.float64]) -> float:
    n = len(ranks)
    ties = np.unique(ranks, return_counts=True)[1].astype(float)
    mean = n * (n + 1) / 4
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum() / 48
    z = max(0.0, abs(statistic - mean) - 0.5) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2))


def _exact_pvalue(statistic: float, ranks: NDArray[np.float64]) -> float:
    # Average ranks are multiples of one half: doubled, they are whole. chance[s] is the probability that
    # the ranks seen so far, each taken or left with equal chance, sum to s / 2.
    doubled = np.rint(2 * ranks).astype(int)
    chance = np.zeros(doubled.sum() + 1)
    chance[0] = 1.0
    for rank in doubled:
        taken = np.zeros_like(chance)
        taken[rank:] = chance[: len(chance) - rank]
        chance = (chance + taken) / 2
    return min(1.0, 2 * float(chance[: round(2 * statistic) + 1].sum()))
