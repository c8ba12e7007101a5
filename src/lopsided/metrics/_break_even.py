"""The precision-recall break-even point."""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lopsided.metrics._blocks import rank_into_blocks


def prbep_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Any = 1,
    ties: Literal["expected", "optimistic", "pessimistic"] = "expected",
) -> float:
    """Return the precision/recall break-even point: the share of positives among the n+ highest scores.

    Precision equals recall where as many samples are called positive as there are positives, n+. That cut
    always exists, so nothing is interpolated.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,)
        Larger means more positive.
    pos_label : scalar, default=1
        The label counted as positive.
    ties : {"expected", "optimistic", "pessimistic"}, default="expected"
        How samples tied at the cut are ordered: the mean over random orders, positives first, or last.

    Returns
    -------
    score : float between 0 and 1
        NaN where there is no positive; 1 where there is no negative.

    Examples
    --------
    >>> prbep_score([1, 1, 0, 0], [4, 2, 3, 1])
    0.5
    """
    if ties not in ("expected", "optimistic", "pessimistic"):
        raise ValueError(f"ties must be 'expected', 'optimistic' or 'pessimistic'; got {ties!r}.")
    blocks = rank_into_blocks(y_true, y_score, pos_label=pos_label)
    k = blocks.positives.sum()
    if k == 0:
        return math.nan
    cut = np.searchsorted(np.cumsum(blocks.sizes), k)  # the block that holds rank k
    found_above = blocks.positives[:cut].sum()
    room = k - blocks.above[cut]
    positives, negatives = blocks.positives[cut], blocks.negatives[cut]
    if ties == "expected":
        found_in_block = room * positives / (positives + negatives)
    elif ties == "optimistic":
        found_in_block = min(positives, room)
    else:
        found_in_block = max(0.0, room - negatives)
    return float((found_above + found_in_block) / k)


def interpolated_break_even(y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = 1) -> float:
    """Return the mean of precision and recall at the threshold where they differ least.

    The older reading of break-even in text categorization: tied scores are never split. Among equally
    close thresholds the best mean counts; thresholds that find no positive are left out, because there both
    are 0 and equal for no merit. Without ties it is the same as :func:`prbep_score`.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`prbep_score`.

    Returns
    -------
    score : float between 0 and 1
        NaN where there is no positive.

    Examples
    --------
    >>> interpolated_break_even([1, 0, 0, 0], [2, 2, 1, 0])  # precision 1/2, recall 1
    0.75
    """
    blocks = rank_into_blocks(y_true, y_score, pos_label=pos_label)
    n_positive = blocks.positives.sum()
    if n_positive == 0:
        return math.nan
    found, called = np.cumsum(blocks.positives), np.cumsum(blocks.sizes)
    found, called = found[found > 0], called[found > 0]
    mean = (found / called + found / n_positive) / 2
    gap = found * np.abs(n_positive - called) / called  # n+ |P - R|; one division, so equal gaps stay equal
    return float(mean[gap == gap.min()].max())
