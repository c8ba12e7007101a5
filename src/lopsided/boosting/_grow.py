"""Trees and lists of stumps that grow by one question at a time, for a short list of rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._conditions import Condition, Conditions
from lopsided.boosting._stumps import Stumps

Form = Literal["tree", "list"]

_NOTHING = 1e-12  # share of a sum that is rounding


class Leaf(NamedTuple):
    """The rows for which some conditions hold, and what is added to their score."""

    conditions: Conditions
    value: float
    weight: float
    """Weight of its rows."""


class Growth(NamedTuple):
    """The leaves after some questions."""

    leaves: list[Leaf]
    """All leaves of a tree, or the two leaves of each question of a list, one after the other."""
    scores: NDArray[np.float64]
    """The score of each row, those of weight 0 too: the sum of the values of its leaves."""


@dataclass
class _GrowingLeaf:
    """The rows of a leaf, and the question that splits them best."""

    conditions: Conditions
    rows: NDArray[np.bool_]
    value: float
    gain: float = 0.0
    question: int = -1


def grow(
    stumps: Stumps, positive: NDArray[np.bool_], weights: NDArray[np.float64], form: Form, n_questions: int
) -> Iterator[Growth]:
    """Yield what has grown after each question; the next is always the one that gains most.

    The score f fits the labels y (1 and 0) by weighted least squares. A question that splits the rows of a
    leaf lowers the squared error by

        (sum of w (y - f) over yes)^2 / (sum of w over yes)  +  the same over no  -  the same over all rows

    In a tree the leaf that gains most is split: the best-first growth of CART with the Gini index, whose
    splits are the same. In a list every question is asked of all rows, and its answers are added to the
    score.

    Parameters
    ----------
    stumps : Stumps
        All questions about the rows.
    positive : bool array of shape (n_samples,)
    weights : array of shape (n_samples,)
        Rows of weight 0 have a score, and no part in learning.
    form : {"tree", "list"}
    n_questions : int
        So many at most; fewer where no question gains anything.

    Examples
    --------
    >>> from lopsided.boosting._stumps import index_stumps
    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 7.0]])
    >>> positive = np.array([False, False, True, False])
    >>> for growth in grow(index_stumps("threshold", X), positive, np.ones(4), "tree", 2):
    ...     print(growth.scores.tolist())
    [0.0, 0.0, 0.5, 0.5]
    [0.0, 0.0, 1.0, 0.0]
    """
    scores = np.zeros(len(positive))
    leaves: list[Leaf] = []
    everything = np.ones(len(positive), dtype=bool)
    parts: list[_GrowingLeaf] = []
    for n in range(n_questions):
        residuals = weights * (positive - scores)
        if n == 0 or form == "list":
            parts = [_GrowingLeaf((), everything, 0.0)]
            _look(stumps, parts[0], residuals, weights)
        best = max(parts, key=lambda part: part.gain)  # the first of equals
        if best.gain <= _NOTHING:
            return
        question, yes = stumps.question(best.question), stumps.applies(best.question)
        parts.remove(best)
        if form == "tree":
            leaves = [leaf for leaf in leaves if leaf.conditions != best.conditions]
        for answer in (True, False):
            rows = best.rows & (yes if answer else ~yes)
            weight = float(weights[rows].sum())
            change = float(residuals[rows].sum()) / weight
            scores[rows] += change
            part = _GrowingLeaf((*best.conditions, Condition(*question, answer)), rows, best.value + change)
            leaves.append(Leaf(part.conditions, part.value, weight))
            if form == "tree" and n + 1 < n_questions:
                _look(stumps, part, weights * (positive - scores), weights)
                parts.append(part)
        yield Growth(list(leaves), scores.copy())


def _look(
    stumps: Stumps, part: _GrowingLeaf, residuals: NDArray[np.float64], weights: NDArray[np.float64]
) -> None:
    """Find the question that gains most among the rows of a leaf, the first of equals."""
    sums = np.where(part.rows[:, None], np.column_stack([residuals, weights]), 0.0)
    error, weight = sums.sum(axis=0)
    yes = stumps.weights(sums)
    no = np.array([error, weight]) - yes
    able = (yes[:, 1] > _NOTHING * weight) & (no[:, 1] > _NOTHING * weight)
    if not able.any():
        return
    heavy = np.where(able, yes[:, 1], 1.0), np.where(able, no[:, 1], 1.0)
    gains = yes[:, 0] ** 2 / heavy[0] + no[:, 0] ** 2 / heavy[1] - error**2 / weight
    gains[~able] = -np.inf
    highest = float(gains.max())
    part.question = int(np.argmax(gains >= highest - 1e-9 * abs(highest)))
    part.gain = highest / float(weights.sum())
