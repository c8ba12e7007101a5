"""The threshold between the classes, chosen on scores of held-out rows."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring

from lopsided._probabilities import Sigmoids

_MOST_TRIED = 200  # thresholds for a score of the user's choice


def recalls(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64],
    threshold: float,
) -> tuple[float, float]:
    """Return the share of positives above a threshold and of the others below or at it."""
    above = scores > threshold
    found = weights[positive & above].sum() / weights[positive].sum()
    spared = weights[~positive & ~above].sum() / weights[~positive].sum()
    return float(found), float(spared)


def balanced_threshold(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float:
    """Return a threshold of nearly the best geometric mean of both recalls.

    It is the mean of two estimates. One is the threshold with the best geometric mean on these rows, which
    follows every row and is unsure where positives are few. The other is the score at which a sigmoid fitted
    to classes of equal weight is one half, which is steadier but takes a shape for granted.
    """
    best = _best_threshold(scores, positive, weights)
    share = weights[positive].sum() / weights.sum()
    equal = weights * np.where(positive, 0.5 / share, 0.5 / (1 - share))
    sigmoids = Sigmoids.fit(scores, positive, equal)
    slope, offset = float(sigmoids.slopes[0]), float(sigmoids.offsets[0])
    if slope == 0:
        return best
    middle = np.clip(-offset / slope, scores.min(), scores.max())
    return float((best + middle) / 2)


def best_threshold_for(
    scoring: Any,
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    classes: NDArray[Any],
    weights: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the threshold at which a scorer of scikit-learn is best, and its score there.

    Of equally good ones the one next to `balanced_threshold` is taken: a score such as "roc_auc" does not
    depend on it.
    """
    middle = balanced_threshold(scores, positive, weights)
    distinct = np.unique(scores)
    between = (distinct[:-1] + distinct[1:]) / 2
    tried = np.append(np.unique(np.quantile(between, np.linspace(0, 1, _MOST_TRIED))), middle)
    tried = tried[np.argsort(np.abs(tried - middle), kind="stable")]
    scorer, rows = check_scoring(_Fixed(classes), scoring), np.arange(len(scores))
    values = [scorer(_Fixed(classes, scores - t), rows, classes[positive.astype(np.intp)]) for t in tried]
    best = int(np.argmax(values))
    return float(tried[best]), float(values[best])


def _best_threshold(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float:
    """Return the threshold with the best geometric mean, half-way between two scores."""
    order = np.argsort(-scores, kind="stable")
    ranked, truth, weight = scores[order], positive[order], weights[order]
    found = np.cumsum(weight * truth) / weight[truth].sum()
    spared = 1 - np.cumsum(weight * ~truth) / weight[~truth].sum()
    ends = np.append(ranked[1:] < ranked[:-1], False)  # where a threshold can lie: below this row
    if not ends.any():
        return 0.0  # all scores are equal
    place = int(np.argmax(np.where(ends, found * spared, -1.0)))
    return float((ranked[place] + ranked[place + 1]) / 2)


class Trial(NamedTuple):
    """The trial of a setting: its threshold, and how good its held-out scores are with it."""

    scores: NDArray[np.float64]
    threshold: float
    value: float
    n_support: float
    """Support vectors, in the mean over the folds."""


class HeldOutRows(NamedTuple):
    """The rows by which settings are judged."""

    positive: NDArray[np.bool_]
    weights: NDArray[np.float64]
    classes: NDArray[Any]
    scoring: Any
    """A scorer as scikit-learn takes it; None for the geometric mean of both recalls."""

    def judge(self, scores: NDArray[np.float64], n_support: float) -> Trial:
        """Choose a threshold, and say how good the scores are with it."""
        if self.scoring is not None:
            found = best_threshold_for(self.scoring, scores, self.positive, self.classes, self.weights)
            return Trial(scores, *found, n_support)
        threshold = balanced_threshold(scores, self.positive, self.weights)
        value = float(np.sqrt(np.prod(recalls(scores, self.positive, self.weights, threshold))))
        return Trial(scores, threshold, value, n_support)


class _Fixed(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are known, for scikit-learn's scorers; its rows are their numbers."""

    def __init__(self, classes: NDArray[Any], scores: NDArray[np.float64] | None = None) -> None:
        self.classes_, self.scores_ = classes, scores

    def fit(self, X: Any, y: Any) -> "_Fixed":
        return self

    def decision_function(self, X: NDArray[np.intp]) -> NDArray[np.float64]:
        assert self.scores_ is not None
        return self.scores_[X]

    def predict(self, X: NDArray[np.intp]) -> NDArray[Any]:
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(np.intp)])
