"""Cross validation of positive + unlabeled models."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import encode_positive_unlabeled
from lopsided._validation import is_whole
from lopsided.metrics import RoundRobinFold


@dataclass
class PositiveUnlabeledFold(RoundRobinFold):
    """Folds for scikit-learn's ``cv`` in which labeled positives and unlabeled rows are dealt separately.

    Every fold trains on, and is tested on, rows of both kinds; folds differ by at most one in the number of
    either. A model that is scored on labeled positives (:func:`lopsided.metrics.lee_liu_scorer`) then never
    meets a fold without one.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds: at least 2, and not more than there are labeled positives, or unlabeled rows.
    random_state : None, int, Generator or RandomState, default=None
        Order of the shuffle; an int gives the same folds at each call.

    Examples
    --------
    >>> y = [1, 1, 1, 0, 0, 0, 0, 0, 0]
    >>> folds = PositiveUnlabeledFold(n_splits=3, random_state=0)
    >>> [sorted(y[row] for row in test) for _, test in folds.split(y, y)]
    [[0, 0, 1], [0, 0, 1], [0, 0, 1]]
    """

    def split(
        self, X: Any, y: ArrayLike, groups: Any = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the training and the test rows of each fold.

        Parameters
        ----------
        X : ignored
            There because scikit-learn passes it.
        y : array-like of shape (n_samples,)
            1 for a labeled positive; 0, -1, False, NaN or None for unlabeled, one spelling at a time.
        groups : ignored
        """
        if not is_whole(self.n_splits):
            raise ValueError(f"n_splits must be a whole number; got {self.n_splits!r}. Pass 5, say.")
        codes = encode_positive_unlabeled(y)
        n_positive = int((codes > 0).sum())
        n_unlabeled = len(codes) - n_positive
        if not 2 <= self.n_splits <= min(n_positive, n_unlabeled):
            raise ValueError(
                f"n_splits={self.n_splits} asks for at least 2 folds, each with a labeled positive and an "
                f"unlabeled row; got {n_positive} labeled positives and {n_unlabeled} unlabeled rows. "
                "Pass another n_splits, or more rows of the fewer kind."
            )
        yield from super().split(X, codes)
