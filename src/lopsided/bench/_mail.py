"""T7b, resident: the mail filter as a service, asked through its socket and told what was ham and spam."""

import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.bench._measure import Quality, Row, Timed
from lopsided.mail._sockets import address_of
from lopsided.problems.mail import read_mail

_WANTED = 3_000  # messages a second
_MANY = 32


class Replayed(NamedTuple):
    """The time a stream took through the service."""

    seconds: float
    processor: float | None
    """Seconds of processor time of the service, where the system tells; the better figure if it is busy."""
    n_messages: int
    n_labels: int

    @property
    def figures(self) -> str:
        """Messages a second, and the service's processor time for each."""
        told = f"{self.n_messages / self.seconds:,.0f} messages a second, {self.n_labels:,} labels"
        if self.processor is None:
            return told
        return f"{told}, {1e6 * self.processor / self.n_messages:.0f} us of the service's processor a message"


def rows() -> Iterator[Row]:
    """Yield the rows of the service, which has one thread: one request at a time, and many on their way.

    With labels, what is shown gets one: as many lessons as a stream with one-sided feedback has. Without, the
    second half of the messages is timed, after a first half with labels.
    """
    one_by_one, many = "one by one", f"{_MANY} on their way"
    for name, words, in_flight, told in (
        ("T7b alone", f"messages through the socket, {one_by_one}", 1, False),
        ("T7b one", f"messages and their labels through the socket, {one_by_one}", 1, True),
        ("T7b many", f"messages and their labels through the socket, {many}", _MANY, True),
    ):
        yield Row(
            name,
            f"SpamAssassin's {words}",
            f"{_WANTED:,} messages a second",
            ours=partial(_ours, in_flight, told),
            peer=partial(_wanted, told),
            must=1,
            aim=10_000 / _WANTED,
            quality=lambda ours, _: Quality(ours.figures, True),
        )


def _wanted(told: bool) -> Timed:
    n = len(read_mail("spamassassin").messages)
    return Timed((n if told else n - n // 2) / _WANTED)


def _ours(in_flight: int, told: bool) -> Timed:
    mail = read_mail("spamassassin")
    n_before = 0 if told else len(mail.y) // 2
    replayed = replay(mail.heads, mail.y, in_flight, n_before, told)
    return Timed(replayed.seconds, replayed)


def replay(
    messages: list[bytes], y: NDArray[np.intp], in_flight: int, n_before: int = 0, told: bool = True
) -> Replayed:
    """Send a stream through a service of its own, with a fresh state.

    Its start is not timed, nor are the first ``n_before`` messages, which get labels in any case.
    """
    with TemporaryDirectory() as folder:
        path = Path(folder, "socket")
        options = ["--socket", str(path), "--states", str(Path(folder, "states"))]
        with subprocess.Popen(
            [sys.executable, "-m", "lopsided", "filter", "serve", *options], stdout=subprocess.PIPE
        ) as service:
            try:
                assert service.stdout is not None
                service.stdout.readline()  # it is ready
                with socket.socket(socket.AF_UNIX) as asked, asked.makefile("rb") as answers:
                    with address_of(path) as address:
                        asked.connect(address)
                    asked.sendall(b"check warm 0\n")
                    answers.readline()
                    _send(messages[:n_before], y[:n_before], _MANY, True, asked, answers)
                    start, used = perf_counter(), _processor(service.pid)
                    n_labels = _send(messages[n_before:], y[n_before:], in_flight, told, asked, answers)
                    seconds, after = perf_counter() - start, _processor(service.pid)
                    processor = None if used is None or after is None else after - used
                    return Replayed(seconds, processor, len(messages) - n_before, n_labels)
            finally:
                service.terminate()


def _send(
    messages: list[bytes],
    y: NDArray[np.intp],
    in_flight: int,
    told: bool,
    service: socket.socket,
    answers: IO[bytes],
) -> int:
    """Keep so many requests on their way, and return the number of labels that were sent."""
    waiting: deque[int | None] = deque()  # the message that an answer is about; None for a lesson
    todo = enumerate(messages)
    n_labels, out = 0, b""
    while True:
        while len(waiting) < in_flight and (one := next(todo, None)) is not None:
            out += b"check anna %d\n%b" % (len(one[1]), one[1])
            waiting.append(one[0])
        if not waiting:
            return n_labels
        if out:
            service.sendall(out)
            out = b""
        answer, i = answers.readline(), waiting.popleft()
        if told and i is not None and answer.startswith(b"show;"):
            out += b"learn anna %b %b" % (b"ham" if y[i] else b"spam", answer.rpartition(b"id=")[2])
            waiting.append(None)
            n_labels += 1
        elif not answer.startswith((b"show;", b"hide;", b"learned")):
            raise OSError(f"the service says: {answer.decode()}")


def _processor(pid: int) -> float | None:
    """Return the processor seconds of a process; None where the system is not Linux."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
