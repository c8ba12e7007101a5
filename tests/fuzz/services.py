"""What clients say to the services: requests to `filter serve`, LMTP to `filter lmtp`."""

import re
import socket
import threading
from types import SimpleNamespace
from typing import Any

from fuzz.target import Target, require_plain, scratch
from lopsided.mail._lmtp import Proxy, Session
from lopsided.mail._next import Next
from lopsided.mail._server import Connection, Users
from lopsided.mail._settings import Settings

_QUIET = Settings.of(None, "none", guard=False)
_REPLY = re.compile(rb"(\d{3}[ -][\x20-\x7e]*\r\n)*")


def _check_requests(data: bytes) -> None:
    with scratch() as folder:
        users = Users(folder / "states", 3, _QUIET)
        client, peer = socket.socketpair()
        try:
            peer.setblocking(False)
            connection = Connection(peer)
            connection.incoming += data
            requests = list(connection.requests())
            connection.send(users.answer(requests))
            client.shutdown(socket.SHUT_WR)
            peer.close()
            *answers, rest = client.makefile("rb").read().split(b"\n")
            assert rest == b""
            assert len(answers) == len(requests) + connection.broken
            for answer in answers:
                require_plain(answer.decode("ascii"))
        finally:
            client.close()
            peer.close()
            users.close()
        _require_inside(folder)


def _check_lmtp(data: bytes) -> None:
    with scratch() as folder:
        boxes = folder / "boxes"
        for user in ("anna@example.org", "bob@example.org"):
            (boxes / user).mkdir(parents=True)
        proxy = Proxy(Users(folder / "states", 3, _QUIET), Next("maildir", str(boxes), 0))
        client, peer = socket.socketpair()
        try:
            said = bytearray()
            reading = threading.Thread(target=_read_all, args=(client, said))
            reading.start()
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            server: Any = SimpleNamespace(proxy=proxy)
            try:
                Session(peer, "", server)
            except ConnectionError as error:  # the client went in the middle of a message
                require_plain(str(error))
            peer.close()
            reading.join()
            assert _REPLY.fullmatch(said), said
            _require_delivered(folder, said)
        finally:
            client.close()
            peer.close()
            proxy.close()
        _require_inside(folder)


def _read_all(client: socket.socket, said: bytearray) -> None:
    while piece := client.recv(1 << 16):
        said += piece


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
