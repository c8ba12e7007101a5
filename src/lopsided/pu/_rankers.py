"""Models that rank texts by weights of their words, and the choice among them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from lopsided.pu._roc_svm import RocSVM
from lopsided.pu._trials import Ranker, RankerTrial, Scorer, names_chosen, try_rankers

Weights = tuple[NDArray[np.float64], float]  # of each column, and the intercept


def learn_ranking(X: Any, y: NDArray[Any]) -> tuple[Weights, tuple[RankerTrial, ...]]:
    """Return the weight of each column and the intercept, and what the choice rests on.

    The models that `try_rankers` chooses are averaged, each with its scores scaled to standard deviation 1.
    Where there are too few positives to choose, the ranking is that of `RocSVM`.
    """
    trials = try_rankers({name: _as_ranker(learn) for name, learn in RANKERS.items()}, X, y)
    if not trials:
        return _learn_roc_svm(X, y), ()
    return _average([RANKERS[name](X, y) for name in names_chosen(trials)], X), trials


def _as_ranker(learn: Callable[[Any, NDArray[Any]], Weights]) -> Ranker:
    def learn_scorer(X: Any, y: NDArray[Any]) -> Scorer:
        coef, intercept = learn(X, y)
        return lambda rows: np.asarray(rows @ coef + intercept)

    return learn_scorer


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


def _average(models: Sequence[Weights], X: Any) -> Weights:
    if len(models) == 1:
        return models[0]
    spreads = [float(np.std(X @ coef)) or 1.0 for coef, _ in models]
    coef = np.mean([coef / spread for (coef, _), spread in zip(models, spreads, strict=True)], axis=0)
    intercept = np.mean([b / spread for (_, b), spread in zip(models, spreads, strict=True)])
    return coef, float(intercept)
