"""The next question of a session: which record it is about, and why it is shown."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._model import Fitted
from lopsided.screening._record import Reason


class Question(NamedTuple):
    """The record to show next.

    Examples
    --------
    >>> Question(row=3, reason="first", score=None, probability=None).row
    3
    """

    row: int
    reason: Reason
    """Why it is shown. "search": it contains the words that were searched for; "first": it was drawn at
    random, because no relevant record is known; "most likely"; "border": its label teaches most; "random
    check": it was drawn from all remaining records, which keeps the estimates honest."""
    score: float | None
    """Signed distance to the border of the model; None without a model."""
    probability: float | None
    """Rough probability that it is relevant; None without a model."""


def ask_about(row: int, reason: Reason, model: Fitted | None) -> Question:
    """Return the question about a record, with what a model says about it."""
    if model is None:
        return Question(int(row), reason, None, None)
    probability = float(model.probability(np.array([row]))[0])
    return Question(int(row), reason, float(model.scores[row]), probability)


def first_left(rows: Sequence[int], left: NDArray[np.intp]) -> int | None:
    """Return the first of some rows that is among those left, which are sorted; None if none is."""
    for row in rows:
        place = int(left.searchsorted(row))
        if place < len(left) and left[place] == row:
            return row
    return None
