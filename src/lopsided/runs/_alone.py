"""Units in a process of their own, which may die of one, or be ended because of one."""

import os
import signal
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from lopsided._wording import format_duration
from lopsided.runs._perform import perform
from lopsided.runs._reasons import TOO_SLOW
from lopsided.runs._results import UnitRecord
from lopsided.runs._unit import Unit


def do_alone(unit: Unit) -> UnitRecord:
    """Do a unit and return its record; where its process dies, the record says of what.

    Examples
    --------
    >>> do_alone(Unit("math", "sqrt", (16.0,))).text
    '4.0'
    """
    worker = Worker()
    try:
        return worker.do(unit)
    finally:
        worker.end()


class Worker:
    """A process that does units one after the other; after a death the next unit gets a new one.

    Parameters
    ----------
    quiet : bool, default=False
        Whether what units print is lost.

    Examples
    --------
    >>> worker = Worker()
    >>> worker.do(Unit("math", "sqrt", (16.0,))).text
    '4.0'
    >>> worker.do(Unit("time", "sleep", (60,)), limit=0.1).text
    'it took longer than 0 s.'
    >>> worker.end()
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._process: Any = None

    def do(self, unit: Unit, limit: float | None = None) -> UnitRecord:
        """Do a unit and return its record; end the process where that takes longer than so many seconds."""
        start = perf_counter()
        try:
            if self._process is None:
                self._begin()
            self._pipe.send(unit)
            if self._pipe.poll(limit):
                record: UnitRecord = self._pipe.recv()
                return record
            told = f"{TOO_SLOW} {format_duration(limit or 0.0)}."
        except (EOFError, OSError):  # the other end is gone
            self._process.join()
            told = _say_end(self._process.exitcode or 0)
        self.end()
        return UnitRecord("failed", told, perf_counter() - start)

    def kill(self) -> None:
        """End what is being done, from another thread: there it is a unit whose process died."""
        process = self._process
        if process is not None:
            process.kill()

    def end(self) -> None:
        """Let go of the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = None

    def _begin(self) -> None:
        context = get_context("spawn")  # nothing of this process can be what kills it
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._quiet), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()  # it is ready: the time that this took is not the unit's


def _serve(pipe: Connection, quiet: bool) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; who began this ends it
    if quiet:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):  # and not sys.stdout: compiled code prints as well
            os.dup2(nowhere, descriptor)
    with suppress(EOFError, OSError):  # nobody is there any more
        pipe.send("ready")
        while True:
            pipe.send(perform(pipe.recv()))


def _say_end(code: int) -> str:
    if code >= 0:
        return f"the process that did it ended by itself, with exit code {code}."
    name = signal.Signals(-code).name if -code in {s.value for s in signal.Signals} else f"signal {-code}"
    memory = " Perhaps there was not enough memory." if name == "SIGKILL" else ""
    return f"the process that did it was killed by {name}.{memory}"
