"""Two ways of doing the same work, timed in turns."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from threadpoolctl import threadpool_limits

_LONG = 60.0  # seconds: a peer slower than this is run once, and its time is a lower bound


@dataclass(frozen=True)
class Row:
    """One line of the table: ``ours`` and ``peer`` do the same work.

    ``must`` and ``aim`` are ratios peer / ours (how many times faster we are); None where there is no bar.
    """

    name: str
    work: str
    against: str
    ours: Callable[[], Any]
    peer: Callable[[], Any]
    must: float | None = None
    aim: float | None = None
    repeats: int = 5


@dataclass(frozen=True)
class Measured:
    """The fastest of the interleaved runs on each side, in seconds."""

    row: Row
    ours: float
    peer: float

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.peer / self.ours

    @property
    def verdict(self) -> str:
        """Where the ratio stands against the bar."""
        if self.row.must is None:
            return ""
        if self.ratio < self.row.must:
            return "below must"
        return "aim reached" if self.row.aim is not None and self.ratio >= self.row.aim else "must reached"


def measure(row: Row) -> Measured:
    """Time both sides of a row in turns, with one BLAS thread, and keep the minima.

    Examples
    --------
    >>> from time import sleep
    >>> row = Row("nap", "sleep", "a longer nap", ours=lambda: sleep(0.001), peer=lambda: sleep(0.02))
    >>> measure(row).ratio > 2
    True
    """
    ours: list[float] = []
    peer: list[float] = []
    with threadpool_limits(1):
        row.ours()  # warm up: imports and first-touch costs are not the work
        for _ in range(row.repeats):
            ours.append(_seconds(row.ours))
            if not peer or peer[0] < _LONG:
                peer.append(_seconds(row.peer))
    return Measured(row, min(ours), min(peer))


def _seconds(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
