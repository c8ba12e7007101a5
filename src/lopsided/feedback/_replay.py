"""The base of replays of labels and of values: whose answers come back, and what was decided so far."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided.feedback._decision import ItemDecision
from lopsided.terminal import progress_bar


def as_mask(feedback: str | ArrayLike, n: int) -> NDArray[np.bool_] | None:
    """Return for which items the answer comes back; None: for those that are shown.

    Examples
    --------
    >>> as_mask("full", 2)
    array([ True,  True])
    """
    if isinstance(feedback, str):
        if feedback not in ("one-sided", "full"):
            raise ValueError(f"feedback must be 'one-sided', 'full' or a mask; got {feedback!r}.")
        return None if feedback == "one-sided" else np.ones(n, dtype=bool)
    mask = np.asarray(feedback)
    if mask.shape != (n,) or mask.dtype.kind not in "bui" or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"feedback must say True or False for each of {n} items; got an array of {mask.dtype} of shape "
            f"{mask.shape}."
        )
    return np.ascontiguousarray(mask, dtype=bool)


class StreamLog:
    """The answers of a stream, and what was decided about its items so far.

    Parameters
    ----------
    answers : array of shape (n_items,)
        Signs or values.
    revealed : bool array of shape (n_items,) or None
        For which items the answer comes back; None: for those that are shown.
    """

    def __init__(self, answers: NDArray[Any], revealed: NDArray[np.bool_] | None) -> None:
        n = len(answers)
        self.answers, self.revealed = answers, revealed
        self.show, self.explored = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.score, self.probability = np.zeros(n), np.zeros(n)
        self.n_done = self.n_finished = 0  # decided about; and done with, learned or not

    @property
    def explores(self) -> bool:
        """Whether anything is explored: under one-sided feedback only."""
        return self.revealed is None

    def note(self, decision: ItemDecision) -> bool:
        """Keep the decision about the next item; return whether its answer comes back."""
        k = self.n_done
        self.show[k], self.explored[k], self.score[k], self.probability[k] = decision
        self.n_done = k + 1
        return bool(decision.show if self.revealed is None else self.revealed[k])

    def told(self, which: slice) -> NDArray[np.bool_]:
        """Return whose answers came back; not that of a lesson that raised, which can be given again."""
        told = (self.show if self.revealed is None else self.revealed)[which].copy()
        told[max(0, self.n_finished - which.start) :] = False
        return told

    def decided(self, which: slice) -> tuple[NDArray[Any], ...]:
        """Return whether items are shown, whether they are explored, their scores and probabilities."""
        return self.show[which], self.explored[which], self.score[which], self.probability[which]

    def run(self, steps: Iterable[object], report: Callable[[], Any], progress: bool) -> Any:
        """Take all steps, and return the report; an exception gets the report so far."""
        with progress_bar(progress, len(self.answers)) as advance:
            try:
                for _ in steps:
                    advance(self.n_done)
            except BaseException as error:
                error.report = report()  # type: ignore[attr-defined]
                error.add_note(f"The report of the first {self.n_done:,} items is in the exception's .report")
                raise
        return report()
