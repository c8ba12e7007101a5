"""The base of all boosters: fit, scores, labels, rules and their explanation."""

import warnings
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import HasMethods, Interval, StrOptions
from lopsided._preparation import validate_rows
from lopsided._probabilities import Sigmoids
from lopsided._stored import FEATURES, Check, Lengths, each, flag, labels, optional, part
from lopsided.boosting._ensemble import Ensemble
from lopsided.boosting._explain import Explanation, Explanations, explain_ensemble
from lopsided.boosting._held_out import fit_sigmoids
from lopsided.boosting._stumps import index_stumps
from lopsided.boosting._training import boost_classes, prepare
from lopsided.boosting._weak import LEARNERS


def has_probabilities(model: Any) -> bool:
    """Return whether a booster was asked for probabilities; if not, an AttributeError names the remedy."""
    if not model.probability:
        raise AttributeError(
            f"{type(model).__name__} has no predict_proba with probability=False. Set probability=True and "
            "fit again."
        )
    return True


class Booster(ClassifierMixin, BaseEstimator):
    """Base class of the boosters."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "weak_learner": [StrOptions(set(LEARNERS)), HasMethods(["fit", "predict"])],
        "stumps": [StrOptions({"auto", "presence", "threshold"})],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [Integral, None],
        "probability": ["boolean"],
    }

    _facts: ClassVar[tuple[str, ...]]  # of each round, in ``history_``
    _stored: ClassVar[dict[str, Check]] = FEATURES | {
        "classes_": labels("n_classes"),
        "multilabel_": flag(),
        "ensembles_": each(part(Ensemble)),
        "_sigmoids": optional(part(Sigmoids)),
    }

    weak_learner: Any
    stumps: str
    n_rounds: int
    tol: float
    n_jobs: int | None
    probability: bool
    _sigmoids: Sigmoids  # is there if probabilities were asked for
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
        training = prepare(self, X, y, sample_weight)
        self.classes_, self.multilabel_ = training.classes, training.multilabel
        stumps = index_stumps(self.stumps, training.rows) if isinstance(self.weak_learner, str) else None
        self.ensembles_ = boost_classes(self, training, stumps)
        self.__dict__.pop("_sigmoids", None)  # of an earlier fit
        if self.probability:
            self._sigmoids = fit_sigmoids(self, training)
        self._warn()
        return self

    def explain(self, feature_names: Sequence[Any] | None = None) -> Explanation | Explanations:
        """Return the rules as a table to print: where the score begins, and what each yes adds to it.

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
        labels = self.classes_[-1:] if len(self.ensembles_) == 1 else self.classes_
        tables = [
            explain_ensemble(ensemble, label, feature_names)
            for ensemble, label in zip(self.ensembles_, labels.tolist(), strict=True)
        ]
        return tables[0] if len(tables) == 1 else Explanations(tables)

    @property
    def rules_(self) -> Any:
        """The stumps and their weights: a list of `Rule`, or for more than two classes one for each class."""
        check_is_fitted(self)
        rules = [ensemble.rules() for ensemble in self.ensembles_]
        return rules[0] if len(rules) == 1 else dict(zip(self.classes_.tolist(), rules, strict=True))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the points of the rules; the shares sum to 1 where there is a rule.

        The points of a rule are the difference that its answer makes to the score. For more than two classes,
        the shares are averaged over the classes.
        """
        check_is_fitted(self)
        if any(ensemble.classifiers() for ensemble in self.ensembles_):
            raise AttributeError(
                "feature_importances_ counts the points of rules; weak_learner is a classifier, which has "
                "none. Use sklearn.inspection.permutation_importance."
            )
        shares = np.zeros((len(self.ensembles_), self.n_features_in_))
        for share, ensemble in zip(shares, self.ensembles_, strict=True):
            for rule in ensemble.rules():
                share[rule.feature] += abs(rule.weight * (rule.present - rule.absent))
            share /= share.sum() or 1.0
        return np.asarray(shares.mean(axis=0))

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
        """The numbers of each round: equally long arrays by name.

        For more than two classes the arrays hold the rounds of one class after those of another, and
        ``class`` names the class of each round.
        """
        check_is_fitted(self)
        histories = [ensemble.history for ensemble in self.ensembles_]
        joined = {
            name: np.array([fact for history in histories for fact in history[name]]) for name in histories[0]
        }
        if len(histories) == 1:
            return joined
        n_rounds = [len(ensemble.members) for ensemble in self.ensembles_]
        return {"class": np.repeat(self.classes_, n_rounds), **joined}

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the weighted sum of what the rules say; above 0 is positive.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,), or (n_samples, n_classes) where there are more than two
        """
        rows = self._rows(X)
        return self._together([ensemble.scores(rows) for ensemble in self.ensembles_])

    def staged_decision_function(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Yields
        ------
        scores : array
            As of `decision_function`.
        """
        rows = self._rows(X)
        stages = [ensemble.staged_scores(rows) for ensemble in self.ensembles_]
        latest = [np.zeros(rows.shape[0])] * len(stages)
        for following in zip_longest(*stages):  # those that ended earlier stay as they are
            latest = [old if new is None else new for old, new in zip(latest, following, strict=True)]
            yield self._together(latest)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the label of each row; for an indicator matrix in `fit`, return such a matrix.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        labels : array
        """
        scores = self.decision_function(X)
        if self.multilabel_:
            return (scores.reshape(len(scores), -1) > 0).astype(np.int64)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores > 0).astype(np.intp)])
        return np.asarray(self.classes_[np.argmax(scores, axis=1)])

    @available_if(has_probabilities)
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class; needs ``probability=True``.

        A sigmoid turns the score of a row into a probability. It was fitted to scores of rows that were held
        out in turn. For more than two classes those of each class against the rest are divided by their sum.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, n_classes)
            For an indicator matrix in `fit`, the probability of each of its labels.
        """
        check_is_fitted(self)
        if not hasattr(self, "_sigmoids"):
            raise NotFittedError(
                f"{type(self).__name__} was fitted with probability=False. Fit it again with "
                "probability=True."
            )
        return self._sigmoids.probabilities(self.decision_function(X), multilabel=self.multilabel_)

    def _warn(self) -> None:
        for complaint in filter(None, (ensemble.complaint for ensemble in self.ensembles_)):
            warnings.warn(f"{type(self).__name__} {complaint}", ConvergenceWarning, stacklevel=3)
        if not any(ensemble.tells_apart for ensemble in self.ensembles_):
            warnings.warn(
                "no question about a column gains anything: all rows get the same answer. Numbers need "
                "stumps='threshold'; a rare class may need a larger beta.",
                UserWarning,
                stacklevel=3,
            )
        elif self._remedy() and len(self.ensembles_) == 1 and self.ensembles_[0].one_answer:
            warnings.warn(
                f"all training rows are predicted alike. {self._remedy()}", UserWarning, stacklevel=3
            )

    def _remedy(self) -> str:
        """Return what may help where all training rows are predicted alike; '' where nothing is known."""
        return ""

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_rows(self, X, accept_sparse=("csr", "csc"), reset=False)

    def _together(self, scores: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return scores[0] if len(scores) == 1 and not self.multilabel_ else np.column_stack(scores)

    def _of_each(self, fact: Any) -> Any:
        check_is_fitted(self)
        facts = [fact(ensemble) for ensemble in self.ensembles_]
        return facts[0] if len(facts) == 1 else np.array(facts)

    def _check_stored(self, lengths: Lengths) -> None:
        if self.__sklearn_is_fitted__():
            n = lengths["n_classes"]
            if len(self.ensembles_) != (1 if n == 2 and not self.multilabel_ else n) or n < 2:
                raise ValueError(f"{len(self.ensembles_)} ensembles are not those of {n} classes")
            if hasattr(self, "_sigmoids") and len(self._sigmoids.slopes) != len(self.ensembles_):
                raise ValueError("the probabilities are not those of the ensembles")
            wanted = {"round", *self._facts}
            if any(ensemble.history.keys() != wanted for ensemble in self.ensembles_):
                raise ValueError(f"the history of an ensemble must hold {', '.join(sorted(wanted))}")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ensembles_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags
