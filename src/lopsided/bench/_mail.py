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

from lopsided.bench._measure import Quality, Row, Timed
from lopsided.datasets import fetch_spamassassin

_WANTED = 3_000  # messages a second
_MANY = 32


class Replayed(NamedTuple):
    """How a stream went through the service."""

    seconds: float
    processor: float | None
    """Seconds of processor time of the service, where the system tells; the better figure if it is busy."""
    n_messages: int
    n_labels: int

    @property
    def figures(self) -> str:
        """Messages a second, and what one costs the service."""
        told = f"{self.n_messages / self.seconds:,.0f} messages a second, {self.n_labels:,} labels"
        if self.processor is None:
            return told
        return f"{told}, {1e6 * self.processor / self.n_messages:.0f} us of the service's processor a message"


def rows() -> Iterator[Row]:
    """One request after the answer to the one before, then many on their way. The service has one thread.

    What is shown gets its label: as many lessons as a stream with one-sided feedback has.
    """
    for name, in_flight in (("T7b one", 1), ("T7b many", _MANY)):
        yield Row(
            name,
            "SpamAssassin's messages and their labels through the socket, "
            + ("one by one" if in_flight == 1 else f"{in_flight} on their way"),
            f"{_WANTED:,} messages a second",
            ours=partial(_ours, in_flight),
            peer=lambda: Timed(len(fetch_spamassassin().data) / _WANTED),
            must=1,
            aim=10_000 / _WANTED,
            quality=lambda ours, _: Quality(ours.figures, True),
        )


def _ours(in_flight: int) -> Timed:
    mail = fetch_spamassassin()
    replayed = replay([message[:3000] for message in mail.data], mail.target, in_flight)
    return Timed(replayed.seconds, replayed)


def replay(messages: list[bytes], y: list[int], in_flight: int) -> Replayed:
    """Send a stream through a service of its own, with a fresh state; its start is not timed."""
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
                    asked.connect(str(path))
                    asked.sendall(b"check warm 0\n")
                    answers.readline()
                    start, used = perf_counter(), _processor(service.pid)
                    n_labels = _send(messages, y, in_flight, asked, answers)
                    seconds, after = perf_counter() - start, _processor(service.pid)
                    processor = None if used is None or after is None else after - used
                    return Replayed(seconds, processor, len(messages), n_labels)
            finally:
                service.terminate()


def _send(
    messages: list[bytes], y: list[int], in_flight: int, service: socket.socket, answers: IO[bytes]
) -> int:
    """Keep so many requests on their way; how many labels were sent."""
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
        if i is not None and answer.startswith(b"show;"):
            out += b"learn anna %b %b" % (b"ham" if y[i] else b"spam", answer.rpartition(b"id=")[2])
            waiting.append(None)
            n_labels += 1
        elif not answer.startswith((b"hide;", b"learned")):
            raise OSError(f"the service says: {answer.decode()}")


def _processor(pid: int) -> float | None:
    """Seconds that a process has computed, on Linux."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
