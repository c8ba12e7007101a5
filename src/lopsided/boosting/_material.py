"""What rules are learned from: rows as boosters take them, and questions as people read them."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Piece = tuple[str, str]  # text, and what it speaks: "for", "against" or nothing ("")


class Asked(NamedTuple):
    """A question about a row, put in words."""

    feature: str
    """The stem or the column that is looked at."""
    threshold: float | str | None
    """Where a number is compared with one; a date as it is written."""
    yes: str
    """The statement that holds where the answer is yes."""
    no: str
    """The statement that holds where the answer is no."""
    words: tuple[str, ...]
    """Spellings of the word, the most common first; none for a column."""
    answers: NDArray[np.bool_]
    """The answer for each row."""


class Condition(NamedTuple):
    """A question, and the answer that speaks for the positives."""

    asked: Asked
    says_yes: bool

    @property
    def text(self) -> str:
        """The condition in words."""
        return self.asked.yes if self.says_yes else self.asked.no

    @property
    def holds(self) -> NDArray[np.bool_]:
        """Whether the condition holds for each row."""
        return self.asked.answers if self.says_yes else ~self.asked.answers


class Material(Protocol):
    """Rows to learn from, and the words for what is learned."""

    stumps: str
    """What a booster asks of ``X``: presence or threshold."""
    X: Any
    """The rows to learn from, without missing values."""

    def question(self, feature: int, threshold: float | None) -> Asked:
        """What a booster's question means, and its answer for all rows."""
        ...

    def show(self, row: int, conditions: list[Condition]) -> list[Piece]:
        """The part of a row that the rules look at, with what speaks for and against it."""
        ...
