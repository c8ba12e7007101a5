"""The base of all detectors of unexpected rows: rows and known classes in, scores and answers out."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lopsided._labels import encode_known_classes
from lopsided._preparation import checked_rows, validate_rows
from lopsided._stored import FEATURES, Check, labels, zero_and_one
from lopsided._validation import check_same_length

TO_BE_JUDGED = -1  # instead of the index of a known class


class KnownAndNew(BaseEstimator):
    """An estimator whose `fit` is given rows of known classes, and rows to be judged."""

    _counts_only: ClassVar[bool] = False  # whether features below 0 make no sense to it
    _needs_judged: ClassVar[bool] = False  # whether fit must see rows to be judged, too
    _stored: ClassVar[dict[str, Check]] = FEATURES | {"known_classes_": labels("n_known_classes")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._counts_only
        return tags

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:
        """Return checked rows, and the index of the known class of each, or -1; set ``known_classes_``."""
        if y is None:
            validate_rows(self, X, y)  # says what is missing
        rows = self._rows(X, reset=True)
        index, known_classes = encode_known_classes(y)
        check_same_length(X=rows.shape[0], y=len(index))
        if self._needs_judged and not (index == TO_BE_JUDGED).any():
            raise ValueError(
                f"fit needs rows to be judged beside the known ones; y names a class for all {len(index)} "
                "samples. Add the new rows with y == -1 (or None)."
            )
        self.known_classes_ = known_classes
        return rows, index

    def _rows(self, X: Any, *, reset: bool) -> Any:
        return checked_rows(self, X, reset=reset, counts_only=self._counts_only)


class UnexpectedClassifier(ClassifierMixin, KnownAndNew, ABC):
    """A classifier that was shown rows of known classes, and says of others whether they belong to any.

    A subclass implements ``fit`` with `_read`, and `_scores`.
    """

    _stored: ClassVar[dict[str, Check]] = {"classes_": zero_and_one}

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row; the larger, the more expected, and above 0 is expected.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Rows that were in `fit` or new ones.

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        check_is_fitted(self)
        scores = self._scores(self._rows(X, reset=False))
        # A row on the line is expected (step 3 of the paper's Figure 3), while a score of 0 is negative.
        return np.where(scores == 0, np.finfo(np.float64).tiny, scores)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict for each row whether it is expected (1) or unexpected (0).

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Rows that were in `fit` or new ones.

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False  # of the answers, which are two
        return tags

    @abstractmethod
    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of rows that were checked."""

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:
        self.classes_ = np.array([0, 1])
        return super()._read(X, y)
