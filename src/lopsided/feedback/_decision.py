"""The decision of a filter about some items, with all that is needed to learn from them later."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._validation import check_same_length

_TYPES = {
    "show": np.bool_,
    "explored": np.bool_,
    "score": np.float64,
    "probability": np.float64,
    "number": np.int64,
}


class ItemDecision(NamedTuple):
    """The decision about one item, without its round."""

    show: bool
    explored: bool
    score: float
    probability: float


@dataclass(frozen=True, eq=False)
class Decision:
    """Decisions about items, one entry for each, in plain arrays that can be kept until the label comes.

    Parameters
    ----------
    show : bool array
        Whether the item is shown.
    explored : bool array
        Whether it is shown by chance, though the hypothesis rejects it.
    score : float array
        f(x) at the time.
    probability : float array
        With which it was shown: 1 where the hypothesis accepts it.
    number : int array
        The round, counted from 0 by the filter that decided.

    Examples
    --------
    >>> decision = Decision([True, False], [False, False], [0.5, -2.0], [1.0, 0.0], [0, 1])
    >>> decision[decision.show].number
    array([0])
    """

    show: NDArray[np.bool_]
    explored: NDArray[np.bool_]
    score: NDArray[np.float64]
    probability: NDArray[np.float64]
    number: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name, dtype in _TYPES.items():
            object.__setattr__(self, name, np.atleast_1d(np.asarray(getattr(self, name), dtype=dtype)))
        check_same_length(**{name: len(getattr(self, name)) for name in _TYPES})
        p = self.probability
        if not (
            np.isfinite(self.score).all() and ((p >= 0) & (p <= 1)).all() and (p[self.explored] > 0).all()
        ):
            raise ValueError(
                "a decision has finite scores, and probabilities from 0 to 1 (above 0 where it explored). "
                "Pass what decide returned."
            )

    def __len__(self) -> int:
        return len(self.show)

    def __getitem__(self, which: int | slice | ArrayLike) -> "Decision":
        """Return some of the items: a number, a slice, a mask or an array of numbers."""
        chosen: Any = [which] if isinstance(which, (int, np.integer)) else which
        return Decision(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def item(self, i: int) -> ItemDecision:
        """Return the decision about one item.

        Parameters
        ----------
        i : int
            Place of the item in the batch.

        Returns
        -------
        decision : ItemDecision
        """
        return ItemDecision(
            self.show.item(i), self.explored.item(i), self.score.item(i), self.probability.item(i)
        )

    @classmethod
    def join(cls, decisions: Iterable["Decision"]) -> "Decision":
        """Return several decisions as one, for feedback that comes in a batch.

        Parameters
        ----------
        decisions : iterable of Decision

        Returns
        -------
        decision : Decision
        """
        parts = list(decisions)
        for part in parts:
            if not isinstance(part, Decision):
                raise ValueError(f"join takes several decisions; got one of type {type(part).__name__}.")
        if not parts:
            return cls(*(np.empty(0, dtype) for dtype in _TYPES.values()))
        return cls(*(np.concatenate([getattr(d, field.name) for d in parts]) for field in fields(cls)))
