"""The services of the mail filter under load and faults: what they acknowledge must be there afterwards.

Two services run, ``filter lmtp`` before Maildirs and ``filter serve``, each with a folder of states. Senders
deliver messages, ask for decisions and return labels, and repeat what was not acknowledged, as mail servers
do. Meanwhile the services are killed and started again, the disk is full for a while, and other clients are
silent, send a byte at a time, or never read. All connections are Unix sockets.
"""

import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lopsided.bench._alone import peak_memory
from lopsided.bench._disk import Disk, disk_at
from lopsided.mail._filter import MailFilter
from lopsided.mail._sockets import address_of

_SENDERS = 8  # to each service
_PAUSE = 0.05  # seconds between two messages of a sender, so that ten minutes are about 50,000 messages
_RETRY = 0.2  # seconds before a sender tries again
_WAIT = 60.0  # seconds that a sender waits for an answer
_KILLED = 5.0, 15.0  # seconds between two kills of a service
_FULL, _ROOMY = 2.0, 20.0  # seconds with a full disk, and between these
_SILENT, _SLOW, _DEAF = 10, 5, 3  # clients of each service that do nothing, send a byte a second, never read
_LABELS = ("shown ham", "shown spam", "explored ham", "explored spam", "rescued", "hidden spam")
_WORDS = {
    "ham": [
        "lunch",
        "meeting",
        "report",
        "draft",
        "thanks",
        "Tuesday",
        "garden",
        "figures",
        "review",
        "family",
    ],
    "spam": ["free", "money", "pills", "winner", "casino", "click", "offer", "cheap", "credit", "prize"],
}


class Served(NamedTuple):
    """The fate of the messages or lessons that one service was given."""

    acknowledged: int
    """Messages stored, or lessons learned, by the service's own word."""
    lost: int
    """Those that are not there afterwards."""
    twice: int
    """Those that are there more than once."""
    unfiltered: int
    """Messages that passed without a decision."""
    retries: int
    """Attempts that were not acknowledged: a refusal, a kill, a full disk."""
    p99: float
    """99th percentile of the seconds from connecting to the acknowledgement, over acknowledged attempts."""
    longest: float
    """Most seconds until a message was acknowledged, all attempts together."""
    kills: int
    """How often the service was killed."""
    peak: int | None
    """Most bytes of memory that it used; None where the system does not say."""


class Soaked(NamedTuple):
    """The figures of a run."""

    minutes: float
    users: int
    full_disk: str
    """How the disk was filled."""
    times_full: int
    """How often it was full."""
    lmtp: Served
    serve: Served

    @property
    def nothing_lost(self) -> bool:
        """Whether all that was acknowledged is there."""
        return self.lmtp.lost == self.serve.lost == 0


def soak(minutes: float, users: int = 50, seed: int = 0) -> Soaked:
    """Run both services for so long, and look what of all that they acknowledged is there."""
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lopsided-soak-")))
        (root / "disk").mkdir()
        disk = stack.enter_context(disk_at(root / "disk"))
        names = [f"user{number}@example.org" for number in range(users)]
        for name in names:
            (disk.folder / "boxes" / name).mkdir(parents=True)
        lmtp = _Service("lmtp", root, disk.folder, "--next", f"maildir:{disk.folder / 'boxes'}", "--listen")
        serve = _Service("serve", root, disk.folder, "--socket")
        stack.callback(lmtp.end)
        stack.callback(serve.end)
        run = _Load(minutes * 60, seed, disk, (lmtp, serve))
        senders = [_Sender(run, k, lmtp, names, _deliver) for k in range(_SENDERS)]
        asking = [_Sender(run, k, serve, names, _ask_and_teach) for k in range(_SENDERS)]
        times_full = run.go(senders + asking)
        there = _count_delivered(disk.folder / "boxes")
        learned = _count_learned(serve.states, names)
        return Soaked(
            minutes,
            users,
            disk.how,
            times_full,
            _judge(lmtp, senders, there, *_of_messages(senders, there)),
            _judge(serve, asking, {}, *_of_lessons(serve, asking, learned)),
        )


