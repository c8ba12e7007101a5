"""What all boosters share: reading rows and labels, one class against the rest, scores and rules."""

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from lopsided._preparation import (
    check_two_classes,
    checked_labels,
    checked_weights,
    class_codes,
    validate_rows,
)
from lopsided._sparse import checked_sparse
from lopsided._stored import FEATURES, Check, Lengths, each, flag, labels, part
from lopsided.boosting._ensemble import Ensemble
from lopsided.boosting._explain import Explanation, Explanations, explain_ensemble
from lopsided.boosting._stumps import PresenceStumps, Stumps, ThresholdStumps
from lopsided.boosting._weak import LEARNERS, ClassifierLearner, StumpLearner, WeakLearner

_LIGHT = 0.01  # share of all weight whose rows, the lightest, do not count for the smoothing


class Booster(ClassifierMixin, BaseEstimator):
    """Base class of the boosters."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "weak_learner": [StrOptions(set(LEARNERS)), HasMethods(["fit", "predict"])],
        "stumps": [StrOptions({"presence", "threshold"})],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
    }

    _facts: ClassVar[tuple[str, ...]]  # of each round, in ``history_``
    _stored: ClassVar[dict[str, Check]] = FEATURES | {
        "classes_": labels("n_classes"),
        "_multilabel": flag(),
        "_ensembles": each(part(Ensemble)),
    }

    weak_learner: Any
    stumps: str
    n_rounds: int
    tol: float
    n_jobs: int | None
    beta: float = 1.0  # where a booster has none

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Boost, one class against the rest where there are more than two.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)
            Presence asks only whether a number is 0.
        y : array-like of shape (n_samples,) or indicator matrix of shape (n_samples, n_labels)
            Of two classes the second in sorted order is the positive, which should be the rare one.
        sample_weight : array-like of shape (n_samples,), default=None
            Cost of an error on each row; of all on average 1 is made. Rows of weight 0 count as absent.

        Returns
        -------
        self : the booster
        """
        rows, tasks, weights = self._prepare(X, y, sample_weight)
        self._fit_tasks(rows, self._questions(rows), tasks, weights)
        self._warn()
        return self

    def explain(self, feature_names: Sequence[Any] | None = None) -> Explanation | Explanations:
        """The rules as a table to print: where the score begins, and what each yes adds to it.

        Parameters
        ----------
        feature_names : sequence of str, default=None
            A name a column; None: those of the data frame in `fit`, if it was one, else numbers.

        Returns
        -------
        table : Explanation, or for more than two classes Explanations, one for each
            Prints as text, shows as a table in a notebook; ``rows`` has what it shows.
        """
        check_is_fitted(self)
        if feature_names is None:
            feature_names = getattr(self, "feature_names_in_", None)
        elif len(feature_names) != self.n_features_in_:
            raise ValueError(
                f"feature_names must name each of the {self.n_features_in_:,} columns; got "
                f"{len(feature_names):,} names. Pass those of the vectorizer that made X, say."
            )
        labels = self.classes_[-1:] if len(self._ensembles) == 1 else self.classes_
        tables = [
            explain_ensemble(ensemble, label, feature_names)
            for ensemble, label in zip(self._ensembles, labels.tolist(), strict=True)
        ]
        return tables[0] if len(tables) == 1 else Explanations(tables)

    @abstractmethod
    def _boost(self, learner: WeakLearner, signs: NDArray[np.int8], weights: NDArray[np.float64]) -> Ensemble:
        """One class against the rest, from weights of mean 1."""

    @property
    def rules_(self) -> Any:
        """The stumps and their weights: a list of `Rule`, or for more than two classes one for each class."""
        check_is_fitted(self)
        rules = [ensemble.rules() for ensemble in self._ensembles]
        return rules[0] if len(rules) == 1 else dict(zip(self.classes_.tolist(), rules, strict=True))

    @property
    def n_rounds_(self) -> Any:
        """Rounds until the end; for more than two classes an array."""
        return self._of_each(lambda ensemble: len(ensemble.members))

    @property
    def converged_(self) -> Any:
        """Whether there was nothing more to gain before ``n_rounds``; for more than two classes an array."""
        return self._of_each(lambda ensemble: ensemble.converged)

    @property
    def history_(self) -> dict[str, NDArray[Any]]:
        """What each round was like: equally long arrays by name.

        For more than two classes the arrays hold the rounds of one class after those of another, and
        ``class`` names the class of each round.
        """
        check_is_fitted(self)
        histories = [ensemble.history for ensemble in self._ensembles]
        joined = {
            name: np.array([fact for history in histories for fact in history[name]]) for name in histories[0]
        }
        if len(histories) == 1:
            return joined
        n_rounds = [len(ensemble.members) for ensemble in self._ensembles]
        return {"class": np.repeat(self.classes_, n_rounds), **joined}

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Weighted sum of what the rules say; above 0 is positive.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,), or (n_samples, n_classes) where there are more than two
        """
        rows = self._rows(X)
        return self._together([ensemble.scores(rows) for ensemble in self._ensembles])

    def staged_decision_function(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Scores after each round.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Yields
        ------
        scores : array
            As of `decision_function`.
        """
        rows = self._rows(X)
        stages = [ensemble.staged_scores(rows) for ensemble in self._ensembles]
        latest = [np.zeros(rows.shape[0])] * len(stages)
        for following in zip_longest(*stages):  # those that ended earlier stay as they are
            latest = [old if new is None else new for old, new in zip(latest, following, strict=True)]
            yield self._together(latest)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Label of each row; for an indicator matrix in `fit`, such a matrix.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        labels : array
        """
        scores = self.decision_function(X)
        if self._multilabel:
            return (scores.reshape(len(scores), -1) > 0).astype(np.int64)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores > 0).astype(np.intp)])
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Any, list[NDArray[np.int8]], NDArray[np.float64]]:
        """Rows, labels of each class against the rest as +1 and -1, and weights of mean 1."""
        self._check_parameters()
        rows: Any = validate_rows(self, X, accept_sparse=("csr", "csc"))
        tasks = self._read(y)
        if len(tasks[0]) != rows.shape[0]:
            raise ValueError(f"X has {rows.shape[0]:,} rows, but y {len(tasks[0]):,}. Pass one label a row.")
        weights = checked_weights(sample_weight, rows.shape[0])
        if weights is None:
            weights = np.ones(rows.shape[0])
        elif not weights.all():
            counted = weights > 0
            rows, weights, tasks = rows[counted], weights[counted], [signs[counted] for signs in tasks]
        for label, signs in zip(self.classes_, tasks, strict=len(tasks) > 1):
            which = "" if len(tasks) == 1 else f", for class {label.item()!r} against the rest"
            check_two_classes(np.unique(signs), len(signs), which)
        weights = weights / weights.max()  # their mean may be more than a number can hold
        return rows, tasks, weights / weights.mean()

    def _questions(self, X: Any) -> Any:
        """All stumps of the rows; None where another classifier is the weak learner."""
        if not isinstance(self.weak_learner, str):
            return None
        return PresenceStumps(X) if self.stumps == "presence" else ThresholdStumps(X)

    def _fit_tasks(
        self, X: Any, stumps: Any, tasks: list[NDArray[np.int8]], weights: NDArray[np.float64]
    ) -> None:
        """Boost each class against the rest."""
        self._ensembles: list[Ensemble] = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._fit_one)(X, stumps, signs, weights) for signs in tasks
        )

    def _warn(self) -> None:
        for complaint in filter(None, (ensemble.complaint for ensemble in self._ensembles)):
            warnings.warn(f"{type(self).__name__} {complaint}", ConvergenceWarning, stacklevel=3)
        if not any(ensemble.tells_apart for ensemble in self._ensembles):
            warnings.warn(
                "no question about a column gains anything: all rows get the same answer. Numbers need "
                "stumps='threshold'; a rare class may need a larger beta.",
                UserWarning,
                stacklevel=3,
            )

    def _fit_one(
        self, X: Any, stumps: Any, signs: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> Ensemble:
        if stumps is None:
            learner = ClassifierLearner(self.weak_learner, X, signs, self.beta, _smoothing(weights))
            ensemble = self._boost(learner, signs, weights)
        else:
            ensemble = boost_stumps(self, stumps, signs, weights)
        if ensemble.weights and ensemble.tells_apart:  # the members of a linear program can cancel
            scores = ensemble.scores(X)
            ensemble.tells_apart = bool((scores != scores[0]).any())
        return ensemble

    def _read(self, y: Any) -> list[NDArray[np.int8]]:
        """Labels as +1 and -1, for each class that is boosted against the rest."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        y = checked_sparse(y, "y")
        shape = y.shape if issparse(y) else np.asarray(y).shape
        is_table = len(shape) == 2 and shape[1] > 1
        self._multilabel = is_table and type_of_target(y) == "multilabel-indicator"
        return self._read_indicators(y) if self._multilabel else self._read_labels(y)

    def _read_labels(self, y: Any) -> list[NDArray[np.int8]]:
        labels = checked_labels(y)
        self.classes_ = np.unique(labels)
        check_two_classes(self.classes_, len(labels))
        codes = class_codes(labels, self.classes_)
        wanted = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [np.where(codes == code, 1, -1).astype(np.int8) for code in wanted]

    def _read_indicators(self, y: Any) -> list[NDArray[np.int8]]:
        indicators = np.asarray(y.toarray() if issparse(y) else y)
        self.classes_ = np.arange(indicators.shape[1])
        return [np.where(column != 0, 1, -1).astype(np.int8) for column in indicators.T]

    def _check_parameters(self) -> None:
        self._validate_params()
        if not isinstance(self.weak_learner, str) and not has_fit_parameter(
            self.weak_learner, "sample_weight"
        ):
            raise ValueError(
                f"weak_learner must take sample_weight in fit; {type(self.weak_learner).__name__} does not. "
                f"Use another classifier, or one of {', '.join(LEARNERS)}."
            )

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_rows(self, X, accept_sparse=("csr", "csc"), reset=False)

    def _together(self, scores: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return scores[0] if len(scores) == 1 and not self._multilabel else np.column_stack(scores)

    def _of_each(self, fact: Any) -> Any:
        check_is_fitted(self)
        facts = [fact(ensemble) for ensemble in self._ensembles]
        return facts[0] if len(facts) == 1 else np.array(facts)

    def _check_stored(self, lengths: Lengths) -> None:
        if self.__sklearn_is_fitted__():
            n = lengths["n_classes"]
            if len(self._ensembles) != (1 if n == 2 and not self._multilabel else n) or n < 2:
                raise ValueError(f"{len(self._ensembles)} ensembles are not those of {n} classes")
            wanted = {"round", *self._facts}
            if any(ensemble.history.keys() != wanted for ensemble in self._ensembles):
                raise ValueError(f"the history of an ensemble must hold {', '.join(sorted(wanted))}")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_ensembles")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags


def boost_stumps(
    booster: Booster, stumps: Stumps, signs: NDArray[np.int8], weights: NDArray[np.float64]
) -> Ensemble:
    """Boost one class against the rest on indexed stumps, which many settings of a booster can share.

    Parameters
    ----------
    booster : Booster
        Its weak learner is one of ``LEARNERS``. It is not changed.
    stumps : Stumps
        All stumps of the rows.
    signs : array of +1 and -1
        Labels of the rows.
    weights : array
        Cost of an error on each row; their mean is 1.
    """
    learner = StumpLearner(stumps, booster.weak_learner, signs, booster.beta, _smoothing(weights))
    return booster._boost(learner, signs, weights)


def _smoothing(weights: NDArray[np.float64]) -> float:
    """The share of one row: 1 / n, so that copies of a row and one of their joint weight are alike.

    Of unequal weights the least is that of one row, unless next to nothing is that light.
    """
    rising = np.sort(weights)
    sums = np.cumsum(rising)
    return float(rising[np.searchsorted(sums, _LIGHT * sums[-1])] / sums[-1])
