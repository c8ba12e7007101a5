"""One-sided feedback, told once: what is shown, which labels teach, and what is counted (Sculley, KDD 2007).

Filters, values and the mail filter decide by `Gate.judge`, take in answers by `Gate.settle`, and labels from
elsewhere by `Gate.admit`. There is one exception: the compiled `replay` repeats ``settle`` for the first
label of an item, since a call into Python at every row would cost more than the row.
`tests/feedback/test_protocol.py` holds both to the same results.
"""

from collections.abc import Callable
from typing import Any, Literal

from lopsided._kernels import online
from lopsided.feedback._decision import ItemDecision
from lopsided.feedback._guard import Guard

Settlement = Literal["learned", "again", "corrected"]


class Gate(online.Gate):
    """Decides what is shown, and settles what comes back.

    A label is positive if it is at least ``threshold``: 1 and -1 stand for two classes, and values are what
    they are.

    Parameters
    ----------
    explorer : str
        "none", "apple-tasting", "label-efficient", "epsilon-greedy" or "softmax".
    parameter : float
        The explorer's beta, epsilon or temperature.
    bias : float
        Items that score -bias or more are shown without a draw.
    waits : bool
        Show everything until the first positive label, and learn no negative label before it.
    guards : bool
        Explore more while the guard is alarmed.
    seed : int
        Seed of the draws.
    only_finds : bool, default=False
        Of the explored items, only positives teach the learner.
    any_teaches : bool, default=False
        Every label teaches the learner, and the first label of any kind ends the wait.
    threshold : float, default=0.0
        Least positive label.

    Examples
    --------
    >>> gate = Gate("none", 0.0, 0.0, waits=True, guards=False, seed=0)
    >>> lessons = []
    >>> shown = ItemDecision(show=True, explored=False, score=0.0, probability=1.0)
    >>> gate.settle(shown, -1, lessons.append)  # a negative label teaches nothing before the first positive
    'learned'
    >>> gate.settle(shown, 1, lessons.append, before=-1)
    'corrected'
    >>> lessons, gate.started
    ([1], True)
    """

    def __init__(
        self,
        explorer: str,
        parameter: float,
        bias: float,
        waits: bool,
        guards: bool,
        seed: int,
        *,
        only_finds: bool = False,
        any_teaches: bool = False,
        threshold: float = 0.0,
    ) -> None:
        self.guard, self.guards = Guard(), guards
        super().__init__(explorer, parameter, bias, waits, self.guard, guards, seed, only_finds)
        self.any_teaches, self.threshold = any_teaches, threshold

    @property
    def is_alarmed(self) -> bool:
        """Whether positives seem to be missed."""
        return self.guards and self.guard.alarmed

    def settle(
        self,
        decision: ItemDecision,
        label: float,
        learn: Callable[[Any], None],
        before: float | None = None,
    ) -> Settlement:
        """Take in the label of an item that was decided about, and teach it if it is a lesson.

        A label that comes a second time changes nothing. Another label than before is a correction, which
        teaches even where the same label would have taught nothing at first.

        Parameters
        ----------
        decision : ItemDecision
        label : float
            1 or -1, or a value.
        learn : callable
            Teaches the label to the learner. If it raises, the label is not counted, and may come again.
        before : float, optional
            The label that came back earlier for this item.

        Returns
        -------
        settlement : {"learned", "again", "corrected"}
            Whether this is the first label of the item, the same as before, or another.
        """
        if label == before:
            return "again"
        sign, explored = self._sign_of(label), decision.explored
        if self.any_teaches or self.teaches(sign, explored and before is None):
            learn(label)
        self._end_wait(sign)
        if before is None:
            self.take_in(decision.score, sign, explored, decision.probability)
            return "learned"
        if sign != self._sign_of(before):
            self.correct(sign, explored, decision.probability)
        return "corrected"

    def admit(self, label: float, learn: Callable[[Any], None], before: float | None = None) -> Settlement:
        """Teach a label from elsewhere: it did not come back for what was shown, and nothing is counted.

        Parameters and result are those of `settle`.
        """
        if label == before:
            return "again"
        learn(label)
        self._end_wait(self._sign_of(label))
        return "learned" if before is None else "corrected"

    def state(self) -> dict[str, Any]:
        """Return everything that was counted, as plain numbers."""
        return super().state() | {"guard": self.guard.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`; raise a ValueError, and stay as before, if it is none."""
        Guard().restore(state["guard"])
        super().restore(state)
        self.guard.restore(state["guard"])

    def forget_guard(self) -> None:
        """Let the guard begin anew."""
        self.guard.restore(Guard().state())

    def _sign_of(self, label: float) -> int:
        return 1 if label >= self.threshold else -1

    def _end_wait(self, sign: int) -> None:
        if sign > 0 or self.any_teaches:
            self.begin()
