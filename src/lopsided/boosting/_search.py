"""LPUBoost with its parameters chosen by cross validation, over the grid of the paper."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import product
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.model_selection import check_cv
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import HasMethods, Interval, StrOptions, fit_context
from lopsided._preparation import checked_labels, checked_weights, validate_rows
from lopsided._search import Fold, SettingSearch
from lopsided._sparse import checked_sparse
from lopsided._stored import Check, part
from lopsided.boosting._base import has_probabilities
from lopsided.boosting._explain import Explanation, Explanations
from lopsided.boosting._lpboost import LPUBoostStumps
from lopsided.boosting._programs import FoldResult, Program, program_of, rank_programs, score_fold, tabulate
from lopsided.boosting._stumps import choose_kind, index_stumps
from lopsided.boosting._training import boost_classes, check_parameters, prepare
from lopsided.boosting._weak import LEARNERS
from lopsided.terminal import progress_bar

_FIRST_ROUNDS = 25  # after which most settings are dropped: later rounds take nearly all of the time
_FINALISTS = 2  # settings that go on to the end; those that have converged are there already


class LPUBoostStumpsCV(SettingSearch):
    """`LPUBoostStumps` whose costs, bounds and weak learner are chosen by cross validation.

    By default the grid of the paper: 72 settings, the best of which is fitted to all rows at the end. Every
    setting gets 25 rounds; the best two of those that have not converged then get ``n_rounds``. The best of
    these and of the converged ones is chosen; of settings with the same score, that with the fewest rules,
    then the first. The questions that can be asked of the rows are gathered once for each fold, and settings
    that lead to the same program (Disc.MH and Disc.LP choose the same stumps) are run once.

    Parameters
    ----------
    betas : sequence of float, default=(2, 4, 8)
        Costs of a positive over that of a negative.
    nus : sequence of float, default=(0.1, 0.2)
        Shares of rows that may be on the wrong side of the margin.
    lower_bound_divisors : sequence of float or None, default=(None, 50)
        Lower bounds of the weights of rows, as parts of their upper bound; None: 0. Pairs with nu * divisor
        = 1 leave the weights no room, and are left out with a warning.
    weak_learners : sequence, default: all six
        Their names, or classifiers.
    stumps : {"auto", "presence", "threshold"}, default="auto"
        What is asked of a column, as for `LPUBoostStumps`; "auto" is settled once, on all rows.
    n_rounds : int, default=300
        Maximum number of rounds, that is, of stumps.
    tol : float, default=1e-6
        A stump is added only if it improves the bound by more than this.
    max_iter : int, default=100000
        Maximum number of iterations of the LP solver in one round.
    cv : int, splitter or iterable, default=5
        Folds, each with its share of every class. Where a class has fewer rows than there are folds, there
        will be as many folds as it has rows.
    scoring : str or callable, default=None
        What is best. None: F1 of the positive class; its mean over the classes, or labels, where there are
        more than two.
    n_jobs : int, default=None
        Runs at a time; results do not depend on it.
    probability : bool, default=False
        Whether `fit` prepares `predict_proba`, by fitting the best setting five more times.
    progress : bool, default=False
        Show a progress bar on a terminal.

    Attributes
    ----------
    best_params_ : dict
        ``beta``, ``nu``, ``lower_bound_divisor`` and ``weak_learner``.
    best_score_ : float
        Mean over the folds.
    best_estimator_ : LPUBoostStumps
        Fitted to all rows.
    cv_results_ : dict of arrays
        ``params``, ``mean_test_score``, ``std_test_score``, ``split0_test_score`` and so on, and of each
        setting ``mean_n_rules``, ``mean_n_rounds`` and ``share_converged``.

    Examples
    --------
    >>> from lopsided import LPUBoostStumpsCV, make_topics
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> texts, topic = make_topics(300, 12, random_state=1)
    >>> words = CountVectorizer()
    >>> model = LPUBoostStumpsCV(nus=(0.1,), weak_learners=("real.lp",))
    >>> model = model.fit(words.fit_transform(texts), topic == 0)
    >>> model.best_score_ > 0.5
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "betas": ["array-like"],
        "nus": ["array-like"],
        "lower_bound_divisors": [list, tuple],
        "weak_learners": [list, tuple],
        "stumps": [StrOptions({"auto", "presence", "threshold"})],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"]), "array-like"],
        "scoring": [str, callable, None],
        "n_jobs": [Integral, None],
        "probability": ["boolean"],
        "progress": ["boolean"],
    }

    _searched = LPUBoostStumps
    _stored: ClassVar[dict[str, Check]] = {"best_estimator_": part(LPUBoostStumps)}

    def __init__(
        self,
        betas: Sequence[float] = (2, 4, 8),
        nus: Sequence[float] = (0.1, 0.2),
        lower_bound_divisors: Sequence[float | None] = (None, 50),
        *,
        weak_learners: Sequence[Any] = tuple(LEARNERS),
        stumps: str = "auto",
        n_rounds: int = 300,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        cv: Any = 5,
        scoring: Any = None,
        n_jobs: int | None = None,
        probability: bool = False,
        progress: bool = False,
    ) -> None:
        self.betas = betas
        self.nus = nus
        self.lower_bound_divisors = lower_bound_divisors
        self.weak_learners = weak_learners
        self.stumps = stumps
        self.n_rounds = n_rounds
        self.tol = tol
        self.max_iter = max_iter
        self.cv = cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.probability = probability
        self.progress = progress

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Try every setting in every fold, and fit the best to all rows.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or indicator matrix of shape (n_samples, n_labels)
        sample_weight : array-like of shape (n_samples,), default=None
            Cost of an error on each row, for learning; the score counts rows.

        Returns
        -------
        self : the classifier, as `best_estimator_`
        """
        settings = list(self._settings())
        if not settings:
            raise ValueError(
                "betas, nus, lower_bound_divisors and weak_learners need at least one value each, with "
                "nu * lower_bound_divisor above 1. Add one."
            )
        for setting in settings:  # what is wrong is said before the long work
            check_parameters(self._booster(setting))
        multilabel = prepare(self._booster(settings[0]), X, y, sample_weight).multilabel
        rows: Any = validate_rows(self, X)
        labels = _rows_of_labels(y) if multilabel else checked_labels(y)
        weights = checked_weights(sample_weight, rows.shape[0])
        folds = self._folds(rows, labels, multilabel)
        programs = [program_of(**setting) for setting in settings]
        kind = choose_kind(self.stumps, rows)
        different = list(dict.fromkeys(programs))
        first = min(_FIRST_ROUNDS, self.n_rounds)
        known: list[dict[Program, FoldResult]] = [{} for _ in folds]
        done = 0

        def try_out(some: Sequence[Program], n_rounds: int) -> None:
            nonlocal done
            for results, (train, test) in zip(known, folds, strict=True):
                inside = (rows[train], labels[train], None if weights is None else weights[train])
                for program, outcome in self._run(some, n_rounds, kind, inside, (rows[test], labels[test])):
                    results[program] = outcome
                    done += 1
                    tell(done)

        with progress_bar(self.progress, len(folds) * (len(different) + _FINALISTS), "settings") as tell:
            try_out(different, first)
            at_end = [p for p in different if all(results[p].converged for results in known)]
            if first < self.n_rounds:
                last = [p for p in rank_programs(different, known) if p not in at_end][:_FINALISTS]
                try_out(last, self.n_rounds)
                at_end += last
        outcomes = [[results[program] for program in programs] for results in known]
        results = tabulate(settings, outcomes)
        by_score = (results["mean_n_rules"], -results["mean_test_score"])
        order = np.lexsort(by_score).tolist()
        if first < self.n_rounds:
            order = [k for k in order if programs[k] in at_end]
        index = order[0]
        best = self._booster(settings[index], self.n_jobs).set_params(probability=self.probability)
        best.fit(X, y, sample_weight)
        self._keep_best(best, index, float(results["mean_test_score"][index]), results)
        return self

    @property
    def rules_(self) -> Any:
        """The rules of `best_estimator_`."""
        return self._best().rules_

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances of the columns for `best_estimator_`."""
        return self._best().feature_importances_

    @property
    def n_rounds_(self) -> Any:
        """Rounds of `best_estimator_`."""
        return self._best().n_rounds_

    @property
    def n_iter_(self) -> Any:
        """Iterations of the solver for `best_estimator_`."""
        return self._best().n_iter_

    @property
    def converged_(self) -> Any:
        """Whether nothing was left to gain for `best_estimator_`."""
        return self._best().converged_

    @property
    def duality_gap_(self) -> Any:
        """Bound on the distance of `best_estimator_` from the optimum."""
        return self._best().duality_gap_

    @property
    def history_(self) -> dict[str, NDArray[Any]]:
        """The numbers of each round of `best_estimator_`: equally long arrays by name."""
        return self._best().history_

    def explain(self, feature_names: Sequence[Any] | None = None) -> Explanation | Explanations:
        """Return the rules of the best setting as a table to print.

        Parameters
        ----------
        feature_names : sequence of str, default=None
            As of `LPUBoostStumps.explain`.

        Returns
        -------
        table : Explanation or Explanations
        """
        return self._best().explain(feature_names)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row by the best setting; above 0 is positive.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        scores : array of shape (n_samples,), or (n_samples, n_classes) where there are more than two
        """
        return self._best().decision_function(X)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round of the best setting.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Yields
        ------
        scores : array
        """
        yield from self._best().staged_decision_function(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the label of each row by the best setting.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        labels : array
        """
        return self._best().predict(X)

    @available_if(has_probabilities)
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class by the best setting; needs ``probability=True``.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, n_classes)
        """
        return self._best().predict_proba(X)

    def _best(self) -> LPUBoostStumps:
        check_is_fitted(self)
        return self.best_estimator_

    def _settings(self) -> Iterator[dict[str, Any]]:
        """Yield every combination in which the weights of rows can move."""
        for nu, divisor in product(self.nus, self.lower_bound_divisors):
            if divisor is not None and 0 < nu * divisor <= 1 + 1e-12:
                warnings.warn(
                    f"nu={nu:g} with lower_bound_divisor={divisor:g} is left out: their product must be "
                    "above 1, or the weights of rows cannot move.",
                    UserWarning,
                    stacklevel=4,
                )
                continue
            for beta, weak_learner in product(self.betas, self.weak_learners):
                yield {"beta": beta, "nu": nu, "lower_bound_divisor": divisor, "weak_learner": weak_learner}

    def _booster(self, setting: dict[str, Any], n_jobs: int | None = None) -> LPUBoostStumps:
        return LPUBoostStumps(
            stumps=self.stumps,
            n_rounds=self.n_rounds,
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=n_jobs,
            **setting,
        )

    def _folds(self, X: Any, y: Any, multilabel: bool) -> list[Fold]:
        """Return folds with a share of every class, or of the rows of every label."""
        if multilabel:
            has_label = np.asarray(y.toarray() if issparse(y) else y) != 0
            counts = has_label.sum(axis=0)
            smallest = f"column {counts.argmin()}"
        else:
            names, counts = np.unique(y, return_counts=True)
            smallest = f"class {names[counts.argmin()].item()!r}"

        def deal(n: int) -> Iterable[Fold]:
            return _spread(has_label, n) if multilabel else check_cv(n, y, classifier=True).split(X, y)

        return self._make_folds(X, y, int(counts.min()), smallest, deal)

    def _run(
        self,
        programs: Sequence[Program],
        n_rounds: int,
        kind: str,
        inside: tuple[Any, Any, Any],
        outside: tuple[Any, Any],
    ) -> Iterator[tuple[Program, FoldResult]]:
        """Fit every program inside, score it outside. The rows are read and their questions gathered once."""
        if not programs:
            return iter(())
        start = self._booster(programs[0]._asdict()).set_params(n_rounds=n_rounds)
        training = prepare(start, *inside)
        start.classes_, start.multilabel_ = training.classes, training.multilabel
        stumps = index_stumps(kind, training.rows)

        def run(program: Program) -> tuple[Program, FoldResult]:
            model = copy(start).set_params(**program._asdict())
            is_named = isinstance(model.weak_learner, str)
            model.ensembles_ = ensembles = boost_classes(model, training, stumps if is_named else None)
            return program, FoldResult(
                score_fold(model, *outside, self.scoring),
                sum(len(ensemble.rules()) + len(ensemble.classifiers()) for ensemble in ensembles),
                sum(len(ensemble.members) for ensemble in ensembles),
                all(ensemble.converged for ensemble in ensembles),
            )

        outcomes: Iterator[tuple[Program, FoldResult]] = Parallel(
            n_jobs=self.n_jobs, prefer="threads", return_as="generator"
        )(delayed(run)(program) for program in programs)
        return outcomes

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _rows_of_labels(y: Any) -> Any:
    return checked_sparse(y, "y").tocsr() if issparse(y) else np.asarray(y)


def _spread(labels: NDArray[np.bool_], n_folds: int) -> list[Fold]:
    """Return folds of rows with several labels; rows with the same rarest label are dealt out one by one."""
    counts = labels.sum(axis=0)
    by_rarity = np.argsort(counts, kind="stable")
    rarest = np.where(labels.any(axis=1), labels[:, by_rarity].argmax(axis=1), len(counts))
    fold = np.empty(len(labels), dtype=np.intp)
    fold[np.argsort(rarest, kind="stable")] = np.arange(len(labels)) % n_folds
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]
