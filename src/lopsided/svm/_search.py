"""LASVC for a rare class: kernel, C and threshold chosen by cross-validation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.model_selection import ParameterGrid
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
from lopsided._search import Fold, SettingSearch
from lopsided._stored import Check, part, places, real
from lopsided._validation import as_generator
from lopsided.metrics import RoundRobinFold
from lopsided.svm._lasvm import LASVC
from lopsided.svm._threshold import HeldOutRows, Trial

_GLANCE = 5000  # rows without a label that are looked at
_RANDOM = 5  # one label in so many is that of a random row, so that no odd first positive leads astray


class _Material(NamedTuple):
    """The rows by which settings are judged: those whose labels were read, and some of the others.

    Examples
    --------
    >>> _Material(np.eye(2), np.ones(2), np.arange(2), np.array([0, 1])).mass
    1.0
    """

    rows: Any
    weights: NDArray[np.float64]  # of all rows
    read: NDArray[np.intp]  # the rows whose labels were read
    labels: NDArray[Any]  # theirs
    unseen: NDArray[np.intp] = np.empty(0, dtype=np.intp)  # rows without a label that are scored too
    common: int = 0  # the class they are taken to belong to, most of them
    mass: float = 1.0  # the number of rows that each of them stands for


class LASVCCV(SettingSearch):
    """`LASVC` for a rare class, with kernel, C, gamma and threshold chosen by cross-validation.

    The classifier to begin with where all labels are known and one class is rare. An SVM with balanced
    weights at its default settings puts the threshold where it fits the rows it learned from, which is too
    high for new rows of a class of which it has seen few. Here the threshold is chosen on the scores of
    held-out rows, and so are the settings. Every setting is fitted once in each fold, by two passes.

    Where labels are costly, ``max_labels`` asks for that many only.

    Parameters
    ----------
    param_grid : dict or list of dicts, default=None
        Settings of `LASVC` to try, as in scikit-learn's `GridSearchCV`. None: six rbf kernels for dense rows,
        from wide and nearly linear to narrow, and two for sparse rows.
    class_weight : dict, "balanced" or None, default="balanced"
        Factor of C for each class.
    scoring : str or callable, default=None
        What is best, as in scikit-learn's `GridSearchCV`. None: the geometric mean of the recalls of both
        classes.
    max_labels : int or None, default=None
        None: all labels are read. A number: so many labels are asked for, a fifth of them of random rows, the
        others by the active selection of a `LASVC` with an rbf kernel. Settings and threshold are chosen on
        these labels and on the scores of the other rows, which are counted to the common class.
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
    queried_ : int array
        The rows whose labels were read; in the order of the questions, if there were any.
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
        "max_labels": [Interval(Integral, 2, None, closed="left"), None],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"])],
        "n_jobs": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
    }

    _searched = LASVC
    _stored: ClassVar[dict[str, Check]] = {
        "best_estimator_": part(LASVC),
        "queried_": places(None),
        "threshold_": real(),
        "_sigmoids": part(Sigmoids),
    }

    def __init__(
        self,
        param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]] | None = None,
        *,
        class_weight: dict[Any, float] | str | None = "balanced",
        scoring: Any = None,
        max_labels: int | None = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.param_grid = param_grid
        self.class_weight = class_weight
        self.scoring = scoring
        self.max_labels = max_labels
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | Callable[..., ArrayLike],
        sample_weight: ArrayLike | None = None,
        *,
        first: ArrayLike | None = None,
    ) -> Self:
        """Try every setting in every fold, and fit the best to all rows whose labels were read.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or callable
            Labels of two classes; or, with ``max_labels``, an oracle as in `LASVC.fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C, and weights of the rows in the default score. A row of weight 0 counts as absent.
        first : array-like of row numbers, default=None
            With ``max_labels``, the rows whose labels are read before all others, as in `LASVC.fit`.

        Returns
        -------
        self : LASVCCV
            With fewer than two labels of a class there is no choice: ``best_estimator_`` is the `LASVC` that
            has asked. So it is if an exception ends the asking half-way (Ctrl-C, an oracle that raises), and
            the exception goes on.
        """
        ask = y if callable(y) else None
        if self.max_labels is None and (ask is not None or first is not None):
            raise ValueError(
                "an oracle, or rows to begin with, need max_labels. Set it, or pass labels only."
            )
        checked: Any = validate_rows(
            self, X, "no_validation" if ask else y, order="C", ensure_all_finite=False
        )
        rows = checked if ask else checked[0]
        check_squares(rows, self)
        weights = checked_weights(sample_weight, rows.shape[0])
        weights = np.ones(rows.shape[0]) if weights is None else weights
        counted = np.flatnonzero(weights)
        given = None if ask else checked_labels(y)
        if given is not None:
            _check_two(given[counted], "" if len(counted) == len(given) else " of weight above 0")
        settings = list(_default_grid(rows) if self.param_grid is None else ParameterGrid(self.param_grid))
        if not settings:
            raise ValueError("param_grid names no setting. Leave it out, or add one.")
        rng = as_generator(self.random_state)
        seed = int(rng.integers(2**32))
        if self.max_labels is None:
            assert given is not None
            material = _Material(rows, weights, counted, given[counted])
        else:
            tell: Any = ask if given is None else given.__getitem__
            known_rows = np.empty(0, dtype=np.int64) if first is None else np.asarray(first)
            asked = self._read_labels(rows, tell, weights, counted, known_rows, rng, seed)
            if asked is None:
                return self
            material = asked
        folds = self._folds(np.unique(material.labels, return_inverse=True)[1], rng)
        return self._choose(settings, material, folds, seed)

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
        above = self.decision_function(X) > 0
        return np.asarray(self.classes_[above.astype(np.intp)])

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
        scores = self.decision_function(X)
        return self._sigmoids.probabilities(scores)

    def _read_labels(
        self,
        rows: Any,
        tell: Callable[..., ArrayLike],
        weights: NDArray[np.float64],
        counted: NDArray[np.intp],
        first: NDArray[Any],
        rng: np.random.Generator,
        seed: int,
    ) -> _Material | None:
        """Ask for ``max_labels`` labels; None where those of a class are too few to choose by."""
        assert self.max_labels is not None
        answers: list[Any] = []
        others = rng.permutation(np.setdiff1d(counted, first))
        begin = np.concatenate([first, others[: self.max_labels // _RANDOM]])
        asker = self._ask(rows, tell, answers, weights, begin, seed)
        known = np.array(answers)
        if np.unique(known, return_counts=True)[1].min() < 2 or len(set(answers)) < 2:
            self._keep(asker)
            return None
        _check_two(known)
        unseen = rng.permutation(np.setdiff1d(counted, asker.queried_))[:_GLANCE]
        common = int((asker.decision_function(rows[unseen]) > 0).mean() > 0.5) if len(unseen) else 0
        mass = (len(counted) - len(asker.queried_)) / max(1, len(unseen))
        return _Material(rows, weights, asker.queried_, known, unseen, common, mass)

    def _choose(
        self,
        settings: list[dict[str, Any]],
        material: _Material,
        folds: list[Fold],
        seed: int,
    ) -> Self:
        """Judge every setting by its scores of held-out rows, and keep the best, fitted to all rows."""
        rows, weights, read, known, unseen, common, mass = material
        classes, codes = np.unique(known, return_inverse=True)
        judged = HeldOutRows(
            positive=np.concatenate([codes, np.full(len(unseen), common)]) == 1,
            weights=np.concatenate([weights[read], np.full(len(unseen), mass)]),
            classes=classes,
            scoring=self.scoring,
        )
        # After one pass over overlapping classes the scores still depend on the order of the rows; the second
        # takes that away at half the price of the optimum. With few labels the optimum costs nothing.
        n_epochs: Any = 2 if self.max_labels is None else "converge"

        def learn(setting: Mapping[str, Any], some: Any) -> LASVC:
            machine = LASVC(class_weight=self.class_weight, n_epochs=n_epochs, random_state=seed)
            return machine.set_params(**setting).fit(rows[read[some]], known[some], weights[read[some]])

        def score(setting: Mapping[str, Any], fold: Fold) -> tuple[NDArray[np.float64], int]:
            model = learn(setting, fold[0])
            return model.decision_function(rows[read[fold[1]]]), int(model.n_support_.sum())

        def look(setting: Mapping[str, Any]) -> NDArray[np.float64]:
            return learn(setting, slice(None)).decision_function(rows[unseen]) if len(unseen) else np.empty(0)

        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads")
        parts = parallel(delayed(score)(setting, fold) for setting in settings for fold in folds)
        looks = parallel(delayed(look)(setting) for setting in settings)
        tried: list[Trial] = []
        for k, seen in enumerate(looks):
            scores, sizes = np.empty(len(read)), []
            for (_, test), (values, size) in zip(folds, parts[k * len(folds) :], strict=False):
                scores[test] = values
                sizes.append(size)
            tried.append(judged.judge(np.concatenate([scores, seen]), float(np.mean(sizes))))
        best = int(np.lexsort(([each.n_support for each in tried], [-each.value for each in tried]))[0])
        results = {
            column: np.array([getattr(each, name) for each in tried]) for column, name in _COLUMNS.items()
        }
        best_estimator = learn(settings[best], slice(None))
        self._keep_best(best_estimator, best, tried[best].value, {"params": settings} | results)
        self.queried_, self.threshold_ = read, tried[best].threshold
        held_out = tried[best].scores[: len(read)] - self.threshold_
        self._sigmoids = Sigmoids.fit(held_out, codes == 1, weights[read])
        return self

    def _ask(
        self,
        rows: Any,
        tell: Callable[..., ArrayLike],
        answers: list[Any],
        weights: NDArray[np.float64],
        first: NDArray[Any],
        seed: int,
    ) -> LASVC:
        """Return what has asked for labels; they are added to ``answers``, in the order of the questions."""

        def answer(chosen: NDArray[np.intp]) -> ArrayLike:
            found = np.asarray(tell(chosen))
            answers.extend(found.ravel().tolist())
            return found

        asker = LASVC(
            class_weight=self.class_weight, selection="active", max_labels=self.max_labels, random_state=seed
        )
        try:
            return asker.fit(rows, answer, weights, first=first)
        except BaseException:
            if hasattr(asker, "classes_"):
                self._keep(asker)
            raise

    def _keep(self, asker: LASVC) -> None:
        """Make the learner that has asked for the labels the result; no setting was tried."""
        results: dict[str, Any] = {"params": []} | {column: np.empty(0) for column in _COLUMNS}
        self._keep_best(asker, 0, np.nan, results)
        self.queried_, self.threshold_ = asker.queried_, 0.0
        self._sigmoids = Sigmoids(np.ones(1), np.zeros(1))

    def _folds(self, codes: NDArray[np.intp], rng: np.random.Generator) -> list[Fold]:
        """Return folds in which every row is tested once."""
        fewest = int(np.bincount(codes).min())
        folds = self._make_folds(
            codes,
            codes,
            fewest,
            "the rarer class",
            lambda n: RoundRobinFold(n, random_state=rng).split(codes, codes),
        )
        tested = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(codes))
        if (tested != 1).any():
            raise ValueError("cv must test every row once, as StratifiedKFold does. Pass another one.")
        return folds

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


_COLUMNS = {"test_score": "value", "threshold": "threshold", "mean_n_support": "n_support"}


def _check_two(given: NDArray[Any], which: str = "") -> None:
    """Refuse labels that are not of two classes."""
    classes = np.unique(given)
    check_two_classes(classes, len(given), which)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported: LASVCCV tells two classes apart; got "
            f"{len(classes)}. Use OneVsRestClassifier(LASVCCV())."
        )


def _default_grid(X: Any) -> Iterator[dict[str, Any]]:
    """Yield settings for any rows, chosen on 17 data sets (docs/learning-on-the-border.md has the figures).

    A wide kernel with a small C is a nearly linear classifier, which suits overlapping classes; narrow ones
    suit many rows of few columns. Rows of words are so far apart that a narrow kernel would be the identity.
    """
    scale = chosen_gamma("scale", "rbf", X)
    costs = {1.0: (1.0, 10.0)} if issparse(X) else {0.25: (0.1, 1.0, 10.0), 1.0: (1.0,), 4.0: (1.0, 10.0)}
    for factor, some in costs.items():
        for C in some:
            yield {"kernel": "rbf", "C": C, "gamma": factor * scale}
