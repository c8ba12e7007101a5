"""A classifier that may also answer "none of these": a detector first, any classifier second."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone, is_outlier_detector
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import HasMethods, fit_context
from lopsided._labels import encode_known_classes
from lopsided._sparse import checked_sparse
from lopsided._stored import Check, an_estimator, feature_names, labels, length, optional, or_none
from lopsided._validation import check_same_length
from lopsided.unexpected._base import TO_BE_JUDGED


class OpenSetClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """The known class of each row, or "unexpected" for a row that belongs to none of them.

    The detector sees all rows of `fit` and says which are unexpected; the classifier is trained on the known
    ones and says of the others which class they are. Each may be a pipeline with a vectorizer of its own;
    then rows may be texts.

    Parameters
    ----------
    classifier : estimator
        Any classifier of scikit-learn.
    detector : estimator, default=None
        `UnexpectedDetector`, `LGN`, or an outlier detector of scikit-learn, which is trained on the known
        rows alone; None is ``UnexpectedDetector(random_state=0)``.
    unexpected_label : str or number, default="unexpected"
        The answer for a row of no known class; itself no known class.

    Attributes
    ----------
    classes_ : array
        The known classes, and the unexpected label last. Text beside numbers makes an array of objects.
    known_classes_ : array
        The known classes.
    detector_, classifier_ : estimators
        What was fitted, for their scores: how expected a row is, and how sure its class. ``classifier_`` is
        None where there is one known class, and nothing to tell apart.

    See Also
    --------
    lopsided.ArtificialNegatives : Train a classifier against artificial rows instead.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.neighbors import LocalOutlierFactor
    >>> from lopsided import OpenSetClassifier
    >>> X = np.array([[0.0, 0.1], [0.1, 0.0], [0.1, 0.1], [4.0, 4.1], [4.1, 4.0], [4.1, 4.1]])
    >>> model = OpenSetClassifier(LogisticRegression(), LocalOutlierFactor(n_neighbors=2, novelty=True))
    >>> model.fit(X, ["near"] * 3 + ["far"] * 3).predict([[0, 0], [4, 4], [2, 9]])
    array(['near', 'far', 'unexpected'], dtype='<U10')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "classifier": [HasMethods(["fit", "predict"])],
        "detector": [HasMethods(["fit", "predict"]), None],
        "unexpected_label": "no_validation",
    }

    _stored: ClassVar[dict[str, Check]] = {
        "n_features_in_": optional(length("n_features")),
        "feature_names_in_": optional(feature_names),
        "known_classes_": labels(),
        "classes_": labels(),
        "detector_": an_estimator,
        "classifier_": or_none(an_estimator),
    }

    def __init__(self, classifier: Any, detector: Any = None, unexpected_label: Any = "unexpected") -> None:
        self.classifier = classifier
        self.detector = detector
        self.unexpected_label = unexpected_label

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn the known classes, and what belongs to none of them.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features), or whatever detector and classifier take
        y : array-like of shape (n_samples,)
            The class of a known row; -1, NaN or None for a row to be judged, as in `UnexpectedDetector`. Such
            rows are optional unless the detector asks for them.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("OpenSetClassifier requires y to be passed, but the target y is None.")
        index, known_classes = encode_known_classes(y)
        known = index != TO_BE_JUDGED
        rows = _rows(X)
        check_same_length(X=rows.shape[0] if hasattr(rows, "shape") else len(rows), y=len(index))
        self.known_classes_ = known_classes
        self.classes_ = _with_label(known_classes, self.unexpected_label)
        detector = clone(self._chosen_detector())
        if is_outlier_detector(detector):
            self.detector_ = detector.fit(_some(rows, known))
        else:
            self.detector_ = detector.fit(rows, y)
        self.classifier_ = None
        if len(known_classes) > 1:
            self.classifier_ = clone(self.classifier).fit(_some(rows, known), known_classes[index[known]])
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.detector_, name):
                setattr(self, name, getattr(self.detector_, name))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the known class of each row, or the unexpected label.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features), or whatever detector and classifier take

        Returns
        -------
        labels : array of shape (n_samples,)
            Of ``classes_``.
        """
        check_is_fitted(self)
        rows = _rows(X)
        expected = np.asarray(self.detector_.predict(rows)) == 1
        answers = np.full(len(expected), self.classes_[-1], dtype=self.classes_.dtype)
        if expected.any():
            answers[expected] = (
                self.known_classes_[0]
                if self.classifier_ is None
                else self.classifier_.predict(_some(rows, expected))
            )
        return answers

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of right predictions; a row of no known class has the unexpected label.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features), or whatever detector and classifier take
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
        """
        # Not accuracy_score, which takes no text beside numbers.
        labels = np.asarray(y, dtype=object)
        right = self.predict(X).astype(object) == labels
        # NumPy's stubs do not know that weights may be anything like an array.
        return float(np.average(right, weights=sample_weight))  # type: ignore[arg-type]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._chosen_detector()).input_tags
        tags.input_tags.sparse &= get_tags(self.classifier).input_tags.sparse
        return tags

    def _chosen_detector(self) -> Any:
        if self.detector is not None:
            return self.detector
        from lopsided.unexpected._detector import UnexpectedDetector

        return UnexpectedDetector(random_state=0)


def _with_label(known_classes: NDArray[Any], label: Any) -> NDArray[Any]:
    """Return the known classes and the label; as objects, where one is text and the other a number."""
    if label in known_classes.tolist():
        raise ValueError(
            f"unexpected_label={label!r} is one of the known classes. Choose a label that is none of them."
        )
    if isinstance(label, str) == (known_classes.dtype.kind == "U"):
        return np.append(known_classes, label)
    return np.array([*known_classes.tolist(), label], dtype=object)


def _rows(X: Any) -> Any:
    """Return the rows in a form of which some can be taken."""
    if issparse(X):
        return checked_sparse(X).tocsr()
    if hasattr(X, "shape"):
        return X
    return np.asarray(X) if hasattr(X, "__array__") else list(X)


def _some(X: Any, which: NDArray[np.bool_]) -> Any:
    """Return some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[np.flatnonzero(which)]
    if hasattr(X, "shape"):
        return X[np.flatnonzero(which)]
    return [row for row, wanted in zip(X, which, strict=True) if wanted]
