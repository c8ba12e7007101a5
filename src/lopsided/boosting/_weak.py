"""Weak learners: what a booster adds in a round, given the weights of the rows."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from lopsided._kernels.stumps import LEARNERS, best_stump, step_of_signs
from lopsided.boosting._rules import Rule
from lopsided.boosting._stumps import StumpQuestion, Stumps

__all__ = ["LEARNERS", "ClassifierLearner", "StumpLearner", "Weak", "WeakLearner"]


class Weak(NamedTuple):
    """A weak hypothesis, and what it says about the training rows."""

    values: NDArray[np.float64]
    """h(x_i): the sign is the label, the size the confidence."""
    alpha: float
    """Weight that AdaBoost gives it."""
    rule: Rule | None
    """The rule, with weight 1, if the hypothesis is a stump."""
    estimator: Any = None
    """The fitted classifier, if the hypothesis is not a stump."""


class WeakLearner(Protocol):
    """Proposes the hypothesis that is best for weights of the rows that sum to 1, or None."""

    def propose(self, D: NDArray[np.float64]) -> Weak | None:
        """Return the best hypothesis for these weights, or None if none gains anything."""
        ...


class StumpLearner:
    """The best of all stumps by one of the six criteria.

    Parameters
    ----------
    stumps : Stumps
    name : one of ``LEARNERS``
        Real answers (smoothed log odds) or signs; chosen by Z (MH), by the edge (LP), or by the uneven Z (U).
    signs : array of +1 and -1
    beta : float
        Cost of a positive over that of a negative, for U.
    eps : float, default=None
        Added to the weights whose odds are taken: the share of one row; None: 1 / n.
    """

    def __init__(
        self, stumps: Stumps, name: str, signs: NDArray[np.int8], beta: float, eps: float | None = None
    ) -> None:
        self._stumps, self._learner, self._beta = stumps, LEARNERS[name], beta
        self._positive, self._negative = (signs > 0).astype(np.float64), (signs < 0).astype(np.float64)
        self._pairs = np.empty((len(signs), 2))
        self._eps = 1 / len(signs) if eps is None else eps

    def propose(self, D: NDArray[np.float64]) -> Weak | None:
        """Return the best stump, found by one pass over the matrix and one over the questions."""
        np.multiply(D, self._positive, out=self._pairs[:, 0])
        np.multiply(D, self._negative, out=self._pairs[:, 1])
        number, present, absent, alpha = best_stump(
            self._stumps.weights(self._pairs),
            float(D @ self._positive),
            float(D @ self._negative),
            self._learner,
            self._beta,
            self._eps,
        )
        if number < 0:
            return None
        # Stumps that say the same to yes and no are all one hypothesis, whatever they ask.
        question = StumpQuestion(0, None) if present == absent else self._stumps.question(number)
        values = np.where(self._stumps.applies(number), present, absent)
        return Weak(values, alpha, Rule(*question, present, absent, 1.0))


class ClassifierLearner:
    """Any classifier that takes ``sample_weight``; its labels are the answers.

    Parameters
    ----------
    estimator : classifier
    X : rows
    signs : array of +1 and -1
    beta : float
        Cost of a positive over that of a negative, for the step.
    eps : float, default=None
        The share of one row, by which the step is kept finite; None: 1 / n.
    """

    def __init__(
        self, estimator: Any, X: Any, signs: NDArray[np.int8], beta: float, eps: float | None = None
    ) -> None:
        self._estimator, self._X, self._signs, self._beta = estimator, X, signs, beta
        self._eps = 1 / len(signs) if eps is None else eps

    def propose(self, D: NDArray[np.float64]) -> Weak | None:
        """Return the answers of a clone fitted with these weights."""
        # Weights of mean 1, as if there were none: regularisation and leaf sizes mean what they usually do.
        fitted = clone(self._estimator).fit(self._X, self._signs, sample_weight=D * len(D))
        values = np.where(np.asarray(fitted.predict(self._X)) > 0, 1.0, -1.0)
        pp, pm, mp, mm = (
            float(D[(self._signs == sign) & (values == answer)].sum())
            for sign in (1, -1)
            for answer in (1, -1)
        )
        return Weak(values, step_of_signs(pp, pm, mp, mm, self._beta, self._eps), None, fitted)
