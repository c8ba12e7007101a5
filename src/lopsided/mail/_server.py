"""The filter as a service: many users at one Unix socket, one state each, bounded memory.

A request is one line, and a message behind it where it says how many bytes; the answer is one line:

    check USER LENGTH         the first bytes of a message follow (3,000 are enough, 65,536 the most)
                              answer: what the header X-Lopsided is to say, "show; ..." or "hide; ..."
    learn USER ham|spam ID    what became of a message, by the id of its header
                              answer: learned, again, corrected, or unknown
    teach USER ham|spam LENGTH    an example follows; answer: learned
    ping                      answer: pong

An answer "error ..." means that nothing was done. Requests may follow each other without waiting for answers.
What is answered is in the state's file: those that came together are written together, and answered then.

One thread does all of this, so nothing in it waits. The requests of a user whose state another process keeps
to itself are set aside and tried again, while the others are answered.
"""

import errno
import io
import math
import os
import selectors
import socket
import stat
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from lopsided.mail._filter import MailFilter
from lopsided.mail._message import Message, head_of
from lopsided.mail._names import is_user
from lopsided.mail._settings import Settings
from lopsided.mail._sockets import address_of
from lopsided.mail._state import BusyError

MOST_BYTES = 1 << 16  # of a message
MOST_CONNECTIONS = 200  # the one silent longest ends for the next
_LINE = 512
_PIECE = 1 << 17  # bytes read at a time
_AT_ONCE = 32  # requests taken from one connection before it is the turn of the others
_WAIT = 5.0  # seconds that a request waits while another process uses the state of its user
_RETRY = 0.05  # seconds between two attempts at such a state
_MOST_HELD = 50  # connections that wait for such states
_MOST_WAITING = 1 << 16  # bytes of answers that nobody fetches, before no more is read
_SLOW = 10.0  # seconds in which a client has to fetch some of its answers
_WITH_MESSAGE = ("check", "teach")
_BUSY = "error BusyError: another process uses this user's state. Try again."


class Request(NamedTuple):
    """The words of a request's line, and the bytes behind it."""

    words: tuple[str, ...]
    body: bytes = b""

    @property
    def user(self) -> str:
        """The user whose mail it is; "" unless the line is a request about somebody's mail."""
        match self.words:
            case ("check", user, _) | ("learn" | "teach", user, "ham" | "spam", _) if is_user(user):
                return user
        return ""


class Users:
    """The filters of many users, of which the latest are kept open."""

    def __init__(self, folder: Path, most: int, settings: Settings | None = None) -> None:
        self.folder, self.most = folder, most
        self._settings = settings or Settings()
        self._open: OrderedDict[str, MailFilter] = OrderedDict()
        self._tried_again: dict[str, float] = {}  # when; users whose state another process keeps to itself

    def __len__(self) -> int:
        return len(self._open)

    def __getitem__(self, user: str) -> MailFilter:
        """Return a filter that waits for no other process; BusyError if one keeps the state to itself."""
        if user in self._open and not self._open[user].state.is_in_place:
            self.forget(user)
        if user not in self._open:
            while len(self._open) >= self.most:
                self._open.popitem(last=False)[1].close()
            path = self.folder / user
            self._open[user] = MailFilter.open(path, create=self._settings, rescue=True, wait=0)
        self._open.move_to_end(user)
        return self._open[user]

    def forget(self, user: str) -> None:
        """Open it anew next time."""
        if user in self._open:
            self._open.pop(user).close()

    def close(self) -> None:
        """Close the filters of all users."""
        for user in list(self._open):
            self.forget(user)

    def answer(self, requests: list[Request]) -> list[str | None]:
        """Answer with one line for each, or with None where another process uses the state.

        Those of one user, in their order, are one turn of the state.
        """
        answers: list[str | None] = [None] * len(requests)
        by_user: dict[str, list[int]] = {}
        for i, request in enumerate(requests):
            by_user.setdefault(request.user, []).append(i)
        for user, places in by_user.items():
            if self._tried_again.get(user, 0) > monotonic():
                continue
            group = [requests[i] for i in places]
            try:
                found = self._answer_one(user, group)
            except BusyError:
                self._tried_again[user] = monotonic() + _RETRY
                continue
            self._tried_again.pop(user, None)
            for i, answer in zip(places, found, strict=True):
                answers[i] = answer
        return answers

    def _answer_one(self, user: str, requests: list[Request]) -> list[str]:
        if not user:
            return [_without_user(request) for request in requests]
        try:
            filter = self[user]
            with filter.turn():
                answers = [_answer(filter, request) for request in requests]
            return answers  # noqa: RET504  (not before the turn is written)
        except BusyError:
            raise
        except Exception as error:  # whatever it is, the service goes on
            self.forget(user)
            return [f"error {one_line(error)}"] * len(requests)


