"""Two ways of doing the same work, timed in turns."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from threadpoolctl import threadpool_limits

_LONG = 60.0  # seconds: a peer slower than this is run once
_MOST = 300.0  # seconds given to a peer that can be stopped


@dataclass(frozen=True)
class Quality:
    """The quality of both sides, and whether ours is good enough for its speed to count."""

    figures: str
    good: bool


@dataclass(frozen=True)
class Timed:
    """The result of a side that kept the time itself, because not all it did is the work.

    ``stopped`` means that the work was not done by then: the time is a lower bound.
    """

    seconds: float
    result: Any = None
    stopped: bool = False


@dataclass(frozen=True)
class Row:
    """One line of the table: ``ours`` and ``peer`` do the same work.

    ``must`` and ``aim`` are ratios peer / ours (how many times faster we are); None where there is no bar.
    ``quality`` judges what the two sides returned. ``needs`` names packages without which the row is skipped.
    A peer that may take hours has a ``patience``: it is called with a limit in seconds, that many times our
    own time, and stops there.
    """

    name: str
    work: str
    against: str
    ours: Callable[[], Any]
    peer: Callable[..., Any]
    must: float | None = None
    aim: float | None = None
    repeats: int = 5
    quality: Callable[[Any, Any], Quality] | None = None
    needs: tuple[str, ...] = ()
    patience: float | None = None


@dataclass(frozen=True)
class Measured:
    """The fastest of the interleaved runs on each side, in seconds."""

    row: Row
    ours: float
    peer: float
    stopped: bool = False
    """Whether the peer was stopped: then its time, and the ratio, are lower bounds."""
    quality: Quality | None = None

    @property
    def ratio(self) -> float:
        """The time of the peer divided by ours."""
        return self.peer / self.ours

    @property
    def verdict(self) -> str:
        """Whether the ratio reaches the bar, and whether quality was lost for it."""
        worse = "" if self.quality is None or self.quality.good else "but worse"
        return ", ".join(filter(None, [self._speed, worse]))

    @property
    def _speed(self) -> str:
        if self.row.must is None:
            return ""
        if self.ratio < self.row.must:
            return "stopped too early to tell" if self.stopped else "below must"
        return "aim reached" if self.row.aim is not None and self.ratio >= self.row.aim else "must reached"


@dataclass(frozen=True)
class Skipped:
    """A row that could not be measured here, and what is missing."""

    row: Row
    reason: str


def measure(row: Row) -> Measured:
    """Time both sides of a row in turns, with one BLAS thread, and keep the minima.

    Examples
    --------
    >>> from time import sleep
    >>> row = Row("nap", "sleep", "a longer nap", ours=lambda: sleep(0.001), peer=lambda: sleep(0.02))
    >>> measure(row).ratio > 2
    True
    """
    ours: list[Timed] = []
    peer: list[Timed] = []
    with threadpool_limits(1):
        row.ours()  # warm up: imports, reading data and first-touch costs are not the work
        for _ in range(row.repeats):
            ours.append(_timed(row.ours))
            if not peer or peer[0].seconds < _LONG:
                limit = () if row.patience is None else (min(row.patience * ours[0].seconds, _MOST),)
                peer.append(_timed(row.peer, *limit))
            elif sum(timed.seconds for timed in ours) > _LONG:
                break  # a shorter minimum of ours would only raise the ratio
        quality = None if row.quality is None else row.quality(ours[-1].result, peer[-1].result)
    fastest = min(peer, key=lambda timed: timed.seconds)
    return Measured(row, min(t.seconds for t in ours), fastest.seconds, fastest.stopped, quality)


def _timed(work: Callable[..., Any], *arguments: Any) -> Timed:
    start = perf_counter()
    result = work(*arguments)
    seconds = perf_counter() - start
    return result if isinstance(result, Timed) else Timed(seconds, result)
