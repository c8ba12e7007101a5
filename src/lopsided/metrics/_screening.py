"""Scores of a ranking that a person reads from the top: how soon the few that matter are found."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lopsided.metrics._blocks import rank_into_blocks


def work_saved_over_sampling(
    y_true: ArrayLike, y_score: ArrayLike, *, recall: float = 0.95, pos_label: Any = 1
) -> float:
    """Return the share of the reading saved, against random order, when stopping at a given recall.

    Reading by falling score until ``recall`` of the positives are found takes k of n items;
    WSS = (n - k) / n - (1 - recall), where reading in random order saves about nothing [1]_. Tied items are
    read in random order: k is the mean over those orders.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,)
        Larger is read sooner; for items already in reading order pass ``-np.arange(n)``.
    recall : float in (0, 1], default=0.95
        Share of the positives to be found, rounded up to a whole number of them.
    pos_label : scalar, default=1
        The label of what is looked for.

    Returns
    -------
    saved : float
        Negative where the order is worse than random; NaN where there is no positive.

    References
    ----------
    .. [1] Cohen, Hersh, Peterson, Yen, "Reducing workload in systematic review preparation using automated
           citation classification", JAMIA 13:206-219, 2006.

    Examples
    --------
    >>> work_saved_over_sampling([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], range(10, 0, -1), recall=1.0)
    0.8
    """
    if not 0 < recall <= 1:
        raise ValueError(f"recall must be in (0, 1]; got {recall}.")
    blocks = rank_into_blocks(y_true, y_score, pos_label=pos_label)
    n_positive = blocks.positives.sum()
    if n_positive == 0:
        return math.nan
    wanted = math.ceil(round(recall * n_positive, 9))  # 0.07 * 100 is a little more than 7
    last = np.searchsorted(np.cumsum(blocks.positives), wanted)  # the block with the last one wanted
    wanted_in_block = wanted - blocks.positives[:last].sum()
    # Among t items in random order, p of them positive, the j-th positive stands on average at
    # j (t + 1) / (p + 1).
    read = blocks.above[last] + wanted_in_block * (blocks.sizes[last] + 1) / (blocks.positives[last] + 1)
    n = blocks.sizes.sum()
    return float((n - read) / n - (1 - recall))


def average_time_to_discovery(y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = 1) -> float:
    """Return the mean share of all items that is read until a positive is found, over all positives.

    Reading goes by falling score [1]_; tied items are read in random order.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`work_saved_over_sampling`.

    Returns
    -------
    time : float in (0, 1]
        Smaller is sooner; times n it is a number of items. NaN where there is no positive.

    References
    ----------
    .. [1] Ferdinands et al., "Performance of active learning models for screening prioritization in
           systematic reviews", Systematic Reviews 12:100, 2023.

    Examples
    --------
    >>> average_time_to_discovery([1, 1, 0, 0], [4, 2, 3, 1])  # found at 1 and at 3 of 4
    0.5
    """
    blocks = rank_into_blocks(y_true, y_score, pos_label=pos_label)
    n_positive = blocks.positives.sum()
    if n_positive == 0:
        return math.nan
    mean_position = blocks.above + (blocks.sizes + 1) / 2
    return float(blocks.positives @ mean_position / n_positive / blocks.sizes.sum())