class Asked:
    """A request that was taken, and its answer once there is one."""

    def __init__(self, request: Request, until: float) -> None:
        self.request, self.until = request, until
        self.answer: str | None = None


class Connection:
    """A connection: bytes that came in, requests without an answer, and bytes that are to go out.

    Each of the three is bounded. Nothing is read while requests wait or nobody fetches their answers.
    """

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.incoming, self.outgoing = bytearray(), bytearray()
        self.asked: deque[Asked] = deque()
        self.broken = self.ended = False
        self.more = False  # whether what came in may hold another request
        self.awaited = 0  # the events that the selector waits for
        self.moved = monotonic()  # when the other side last fetched something

    @property
    def _is_read(self) -> bool:
        return len(self.outgoing) < _MOST_WAITING

    @property
    def is_ready(self) -> bool:
        """Whether requests can be taken without waiting for anything."""
        return self.more and not self.asked and self._is_read

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to read, to answer or to send."""
        return self.ended and not (self.asked or self.more or self.outgoing)

    @property
    def wants(self) -> int:
        """The events that the selector is to wait for; 0 for none."""
        reads = not (self.ended or self.asked or self.more) and self._is_read
        return selectors.EVENT_READ * reads | selectors.EVENT_WRITE * bool(self.outgoing)

    def receive(self) -> None:
        """Read what is there."""
        try:
            data = self.peer.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self.incoming += data
        self.ended = not data
        self.more = True

    def take(self) -> None:
        """Take some of the requests that came in, if it is their turn."""
        if self.is_ready:
            until = monotonic() + _WAIT
            self.asked.extend(Asked(one, until) for one in islice(self.requests(), _AT_ONCE))
            self.more = len(self.asked) == _AT_ONCE

    def give_up(self, now: float) -> None:
        """Answer the requests that have waited too long for a state."""
        for one in self.asked:
            if one.answer is None and one.until <= now:
                one.answer = _BUSY

    def send(self) -> None:
        """Send what there is to say, as much as the other side takes."""
        if not self.outgoing:
            self.moved = monotonic()
        while self.asked and (answer := self.asked[0].answer) is not None:
            self.asked.popleft()
            self.outgoing += answer.encode("ascii", "replace") + b"\n"
        if self.broken and not self.asked and not self.ended:
            self.outgoing += b"error not a request; see the documentation\n"
            self.ended = True  # nothing more is read
        try:
            if sent := self.peer.send(self.outgoing):
                del self.outgoing[:sent]
                self.moved = monotonic()
        except BlockingIOError:
            pass
        except OSError:  # it has gone
            self.ended, self.more = True, False
            self.outgoing.clear()
            self.asked.clear()

    def requests(self) -> Iterator[Request]:
        """Yield the requests that have arrived completely."""
        while not self.broken:
            end = self.incoming.find(b"\n")
            if not 0 <= end <= _LINE:
                self.broken = len(self.incoming) > _LINE
                break
            words = tuple(bytes(self.incoming[:end]).decode("ascii", "replace").split())
            size = 0
            if words and words[0] in _WITH_MESSAGE:
                size = int(words[-1]) if words[-1].isascii() and words[-1].isdecimal() else MOST_BYTES + 1
                if size > MOST_BYTES:  # where the next request begins is not known
                    self.broken = True
                    break
            if len(self.incoming) < end + 1 + size:
                break
            body = bytes(self.incoming[end + 1 : end + 1 + size])
            del self.incoming[: end + 1 + size]
            yield Request(words, body)


class Service:
    """All connections, and the requests that come in through them at one moment."""

    def __init__(self, listener: socket.socket, users: Users) -> None:
        self._listener, self._users = listener, users
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ)
        self._open: OrderedDict[socket.socket, Connection] = OrderedDict()  # the one silent longest first
        self._unfinished: dict[socket.socket, Connection] = {}  # with requests to take or to answer
        self._retry = self._looked = 0.0  # when held requests are tried, and slow clients were looked for

    def attend(self, patience: float) -> None:
        """Answer what is there; those requests that came together are written together."""
        active = {peer: one for peer, one in self._unfinished.items() if one.is_ready}
        if active:
            patience = 0
        elif any(one.asked for one in self._unfinished.values()):
            patience = min(patience, max(self._retry - monotonic(), 0))
        for key, events in self._selector.select(patience):
            if key.fileobj is self._listener:
                self._accept()
                continue
            connection = key.data
            if connection.peer not in self._open:
                continue  # closed a moment ago, to let another in
            self._open.move_to_end(connection.peer)
            if events & selectors.EVENT_READ:
                connection.receive()
            active[connection.peer] = connection
        now = monotonic()
        if self._unfinished and now >= self._retry:
            self._retry = now + _RETRY
            active |= {peer: one for peer, one in self._unfinished.items() if one.asked}
        self._answer([one for one in active.values() if one.peer in self._open])
        if now > self._looked + _SLOW / 20:
            self._looked = now
            for connection in list(self._open.values()):
                if connection.outgoing and now - connection.moved > _SLOW:
                    self._drop(connection)

    def _answer(self, connections: list[Connection]) -> None:
        for connection in connections:
            connection.take()
        asked = [one for connection in connections for one in connection.asked if one.answer is None]
        for one, answer in zip(asked, self._users.answer([one.request for one in asked]), strict=True):
            one.answer = answer
        now = monotonic()
        for connection in connections:
            connection.give_up(now)
            connection.send()
            if connection.asked or connection.more:
                self._unfinished[connection.peer] = connection
            else:
                self._unfinished.pop(connection.peer, None)
            self._wait_for(connection)
        held = [connection for connection in self._unfinished.values() if connection.asked]
        for connection in held[: max(len(held) - _MOST_HELD, 0)]:  # those that have waited longest
            connection.give_up(math.inf)
            connection.send()
            self._wait_for(connection)

    def close(self) -> None:
        """Close all connections."""
        for connection in list(self._open.values()):
            self._drop(connection)
        self._selector.close()
        self._listener.close()
        self._users.close()

    def _accept(self) -> None:
        if len(self._open) >= MOST_CONNECTIONS:
            self._drop(next(iter(self._open.values())))
        with suppress(OSError):  # it has gone
            peer, _ = self._listener.accept()
            peer.setblocking(False)
            self._open[peer] = Connection(peer)
            self._wait_for(self._open[peer])

    def _wait_for(self, connection: Connection) -> None:
        if connection.is_over:
            self._drop(connection)
        elif connection.wants != connection.awaited:
            if not connection.wants:
                self._selector.unregister(connection.peer)
            elif connection.awaited:
                self._selector.modify(connection.peer, connection.wants, connection)
            else:
                self._selector.register(connection.peer, connection.wants, connection)
            connection.awaited = connection.wants

    def _drop(self, connection: Connection) -> None:
        del self._open[connection.peer]
        self._unfinished.pop(connection.peer, None)
        if connection.awaited:
            self._selector.unregister(connection.peer)
        connection.peer.close()


def serve(
    path: Path, users: Users, *, ready: Callable[[], None] = lambda: None, stopped: Callable[[], bool]
) -> None:
    """Answer at the socket ``path`` until ``stopped`` says so, which is asked twice a second."""
    make_room(users.most)
    service = Service(listen_at(path), users)
    ready()
    try:
        while not stopped():
            service.attend(0.5)
    finally:
        service.close()
        with suppress(FileNotFoundError):
            path.unlink()


def make_room(n_users: int) -> None:
    """Let the process have as many files open as it may need: three a user, one a connection."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    needed = 3 * n_users + MOST_CONNECTIONS + 50
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise ValueError(
                f"{n_users:,} users need {needed:,} open files; the system allows {hard:,}. Hold fewer."
            )
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def listen_at(path: Path) -> socket.socket:
    """Open a socket that its owner alone may use, in place of one that nobody answers at any more."""
    if path.exists():
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise ValueError(f"'{path}' is there and no socket. Name another.")
        with socket.socket(socket.AF_UNIX) as other, address_of(path) as address:
            other.settimeout(5.0)  # one who is too busy to answer is there as well
            if other.connect_ex(address) != errno.ECONNREFUSED:
                raise ValueError(f"somebody serves at '{path}' already. Stop that, or name another.")
        path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        with address_of(path) as address:
            listener.bind(address)
    except OSError as error:
        listener.close()
        raise OSError(
            f"cannot listen at '{path}': {error.strerror or error}. Name a short path in a folder that is "
            "there and that you may write to."
        ) from error
    finally:
        os.umask(before)
    listener.listen(128)
    listener.setblocking(False)
    return listener


def _answer(filter: MailFilter, request: Request) -> str:
    kind, _, *rest = request.words
    if kind == "learn":
        return filter.learn(rest[0], id=rest[1])
    if kind == "check":
        return filter.decide(head_of(request.body)).header
    message = Message(io.BytesIO(request.body))
    return filter.learn(rest[0], message.id, message.head)


def _without_user(request: Request) -> str:
    return "pong" if request.words == ("ping",) else "error not a request, or no name of a user"


def one_line(error: BaseException | None) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
