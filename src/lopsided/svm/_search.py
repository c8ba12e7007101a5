"""LASVC for a rare class: kernel, C and threshold chosen by cross-validation."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import HasMethods, Interval, StrOptions, fit_context
from lopsided._preparation import (
    check_squares,
    check_two_classes,
    checked_labels,
    checked_weights,
    chosen_gamma,
    validate_rows,
)
from lopsided._probabilities import Sigmoids
from lopsided._stored import FEATURES, Check, labels, part, plain, real, whole
from lopsided._validation import as_generator
from lopsided.metrics import RoundRobinFold
from lopsided.svm._lasvm import LASVC
from lopsided.svm._threshold import balanced_threshold, best_threshold_for, recalls

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


class LASVCCV(ClassifierMixin, BaseEstimator):
    """`LASVC` for a rare class, with kernel, C, gamma and threshold chosen by cross-validation.

    The classifier to begin with where all labels are known and one class is rare. An SVM with balanced
    weights at its default settings puts the threshold where it fits the rows it learned from, which is too
    high for new rows of a class of which it has seen few. Here the threshold is chosen on the scores of
    held-out rows, and so are the settings. Every setting is fitted once for each fold, in one pass of `LASVC`.

    Parameters
    ----------
    param_grid : dict or list of dicts, default=None
        Settings of `LASVC` to try, as in scikit-learn's `GridSearchCV`. None: rbf kernels, six for dense rows,
        from wide and nearly linear to narrow, and two for sparse rows.
    class_weight : dict, "balanced" or None, default="balanced"
        Factor of C for each class.
    scoring : str or callable, default=None
        What is best, as in scikit-learn's `GridSearchCV`. None: the geometric mean of the recalls of both
        classes.
    cv : int or splitter, default=5
        Folds, each with its share of both classes. Where a class has fewer rows than there are folds, there
        will be as many folds as it has rows.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        For the folds and the order in which rows are learned.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The classes, sorted; ``classes_[1]`` is the positive.
    best_params_ : dict
        The best setting: ``LASVC(**best_params_, class_weight=...)``.
    best_score_ : float
        Its score on the held-out rows of all folds together.
    threshold_ : float
        The score of ``best_estimator_`` above which a row is predicted positive.
    best_estimator_ : LASVC
        Fitted to all rows. Its own threshold is 0.
    best_index_ : int
        Number of the best setting in ``cv_results_``.
    cv_results_ : dict
        For each setting ``params``, ``test_score``, ``threshold`` and ``mean_n_support``.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    LASVC : One setting, labels that are asked for, rows that come one after the other.

    Notes
    -----
    Of equally good settings, that with the fewest support vectors is taken, then the first. `predict_proba`
    costs nothing more: it comes from the scores of the same folds.

    Examples
    --------
    >>> from lopsided import LASVCCV, geometric_mean_score, make_lopsided
    >>> X, y = make_lopsided(n_samples=2000, positive_rate=0.05, random_state=0)
    >>> model = LASVCCV(random_state=0).fit(X[:1000], y[:1000])
    >>> geometric_mean_score(y[1000:], model.predict(X[1000:])) > 0.8
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "param_grid": [dict, list, None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "scoring": [str, callable, None],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
        "n_jobs": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
    }

    _stored: ClassVar[dict[str, Check]] = FEATURES | {
        "classes_": labels(2),
        "cv_results_": plain,
        "best_index_": whole(),
        "best_params_": plain,
        "best_score_": real(or_not_finite=True),
        "best_estimator_": part(LASVC),
        "threshold_": real(),
        "_sigmoids": part(Sigmoids),
    }

    def __init__(
        self,
        param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
        *,
        class_weight: dict[Any, float] | str | None = "balanced",
        scoring: Any = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.param_grid = param_grid
        self.class_weight = class_weight
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Try every setting in every fold, and fit the best to all rows.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C, and weights of the rows in the scores of the default ``scoring``.

        Returns
        -------
        self : LASVCCV
        """
        rows: Any = validate_rows(self, X, y, order="C", ensure_all_finite=False)[0]
        check_squares(rows, self)
        given = checked_labels(y)
        weights = checked_weights(sample_weight, len(given))
        weights = np.ones(len(given)) if weights is None else weights
        counted = np.flatnonzero(weights)
        classes, codes = np.unique(given, return_inverse=True)
        check_two_classes(classes, len(given))
        if len(classes) > 2:
            raise ValueError(
                f"Only binary classification is supported: LASVCCV tells two classes apart; got {len(classes)}. "
                "Use OneVsRestClassifier(LASVCCV())."
            )
        check_two_classes(np.unique(given[counted]), len(counted), " of weight above 0")
        rng = as_generator(self.random_state)
        seed = int(rng.integers(2**32))
        settings = self._settings(rows)
        folds = self._folds(codes, counted, rng)
        positive = codes == 1
        tried = [_Tried(setting, np.zeros(len(given)), []) for setting in settings]

        def score(number: int, fold: Fold) -> None:
            train, test = fold
            train = train[weights[train] > 0]
            model = self._machine(settings[number], seed).fit(rows[train], given[train], weights[train])
            tried[number].scores[test] = model.decision_function(rows[test])
            tried[number].n_support.append(int(model.n_support_.sum()))

        Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(score)(number, fold) for number in range(len(settings)) for fold in folds
        )
        found = [self._judge(each.scores, positive, classes, weights) for each in tried]
        thresholds, values = (np.array(column) for column in zip(*found, strict=True))
        sizes = np.array([np.mean(each.n_support) for each in tried])
        best = int(np.lexsort((sizes, -values))[0])
        best_estimator = self._machine(settings[best], seed).fit(rows, given, weights)
        self.classes_ = classes
        self.best_estimator_, self.best_params_, self.best_index_ = best_estimator, settings[best], best
        self.best_score_, self.threshold_ = float(values[best]), float(thresholds[best])
        self.cv_results_ = {
            "params": settings,
            "test_score": values,
            "threshold": thresholds,
            "mean_n_support": sizes,
        }
        self._sigmoids = Sigmoids.fit(tried[best].scores - self.threshold_, positive, weights)
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the score of each row less the threshold: above 0 is ``classes_[1]``.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = validate_rows(self, X, reset=False)
        return np.asarray(self.best_estimator_.decision_function(rows) - self.threshold_)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)
        """
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(np.intp)])

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class, by a sigmoid fitted to the scores of held-out rows.

        The threshold of `predict` is where both recalls are balanced, which for a rare class is far below a
        probability of one half.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, 2)
        """
        return self._sigmoids.probabilities(self.decision_function(X))

    def _settings(self, X: Any) -> list[dict[str, Any]]:
        """Return the settings to try; what is wrong with one is said by the `LASVC` that is made of it."""
        settings = list(_default_grid(X) if self.param_grid is None else ParameterGrid(self.param_grid))
        if not settings:
            raise ValueError("param_grid names no setting. Leave it out, or add one.")
        return settings

    def _machine(self, setting: Mapping[str, Any], seed: int) -> LASVC:
        return LASVC(class_weight=self.class_weight, random_state=seed).set_params(**setting)

    def _folds(
        self, codes: NDArray[np.intp], counted: NDArray[np.intp], rng: np.random.Generator
    ) -> list[Fold]:
        """Return folds in which every row is tested once."""
        if not isinstance(self.cv, Integral):
            folds = list(check_cv(self.cv, codes, classifier=True).split(codes, codes))
            tested = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(codes))
            if (tested != 1).any():
                raise ValueError(
                    "cv must test every row once, as StratifiedKFold does. Pass another splitter."
                )
            return folds
        n_folds, fewest = int(self.cv), int(np.bincount(codes[counted]).min())
        if fewest == 1:
            raise ValueError(
                "cross-validation needs at least 2 rows of each class; got 1 sample of one class. Add rows, or "
                "use LASVC with settings of your choice."
            )
        if fewest < n_folds:
            warnings.warn(
                f"{fewest} folds in place of cv={n_folds}: the rarer class has only {fewest} rows.",
                UserWarning,
                stacklevel=4,
            )
            n_folds = fewest
        return list(RoundRobinFold(n_folds, random_state=rng).split(codes, codes))

    def _judge(
        self,
        scores: NDArray[np.float64],
        positive: NDArray[np.bool_],
        classes: NDArray[Any],
        weights: NDArray[np.float64],
    ) -> tuple[float, float]:
        """Return a threshold and how good the scores are with it."""
        if self.scoring is not None:
            return best_threshold_for(self.scoring, scores, positive, classes, weights)
        threshold = balanced_threshold(scores, positive, weights)
        found, spared = recalls(scores, positive, weights, threshold)
        return threshold, float(np.sqrt(found * spared))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


class _Tried(NamedTuple):
    """A setting, the scores of all held-out rows, and the support vectors in each fold."""

    setting: dict[str, Any]
    scores: NDArray[np.float64]
    n_support: list[int]


def _default_grid(X: Any) -> Iterator[dict[str, Any]]:
    """Yield settings for any rows, chosen on 17 data sets (docs/learning-on-the-border.md has the figures).

    A wide kernel with a small C is a nearly linear classifier, which suits overlapping classes; narrow kernels
    suit many rows of few columns. Rows of words are so far apart that a narrow kernel would be the identity.
    """
    scale = chosen_gamma("scale", "rbf", X)
    costs = {1.0: (1.0, 10.0)} if issparse(X) else {0.25: (0.1, 1.0, 10.0), 1.0: (1.0,), 4.0: (1.0, 10.0)}
    for factor, some in costs.items():
        for C in some:
            yield {"kernel": "rbf", "C": C, "gamma": factor * scale}
