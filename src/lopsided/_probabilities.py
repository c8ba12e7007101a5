"""Probabilities from scores, by a sigmoid fitted to the scores of held-out rows (Platt 2000)."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from lopsided._stored import Check, numbers

_MOST_STEPS = 100
_SMALLEST_STEP = 1e-10
_RIDGE = 1e-12  # keeps the Hessian invertible where all scores are equal


class Sigmoids:
    """A sigmoid for each column of scores, which turns a score into a probability.

        p = 1 / (1 + exp(-(slope * score + offset)))

    A probability never falls as the score rises: where the held-out scores say the opposite, the slope is 0
    and the probability is that of the class.

    Parameters
    ----------
    slopes : array of shape (n_columns,)
        None of them negative.
    offsets : array of shape (n_columns,)

    References
    ----------
    .. [1] J. Platt, "Probabilities for SV machines", Advances in Large Margin Classifiers, 2000.
    .. [2] H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on Platt's probabilistic outputs for support vector
       machines", Machine Learning 68:267-276, 2007.

    Examples
    --------
    >>> scores = np.array([-2.0, -1.5, -1.0, -0.5, 0.5, 1.0])
    >>> sigmoids = Sigmoids.fit(scores, [0, 0, 0, 1, 1, 1])
    >>> probabilities = sigmoids.probabilities([-1.5, 1.0])
    >>> bool(probabilities[0, 1] < 0.5 < probabilities[1, 1]), probabilities.sum(axis=1).tolist()
    (True, [1.0, 1.0])
    """

    _stored: ClassVar[dict[str, Check]] = {
        "slopes": numbers("n_sigmoids", low=0),
        "offsets": numbers("n_sigmoids"),
    }

    def __init__(self, slopes: NDArray[np.float64], offsets: NDArray[np.float64]) -> None:
        self.slopes, self.offsets = slopes, offsets

    @classmethod
    def fit(cls, scores: ArrayLike, positive: ArrayLike, weights: NDArray[np.float64] | None = None) -> Self:
        """Fit the sigmoids to scores of rows that had no part in learning.

        Parameters
        ----------
        scores : array of shape (n_samples,) or (n_samples, n_columns)
        positive : bool array of the same shape
            Whether a row is positive for the column.
        weights : array of shape (n_samples,), default=None
        """
        columns = _as_columns(scores)
        signs = _as_columns(positive) > 0
        weights = np.ones(len(columns)) if weights is None else weights
        found = [_fit_one(s, p, weights) for s, p in zip(columns.T, signs.T, strict=True)]
        slopes, offsets = np.array(found, dtype=np.float64).T
        return cls(np.ascontiguousarray(slopes), np.ascontiguousarray(offsets))

    def probabilities(self, scores: ArrayLike, *, multilabel: bool = False) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        scores : array of shape (n_samples,) or (n_samples, n_columns)
        multilabel : bool, default=False
            Whether each column is a label of its own, with a probability of its own.

        Returns
        -------
        probabilities : array of shape (n_samples, n_classes)
            Two classes for one column, else a class for each; each row sums to 1. With ``multilabel`` the
            columns are those of the scores.
        """
        raw = expit(_as_columns(scores) * self.slopes + self.offsets)
        if multilabel:
            return raw
        if raw.shape[1] == 1:
            return np.hstack([1 - raw, raw])
        total = raw.sum(axis=1, keepdims=True)
        even = np.full_like(raw, 1 / raw.shape[1])  # where every sigmoid has underflowed
        return np.divide(raw, total, out=even, where=total > 0)


def held_out_scores(
    score_rest: Callable[[NDArray[np.intp], NDArray[np.intp]], Any],
    folds: Iterable[tuple[NDArray[np.intp], NDArray[np.intp]]],
    n_rows: int,
    n_columns: int,
) -> NDArray[np.float64]:
    """Return scores of every row by a model that was learned without it.

    Parameters
    ----------
    score_rest : callable
        ``score_rest(train, test)`` learns from the rows ``train`` and returns the scores of ``test``.
    folds : iterable of (train, test)
        Each row is in one ``test``.
    n_rows, n_columns : int
        Shape of the scores.
    """
    scores = np.zeros((n_rows, n_columns))
    for train, test in folds:
        scores[test] = _as_columns(score_rest(train, test))
    return scores


def _fit_one(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> tuple[float, float]:
    """Return slope and offset that maximise the likelihood of smoothed labels, by Newton's method ([2]_).

    With weights w, w+ of them on positives and w- on the others, the labels are (w+ + 1) / (w+ + 2) and
    1 / (w- + 2): so the sigmoid stays finite where the scores tell the classes apart perfectly.
    """
    n_positive, n_negative = float(weights[positive].sum()), float(weights[~positive].sum())
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    prior = float(np.log((n_positive + 1) / (n_negative + 1)))
    unit = float(np.abs(scores).max(initial=0.0)) or 1.0  # steps are measured on scores of comparable size
    x = scores / unit

    def loss(slope: float, offset: float) -> float:
        z = slope * x + offset
        return float(weights @ (np.logaddexp(0, z) - targets * z))

    slope, offset, least = 0.0, prior, loss(0.0, prior)
    for _ in range(_MOST_STEPS):
        p = expit(slope * x + offset)
        error, curvature = weights * (p - targets), weights * p * (1 - p)
        gradient = np.array([error @ x, error.sum()])
        if np.abs(gradient).max() <= 1e-9 * max(1.0, float(weights.sum())):
            break
        mixed = curvature @ x
        hessian = np.array([[curvature @ (x * x), mixed], [mixed, curvature.sum()]]) + _RIDGE * np.eye(2)
        direction = -np.linalg.solve(hessian, gradient)
        step = 1.0
        while step >= _SMALLEST_STEP:
            tried = loss(slope + step * direction[0], offset + step * direction[1])
            if tried <= least + 1e-4 * step * float(gradient @ direction):
                break
            step /= 2
        else:
            break  # as low as rounding lets it get
        slope, offset, least = slope + step * direction[0], offset + step * direction[1], tried
    return (slope / unit, offset) if slope > 0 else (0.0, prior)


def _as_columns(values: ArrayLike) -> NDArray[np.float64]:
    """Return a matrix: one column for a vector."""
    array = np.asarray(values, dtype=np.float64)
    return array[:, None] if array.ndim == 1 else array
