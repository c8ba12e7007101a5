"""The base of all classifiers from positives and unlabeled rows: labels in, scores and labels out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lopsided._blocks import is_dask
from lopsided._labels import encode_positive_unlabeled
from lopsided._preparation import checked_rows_or_blocks, scored_lazily, validate_rows
from lopsided._stored import FEATURES, Check, zero_and_one
from lopsided._validation import check_same_length


class PositiveUnlabeledClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier that was shown positives and unlabeled data, and no negative.

    A subclass implements ``fit`` with `_read`, and `_scorer`.
    """

    _counts_only: ClassVar[bool] = False  # whether features below 0 make no sense to it
    _stored: ClassVar[dict[str, Check]] = FEATURES | {"classes_": zero_and_one}

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row; above 0 is positive.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
            A lazy Dask array if X is a Dask array.
        """
        check_is_fitted(self)
        if is_dask(X):
            return scored_lazily(self, X, self._scorer(), counts_only=self._counts_only)
        return self._scorer()(self._rows(X, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict for each row whether it is positive (1) or not (0).

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)
            A lazy Dask array if X is a Dask array.
        """
        scores: Any = self.decision_function(X)
        if is_dask(scores):
            return scores.map_blocks(partial(_labels, self.classes_), dtype=self.classes_.dtype)
        return _labels(self.classes_, scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._counts_only
        tags.classifier_tags.multi_class = False
        return tags

    @abstractmethod
    def _scorer(self) -> Callable[[Any], NDArray[np.float64]]:
        """Return what scores checked rows; on a cluster it is sent instead of the whole estimator."""

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[np.bool_]]:
        """Return checked rows, and which of them are labeled positives; set ``classes_``."""
        if y is None:
            validate_rows(self, X, y)  # says what is missing
        rows = self._rows(X, reset=True)
        positive = encode_positive_unlabeled(y) > 0
        check_same_length(X=rows.shape[0], y=len(positive))
        if positive.all():
            raise ValueError(
                f"fit needs unlabeled rows beside the positives; y holds one class, 1, in all "
                f"{len(positive)} samples. Add rows with y == 0."
            )
        self.classes_ = np.array([0, 1])
        return rows, positive

    def _rows(self, X: Any, *, reset: bool) -> Any:
        return checked_rows_or_blocks(self, X, reset=reset, counts_only=self._counts_only)


def _labels(classes: NDArray[Any], scores: NDArray[np.float64]) -> NDArray[Any]:
    return classes[(scores > 0).astype(int)]
