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
"""

import errno
import io
import os
import selectors
import socket
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from lopsided.mail._filter import MailFilter
from lopsided.mail._message import Message, head_of
from lopsided.mail._names import is_user
from lopsided.mail._settings import Settings
from lopsided.mail._sockets import address_of

MOST_BYTES = 1 << 16  # of a message
MOST_CONNECTIONS = 200  # the one silent longest ends for the next
_LINE = 512
_WAIT = 5.0  # seconds for a process that uses the state of one user, while all the others wait
_MOST_WAITING = 1 << 20  # bytes of answers that nobody fetches, before no more is read
_WITH_MESSAGE = ("check", "teach")


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

    def __len__(self) -> int:
        return len(self._open)

    def __getitem__(self, user: str) -> MailFilter:
        if user in self._open and not self._open[user].state.is_in_place:
            self.forget(user)
        if user not in self._open:
            while len(self._open) >= self.most:
                self._open.popitem(last=False)[1].close()
            path = self.folder / user
            self._open[user] = MailFilter.open(path, create=self._settings, rescue=True, wait=_WAIT)
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

    def answer(self, requests: list[Request]) -> list[str]:
        """Answer with one line for each. Those of one user, in their order, are one turn of the state."""
        answers = [""] * len(requests)
        by_user: dict[str, list[int]] = {}
        for i, request in enumerate(requests):
            by_user.setdefault(request.user, []).append(i)
        for user, places in by_user.items():
            group = [requests[i] for i in places]
            for i, answer in zip(places, self._answer_one(user, group), strict=True):
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
        except Exception as error:  # whatever it is, the service goes on
            self.forget(user)
            return [f"error {one_line(error)}"] * len(requests)


class Connection:
    """A connection: bytes that came in and are no whole request yet, and bytes that are to go out."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.incoming, self.outgoing = bytearray(), bytearray()
        self.broken = self.ended = False

    @property
    def wants(self) -> int:
        """The events that the selector is to wait for; 0 for none."""
        reads = not self.ended and len(self.outgoing) < _MOST_WAITING
        return selectors.EVENT_READ * reads | selectors.EVENT_WRITE * bool(self.outgoing)

    def receive(self) -> list[Request]:
        """Read what is there; the whole requests among it."""
        try:
            data = self.peer.recv(1 << 18)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        self.incoming += data
        self.ended = not data
        return list(self.requests())

    def send(self, answers: Iterable[str] = ()) -> None:
        """Send what there is to say, as much as the other side takes."""
        for answer in answers:
            self.outgoing += answer.encode("ascii", "replace") + b"\n"
        if self.broken and not self.ended:
            self.outgoing += b"error not a request; see the documentation\n"
            self.ended = True  # nothing more is read
        try:
            sent = self.peer.send(self.outgoing)
            del self.outgoing[:sent]
        except BlockingIOError:
            pass
        except OSError:  # it has gone
            self.ended = True
            self.outgoing.clear()

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

    def attend(self, patience: float) -> None:
        """Answer what is there; those requests that came together are written together."""
        asked: list[tuple[Connection, list[Request]]] = []
        for key, events in self._selector.select(patience):
            if key.fileobj is self._listener:
                self._accept()
                continue
            connection = key.data
            if connection.peer not in self._open:
                continue  # closed a moment ago, to let another in
            self._open.move_to_end(connection.peer)
            asked.append((connection, connection.receive() if events & selectors.EVENT_READ else []))
        answers = iter(self._users.answer([one for _, requests in asked for one in requests]))
        for connection, requests in asked:
            connection.send(islice(answers, len(requests)))
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
            self._selector.register(peer, selectors.EVENT_READ, self._open[peer])

    def _wait_for(self, connection: Connection) -> None:
        if connection.peer not in self._open:
            return
        if connection.wants:
            if self._selector.get_key(connection.peer).events != connection.wants:
                self._selector.modify(connection.peer, connection.wants, connection)
        else:
            self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        del self._open[connection.peer]
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
