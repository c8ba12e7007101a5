"""A rule: one question of a row, and how much its answer speaks for the positive class."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._sparse import checked_sparse
from lopsided._stored import Check, index, or_none, real


class Rule(NamedTuple):
    """A weighted stump.

    Parameters
    ----------
    feature : int
        Column that the stump looks at.
    threshold : float or None
        The answer is yes above it; None: where the column is not 0.
    present : float
        Output of the stump where the answer is yes; larger values speak for the positive class.
    absent : float
        Output where the answer is no.
    weight : float
        Factor of both in the sum.

    Examples
    --------
    >>> rule = Rule(feature=3, threshold=None, present=1.0, absent=-1.0, weight=0.5)
    >>> rule.applies(np.array([[0, 0, 0, 2.0], [1, 1, 1, 0]]))
    array([ True, False])
    """

    feature: int
    threshold: float | None
    present: float
    absent: float
    weight: float

    @staticmethod
    def _stored() -> dict[str, Check]:
        return {
            "feature": index("n_features"),
            "threshold": or_none(real()),
            "present": real(),
            "absent": real(),
            "weight": real(),
        }

    @property
    def is_constant(self) -> bool:
        """Whether it says the same of all rows, so that the question does not matter."""
        return self.present == self.absent

    def applies(self, X: Any) -> NDArray[np.bool_]:
        """Return whether the answer is yes, for each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        answers : bool array of shape (n_samples,)
        """
        return says_yes(checked_sparse(X), self.feature, self.threshold)


def says_yes(X: Any, feature: int, threshold: float | None) -> NDArray[np.bool_]:
    """Return whether the answer is yes, for each of rows that were checked."""
    column = X[:, [feature]].toarray().ravel() if issparse(X) else X[:, feature]
    return np.asarray(column != 0 if threshold is None else column > threshold)


def score_rules(X: Any, rules: list[Rule]) -> NDArray[np.float64]:
    """Return the sum of what the rules say about each row.

    F(x) = sum of weight * absent + sum over the questions with answer yes of weight * (present - absent), so
    that rules about presence are one product, however many there are.
    """
    total = np.full(X.shape[0], sum(rule.weight * rule.absent for rule in rules), dtype=np.float64)
    coef: dict[int, float] = {}
    for rule in rules:
        gain = rule.weight * (rule.present - rule.absent)
        if rule.is_constant:
            continue
        if rule.threshold is None:
            coef[rule.feature] = coef.get(rule.feature, 0.0) + gain
        else:
            total += gain * says_yes(X, rule.feature, rule.threshold)
    if coef:
        columns = sorted(coef)
        there = X[:, columns] != 0
        total += there @ np.array([coef[column] for column in columns])
    return total
