"""Choose the model that ranks unlabeled texts by its ranking of known positives that it has not seen."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from lopsided.pu._folds import PositiveUnlabeledFold
from lopsided.pu._roc_svm import RocSVM

FEWEST_POSITIVES = 5  # a fold hides one of them at least, and leaves four in five to learn from
_MOST_UNLABELED = 50_000  # unlabeled rows that the choice looks at; the chosen models learn from all

Weights = tuple[NDArray[np.float64], float]  # of each column, and the intercept


class RankerTrial(NamedTuple):
    """How well one model ranked known positives that were hidden from it.

    Examples
    --------
    >>> RankerTrial("RocSVM", 0.02, True).held_out
    0.02
    """

    name: str
    held_out: float
    """Geometric mean, over the hidden positives, of the share of unlabeled texts ranked above each."""
    chosen: bool


def learn_ranking(X: Any, y: NDArray[Any]) -> tuple[Weights, tuple[RankerTrial, ...]]:
    """Return the weight of each column and the intercept, and what the choice rests on.

    The known positives are hidden in turn among the unlabeled rows, and each model ranks them. The rank of a
    positive does not depend on what else is positive, so no negative label is needed. All models within one
    standard error of the best are averaged (the one-standard-error rule of Breiman et al., 1984), each with
    its scores scaled to standard deviation 1. With fewer than five positives nothing can be held out: the
    ranking is that of `RocSVM`, and there are no trials.
    """
    if y.sum() < FEWEST_POSITIVES:
        return _learn_roc_svm(X, y), ()
    looked_at = _thin(y)
    log_ranks = {
        name: _hidden_log_ranks(learn, X[looked_at], y[looked_at]) for name, learn in RANKERS.items()
    }
    chosen = choose(log_ranks)
    trials = tuple(
        RankerTrial(name, float(np.exp(values.mean())), name in chosen) for name, values in log_ranks.items()
    )
    return _average([RANKERS[name](X, y) for name in chosen], X), trials


def choose(log_ranks: dict[str, NDArray[np.float64]]) -> list[str]:
    """Return the names whose mean is within one standard error of the lowest, over the same positives."""
    best = min(log_ranks, key=lambda name: float(log_ranks[name].mean()))
    chosen = []
    for name, values in log_ranks.items():
        above = values - log_ranks[best]
        if above.mean() <= above.std(ddof=1) / np.sqrt(len(above)):
            chosen.append(name)
    return chosen


def _learn_roc_svm(X: Any, y: NDArray[Any]) -> Weights:
    """Learn the first SVM of Roc-SVM: its later ones follow their own rejections, and rank worse."""
    model = RocSVM(max_iter=1).fit(X, y)
    if not len(model.strong_negatives_):
        # The unlabeled rows are as near to the positives as these are to each other. Some are nearer.
        return _weights(LinearSVC(class_weight="balanced", random_state=0, max_iter=10_000).fit(X, y))
    return _weights(model)


def _learn_svm(X: Any, y: NDArray[Any]) -> Weights:
    # C = 0.1: at 1 the few positives are separated without an error, and near misses teach nothing.
    return _weights(LinearSVC(C=0.1, class_weight="balanced", random_state=0, max_iter=10_000).fit(X, y))


def _learn_logistic(X: Any, y: NDArray[Any]) -> Weights:
    return _weights(LogisticRegression(max_iter=1000).fit(X, y))


RANKERS: dict[str, Callable[[Any, NDArray[Any]], Weights]] = {
    "RocSVM": _learn_roc_svm,
    "balanced LinearSVC": _learn_svm,
    "LogisticRegression": _learn_logistic,
}


def _weights(model: Any) -> Weights:
    return np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0])


def _thin(y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows of all positives and of at most so many unlabeled ones, in their order."""
    positives, unlabeled = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    if len(unlabeled) > _MOST_UNLABELED:
        unlabeled = np.random.default_rng(0).choice(unlabeled, _MOST_UNLABELED, replace=False)
    return np.sort(np.concatenate([positives, unlabeled]))


def _hidden_log_ranks(
    learn: Callable[[Any, NDArray[Any]], Weights], X: Any, y: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the logarithm of the relative rank of each positive among the unlabeled rows of its fold.

    The logarithm makes the top of the list count: from rank 10 to 5 is as much as from 1,000 to 500.
    """
    log_ranks = []
    n_folds = min(5, int((y == 0).sum()))
    for train, test in PositiveUnlabeledFold(n_folds, random_state=0).split(X, y):
        coef, intercept = learn(X[train], y[train])
        scores = np.asarray(X[test] @ coef + intercept)
        hidden, others = scores[y[test] == 1], np.sort(scores[y[test] == 0])
        # A tie counts half; one more row keeps the logarithm finite.
        below = (np.searchsorted(others, hidden, "left") + np.searchsorted(others, hidden, "right")) / 2
        log_ranks.append(np.log((len(others) - below + 1) / (len(others) + 1)))
    return np.concatenate(log_ranks)


def _average(models: Sequence[Weights], X: Any) -> Weights:
    if len(models) == 1:
        return models[0]
    spreads = [float(np.std(X @ coef)) or 1.0 for coef, _ in models]
    coef = np.mean([coef / spread for (coef, _), spread in zip(models, spreads, strict=True)], axis=0)
    intercept = np.mean([b / spread for (_, b), spread in zip(models, spreads, strict=True)])
    return coef, float(intercept)