class _Service:
    """A service in a process of its own, which is killed and started again."""

    def __init__(self, kind: str, root: Path, disk: Path, *options: str) -> None:
        self.kind, self.socket, self.states = kind, root / kind, disk / f"{kind}-states"
        self.log = root / f"{kind}.log"
        self._command = [sys.executable, "-m", "lopsided", "filter", kind, *options, str(self.socket)]
        self._command += ["--states", str(self.states)]
        self.kills = 0
        self.peak: int | None = None
        self._lock = threading.Lock()
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=log)
        assert process.stdout is not None
        if not process.stdout.readline():  # it says where it listens
            raise OSError(f"the service ended at its start: {self.log.read_text(errors='replace')[-500:]}")
        return process

    def kill(self) -> None:
        """Kill it, as no signal handler can see, and start another."""
        with self._lock:
            if self.process.poll() is not None:
                said = self.log.read_text(errors="replace")[-500:]
                raise RuntimeError(
                    f"'filter {self.kind}' ended by itself ({self.process.returncode}): {said}"
                )
            self.note_peak()
            self.process.kill()
            self._reap()
            self.kills += 1
            self.process = self._start()

    def end(self) -> None:
        """End it in good order."""
        with self._lock:
            self.note_peak()
            self.process.terminate()
            self._reap()

    def _reap(self) -> None:
        self.process.wait(60)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def note_peak(self) -> None:
        """Note the most memory that this process has used so far."""
        peak = peak_memory(self.process.pid)
        if peak is not None:
            self.peak = max(self.peak or 0, peak)

    def connect(self) -> socket.socket:
        """Return a connection."""
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(_WAIT)
        try:
            with address_of(self.socket) as address:
                client.connect(address)
        except BaseException:
            client.close()
            raise
        return client


class _Load:
    """The time that is left, and what disturbs the services meanwhile."""

    def __init__(self, seconds: float, seed: int, disk: Disk, services: tuple[_Service, ...]) -> None:
        self.seconds, self.seed, self._disk, self._services = seconds, seed, disk, services
        self.over = threading.Event()
        self._full = threading.Lock()  # no kill while the disk is full: nothing can be started there
        self.problems: list[BaseException] = []

    def go(self, senders: "list[_Sender]") -> int:
        """Send and disturb until the time is over, and return how often the disk was full."""
        faults: list[Callable[[], None]] = []
        for service in self._services:
            faults.append(partial(self._kill, service))
            faults += [partial(_be_silent, self, service)] * _SILENT
            faults += [partial(_be_slow, self, service)] * _SLOW
            faults += [partial(_be_deaf, self, service)] * _DEAF
        threads = [
            threading.Thread(target=self._guarded, args=(f,)) for f in [*faults, *(s.run for s in senders)]
        ]
        for thread in threads:
            thread.start()
        times_full = self._fill_now_and_then(time.monotonic() + self.seconds)
        self.over.set()
        for thread in threads:
            thread.join()
        if self.problems:
            raise self.problems[0]
        return times_full

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # of a thread: told by the one who waits for it
            self.problems.append(error)
            self.over.set()

    def _fill_now_and_then(self, end: float) -> int:
        times = 0
        while not self.over.wait(max(0.0, min(_ROOMY, self.seconds / 3, end - time.monotonic()))):
            if time.monotonic() >= end:
                break
            with self._full:
                pids = [service.process.pid for service in self._services]
                self._disk.fill(pids)
                self.over.wait(min(_FULL, self.seconds / 5))
                self._disk.free(pids)
            times += 1
        return times

    def _kill(self, service: _Service) -> None:
        rng = random.Random(f"{self.seed} {service.kind}")
        low, high = _KILLED
        while not self.over.wait(min(rng.uniform(low, high), self.seconds / 4)):
            with self._full:
                service.kill()


