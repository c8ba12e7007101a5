"""Conditions on a row that are joined by "and": the body of a rule."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._rules import says_yes


class Condition(NamedTuple):
    """A question about a column, and the answer that is asked for."""

    feature: int
    threshold: float | None
    """The answer is yes above it; None: where the column is not 0."""
    yes: bool

    def holds(self, X: Any) -> NDArray[np.bool_]:
        """Return whether the condition holds, for each row."""
        answers = says_yes(X, self.feature, self.threshold)
        return answers if self.yes else ~answers


Conditions = tuple[Condition, ...]


def all_hold(conditions: Conditions, X: Any) -> NDArray[np.bool_]:
    """Return whether all conditions hold, for each row."""
    return np.logical_and.reduce([condition.holds(X) for condition in conditions])


def simplify(conditions: Iterable[Condition]) -> Conditions:
    """Return the conditions without those that others imply.

    Examples
    --------
    >>> x = [Condition(0, 3.0, True), Condition(0, 5.0, True), Condition(0, 9.0, False)]
    >>> [(condition.threshold, condition.yes) for condition in simplify(x)]
    [(5.0, True), (9.0, False)]
    """
    tightest: dict[tuple[int, bool], Condition] = {}
    for condition in conditions:
        side = (condition.feature, condition.yes)
        known = tightest.get(side)
        if known is None or (
            known.threshold is not None
            and condition.threshold is not None
            and (condition.threshold > known.threshold) == condition.yes
        ):
            tightest[side] = condition
    return tuple(tightest.values())
