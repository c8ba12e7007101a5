"""What all classifiers from positives and unlabeled rows share: labels in, scores and labels out."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from lopsided._labels import encode_positive_unlabeled
from lopsided._preparation import canonical
from lopsided._validation import check_same_length

_LARGEST = 1e18  # with which LIBSVM and LIBLINEAR still come to an end


class PositiveUnlabeledClassifier(ClassifierMixin, BaseEstimator, ABC):
    """A classifier that was shown positives and a heap, and no negative.

    A subclass implements ``fit`` with `_read`, and `_scores`.
    """

    _counts_only: ClassVar[bool] = False  # whether features below 0 make no sense to it

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row; above 0 is positive.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._scores(self._rows(X, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Say of each row whether it is positive (1) or not (0).

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._counts_only
        tags.classifier_tags.multi_class = False
        return tags

    @abstractmethod
    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Scores of rows that were looked at."""

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[np.bool_]]:
        """Rows, and which of them are labeled positives; sets ``classes_``."""
        if y is None:
            validate_data(self, X, y)  # says what is missing
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
        rows = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset
        )
        rows = canonical(rows)
        numbers = rows.data if hasattr(rows, "indptr") else rows
        if numbers.size and max(numbers.max(), -numbers.min()) > _LARGEST:
            raise ValueError(
                f"X holds numbers above {_LARGEST:g}, whose squares overflow. Scale the features, by "
                "StandardScaler or MaxAbsScaler say."
            )
        if self._counts_only and numbers.size and numbers.min() < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}: it counts words, and takes counts "
                "or other weights of 0 and above."
            )
        return rows