class _Sender:
    """One who gives a service one message after the other, each until it is acknowledged."""

    def __init__(
        self, run: _Load, number: int, service: _Service, names: list[str], send: "Callable[[_Sender], None]"
    ) -> None:
        self.run_, self.number, self.service, self.names, self._send = run, number, service, names, send
        self.rng = random.Random(f"{run.seed} {service.kind} {number}")
        self.acknowledged: list[tuple[str, str, str]] = []  # user, name of the message, label
        self.sent: list[tuple[str, str]] = []  # also what was never acknowledged
        self.seconds: list[float] = []
        self.longest, self.retries, self.unfiltered = 0.0, 0, 0

    def run(self) -> None:
        """Send until the time is over."""
        while not self.run_.over.wait(_PAUSE):
            self._send(self)

    def until_acknowledged(self, attempt: "Callable[[], bool]") -> bool:
        """Try until it works, and note how long that took; False if the time is over first."""
        begun = time.monotonic()
        while True:
            tried = time.monotonic()
            done = False
            with suppress(OSError, ValueError):  # killed in the middle, or not there yet
                done = attempt()
            if done:
                self.seconds.append(time.monotonic() - tried)
                self.longest = max(self.longest, time.monotonic() - begun)
                return True
            self.retries += 1
            if self.run_.over.wait(_RETRY):
                return False

    def message(self) -> tuple[str, str, str]:
        """Return a user, the label of a message, and its text."""
        label = self.rng.choice(("ham", "spam"))
        words = self.rng.choices(_WORDS[label], k=30) + self.rng.choices(_WORDS["ham"] + _WORDS["spam"], k=10)
        return self.rng.choice(self.names), label, " ".join(words)


def _deliver(sender: _Sender) -> None:
    """Deliver a message as a mail server does: not acknowledged, it is sent again."""
    user, label, text = sender.message()
    name = f"{sender.number}-{len(sender.sent)}"
    sender.sent.append((user, name))

    def attempt() -> bool:
        with sender.service.connect() as client, client.makefile("rb") as answers:
            _converse(client, answers, None, b"220")
            _converse(client, answers, b"LHLO soak", b"250")
            _converse(client, answers, b"MAIL FROM:<soak@example.org>", b"250")
            _converse(client, answers, b"RCPT TO:<%b>" % user.encode(), b"250")
            _converse(client, answers, b"DATA", b"354")
            message = f"Subject: {text[:40]}\r\nX-Soak: {name}\r\n\r\n{text}\r\n."
            _converse(client, answers, message.encode(), b"250")
            return True

    if sender.until_acknowledged(attempt):
        sender.acknowledged.append((user, name, label))


def _converse(client: socket.socket, answers: Any, line: bytes | None, wanted: bytes) -> None:
    if line is not None:
        client.sendall(line + b"\r\n")
    answer = answers.readline()
    while answer[3:4] == b"-":
        answer = answers.readline()
    if not answer.startswith(wanted):
        raise OSError(f"the service says: {answer!r}")


def _ask_and_teach(sender: _Sender) -> None:
    """Ask for a decision, and say what the message was."""
    user, label, text = sender.message()
    head = text.encode()
    said: list[str] = []

    def check() -> bool:
        answer = _ask(sender.service, f"check {user} {len(head)}", head)
        said[:] = [answer]
        return answer.startswith(("show;", "hide;"))

    def teach() -> bool:
        return _ask(sender.service, f"learn {user} {label} {id}") in ("learned", "again")

    if sender.until_acknowledged(check):
        id = said[0].rpartition("id=")[2]
        sender.sent.append((user, id))
        if sender.until_acknowledged(teach):
            sender.acknowledged.append((user, id, label))


