"""The oracle of active learning: a function that returns labels, whose answers are checked one by one."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lopsided._labels import as_labels


class Oracle:
    """Ask a function for the label of one row at a time.

    Parameters
    ----------
    ask : callable
        Gets an array of row numbers and returns their labels.

    Examples
    --------
    >>> oracle = Oracle(lambda rows: ["ham" if row else "spam" for row in rows])
    >>> oracle(0), oracle(7)
    ('spam', 'ham')
    """

    def __init__(self, ask: Callable[..., ArrayLike]) -> None:
        self._ask = ask
        self._first: Any = None  # the first label, which says how labels are spelled

    def __call__(self, row: int) -> Any:
        """Return the label of a row; refuse an answer that is none, or is spelled unlike the first."""
        answer = np.asarray(self._ask(np.array([row])))
        if answer.size != 1:
            raise ValueError(
                f"the oracle was asked about 1 row and returned {answer.size} labels. Return one a row."
            )
        given = answer.ravel()[0]
        try:
            label = as_labels([given], "the oracle's answer")[0]
        except ValueError as error:
            raise ValueError(f"the oracle returned {given!r} for row {row}: {error}") from None
        label = label.item() if isinstance(label, np.generic) else label
        if not isinstance(label, (str, bytes, int, float)):
            raise ValueError(f"the oracle returned {given!r} for row {row}; expected text or a number.")
        if self._first is None:
            self._first = label
        if _kind(label) is not _kind(self._first):
            raise ValueError(
                f"the oracle returned {label!r} for row {row} after labels such as {self._first!r}. "
                "Spell all labels the same way."
            )
        return label


def _kind(label: Any) -> type:
    return type(label) if isinstance(label, (str, bytes)) else float
