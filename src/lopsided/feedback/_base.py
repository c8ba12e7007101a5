"""The base of the filters of labels and of values: rounds, the gate, and the answers that may still come."""

from abc import ABC, abstractmethod
from copy import deepcopy
from threading import RLock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._stored import Check, an_estimator, made_again, numbers, whole
from lopsided._validation import as_generator
from lopsided.feedback._decision import Decision
from lopsided.feedback._explorers import Explorer, an_explorer
from lopsided.feedback._gate import Gate, Settlement
from lopsided.feedback._input import squared_norms
from lopsided.feedback._missed import MissedEstimate, missed_from_sums

REMEMBERED = 100_000  # rounds for which feedback is taken: one byte each
HIDDEN, OPEN = 0, 1  # status of a round; further numbers say that feedback came


class GatedFilter(ABC):
    """A learner behind a gate, and a status for each of the last rounds.

    A subclass calls `_begin_rounds` in its ``__init__``, and makes its gate by `_make_gate`.
    """

    _answer: ClassVar[str]  # what comes back: a label or a value
    _stored: ClassVar[dict[str, Check]] = {
        "learner": an_estimator,
        "explorer": an_explorer,
        "n_repeated": whole(),
        "n_corrected": whole(),
        "_status": numbers(REMEMBERED, dtype=np.int8, low=HIDDEN),
        "_gate": made_again(Gate),
        "_lock": made_again(type(RLock())),
    }

    learner: Any
    explorer: Explorer | None

    @property
    def n_rounds(self) -> int:
        """Number of items decided about."""
        return self._gate.n_rounds

    @property
    def n_labels(self) -> int:
        """Number of answers that came back, each counted once."""
        return self._gate.n_labels

    @property
    def n_explored(self) -> int:
        """Number of items shown by chance."""
        return self._gate.n_explored

    def missed(self, confidence: float = 0.95) -> MissedEstimate:
        """Estimate how many positives are among the hidden items, as far as the explored ones can tell.

        Where values are learned, an item is positive if it is worth the threshold. Explored items whose
        answer has not come back count as negative.

        Parameters
        ----------
        confidence : float, default=0.95
            Confidence of the interval.

        Returns
        -------
        estimate : MissedEstimate
        """
        with self._lock:
            total, variance, n_found, largest, n_hidden = self._gate.sums
            return missed_from_sums(
                total, variance, largest, n_found, self._gate.n_unreachable, confidence, n_hidden=n_hidden
            )

    @abstractmethod
    def _make_gate(self, seed: int) -> Gate:
        """Return a gate that has counted nothing."""

    @abstractmethod
    def _scores(self, rows: Any) -> NDArray[np.float64]:
        """Return a score of each row; 0 or more is shown."""

    def _begin_rounds(self, random_state: Any, *, started: bool) -> None:
        self._gate = self._make_gate(int(as_generator(random_state).integers(2**63)))
        if started:
            self._gate.begin()
        self._lock = RLock()
        self._status = np.zeros(REMEMBERED, dtype=np.int8)
        self.n_repeated = self.n_corrected = 0

    def _decide(self, rows: Any, *, explores: bool = True) -> Decision:
        """Decide about checked rows; the rounds are not remembered yet."""
        first = self._gate.n_rounds
        show, explored, score, probability = self._judge(rows, explores=explores)
        return Decision(show, explored, score, probability, np.arange(first, self._gate.n_rounds))

    def _judge(self, rows: Any, *, explores: bool) -> tuple[NDArray[Any], ...]:
        """Return whether checked rows are shown, whether they are explored, scores and probabilities."""
        scores = self._scores(rows)
        norms = squared_norms(rows) if self._gate.needs_norms else np.empty(0)
        show, explored, probability = self._gate.judge(scores, norms, explores)
        return show, explored, scores, probability

    def _remember(self, first: int, status: NDArray[Any]) -> None:
        """Note the status of the rounds from ``first`` on; only the last are remembered."""
        kept = slice(max(0, len(status) - REMEMBERED), None)
        self._status[np.arange(first, first + len(status))[kept] % REMEMBERED] = status[kept]

    def _count(self, settled: Settlement) -> None:
        self.n_repeated += settled == "again"
        self.n_corrected += settled == "corrected"

    def _check_decision(self, decision: Decision | None, answers: ArrayLike) -> bool:
        """Return whether there is anything to learn; raise a ValueError for what is no decision."""
        if not (decision is None or isinstance(decision, Decision)):
            raise ValueError(
                f"decision must be what decide returned, or None; got {type(decision).__name__}."
            )
        # Nothing of a batch was shown: a server's usual case.
        return bool(len(np.atleast_1d(np.asarray(answers))) or (decision is not None and len(decision)))

    def _check_shown(self, number: NDArray[np.int64]) -> None:
        """Raise a ValueError if answers cannot have come back for the items of these rounds."""
        for bad, why in (
            ((number < 0) | (number >= self.n_rounds), "was never decided about by this filter"),
            (
                number < self.n_rounds - REMEMBERED,
                f"is older than the last {REMEMBERED:,} rounds; its feedback has expired",
            ),
            (
                self._status[number % REMEMBERED] == HIDDEN,
                f"was not shown, so its {self._answer} cannot have come back. Leave decision out for "
                f"{self._answer}s from elsewhere",
            ),
        ):
            if bad.any():
                raise ValueError(f"item {number[bad][0]} {why}. Nothing was learned.")

    def __getstate__(self) -> dict[str, Any]:
        # Copies, taken while nobody else decides or learns: what is written later is of one moment.
        with self._lock:
            state = self.__dict__ | {"learner": deepcopy(self.learner), "_status": self._status.copy()}
            state["_gate"] = self._gate.state()
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: value for name, value in state.items() if name != "_gate"})
        self._lock = RLock()
        self._gate = self._make_gate(0)
        self._gate.restore(state["_gate"])
