"""Models that rank the rows of a table, and the choice among them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from lopsided.pu._trials import Ranker, RankerTrial, Scorer, names_chosen, try_rankers

# With 1, chance chose a worse model too often: over 15 tables the average precision was 2.2 points below that
# of logistic regression at worst, and 1.0 with 2; its mean was .563, and .566 with 2.
_N_ERRORS = 2.0
_MOST_COMPARED = 5_000  # unlabeled rows that a kernel SVM learns from: its time grows with their square
_MOST_GROWN_ON = 50_000  # unlabeled rows that trees and logistic regression learn from


def rank_rows(X: NDArray[np.float64], y: NDArray[Any]) -> tuple[NDArray[np.float64], tuple[RankerTrial, ...]]:
    """Score the unlabeled rows, and say what the choice of the models rests on.

    The scores of the models that `try_rankers` chooses are averaged, each scaled to mean 0 and standard
    deviation 1. Where there are too few positives to choose, all models are averaged.
    """
    trials = try_rankers(RANKERS, X, y, n_errors=_N_ERRORS)
    chosen = names_chosen(trials) or list(RANKERS)
    unlabeled = X[y == 0]
    return np.mean([_scaled(RANKERS[name](X, y)(unlabeled)) for name in chosen], axis=0), trials


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    return (scores - scores.mean()) / (scores.std() or 1.0)


def _learn_logistic(X: Any, y: NDArray[Any]) -> Scorer:
    return LogisticRegression(max_iter=1000).fit(X, y).decision_function


def _grow_trees(X: Any, y: NDArray[Any]) -> Scorer:
    """Return trees whose leaves hold ten rows: purer ones learn hidden positives by heart as negatives."""
    trees = ExtraTreesClassifier(100, min_samples_leaf=10, class_weight="balanced", random_state=0).fit(X, y)
    return lambda rows: trees.predict_proba(rows)[:, 1]


def _learn_svm(X: Any, y: NDArray[Any]) -> Scorer:
    # C = 0.1: at 1 rows of overlapping classes are learned by heart, the hidden positives as negatives.
    return SVC(C=0.1, class_weight="balanced").fit(X, y).decision_function


def _learn_from_at_most(n: int, learn: Ranker) -> Ranker:
    """Return a ranker that learns from all positives, and from n unlabeled rows drawn from the others."""

    def learn_from_some(X: Any, y: NDArray[Any]) -> Scorer:
        unlabeled = np.flatnonzero(y == 0)
        if len(unlabeled) <= n:
            return learn(X, y)
        some = np.random.default_rng(0).choice(unlabeled, n, replace=False)
        rows = np.sort(np.concatenate([np.flatnonzero(y == 1), some]))
        return learn(X[rows], y[rows])

    return learn_from_some


RANKERS: dict[str, Ranker] = {
    "logistic regression": _learn_from_at_most(_MOST_GROWN_ON, _learn_logistic),
    "randomized trees": _learn_from_at_most(_MOST_GROWN_ON, _grow_trees),
    "balanced SVC": _learn_from_at_most(_MOST_COMPARED, _learn_svm),
}
