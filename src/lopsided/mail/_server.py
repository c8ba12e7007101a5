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

import io
import os
import re
import selectors
import socket
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from lopsided.mail._filter import MailFilter
from lopsided.mail._message import Message
from lopsided.mail._settings import Settings

MOST_BYTES = 1 << 16  # of a message
_LINE = 512
_MOST_WAITING = 1 << 20  # bytes of answers that nobody fetches, before no more is read
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@+-]{0,127}")
_WITH_MESSAGE = ("check", "teach")


class Request(NamedTuple):
    """One line, split, and what came behind it."""

    words: tuple[str, ...]
    body: bytes = b""

    @property
    def user(self) -> str:
        """Whose mail it is; "" unless the line is a request about somebody's mail."""
        match self.words:
            case ("check", user, _) | ("learn" | "teach", user, "ham" | "spam", _) if _USER.fullmatch(user):
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
        if user not in self._open:
            while len(self._open) >= self.most:
                self._open.popitem(last=False)[1].close()
            path = self.folder / user
            self._open[user] = MailFilter.open(path, create=self._settings, rescue=True)
        self._open.move_to_end(user)
        return self._open[user]

    def forget(self, user: str) -> None:
        """Open it anew next time."""
        if user in self._open:
            self._open.pop(user).close()

    def close(self) -> None:
        """Let go of all."""
        for user in list(self._open):
            self.forget(user)

    def answer(self, requests: list[Request]) -> list[str]:
        """One line for each, those of one user in a row as one turn of the state."""
        answers: list[str] = []
        for user, some in groupby(requests, key=lambda request: request.user):
            group = list(some)
            try:
                if not user:
                    answers += [_without_user(request) for request in group]
                    continue
                filter = self[user]
                with filter.turn():
                    told = [_answer(filter, request) for request in group]
                answers += told
            except Exception as error:  # whatever it is, the service goes on
                self.forget(user)
                answers += [f"error {_one_line(error)}"] * len(group)
        return answers


class Connection:
    """What came in and is not a whole request yet, and what is to go out."""

    def __init__(self, peer: socket.socket) -> None:
        self.peer = peer
        self.incoming, self.outgoing = bytearray(), bytearray()
        self.broken = False

    def requests(self) -> Iterator[Request]:
        """The whole requests among what came in."""
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


def serve(
    path: Path, users: Users, *, ready: Callable[[], None] = lambda: None, stopped: Callable[[], bool]
) -> None:
    """Answer at the socket ``path`` until ``stopped`` says so, which is asked twice a second."""
    listener = _listen(path)
    ready()
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        try:
            while not stopped():
                for key, _ in selector.select(0.5):
                    if key.fileobj is listener:
                        _accept(listener, selector)
                    else:
                        _attend(key.data, users, selector)
        finally:
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]
            users.close()
            with suppress(FileNotFoundError):
                path.unlink()


def _listen(path: Path) -> socket.socket:
    """A socket that its owner alone may use, in place of one that nobody answers at any more."""
    if path.exists():
        if not stat.S_ISSOCK(path.stat().st_mode):
            raise ValueError(f"'{path}' is there and no socket. Name another.")
        with socket.socket(socket.AF_UNIX) as other:
            if other.connect_ex(str(path)) == 0:
                raise ValueError(f"somebody serves at '{path}' already. Stop that, or name another.")
        path.unlink()
    listener = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    listener.listen(128)
    listener.setblocking(False)
    return listener


def _accept(listener: socket.socket, selector: selectors.BaseSelector) -> None:
    with suppress(OSError):  # it has gone, or there are too many
        peer, _ = listener.accept()
        peer.setblocking(False)
        selector.register(peer, selectors.EVENT_READ, Connection(peer))


def _attend(connection: Connection, users: Users, selector: selectors.BaseSelector) -> None:
    """Read what is there, answer it, and send as much as the other side takes."""
    ended = False
    try:
        if len(connection.outgoing) < _MOST_WAITING:
            data = connection.peer.recv(1 << 18)
            connection.incoming += data
            ended = not data
            for answer in users.answer(list(connection.requests())):
                connection.outgoing += answer.encode("ascii", "replace") + b"\n"
            if connection.broken:
                connection.outgoing += b"error not a request; see the documentation\n"
    except BlockingIOError:
        pass
    except OSError:
        ended = True
    with suppress(BlockingIOError, OSError):
        sent = connection.peer.send(connection.outgoing)
        del connection.outgoing[:sent]
    if ended or connection.broken:
        selector.unregister(connection.peer)
        connection.peer.close()
        return
    events = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.outgoing else 0)
    selector.modify(connection.peer, events, connection)


def _answer(filter: MailFilter, request: Request) -> str:
    kind, _, *rest = request.words
    if kind == "learn":
        return filter.learn(rest[0], id=rest[1])
    message = Message(io.BytesIO(request.body))
    return (
        filter.decide(message.head).header
        if kind == "check"
        else filter.learn(rest[0], message.id, message.head)
    )


def _without_user(request: Request) -> str:
    return "pong" if request.words == ("ping",) else "error not a request, or no name of a user"


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
