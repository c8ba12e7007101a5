"""A score for positive + unlabeled data that needs no negatives (Lee and Liu, ICML 2003)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lopsided._labels import encode_against, encode_positive_unlabeled
from lopsided._validation import check_same_length


def lee_liu_score(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return squared recall on labeled positives over the share of unlabeled rows predicted positive.

    It ranks classifiers as F1 would if the labels were known, but is no F1: it can exceed 1. Use it on
    rows held out from training to choose among positive + unlabeled models.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        1 for a labeled positive; 0, -1, False, NaN or None for unlabeled, one spelling at a time.
    y_pred : array-like of shape (n_samples,)
        Predictions: 1 for positive, one other label for the rest.

    Returns
    -------
    score : float, 0 or more
        0 where no unlabeled row is predicted positive: a model that finds nothing new has no merit.

    Examples
    --------
    >>> lee_liu_score([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0])  # 1 squared over 1/4
    4.0
    """
    labeled = encode_positive_unlabeled(y_true) > 0
    (signs,) = encode_against(1, y_pred=y_pred)
    check_same_length(y_true=len(labeled), y_pred=len(signs))
    if labeled.all():
        raise ValueError(
            f"lee_liu_score needs unlabeled rows; all {len(labeled)} are labeled positive. "
            "Add rows with y == 0."
        )
    predicted = signs > 0
    share = np.mean(predicted[~labeled])
    return float(np.mean(predicted[labeled]) ** 2 / share) if share else 0.0


def lee_liu_scorer(estimator: Any, X: Any, y: ArrayLike) -> float:
    """Score a fitted model on held-out rows; for the ``scoring`` of scikit-learn's model selection.

    Parameters
    ----------
    estimator : classifier
        Fitted; its ``predict`` answers 1 for positive, and one other label for the rest.
    X : array-like or CSR of shape (n_samples, n_features)
        Rows held out from training.
    y : array-like of shape (n_samples,)
        1 for a labeled positive; 0, -1, False, NaN or None for unlabeled, one spelling at a time.

    Returns
    -------
    score : float, 0 or more
        :func:`lee_liu_score` of the predictions.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> model = KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 1])
    >>> lee_liu_scorer(model, [[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]], [1, 1, 0, 0, 0, 0])
    4.0
    """
    from lopsided._sparse import checked_sparse

    return lee_liu_score(y, estimator.predict(checked_sparse(X)))
