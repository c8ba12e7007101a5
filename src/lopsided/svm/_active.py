"""The schedule of active learning: one label at a time, of the unseen row nearest to the border."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.rows import Rows
from lopsided.svm._costs import ClassCosts
from lopsided.svm._machines import HISTORY, Machines
from lopsided.svm._record import LabelRecord
from lopsided.svm._selection import NO_ROWS, AllUnseen, Chooser, RandomPool
from lopsided.svm._stopping import LastLabel, StoppingRule, UnseenScores, stopping_rule

_MOST_DRIFT = 1.1  # factor by which costs in use may differ from those of the labels read so far


class ActiveSchedule:
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
        The rows whose labels may be read.
    read : callable
        Returns the label of the row whose number it gets.
    classes : list
        The classes that are known before a label is read; empty where an oracle is asked.
    weights : array or None
        The weight of each row.
    new_machines : callable
        Makes the machines of so many classes.
    costs : ClassCosts
        C of each class.
    selection : {"active", "exhaustive"}
        Whether the candidate is the closest of ``pool_size`` random ones, or of all.
    pool_size : int
        Size of a random pool.
    stopping : {"saturation", "margin"} or None
        The rule by which a machine needs no further label.
    tol : float
        Tolerance of the machines, which is that of the margin as well.
    most_labels : int
        The most labels to read.
    rng : Generator
        Draws the pools.
    first : int array
        Rows whose labels are read before all others, in this order.

    Attributes
    ----------
    known : list
        Classes in the order in which they were first seen.
    machines : Machines or None
        What was learned; None until two classes are known.
    classes : array
        The classes, sorted; there once two are known.
    """

    classes: NDArray[Any]

    def __init__(
        self,
        rows: Rows,
        candidates: NDArray[np.intp],
        read: Callable[[int], Any],
        classes: list[Any],
        weights: NDArray[np.float64] | None,
        *,
        new_machines: Callable[[int], Machines],
        costs: ClassCosts,
        selection: str,
        pool_size: int,
        stopping: str | None,
        tol: float,
        most_labels: int,
        rng: np.random.Generator,
        first: NDArray[np.int64] = NO_ROWS,
    ) -> None:
        self._rows, self._read, self._weights = rows, read, weights
        self._new_machines, self._class_costs = new_machines, costs
        self.most_labels = most_labels
        searches_all = selection == "exhaustive"
        # A generator of its own, so that asking takes the same course with and without a stop.
        glances = np.random.default_rng(int(rng.integers(2**63)))
        self._first = first
        others = candidates[~np.isin(candidates, first)] if len(first) else candidates
        self._chooser: Chooser = (
            AllUnseen(others, rng) if searches_all else RandomPool(others, pool_size, rng)
        )
        self._unseen = UnseenScores(rows, self._chooser, glances)
        self._stopping, self._tol, self._searches_all = stopping, tol, searches_all
        self._rules: list[StoppingRule] = []
        self._stopped: list[bool] = []
        self.machines: Machines | None = None
        self.known: list[Any] = []
        self._asked: list[int] = []
        self._answers: list[Any] = []
        self._n_read: Counter[Any] = Counter()
        self._history: dict[str, list[Any]] = {name: [] for name in (*HISTORY, "distance")}
        if classes:
            self._learn_classes(classes)

    @property
    def n_labels(self) -> int:
        """Labels read so far."""
        return len(self._asked)

    def learn_next(self) -> None:
        """Choose a row, read its label, learn it."""
        place, distance, distances = 0, np.nan, list[float | None]()
        asking = self._who_asks()
        if self.n_labels < len(self._first):
            row, given, asking = int(self._first[self.n_labels]), True, [False] * len(asking)
        else:
            candidates, given = self._chooser.candidates(), False
            if self.machines is not None and any(asking):
                place, distance, found = self.machines.closest(self._rows, candidates, asking)
                distances = [d if asks else None for d, asks in zip(found, asking, strict=True)]
            row = int(candidates[place])
        probed = self._probe(row, at_random=not given and not any(asking))
        label = self._read(row)
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
        self._judge(distances, probed)

    def reason_to_stop(self) -> str | None:
        """Return why no further label is needed or to be had, or None."""
        if self._stopped and all(self._stopped):
            return self._stopping
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
        self.machines.predict_only(self._code[label])
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

    # learning

    def _learn_classes(self, known: list[Any]) -> None:
        """Build the machines for these classes and repeat all labels read so far."""
        self.known = known
        if len(known) < 2:
            return
        self.classes = np.unique(known)
        self._names = self.classes.tolist()
        self._code = {label: code for code, label in enumerate(self._names)}
        machines = self._learn_anew()
        self._stopped = [False] * len(machines.machines)
        weighted = self._class_costs.balanced or len(set(self._costs)) > 1
        self._rules = [
            stopping_rule(self._stopping, self._tol, self._searches_all, weighted) for _ in self._stopped
        ]

    def _learn_anew(self) -> Machines:
        """Make new machines at the costs of today, and let them learn all labels read so far."""
        self._costs = self._class_costs.after(self.classes, self._n_read)
        self.machines = self._new_machines(len(self.classes))
        codes, bounds = self.codes_and_bounds()
        asked = np.array(self._asked, dtype=np.int64)
        asked = asked[bounds[asked] > 0]
        self.machines.learn(self._rows, asked, asked, codes[asked], bounds[asked])
        return self.machines

    def _costs_have_moved(self, most: float) -> bool:
        """Return whether the costs of a class differ by more than a factor from those in use."""
        if self.machines is None or not self._class_costs.balanced:
            return False
        now = self._class_costs.after(self.classes, self._n_read)
        return bool(np.any(np.maximum(now, self._costs) > most * np.minimum(now, self._costs)))

    def _bound(self, row: int, label: Any) -> float:
        weight = 1.0 if self._weights is None else self._weights[row]
        return float(self._costs[self._code[label]] * weight)

    def _note(self, distance: float) -> None:
        if self.machines is None:
            counts: tuple[float, ...] = (0, 0, np.inf)
        else:
            counts = (*self.machines.n_support, self.machines.expansion_gap)
        for name, value in zip(self._history, (*counts, distance), strict=True):
            self._history[name].append(value)

    # stopping

    def _who_asks(self) -> list[bool]:
        """Return which machines choose the next row: those that have a border, and do not probe."""
        if self.machines is None:
            return []
        ready = self.machines.is_ready
        return [
            ready[k] and not self._stopped[k] and not rule.is_probing for k, rule in enumerate(self._rules)
        ]

    def _probe(self, row: int, *, at_random: bool) -> dict[int, float]:
        """Return f of a random row for the machines that probe, before its label is known."""
        if self.machines is None or not at_random:
            return {}
        return {
            k: float(machine.scores(self._rows, np.array([row]))[0])
            for k, machine in enumerate(self.machines.machines)
            if self._rules[k].is_probing
        }

    def _judge(self, distances: list[float | None], probed: dict[int, float]) -> None:
        """Note which machines need no further label."""
        if self._stopping is None or self.machines is None:
            return
        for k, rule in enumerate(self._rules):
            if self._stopped[k]:
                continue
            positive = self.machines.positive[k]
            last = LastLabel(
                self.machines.machines[k],
                is_positive=self._code[self._answers[-1]] == positive,
                distance=distances[k] if k < len(distances) else None,
                probed=probed.get(k),
                n_labels=self.n_labels,
                n_positive=self._n_read[self._names[positive]],
            )
            self._stopped[k] = rule.is_over(last, self._unseen)
