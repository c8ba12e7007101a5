"""Cross validation where a class may have fewer samples than there are folds."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import as_labels
from lopsided._validation import as_generator
from lopsided.metrics._counts import Counts


@dataclass
class RoundRobinFold:
    """Stratified folds for scikit-learn's ``cv``, whatever the size of the smallest class.

    Each class is shuffled by itself and dealt to the folds in turn, the next class going on where the last
    one stopped: folds differ by at most one in size and in the count of each class. A class smaller than
    the number of folds is no error; some folds then hold none of it (see :func:`fold_fbeta_score`).

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    random_state : None, int, Generator or RandomState, default=None
        Order of the shuffle; an int gives the same folds at each call.

    Examples
    --------
    >>> folds = RoundRobinFold(n_splits=3, random_state=0)
    >>> y = [1, 1, 0, 0, 0, 0, 0]
    >>> sorted(len(test) for _, test in folds.split(y, y))
    [2, 2, 3]
    """

    n_splits: int = 5
    random_state: Any = None

    def split(
        self, X: Any, y: ArrayLike, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and the test rows of each fold.

        Parameters
        ----------
        X : ignored
            There because scikit-learn passes it.
        y : array-like of shape (n_samples,)
            Labels of any number of classes.
        groups : ignored
        """
        classes, class_of = np.unique(as_labels(y), return_inverse=True)
        n_samples = len(class_of)
        if not 2 <= self.n_splits <= n_samples:
            raise ValueError(
                f"n_splits must be between 2 and the number of samples, {n_samples}; got {self.n_splits}."
            )
        generator = as_generator(self.random_state)
        rows = [generator.permutation(np.flatnonzero(class_of == c)) for c in range(len(classes))]
        fold_of = np.empty(n_samples, dtype=np.intp)
        fold_of[np.concatenate(rows)] = np.arange(n_samples) % self.n_splits
        for fold in range(self.n_splits):
            yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups : ignored

        Returns
        -------
        n_splits : int
        """
        return self.n_splits


def fold_fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the F score of one validation fold; NaN where the fold holds no positive and so cannot tell.

    Parameters
    ----------
    y_true, y_pred, beta, pos_label, sample_weight
        As in :func:`fbeta_score`.

    Returns
    -------
    score : float between 0 and 1, or NaN
        To be averaged by :func:`mean_fold_score`.

    Examples
    --------
    >>> fold_fbeta_score([0, 0, 0], [0, 1, 0])
    nan
    """
    counts = Counts.from_predictions(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return counts.f(beta) if counts.n_positive else math.nan


def mean_fold_score(scores: ArrayLike) -> float:
    """Return the mean over the folds that could tell; 0 where none could.

    Examples
    --------
    >>> mean_fold_score([0.5, float("nan"), 1.0])
    0.75
    """
    values = np.asarray(scores, dtype=np.float64)
    told = values[~np.isnan(values)]
    return float(told.mean()) if len(told) else 0.0
