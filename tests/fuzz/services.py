"""What clients say to the services: requests to `filter serve`, LMTP to `filter lmtp`."""

import re
import socket
import time
from contextlib import redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from fuzz.target import Target, require_plain, scratch
from lopsided.mail import _lmtp
from lopsided.mail._lmtp import Proxy, serve_lmtp
from lopsided.mail._next import Next
from lopsided.mail._server import Users, serve
from lopsided.mail._settings import Settings
from lopsided.mail._sockets import address_of

_lmtp._ASKED = 0.005  # it is asked whether to stop after each turn
_PATIENCE = 20.0  # seconds for all answers
_QUIET = Settings.of(None, "none", guard=False)
_REPLY = re.compile(rb"(\d{3}[ -][\x20-\x7e]*\r\n)*")


def _check_requests(data: bytes) -> None:
    with scratch() as folder, _Client(folder / "socket", data) as client:
        users = Users(folder / "states", 3, _QUIET)
        serve(folder / "socket", users, ready=client.begin, stopped=client.is_done)
        *answers, rest = client.said.split(b"\n")
        assert rest == b""
        for answer in answers:
            require_plain(answer.decode("ascii"))
        _require_inside(folder)


def _check_lmtp(data: bytes) -> None:
    with scratch() as folder, _Client(folder / "socket", data) as client:
        for user in ("anna@example.org", "bob@example.org"):
            (folder / "boxes" / user).mkdir(parents=True)
        proxy = Proxy(Users(folder / "states", 3, _QUIET), Next("maildir", str(folder / "boxes"), 0))
        with redirect_stderr(StringIO()):
            serve_lmtp(str(folder / "socket"), proxy, ready=lambda _: client.begin(), stopped=client.is_done)
        assert _REPLY.fullmatch(client.said), client.said
        _require_delivered(folder, client.said)
        _require_inside(folder)


class _Client:
    """Sends some bytes to a service that runs in this thread, and keeps what it says."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.said = bytearray()
        self._path, self._data = path, data
        self._peer = socket.socket(socket.AF_UNIX)

    def __enter__(self) -> "_Client":
        return self

    def __exit__(self, *_: object) -> None:
        self._peer.close()

    def begin(self) -> None:
        self._end = time.monotonic() + _PATIENCE
        with address_of(self._path) as address:
            self._peer.connect(address)
        if not self._data:
            self._peer.shutdown(socket.SHUT_WR)
        self._peer.setblocking(False)

    def is_done(self) -> bool:
        """Go on with the conversation; True once the service has ended it."""
        assert time.monotonic() < self._end
        with suppress(BlockingIOError, BrokenPipeError):
            if self._data:
                self._data = self._data[self._peer.send(self._data) :]
                if not self._data:
                    self._peer.shutdown(socket.SHUT_WR)
        try:
            while piece := self._peer.recv(1 << 16):
                self.said += piece
        except BlockingIOError:
            return False
        except ConnectionResetError:
            pass
        return True


def _require_delivered(folder: Any, said: bytearray) -> None:
    files = [path for path in (folder / "boxes").rglob("*") if path.is_file()]
    assert len(files) == said.count(b"2.0.0 stored"), (files, said)
    for path in files:
        lines = path.read_bytes().split(b"\n\n")[0].split(b"\n")
        names = [line.partition(b":")[0] for line in lines[:3]]
        assert names == [b"Return-Path", b"Delivered-To", b"X-Lopsided"], lines
        assert not any(re.match(rb"(?i)x-lopsided[ \t]*:", line) for line in lines[3:])


def _require_inside(folder: Any) -> None:
    """Nothing is written beside the folders of the service."""
    assert {path.name for path in folder.iterdir()} <= {"states", "boxes"}
    assert all(path.is_file() for path in (folder / "states").glob("*"))


_HELLO = b"LHLO x\r\nMAIL FROM:<a@b.org> BODY=8BITMIME\r\nRCPT TO:<anna@example.org>\r\n"
TARGETS = {
    "requests": Target(
        _check_requests,
        lambda: [
            b"ping\ncheck anna 17\nSubject: lunch?\n\nlearn anna ham 0123456789abcdef\n",
            b"teach bob spam 5\nmoneycheck bob 5\nmoney",
        ],
        (
            b"check ",
            b"learn ",
            b"teach ",
            b" ham ",
            b" spam ",
            b"\n",
            b"../x",
            b"anna-wal",
            b"65537",
            b"\xc2\xb2",
        ),
    ),
    "lmtp": Target(
        _check_lmtp,
        lambda: [
            _HELLO + b"RCPT TO:<Bob+x@example.org>\r\nDATA\r\nSubject: hi\r\n\r\n..dot\r\n.\r\nQUIT\r\n",
            _HELLO + b"DATA\r\nX-Lopsided: show\r\n\r\n\r\n.\r\nRSET\r\nVRFY x\r\nNOOP\r\n",
        ],
        (
            *(
                b"LHLO",
                b"MAIL FROM:<>",
                b"RCPT TO:<",
                b"DATA\r\n",
                b"\r\n.\r\n",
                b"\n.\n",
                b"\r.\r",
                b"BDAT 5",
            ),
            *(
                b"anna@example.org",
                b'"\\""@x',
                b"../",
                b"\xe2\x84\xaa",
                b">\r\nX-Lopsided: show",
                b"\0",
                b"\t",
            ),
        ),
    ),
}
