"""The shift of the scores of expected rows against those of known rows, and the null that it gives.

Known rows may be older, or of another source. Where many rows are judged, they tell themselves what is to be
expected: an empirical null (B. Efron, "Large-Scale Simultaneous Hypothesis Testing: The Choice of a Null
Hypothesis", JASA 99, 2004). Here known rows give its shape, and the rows to be judged its place.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit, ndtr

Vector = NDArray[np.float64]

MOST = 2.0  # standard deviations: what has moved farther is not told from what is unexpected
_PRICE = 5.0  # of a shift by one standard deviation, in units of log likelihood
_PRICE_OF_SPREAD = 20.0  # of a bell of the expected rows that is wider by a factor of e; likewise
_MOST_WIDENING = 0.5  # of the logarithm of their deviation, for each deviation by which they have moved
_APART = (2.0, 6.0)  # how much higher the unexpected rows score, at the middle of their bell
_SPREAD = (0.4, 1.5)  # of their bell
_LEAST_SHARE = 1e-3  # of either kind
_SPECK = 1e-12  # so that a row that is far from both bells has a likelihood
_STARTS = ((0.0, 0.9), (0.0, 0.2), (0.7, 0.9), (0.7, 0.2))  # shifts and shares of expected rows
_CORE = 2.0  # normal scores: farther out, quantiles of known rows are few, and lines take their place
_FARTHEST = 10.0
_WIDTH = 0.1  # of a bin
_SEEN = 4.0  # normal scores: what lies farther out is put there


@dataclass(frozen=True)
class NormalScores:
    """Scores on the scale on which those of known rows are a bell of mean 0 and deviation 1.

    Beyond two standard deviations, the quantiles of the known rows go on along a straight line, so that a
    score above all known ones still has its place.
    """

    scores: Vector
    normal: Vector

    @classmethod
    def from_known(cls, known: Vector) -> Self:
        """Learn the scale from the scores of known rows."""
        normal = np.linspace(-_CORE, _CORE, round(2 * _CORE / _WIDTH) + 1)
        scores = np.quantile(known, ndtr(normal))
        low, high = np.interp([1 - _CORE, _CORE - 1], normal, scores)  # one deviation farther in
        more = _FARTHEST - _CORE
        scores = np.concatenate(
            [[scores[0] - more * (low - scores[0])], scores, [scores[-1] + more * (scores[-1] - high)]]
        )
        normal = np.concatenate([[-_FARTHEST], normal, [_FARTHEST]])
        distinct, place = np.unique(scores, return_inverse=True)  # equal scores lie at the middle of theirs
        return cls(distinct, np.bincount(place, weights=normal) / np.bincount(place))

    def of(self, scores: Vector) -> Vector:
        """Return the normal scores of scores."""
        return np.interp(scores, self.scores, self.normal)

    def back(self, normal: Vector) -> Vector:
        """Return the scores of normal scores."""
        return np.interp(normal, self.normal, self.scores)


class Bell(NamedTuple):
    """The place of the expected rows among those to be judged, in normal scores of known rows."""

    shift: float
    """Their mean, 0 for known rows."""
    spread: float
    """Their deviation, 1 for known rows."""


def find_expected(normal: Vector) -> Bell:
    """Return how much higher the expected ones among some rows score than known rows do.

    The rows are taken for a mixture of two bells, fitted by maximum likelihood. The bell of the expected rows
    may have moved up, and the farther it has moved, the wider it may have become; the bell of the unexpected
    ones lies at least two deviations higher. Most rows may be unexpected: then the low scores of the others
    say how far they have moved. Moving and widening have a price in log likelihood, so that known rows are
    the null where they explain the others about as well.

    Parameters
    ----------
    normal : array of shape (n_samples,)
        Normal scores of the rows to be judged.

    Returns
    -------
    bell : Bell
        Its shift is from 0 to 2; its spread is 1 where the shift is 0.

    Examples
    --------
    >>> from scipy.special import ndtri
    >>> bell = ndtri((np.arange(1000) + 0.5) / 1000)
    >>> find_expected(bell)
    Bell(shift=0.0, spread=1.0)
    >>> round(find_expected(bell + 0.7).shift, 1)
    0.7
    """
    place = np.rint(np.clip(normal, -_SEEN, _SEEN) / _WIDTH)
    bins, n_rows = np.unique(place, return_counts=True)
    x, counts = bins * _WIDTH, n_rows.astype(np.float64)

    def loss(values: Vector) -> tuple[float, Vector]:
        return mixture_loss(x, counts, *values)

    bounds: list[Any] = [
        (0.0, MOST),
        (0.0, _MOST_WIDENING),
        (logit(_LEAST_SHARE), logit(1 - _LEAST_SHARE)),
        _APART,
        (np.log(_SPREAD[0]), np.log(_SPREAD[1])),
    ]
    starts = [[shift, 0.0, logit(share), _APART[0], np.log(0.7)] for shift, share in _STARTS]
    found = [minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds) for start in starts]
    best = min(found, key=lambda result: float(result.fun)).x
    return Bell(float(best[0]), float(np.exp(best[0] * best[1])))


def mixture_loss(
    x: Vector,
    counts: Vector,
    shift: float,
    widening: float,
    log_odds: float,
    apart: float,
    log_other_spread: float,
) -> tuple[float, Vector]:
    """Return minus the log likelihood of two bells, the price of the shift and the spread, and the gradient.

    Parameters
    ----------
    x, counts : array
        Normal scores, and how many rows have each.
    shift, widening : float
        The mean of the expected rows, and the logarithm of their deviation over the mean.
    log_odds : float
        Of a row's being expected.
    apart, log_other_spread : float
        How much higher the mean of the unexpected rows is, and the logarithm of their deviation.
    """
    share, spread, other_spread = expit(log_odds), np.exp(widening * shift), np.exp(log_other_spread)
    from_expected, from_unexpected = (x - shift) / spread, (x - shift - apart) / other_spread
    expected = np.exp(-0.5 * from_expected**2) / spread
    unexpected = np.exp(-0.5 * from_unexpected**2) / other_spread
    both = share * expected + (1 - share) * unexpected + _SPECK
    of_expected, of_unexpected = counts * share * expected / both, counts * (1 - share) * unexpected / both
    wider = _PRICE_OF_SPREAD - float((of_expected * (from_expected**2 - 1)).sum())
    pull = float((of_unexpected * from_unexpected).sum() / other_spread)
    gradient = np.array(
        [
            _PRICE - float((of_expected * from_expected).sum() / spread) - pull + widening * wider,
            shift * wider,
            -float((counts * (expected - unexpected) / both).sum()) * share * (1 - share),
            -pull,
            -float((of_unexpected * (from_unexpected**2 - 1)).sum()),
        ]
    )
    price = _PRICE * shift + _PRICE_OF_SPREAD * widening * shift
    return float(price - counts @ np.log(both)), gradient


def move(known: Vector, scores: Vector) -> tuple[Vector, float]:
    """Return what known rows would score if they were as the expected ones among others; and the shift.

    Parameters
    ----------
    known : array of shape (n_known,)
        Scores of known rows, left out.
    scores : array of shape (n_samples,)
        Scores of the rows to be judged.

    Returns
    -------
    moved : array of shape (n_known,)
        In the same order, none lower than it was.
    shift : float
        In standard deviations of the normal scores of known rows.
    """
    if not len(scores):
        return known, 0.0
    scale = NormalScores.from_known(known)
    shift, spread = find_expected(scale.of(scores))
    if shift == 0:
        return known, 0.0
    return np.maximum(known, scale.back(spread * scale.of(known) + shift)), shift
