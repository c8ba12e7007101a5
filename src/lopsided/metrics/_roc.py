"""The ROC curve and the area under it.

scikit-learn's functions refuse infinite scores, which rankings here have, and drop points of the
curve; the mail filter scores its stream without loading scikit-learn.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided.metrics._blocks import rank_into_blocks


def roc_auc_score(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = 1, sample_weight: ArrayLike | None = None
) -> float:
    """Return the probability that a positive scores above a negative, a tie counting one half.

    The Mann-Whitney form, the same number as from average ranks, in O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,)
        Larger means more positive; infinite scores are legal and tie with each other.
    pos_label : scalar, default=1
        The label counted as positive.
    sample_weight : array-like of shape (n_samples,), optional
        How much each sample counts.

    Returns
    -------
    area : float between 0 and 1
        NaN where the truth holds one class only.

    Examples
    --------
    >>> roc_auc_score([1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1])
    0.875
    """
    blocks = rank_into_blocks(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    n_positive, n_negative = blocks.positives.sum(), blocks.negatives.sum()
    if n_positive == 0 or n_negative == 0:
        return math.nan
    below = n_negative - np.cumsum(blocks.negatives)
    wins = blocks.positives @ (below + blocks.negatives / 2)
    return float(wins / (n_positive * n_negative))


def roc_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any = 1, sample_weight: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of the ROC curve: one for each distinct score, so that a tie is a slanted step.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        As in :func:`roc_auc_score`.

    Returns
    -------
    false_positive_rate, true_positive_rate, thresholds : arrays of equal length
        The first point is (0, 0), nothing called positive; at the others, scores from the threshold up are.

    Examples
    --------
    >>> fpr, tpr, thresholds = roc_curve([1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1])
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    blocks = rank_into_blocks(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
    n_positive, n_negative = blocks.positives.sum(), blocks.negatives.sum()
    if n_positive == 0 or n_negative == 0:
        raise ValueError(
            f"A ROC curve needs both classes; got {n_positive:g} positives and {n_negative:g} negatives."
        )
    true_positive_rate = np.append(0.0, np.cumsum(blocks.positives) / n_positive)
    false_positive_rate = np.append(0.0, np.cumsum(blocks.negatives) / n_negative)
    return false_positive_rate, true_positive_rate, np.append(np.inf, blocks.scores)
