"""The schedule of a fit: what is learned next, until when, and how often it is repeated."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.rows import Rows
from lopsided.svm._machines import Machines
from lopsided.svm._record import LabelRecord
from lopsided.svm._selection import fixed_order

_CHUNK = 1024  # rows learned between two moments at which Ctrl-C is heard and progress is shown
_MOST_EPOCHS = 1000  # of n_epochs="converge"


class Schedule(Protocol):
    """Says which labels are read next, and learns them.

    `FixedSchedule` reads them in a fixed order, `ActiveSchedule` where they teach most.
    """

    machines: Machines | None
    """What was learned; None until two classes are known."""
    classes: NDArray[Any]
    """The classes, sorted; there once two are known."""

    @property
    def most_labels(self) -> int:
        """The most labels it will read."""

    @property
    def n_labels(self) -> int:
        """Labels read so far."""

    def learn_next(self) -> None:
        """Read the next label, or the next few, and learn them."""

    def reason_to_stop(self) -> str | None:
        """Return why no further label is needed or to be had, or None."""

    def end(self) -> str | None:
        """Complete the machines once no label is to come; return a warning, or None."""

    def record(self) -> LabelRecord:
        """Return what has happened so far, complete or not."""

    def codes_and_bounds(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return class and C of every row; -1 and 0 where the label was not read."""


class FixedSchedule:
    """Rows in their own or in random order, all of them or the first ``max_labels``.

    Parameters
    ----------
    rows : Rows
        All rows.
    classes : array
        The classes, sorted.
    codes : int array
        The class of each row, as its place in ``classes``.
    bounds : array
        C of each row. A row of 0 counts as absent.
    machines : Machines
        They learn the rows.
    shuffled : bool
        Whether the order is random.
    max_labels : int or None
        The most rows to learn.
    rng : Generator
        Draws the order.
    """

    def __init__(
        self,
        rows: Rows,
        classes: NDArray[Any],
        codes: NDArray[np.intp],
        bounds: NDArray[np.float64],
        machines: Machines,
        *,
        shuffled: bool,
        max_labels: int | None,
        rng: np.random.Generator,
    ) -> None:
        self.machines: Machines | None = machines
        self.classes = classes
        self._rows, self._codes, self._bounds, self._machines = rows, codes, bounds, machines
        kept = np.flatnonzero(bounds)
        self._order = kept[fixed_order(codes[kept], len(classes), shuffled, max_labels, rng)]
        self._reason = "exhausted" if len(self._order) == len(kept) else "max_labels"
        self._record = LabelRecord()
        self._record.add_rows(codes)

    @property
    def most_labels(self) -> int:
        """The most labels it will read."""
        return len(self._order)

    @property
    def n_labels(self) -> int:
        """Labels read so far."""
        return self._record.n_labels

    def learn_next(self) -> None:
        """Learn the next chunk of rows."""
        chunk = self._order[self.n_labels : self.n_labels + _CHUNK]
        codes, bounds = self._codes[chunk], self._bounds[chunk]
        learn_in_order(self._machines, self._record, self._rows, chunk, chunk, codes, bounds)

    def reason_to_stop(self) -> str | None:
        """Return "exhausted" or "max_labels" after the last row, else None."""
        return self._reason if self.n_labels >= self.most_labels else None

    def end(self) -> None:
        """Do nothing: the classes are known beforehand."""

    def record(self) -> LabelRecord:
        """Return what has happened so far, complete or not."""
        return self._record

    def codes_and_bounds(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return class and C of every row."""
        return self._codes, self._bounds


def learn_in_order(
    machines: Machines,
    record: LabelRecord,
    rows: Rows,
    chosen: NDArray[np.int64],
    numbers: NDArray[np.int64],
    codes: NDArray[np.intp],
    bounds: NDArray[np.float64],
) -> None:
    """PROCESS the chosen rows and record them by their numbers, up to the row that raised if one did."""
    try:
        machines.learn(rows, chosen, numbers, codes, bounds)
    finally:
        record.add_labels(numbers[: len(machines.learned["dual_gap"])], **machines.learned)


class Finished(NamedTuple):
    """The state of the machines after FINISH: how far they are from their optimum."""

    dual_gap: float
    converged: bool
    complaint: str | None  # for a ConvergenceWarning


def finish(machines: Machines) -> Finished:
    """FINISH: optimise on the expansion."""
    stopped = machines.finish()
    gap = machines.expansion_gap
    complaint = f"FINISH stopped {stopped}, duality gap {gap:.3g}. Scale the features, lower C or raise tol."
    converged = stopped is None and all(machines.is_ready)
    return Finished(gap, converged, None if stopped is None else complaint)


def run_epochs(
    machines: Machines,
    rows: Rows,
    read: NDArray[np.int64],
    codes: NDArray[np.intp],
    bounds: NDArray[np.float64],
    n_epochs: int | str,
) -> Finished:
    """Run the further epochs over the rows whose labels were read, then FINISH."""
    if n_epochs == "converge":
        return _converge(machines, rows, read, codes, bounds)
    for _ in range(int(n_epochs) - 1):
        for first in range(0, len(read), _CHUNK):
            machines.learn_again(rows, read[first : first + _CHUNK], codes, bounds)
    return finish(machines)


def _converge(
    machines: Machines,
    rows: Rows,
    read: NDArray[np.int64],
    codes: NDArray[np.intp],
    bounds: NDArray[np.float64],
) -> Finished:
    """FINISH and take in what violates the conditions, until nothing does on all labelled rows."""
    gap = np.inf
    for _ in range(_MOST_EPOCHS):
        finished = finish(machines)
        n_violators, gap = machines.admit_violators(rows, read, codes, bounds)
        if n_violators == 0 or finished.complaint:
            return finished._replace(dual_gap=gap)
    complaint = (
        f"n_epochs='converge' stopped after {_MOST_EPOCHS} epochs, duality gap {gap:.3g}. "
        "Scale the features, or lower C, or raise tol."
    )
    return Finished(gap, False, complaint)
