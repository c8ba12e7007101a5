"""How far long work is: a bar on a terminal, a line now and then elsewhere."""

import sys
from contextlib import nullcontext
from time import monotonic
from typing import Any


def progress_bar(wanted: bool, n: int, name: str = "items") -> Any:
    """A context that gives a function to tell how many of n are done; it shows nothing if not wanted.

    Examples
    --------
    >>> with progress_bar(False, 10) as tell:
    ...     tell(3)
    """
    return _Bar(n, name) if wanted else nullcontext(lambda done: None)


class _Bar:
    """Drawn by rich, and gone at the end."""

    def __init__(self, n: int, name: str, done: int = 0) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TaskProgressColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            "{task.description}",
            BarColumn(),
            MofNCompleteColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            speed_estimate_period=3600,  # seconds: what is counted may take minutes
        )
        self._task = self._progress.add_task(name, total=n, completed=done)

    def __enter__(self) -> Any:
        self._progress.start()
        return lambda done: self._progress.update(self._task, completed=done)

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


class WorkProgress:
    """How far work of several parts is: on a terminal a bar with the time left, elsewhere a line a minute.

    Examples
    --------
    >>> progress = WorkProgress()
    >>> progress.begin("table 1")
    >>> progress.tell(1, 1)
    >>> progress.end()
    """

    def __init__(self, *, seconds_a_line: float = 60.0) -> None:
        self._seconds_a_line = seconds_a_line
        self._bar: _Bar | None = None
        self._n, self._done, self._first = -1, 0, 0
        self._name = ""

    def begin(self, name: str) -> None:
        """A part begins."""
        self.end()
        self._name = name

    def tell(self, done: int, n: int) -> None:
        """So many units of the part are done; it may have several lots of them, one after the other."""
        if n != self._n or done < self._done:
            self.end()
            self._n, self._done, self._first = n, done, done
            self._start = self._told = monotonic()
            if sys.stderr.isatty() and done < n:
                self._bar = _Bar(n, self._name, done)
                self._update = self._bar.__enter__()
        self._done = done
        if self._bar is not None:
            self._update(done)
        elif done < n and monotonic() - self._told >= self._seconds_a_line:
            self._told = monotonic()
            print(f"{self._name}: {done:,} of {n:,} units{self._left()}", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Nothing is shown any more, so that something else can be written."""
        if self._bar is not None:
            self._bar.__exit__()
        self._bar, self._n, self._done = None, -1, 0

    def _left(self) -> str:
        done = self._done - self._first
        if not done:
            return ""
        return f", about {say_time((monotonic() - self._start) / done * (self._n - self._done))} left"


def say_time(seconds: float) -> str:
    """A length of time, roughly.

    Examples
    --------
    >>> say_time(40), say_time(200), say_time(9000)
    ('40 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
