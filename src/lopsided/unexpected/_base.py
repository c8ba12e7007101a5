"""The base of all detectors of unexpected rows: rows and known classes in, scores and answers out."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lopsided._blocks import is_dask
from lopsided._labels import encode_known_classes
from lopsided._preparation import checked_rows, checked_rows_or_blocks, scored_lazily, validate_rows
from lopsided._stored import FEATURES, Check, labels, zero_and_one
from lopsided._validation import check_same_length

TO_BE_JUDGED = -1  # instead of the index of a known class


class KnownAndNew(BaseEstimator):
    """An estimator whose `fit` is given rows of known classes, and rows to be judged."""

    _counts_only: ClassVar[bool] = False  # whether features below 0 make no sense to it
    _reads_blocks: ClassVar[bool] = False  # whether its fit goes through rows in passes
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
        if self._reads_blocks:
            return checked_rows_or_blocks(self, X, reset=reset, counts_only=self._counts_only)
        if is_dask(X):
            raise ValueError(
                f"{type(self).__name__} takes rows in memory; got a Dask array. Pass X.compute(), or use LGN."
            )
        return checked_rows(self, X, reset=reset, counts_only=self._counts_only)


class UnexpectedClassifier(ClassifierMixin, KnownAndNew, ABC):
    """A classifier that was shown rows of known classes, and says of others whether they belong to any.

    A subclass implements ``fit`` with `_read`, and `_scorer`.
    """

    _stored: ClassVar[dict[str, Check]] = {"classes_": zero_and_one}

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row; the larger, the more expected, and above 0 is expected.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)
            Rows that were in `fit` or new ones.

        Returns
        -------
        scores : array of shape (n_samples,)
            A lazy Dask array if X is a Dask array.
        """
        check_is_fitted(self)
        score = partial(_not_zero, self._scorer())
        if is_dask(X):
            return scored_lazily(self, X, score, counts_only=self._counts_only)
        return score(self._rows(X, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict for each row whether it is expected (1) or unexpected (0).

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)
            Rows that were in `fit` or new ones.

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
        tags.classifier_tags.multi_class = False  # of the answers, which are two
        return tags

    @abstractmethod
    def _scorer(self) -> Callable[[Any], NDArray[np.float64]]:
        """Return what scores checked rows; on a cluster it is sent instead of the whole estimator."""

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:
        self.classes_ = np.array([0, 1])
        return super()._read(X, y)


def _not_zero(score: Callable[[Any], NDArray[np.float64]], X: Any) -> NDArray[np.float64]:
    # A row on the line is expected (step 3 of the paper's Figure 3), while a score of 0 is negative.
    scores = score(X)
    return np.where(scores == 0, np.finfo(np.float64).tiny, scores)


def _labels(classes: NDArray[Any], scores: NDArray[np.float64]) -> NDArray[Any]:
    return classes[(scores > 0).astype(int)]