def _ask(service: _Service, line: str, body: bytes = b"") -> str:
    with service.connect() as client, client.makefile("rb") as answers:
        client.sendall(line.encode() + b"\n" + body)
        return str(answers.readline().decode("ascii", "replace").strip())


def _be_silent(run: _Load, service: _Service) -> None:
    """Connect and say nothing, until the service ends it; then again."""
    while not run.over.wait(1.0):
        with suppress(OSError), service.connect() as client:
            client.settimeout(1.0)
            while not run.over.is_set():
                with suppress(TimeoutError):
                    if not client.recv(100):
                        break


def _be_slow(run: _Load, service: _Service) -> None:
    """Send a byte a second."""
    while not run.over.wait(1.0):
        with suppress(OSError), service.connect() as client:
            for byte in b"LHLO a-very-slow-client.example.org" * 100:
                client.sendall(bytes([byte]))
                if run.over.wait(1.0):
                    return


def _be_deaf(run: _Load, service: _Service) -> None:
    """Ask and ask, and never read an answer, until nothing more is taken."""
    line = b"NOOP\r\n" if service.kind == "lmtp" else b"check deaf@example.org 5\nmoney"
    while not run.over.wait(1.0):
        with suppress(OSError), service.connect() as client:
            client.settimeout(5.0)
            with suppress(TimeoutError):
                while not run.over.is_set():
                    client.sendall(line * 20)
            run.over.wait(10.0)


def _count_delivered(boxes: Path) -> Counter[tuple[str, str]]:
    """Return how often each message is in each user's Maildir or its hidden folder."""
    found: Counter[tuple[str, str]] = Counter()
    for path in boxes.rglob("*"):
        if path.parent.name in ("new", "cur") and path.is_file():
            text = path.read_text(encoding="ascii", errors="replace")
            if name := re.search(r"^X-Soak: (\S+)$", text, flags=re.MULTILINE):
                found[path.relative_to(boxes).parts[0], name[1]] += 1
                found["", "unfiltered"] += re.search(r"(?m)^X-Lopsided: unfiltered", text) is not None
    return found


def _of_messages(senders: list[_Sender], there: Counter[tuple[str, str]]) -> tuple[int, int]:
    """Return how many acknowledged messages are lost, and how many are there twice."""
    acknowledged = [(user, name) for sender in senders for user, name, _ in sender.acknowledged]
    sent = {one for sender in senders for one in sender.sent}
    return sum(there[one] == 0 for one in acknowledged), sum(there[one] > 1 for one in sent)


def _count_learned(states: Path, names: list[str]) -> int:
    """Return how many labels the states have counted."""
    n = 0
    for path in (states / name for name in names):
        if path.exists():
            with MailFilter.open(path) as filter:
                n += sum(counts.get(what, 0) for counts in filter.counted().values() for what in _LABELS)
    return n


def _of_lessons(service: _Service, senders: list[_Sender], learned: int) -> tuple[int, int]:
    """Return how many acknowledged lessons are lost, and how many were learned twice.

    A lesson that is there is answered with "again".
    """
    lost = 0
    for sender in senders:
        for user, id, label in sender.acknowledged:
            lost += _ask(service, f"learn {user} {label} {id}") != "again"
    return lost, max(0, learned - len({one for sender in senders for one in sender.sent}))


def _judge(service: _Service, senders: list[_Sender], there: Any, lost: int, twice: int) -> Served:
    service.note_peak()
    seconds = [one for sender in senders for one in sender.seconds]
    return Served(
        acknowledged=sum(len(sender.acknowledged) for sender in senders),
        lost=lost,
        twice=twice,
        unfiltered=there.get(("", "unfiltered"), 0),
        retries=sum(sender.retries for sender in senders),
        p99=float(np.percentile(seconds, 99)) if seconds else float("nan"),
        longest=max(sender.longest for sender in senders),
        kills=service.kills,
        peak=service.peak,
    )
