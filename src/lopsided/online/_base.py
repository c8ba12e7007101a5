"""The base of all two-class online learners: rows and labels in, scores out, around a compiled core."""

from abc import ABC, abstractmethod
from threading import Lock
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import fit_context
from lopsided._kernels import online
from lopsided._labels import encode_two_classes
from lopsided._preparation import class_weights, validate_rows
from lopsided._stored import FEATURES, Check, Lengths, anything, flag, labels, made_again
from lopsided._validation import check_same_length
from lopsided.online._core_learner import CoreLearner, with_matrices
from lopsided.online._rows import MeasuredRows, quick_rows

_FEW = 64  # labels looked up one by one: below that NumPy costs more than the learning


class OnlineLearner(ClassifierMixin, BaseEstimator, CoreLearner, ABC):
    """A two-class learner around a compiled core.

    Beside scikit-learn's methods it has those of the protocol `Learner`. A subclass says what its core is
    made of (`_recipe`, plain numbers) and makes it (`_make`).
    """

    _matrix: Any  # the first rows, until the core is made
    _derived: ClassVar[tuple[str, ...]] = ("_lock", "_sign_of")  # made again, and not stored

    _stored: ClassVar[dict[str, Check]] = FEATURES | {
        "classes_": labels(2),
        "_made_of": anything,  # its core was made of it, and has looked at it
        "_core": made_again(online.Learner),
        "_knows_positives": flag(),
        "_lock": made_again(type(Lock())),
        "_sign_of": made_again(dict),
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Forget everything and learn the rows once, in the order given.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes; the second in sorted order is the positive one.

        Returns
        -------
        self
        """
        rows = self._first_rows(X, y)
        signs, classes = encode_two_classes(y)
        check_same_length(X=rows.n_rows, y=len(signs))
        self._begin(rows, classes)
        self._learn(rows, signs)
        return self

    # Without scikit-learn's decorator, which takes longer than a row.
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn rows in the order given, each after it was scored.

        Parameters of the learner count as they were in ``fit`` or in the first call.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of two labels, optional
            Both labels. Needed in the first call, unless ``y`` holds both.

        Returns
        -------
        self
        """
        if not self.__sklearn_is_fitted__():
            self._validate_params()
            rows = self._first_rows(X, y)
            signs, known = encode_two_classes(y, classes)
            check_same_length(X=rows.n_rows, y=len(signs))
            self._begin(rows, known)
        else:
            if classes is not None:
                self._check_classes(classes)
            rows = self._quick_rows(X) or self._check(X, y, reset=False)
            signs = self._signs(y)
            if len(signs) != rows.n_rows:
                check_same_length(X=rows.n_rows, y=len(signs))
        self._learn(rows, signs)
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row; above 0 is the positive class, ``classes_[1]``.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        return self.scores(self.rows(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each row; a score of exactly 0 is the first of the two, as in scikit-learn.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def rows(self, X: ArrayLike) -> MeasuredRows:
        """Check rows once, so that they can be scored and learned many times.

        A learner that has seen nothing begins with them, for the classes 0 and 1. It looks at the first row
        only: a kernel's gamma must not depend on the future of a stream.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        rows : MeasuredRows
        """
        if self.__sklearn_is_fitted__():
            return self._quick_rows(X) or self._check(X, "no_validation", reset=False)
        self._validate_params()
        rows = self._first_rows(X, "no_validation")
        self._matrix = self._matrix[:1]
        self._begin(rows, np.array([0, 1]))
        return rows

    @property
    def coef_(self) -> NDArray[np.floating[Any]]:
        """Weights of the features."""
        return self._fitted_core("coef_").coef[None, :]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Offset of the score."""
        return np.array([self._fitted_core("intercept_").b])

    @property
    def n_updates_(self) -> int:
        """Number of examples that changed the model."""
        return self._fitted_core("n_updates_").n_updates

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_core")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_core" in state:
            state["_core"] = self.state()
            for name in self._derived:
                del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        learned = state.pop("_core", None)
        super().__setstate__(state)
        if learned is not None:
            self._core = type(self)._make(self._made_of, with_matrices(learned))
            self._derive()

    @abstractmethod
    def _recipe(self, matrix: Any, costs: NDArray[np.float64]) -> dict[str, Any]:
        """Return the arguments of the core, by parameters, first rows and costs of the two classes."""

    @staticmethod
    @abstractmethod
    def _make(recipe: dict[str, Any], state: dict[str, Any] | None = None) -> Any:
        """Return an empty core, or one that goes on from a state."""

    _made_of: dict[str, Any]
    _sign_of: dict[Any, int]

    def _begin(self, rows: MeasuredRows, classes: NDArray[Any]) -> None:
        weights = class_weights(getattr(self, "class_weight", None), classes)
        made_of = self._recipe(self._matrix, weights)
        del self._matrix
        self._core, self._made_of, self.classes_ = self._make(made_of), made_of, classes
        self._knows_positives = False
        self._derive()

    def _derive(self) -> None:
        """Set the attributes that follow from the core and the classes."""
        self._lock = Lock()
        self._sign_of = {label: 2 * k - 1 for k, label in enumerate(self.classes_.tolist())}

    def _check_stored(self, lengths: Lengths) -> None:
        if self.__sklearn_is_fitted__() and self._core.n_columns != self.n_features_in_:
            raise ValueError(
                f"n_features_in_ is {self.n_features_in_}, but the core has {self._core.n_columns}"
            )

    def _learn(self, rows: MeasuredRows, signs: NDArray[np.int8]) -> None:
        """Learn a few rows at a time, between which Ctrl-C is heard."""
        before = self.n_unfinished
        for first in range(0, rows.n_rows, self.rows_at_a_time):
            self._teach(rows, first, signs[first : first + self.rows_at_a_time])
        self.warn_unfinished(before, rows.n_rows)

    def _first_rows(self, X: Any, y: Any) -> MeasuredRows:
        """Return the first rows, which tell the number of features."""
        rows = self._quick_rows(X, reset=True) if y is not None else None
        if rows is None:
            return self._check(X, y, reset=True)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_features_in_, self._matrix = X.shape[1], X
        return rows

    def _check(self, X: Any, y: Any, *, reset: bool) -> MeasuredRows:
        """Return rows of anything that scikit-learn takes for a matrix."""
        if y is None:
            validate_rows(self, X, y)  # says what is missing
        matrix = validate_rows(self, X, order="C", reset=reset)
        self._refuse(matrix)
        if reset:
            self._matrix = matrix
        return MeasuredRows(matrix)

    def _refuse(self, matrix: Any) -> None:
        """Raise an error if the rows are not for this learner."""

    def _quick_rows(self, X: Any, *, reset: bool = False) -> MeasuredRows | None:
        """Return rows of a matrix that can be read as it stands; None if it must be looked at more closely.

        scikit-learn's checks take a hundred times as long as learning one row.
        """
        if not reset and hasattr(self, "feature_names_in_"):
            return None
        rows = quick_rows(X)
        if rows is None or (not reset and rows.n_columns != self.n_features_in_) or not rows.are_numbers:
            return None
        self._refuse(X)
        return rows

    def _signs(self, y: Any) -> NDArray[np.int8]:
        short = getattr(y, "ndim", 0) == 1 and len(y) <= _FEW and hasattr(y, "tolist")
        labels = y.tolist() if short else y
        if isinstance(labels, list | tuple) and len(labels) <= _FEW:
            try:
                return np.array([self._sign_of[label] for label in labels], np.int8)
            except (KeyError, TypeError):
                pass  # the error comes from where it is put into words
        return encode_two_classes(y, self.classes_)[0]

    def _check_classes(self, classes: ArrayLike) -> None:
        given = np.unique(np.asarray(classes))
        if not np.array_equal(given, self.classes_):
            raise ValueError(f"classes must be {self.classes_.tolist()} as before; got {given.tolist()}.")

    def _fitted_core(self, attribute: str) -> Any:
        try:
            return self.__dict__["_core"]
        except KeyError:
            message = f"'{type(self).__name__}' object has no attribute '{attribute}' before it is fitted"
            raise AttributeError(message) from None
