"""The weights of the measures, learned by hiding known classes and looking for them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from lopsided.unexpected._measures import LIKE_FLAGGED, N_MEASURES
from lopsided.unexpected._score import Score, Weights

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

LEAST_CLASSES = 3  # with one hidden, the others are still to be told apart
MOST_HIDINGS = 10  # of more classes, several are hidden together
_DEVIATION = 0.5  # of weights from one collection to the next
_STRENGTH = 50.0  # of one hiding, in pairs of independent rows
_FEW_ROWS = 20.0  # hidden: with so many a hiding counts half


def group_classes(n_classes: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Return which classes are hidden together.

    Examples
    --------
    >>> [group.tolist() for group in group_classes(3, np.random.default_rng(0))]
    [[0], [1], [2]]
    """
    if n_classes <= MOST_HIDINGS:
        return [np.array([c]) for c in range(n_classes)]
    order = rng.permutation(n_classes)
    return [np.sort(order[k::MOST_HIDINGS]) for k in range(MOST_HIDINGS)]


def learn_weights(prior: Weights, hidings: Iterable[tuple[Matrix, Matrix]]) -> Weights:
    """Return the weights with which hidden rows are best told from the others.

    Logistic regression on the surprises, in which the hidden rows of each hiding count as much as all
    others. Few hidings are few examples of a new class, however many rows they have: the weights are drawn
    to those in `prior`, and none changes its sign.

        min  |w - prior|^2 / (2 deviation^2)  +  sum of strength/2 (mean loss of hidden + of others)

    Parameters
    ----------
    prior : Weights
    hidings : iterable of pairs of arrays
        What is measured of the rows that stay known, left out, and of the hidden ones.

    Returns
    -------
    weights : Weights
        What the second look measures keeps its weight.
    """
    examples = []
    for rest, hidden in hidings:
        score = Score.from_known(prior, rest)
        share = len(hidden) / (len(hidden) + _FEW_ROWS)
        examples.append((score.surprise_known(rest), -1.0, share))
        examples.append((score.surprise(hidden), 1.0, share))
    if not examples:
        return prior
    start = np.array([*prior.measures, prior.constant])
    strength = _STRENGTH / np.sqrt(len(examples) / 2)
    signs = np.sign(start[:-1])
    bounds = [(0 if s > 0 else None, 0 if s < 0 else None) if s else (0, 0) for s in signs]
    bounds[LIKE_FLAGGED] = (start[LIKE_FLAGGED], start[LIKE_FLAGGED])  # nothing is flagged yet

    def loss(values: Vector) -> tuple[float, Vector]:
        apart = (values[:N_MEASURES] - start[:N_MEASURES]) / _DEVIATION
        total = 0.5 * float(apart @ apart)
        slope = np.append(apart / _DEVIATION, 0.0)
        for surprise, sign, share in examples:
            margin = sign * (surprise @ values[:N_MEASURES] + values[-1])
            weight = 0.5 * strength * share / len(surprise)
            total += weight * float(np.logaddexp(0, -margin).sum())
            pull = -sign * weight / (1 + np.exp(np.clip(margin, -500, 500)))
            slope += np.append(surprise.T @ pull, pull.sum())
        return total, slope

    bounds = [*bounds, (None, None)]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return Weights(tuple(found[:N_MEASURES].tolist()), float(found[-1]))
