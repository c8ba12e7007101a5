"""The material that rules are learned from: rows for a learner, and questions as people read them."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._asked import AskedCondition

Piece = tuple[str, str]  # text, and what it speaks: "for", "against" or nothing ("")


class Answered(NamedTuple):
    """A condition, and the rows for which it holds."""

    asked: AskedCondition
    holds: NDArray[np.bool_]


class Material(Protocol):
    """Rows to learn from, and the words for what is learned."""

    stumps: str
    """What is asked of ``X``: presence or threshold."""
    X: Any
    """The rows to learn from, without missing values."""

    def condition(self, feature: int, threshold: float | None, yes: bool) -> Answered:
        """Return what an answer to a learner's question means, and for which of all rows it holds."""
        ...

    def show(self, row: int, conditions: Sequence[Answered]) -> list[Piece]:
        """Return the part of a row that the rules look at, with what speaks for and against it."""
        ...
