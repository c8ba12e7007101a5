"""The schedule that asks: one label at a time, from an oracle or from labels that are at hand."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._kernels.rows import Rows
from lopsided._labels import as_labels
from lopsided.svm._machines import HISTORY, Machines
from lopsided.svm._record import LabelRecord
from lopsided.svm._selection import AllUnseen, Chooser, RandomPool
from lopsided.svm._stopping import FEWEST, GLANCE, MarginExhaustion, Saturation, Settling, any_well_inside

_MOST_DRIFT = 1.1  # factor by which costs in use may differ from those of the labels read so far
_NO_ROWS = np.empty(0, dtype=np.int64)


class Asking:
    """A `Schedule` that reads the labels which teach most.

    The rows in ``first`` come first; then rows are drawn at random until two classes have been seen; then
    each next row is the candidate nearest to the border of a machine that has not stopped (one label goes to
    all machines and counts once). When a class shows up for the first time, or the costs of the classes have
    moved away from those in use, the machines are built anew from the labels read so far.

    Parameters
    ----------
    rows : Rows
        All rows.
    candidates : int array
        The rows that may be asked about.
    ask : callable or None
        The oracle: gets an array of row numbers and returns their labels.
    labels : array or None
        The labels of all rows, where there is no oracle.
    weights : array or None
        The weight of each row.
    new_machines : callable
        Makes the machines of so many classes.
    class_costs : callable
        Returns C of each of the classes it gets.
    selection : {"active", "exhaustive"}
        Whether the candidate is the closest of ``pool_size`` random ones, or of all.
    pool_size : int
        Size of a random pool.
    stopping : {"saturation", "margin"} or None
        The rule that ends the asking.
    tol : float
        Tolerance of the machines, which is that of the margin as well.
    most_labels : int
        The most labels to read.
    rng : Generator
        Draws the pools.
    first : int array
        Rows that are asked about before all others, in this order.
    balanced : bool
        Whether the classes weigh the same in total, among the labels read so far.
    """

    def __init__(
        self,
        rows: Rows,
        candidates: NDArray[np.intp],
        ask: Callable[..., ArrayLike] | None,
        labels: NDArray[Any] | None,
        weights: NDArray[np.float64] | None,
        *,
        new_machines: Callable[[int], Machines],
        class_costs: Callable[[NDArray[Any]], NDArray[np.float64]],
        selection: str,
        pool_size: int,
        stopping: str | None,
        tol: float,
        most_labels: int,
        rng: np.random.Generator,
        first: NDArray[np.int64] = _NO_ROWS,
        balanced: bool = False,
    ) -> None:
        self._rows, self._ask, self._labels, self._weights = rows, ask, labels, weights
        self._new_machines, self._class_costs = new_machines, class_costs
        self._stopping, self._tol, self._searches_all = stopping, tol, selection == "exhaustive"
        self.most_labels = most_labels
        self._glances = as_child(
            rng
        )  # of its own, so that asking takes the same course with and without a stop
        self._first, self._balanced = first, balanced
        others = candidates[~np.isin(candidates, first)] if len(first) else candidates
        self._chooser: Chooser = (
            AllUnseen(others, rng) if self._searches_all else RandomPool(others, pool_size, rng)
        )
        self._watched: NDArray[np.int64] | None = None  # rows that are looked at again and again
        self.machines: Machines | None = None
        self._stopped: list[str | None] = []
        self.known: list[Any] = []  # classes in the order in which they were first seen
        self._asked: list[int] = []
        self._answers: list[Any] = []
        self._n_read: Counter[Any] = Counter()
        self._history: dict[str, list[Any]] = {name: [] for name in (*HISTORY, "distance")}
        if labels is not None:
            self._learn_classes(np.unique(labels).tolist())

    @property
    def n_labels(self) -> int:
        """Labels read so far."""
        return len(self._asked)

    def learn_next(self) -> None:
        """Choose a row, read its label, learn it."""
        place, distance, distances = 0, np.nan, list[float]()
        asking = self._who_asks()
        if self.n_labels < len(self._first):
            row, given, asking = int(self._first[self.n_labels]), True, [False] * len(asking)
        else:
            candidates, given = self._chooser.candidates(), False
            if self.machines is not None and any(asking):
                place, distance, distances = self.machines.closest(self._rows, candidates, asking)
            row = int(candidates[place])
        probed = self._probe(row, at_random=not given and not any(asking))
        label = self._answer(row)
        if not given:
            self._chooser.take(place)
        self._asked.append(row)
        self._answers.append(label)
        self._n_read[label] += 1
        try:
            if label not in self.known:
                self._learn_classes([*self.known, label])
            elif self._costs_have_moved(_MOST_DRIFT):
                self._learn_anew()
            elif self.machines is not None:
                bound = self._bound(row, label)
                if bound > 0:
                    self.machines.learn_one(self._rows, row, row, self._code[label], bound)
        finally:  # a label that was read counts, whatever a kernel function does
            self._note(distance)
        self._judge(asking, distances, probed)

    def reason_to_stop(self) -> str | None:
        """Return why no further label is needed or to be had, or None."""
        if self._stopped and all(self._stopped):
            return self._stopped[0]
        if self._chooser.left == 0 and self.n_labels >= len(self._first):
            return "exhausted"
        return "max_labels" if self.n_labels >= self.most_labels else None

    def end(self) -> str | None:
        """Bring the costs up to date; return a warning where all labels read are of one class."""
        if self.machines is not None and any(self.machines.is_ready):
            if self._costs_have_moved(1.0):
                self._learn_anew()
            return None
        if self.machines is None:  # an oracle that has named one class
            self.machines, self.classes = self._new_machines(2), np.array(self.known)
            self._code, self._costs = {self.known[0]: 0}, np.ones(1)
        learned = (a for r, a in zip(self._asked, self._answers, strict=True) if self._bound(r, a) > 0)
        label = next(learned, self._answers[-1])
        seen = self._code[label]
        for machine, positive in zip(self.machines.machines, self.machines.positive, strict=True):
            machine.set_offset(1.0 if seen == positive else -1.0)
        return (
            f"all {self.n_labels} labels read were of one class (or of weight 0): {label!r} is "
            "predicted for every row. Find one row of another class by what you know of it, and fit again "
            "with its number in first=; queried_ has the rows that need not be looked at."
        )

    def record(self) -> LabelRecord:
        """Return what has happened so far, complete or not."""
        record = LabelRecord()
        if self.machines is not None:
            record.add_rows(self.codes_and_bounds()[0])
        record.add_labels(self._asked, **self._history)
        return record

    def codes_and_bounds(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return class and C of every row; -1 and 0 where the label was not read."""
        codes, bounds = np.full(self._rows.n_rows, -1, dtype=np.intp), np.zeros(self._rows.n_rows)
        codes[self._asked] = [self._code[label] for label in self._answers]
        bounds[self._asked] = [self._bound(r, a) for r, a in zip(self._asked, self._answers, strict=True)]
        return codes, bounds

    def _answer(self, row: int) -> Any:
        if self._ask is None:
            assert self._labels is not None
            return self._labels[row].item()
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
        if self.known and _kind(label) is not _kind(self.known[0]):
            raise ValueError(
                f"the oracle returned {label!r} for row {row} after labels such as {self.known[0]!r}. "
                "Spell all labels the same way."
            )
        return label

    def _learn_classes(self, known: list[Any]) -> None:
        """Build the machines for these classes and repeat all labels read so far."""
        self.known = known
        if len(known) < 2:
            return
        self.classes = np.unique(known)
        self._code = {label: code for code, label in enumerate(self.classes.tolist())}
        self._learn_anew()
        assert self.machines is not None
        self._stopped = [None] * len(self.machines.machines)
        rule = Saturation if len(set(self._costs)) == 1 and not self._balanced else Settling
        self._saturations: list[Saturation | Settling] = [rule() for _ in self._stopped]
        self._rarer_is_positive = [True] * len(self._stopped)
        self._margins = [MarginExhaustion(self._tol, self._searches_all) for _ in self._stopped]

    def _learn_anew(self) -> None:
        """Make new machines at the costs of today, and let them learn all labels read so far."""
        self._costs = self._costs_now()
        self.machines = self._new_machines(len(self.classes))
        codes, bounds = self.codes_and_bounds()
        asked = np.array(self._asked, dtype=np.int64)
        asked = asked[bounds[asked] > 0]
        self.machines.learn(self._rows, asked, asked, codes[asked], bounds[asked])

    def _costs_now(self) -> NDArray[np.float64]:
        costs = self._class_costs(self.classes)
        if not self._balanced:
            return costs
        counts = np.array([max(1, self._n_read[label]) for label in self.classes.tolist()])
        return costs * counts.sum() / (len(counts) * counts)

    def _costs_have_moved(self, most: float) -> bool:
        """Return whether the costs of a class differ by more than a factor from those in use."""
        if self.machines is None or not self._balanced:
            return False
        now = self._costs_now()
        return bool(np.any(np.maximum(now, self._costs) > most * np.minimum(now, self._costs)))

    def _bound(self, row: int, label: Any) -> float:
        weight = 1.0 if self._weights is None else self._weights[row]
        return float(self._costs[self._code[label]] * weight)

    def _who_asks(self) -> list[bool]:
        if self.machines is None:
            return []
        ready = self.machines.is_ready
        return [
            ready[k] and not self._stopped[k] and not self._saturations[k].is_probing
            for k in range(len(self._stopped))
        ]

    def _note(self, distance: float) -> None:
        if self.machines is None:
            counts: tuple[float, ...] = (0, 0, np.inf)
        else:
            counts = (*self.machines.n_support, self.machines.expansion_gap)
        for name, value in zip(self._history, (*counts, distance), strict=True):
            self._history[name].append(value)

    def _probe(self, row: int, *, at_random: bool) -> dict[int, float]:
        """Return f of a random row for the machines that probe, before its label is known."""
        if self.machines is None or not at_random:
            return {}
        return {
            k: float(machine.scores(self._rows, np.array([row]))[0])
            for k, machine in enumerate(self.machines.machines)
            if self._saturations[k].is_probing
        }

    def _judge(self, asking: list[bool], distances: list[float], probed: dict[int, float]) -> None:
        """Note which machines need no further label."""
        if self._stopping is None or self.machines is None:
            return
        for k in range(len(self._stopped)):
            if self._stopped[k]:
                continue
            if self._stopping == "margin":
                asked = k < len(asking) and asking[k]
                # One or two positives, atypical ones perhaps, make an empty margin that means nothing.
                if asked and self._margins[k].is_exhausted(distances[k]) and self._n_rarer(k) >= FEWEST:
                    self._stopped[k] = "margin"
            elif self._is_saturated(k, probed.get(k)):
                self._stopped[k] = "saturation"

    def _n_positive(self, k: int) -> int:
        """Return the number of labels read that are positive for a machine."""
        assert self.machines is not None
        return sum(self._code[answer] == self.machines.positive[k] for answer in self._answers)

    def _n_rarer(self, k: int) -> int:
        """Return the number of labels read of the rarer side of a machine."""
        return min(self._n_positive(k), self.n_labels - self._n_positive(k))

    def _look(self, machine: Any, *, same_rows: bool) -> NDArray[np.float64]:
        """Return f of many unseen rows, or of fewer if one of them lies well within the margin.

        With ``same_rows`` always of the same ones, which were unseen when they were first looked at.
        """
        if same_rows:
            if self._watched is None:
                self._watched = self._chooser.sample(GLANCE, self._glances)
            return np.asarray(machine.scores(self._rows, self._watched))
        rows = self._chooser.sample(GLANCE, self._glances)
        scores: list[NDArray[np.float64]] = []
        for first in range(0, len(rows), 256):
            scores.append(machine.scores(self._rows, rows[first : first + 256]))
            if any_well_inside(scores[-1]):
                break
        return np.concatenate(scores) if scores else np.empty(0)

    def _is_saturated(self, k: int, score: float | None) -> bool:
        """Return whether a machine is saturated; ``score`` is f of the last row, if it was a probe."""
        assert self.machines is not None
        machine, saturation = self.machines.machines[k], self._saturations[k]
        if saturation.is_probing and score is None:
            return False  # it waits for its turn: the last row was not a random one
        positive = self._code[self._answers[-1]] == self.machines.positive[k]
        missed = score is not None and positive == self._rarer_is_positive[k] and (score > 0) != positive
        if not saturation.wants_to_look(machine.n_positive + machine.n_negative, missed=missed):
            return False
        if self._n_rarer(k) < FEWEST:
            return False
        n_known = self._n_positive(k)
        scores = self._look(machine, same_rows=saturation.same_rows)
        n_guessed = self._chooser.left * float(np.mean(scores > 0)) if len(scores) else 0.0
        share = (n_known + n_guessed) / (self.n_labels + self._chooser.left)
        self._rarer_is_positive[k] = share <= 0.5
        return saturation.is_done(scores, min(share, 1 - share))


def _kind(label: Any) -> type:
    return type(label) if isinstance(label, (str, bytes)) else float


def as_child(rng: np.random.Generator) -> np.random.Generator:
    """A generator that depends on the state of another and leaves it one number further."""
    return np.random.default_rng(int(rng.integers(2**63)))
