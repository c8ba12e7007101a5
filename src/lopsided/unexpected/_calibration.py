"""P-values and flags from scores, by the scores that rows of known classes have when they are left out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def pvalues(scores: Vector, null: Vector) -> Vector:
    """Return how often a row of a known class scores as high: (1 + how many do) / (1 + how many there are).

    Parameters
    ----------
    scores : array of shape (n_samples,)
        The larger, the less expected.
    null : array of shape (n_known,)
        Scores of rows of known classes, in ascending order.

    Examples
    --------
    >>> pvalues(np.array([0.0, 2.5, 9.0]), np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 0.5, 0.25]
    """
    n = len(null)
    return (1 + n - np.searchsorted(null, scores, side="left")) / (n + 1)


def null_share(p: Vector) -> float:
    """Return a bound on the share of known classes: twice the share of p-values over 1/2 (Storey, 2002).

    Examples
    --------
    >>> null_share(np.array([0.01, 0.01, 0.01, 0.01, 0.2, 0.4, 0.7, 0.9]))
    0.75
    """
    return float(min(1.0, (1 + (p > 0.5).sum()) / (0.5 * len(p))))


def adjusted(p: Vector) -> Vector:
    """Return the false discovery rate at which each row would just be flagged (Benjamini and Hochberg, 1995).

    Examples
    --------
    >>> adjusted(np.array([0.01, 0.9, 0.02, 0.8])).round(3).tolist()
    [0.04, 0.9, 0.04, 0.9]
    """
    m = len(p)
    if m == 0:
        return p
    order = np.argsort(p, kind="stable")
    rates = p[order] * m * null_share(p) / np.arange(1, m + 1)
    rates = np.minimum.accumulate(rates[::-1])[::-1]
    answer = np.empty(m)
    answer[order] = np.minimum(rates, 1.0)
    return answer


def cut(scores: Vector, null: Vector, fdr: float, *, most: float) -> float:
    """Return the score over which rows are flagged: half way between the last flagged row and the next.

    Parameters
    ----------
    scores : array of shape (n_samples,)
        Of the rows to be judged.
    null : array of shape (n_known,)
        Scores of rows of known classes, in ascending order.
    fdr : float
        The share of mistakes to be expected among the flagged rows.
    most : float
        What no score can exceed: the answer where nothing is to be flagged.
    """
    flagged = adjusted(pvalues(scores, null)) <= fdr
    if not flagged.any():
        return most
    lowest = scores[flagged].min()
    # Rows between the same two known ones have equal p-values, and are flagged together.
    below = np.concatenate([scores[scores < lowest], null[null < lowest], [lowest - 1.0]]).max()
    return float((lowest + below) / 2)


def level_cut(null: Vector, level: float, *, most: float) -> float:
    """Return the score over which a row's p-value is at most `level`.

    Examples
    --------
    >>> level_cut(np.arange(99.0), 0.02, most=1e3)
    97.0
    """
    spare = int(np.floor(level * (len(null) + 1) + 1e-9)) - 1  # so many known rows may score as high
    return most if spare < 0 else float(null[len(null) - 1 - spare])


def shares_unexpected(log_odds: Vector, prior: float, *, rounds: int = 50) -> Vector:
    """Return the posterior of each row, where the share of unexpected rows is not that of the odds.

    Alternates between posteriors and their mean, the share (Saerens, Latinne and Decaestecker, 2002).

    Examples
    --------
    >>> shares_unexpected(np.array([-9.0, -9.0, 9.0, 9.0]), 0.05).round(2).tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    ratio = log_odds - np.log(prior / (1 - prior))
    share = prior
    posterior: Any = np.full(len(log_odds), prior)
    for _ in range(rounds):
        posterior = 1 / (1 + np.exp(-np.clip(ratio + np.log(share / (1 - share)), -500, 500)))
        share = float(np.clip(posterior.mean(), 1e-3, 0.999)) if len(posterior) else prior
    return np.asarray(posterior, dtype=np.float64)
