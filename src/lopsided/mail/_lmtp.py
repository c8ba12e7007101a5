"""The filter between a mail server and the next one, or Maildirs: LMTP in, one decision a recipient.

Each recipient's copy is passed on by itself, with that recipient's header, and answered with what the next
server says about it. Nothing is held here when the answer goes out: a message belongs to the sender until the
next server has taken it, or it is on the disk. If the filter fails, the message passes with a header that
says so; if this service or the next one fails, the sender keeps the message and tries again.

LMTP is RFC 2033. A milter would be simpler, but gives all recipients of a message the same header.
"""

import io
import os
import re
import smtplib
import socket
import socketserver
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import IO, Any

from lopsided.mail._maildir import delivery
from lopsided.mail._message import Message
from lopsided.mail._next import Dotted, host_and_port, send_at_once
from lopsided.mail._places import FromClient, Place
from lopsided.mail._proxy import Proxy, user_of
from lopsided.mail._server import listen_at, make_room, one_line
from lopsided.mail._state import BusyError
from lopsided.terminal import say

_PIECE = 1 << 16
_IN_MEMORY = 1 << 18  # bytes of a message; the rest of a longer one is a temporary file
_MOST_RECIPIENTS = 1000
_ASKED = 0.5  # seconds between two looks whether to stop
_WAIT = 300.0  # seconds for the other side, as RFC 5321 has it
_WAIT_FOR_STATE = 60.0  # seconds for another process that uses the state of a recipient
_PASSED = ("8bitmime", "smtputf8", "dsn")  # what the next server can do, we pass on
# No control characters: an address becomes a header, and must not become two.
_PATH = re.compile(
    r"""(?i)(?:FROM|TO):\s*<((?:[^<>"\x00-\x1f\x7f]|"(?:[^"\\\x00-\x1f\x7f]|\\[^\x00-\x1f\x7f])*")*)>"""
    "(?: .*)?"
)
_SIZE = re.compile(r"(?i) SIZE=([0-9]{1,20})(?= |\Z)")


class Session(socketserver.StreamRequestHandler):
    """A connection from a mail server."""

    timeout = _WAIT
    proxy: Proxy
    place: Place

    def setup(self) -> None:
        """Read what the client sends within the time of its place."""
        super().setup()
        self.place = self.client_address
        # A raw file of ours; the stubs want one of the library's.
        self.rfile = io.BufferedReader(FromClient(self.place), _PIECE)  # type: ignore[type-var]

    def handle(self) -> None:
        """Answer one command after the other."""
        # The server is ours, and has one; socketserver knows only its own class.
        self.proxy = self.server.proxy  # type: ignore[attr-defined]
        self.next: smtplib.SMTP | None = None
        self.sender: str | None = None  # what stands behind MAIL
        self.recipients: list[tuple[str, str]] = []  # address, what stands behind RCPT
        self.largest = self.proxy.largest
        with suppress(OSError):  # the other side has gone: what was not answered it sends again
            try:
                self.reply("220 lopsided LMTP")
                while (line := self.rfile.readline(2048)) and self.command(line):
                    pass
            finally:
                self.leave(politely=True)

    def reply(self, *lines: str) -> None:
        """Send an answer, one line or more."""
        for i, line in enumerate(lines):
            if i + 1 < len(lines):
                line = f"{line[:3]}-{line[4:]}"
            with self.place.waiting():
                self.wfile.write(line.encode("ascii", "replace") + b"\r\n")

    def command(self, line: bytes) -> bool:
        """Do what a line says; return False at the end of the connection."""
        if not line.endswith(b"\n"):
            self.reply("500 5.5.6 line too long")
            return False
        try:
            text = line.decode().strip()
        except UnicodeDecodeError:
            self.reply("500 5.5.2 not UTF-8")
            return True
        verb, _, rest = text.partition(" ")
        match verb.upper():
            case "LHLO":
                return self.greet()
            case "MAIL":
                self.mail(rest)
            case "RCPT":
                self.rcpt(rest)
            case "DATA" if self.recipients:
                self.data()
            case "DATA":
                self.reply("503 5.5.1 no recipients")
            case "RSET":
                self.reset()
                self.reply("250 2.0.0 ok")
            case "NOOP":
                self.reply("250 2.0.0 ok")
            case "VRFY":
                self.reply("252 2.1.5 send it and see")
            case "QUIT":
                self.reply("221 2.0.0 bye")
                return False
            case "HELO" | "EHLO":
                self.reply("500 5.5.1 this is LMTP: say LHLO")
            case _:
                self.reply("500 5.5.1 unknown command")
        return True

    def greet(self) -> bool:
        """Say what we can do: what the next server can, in what matters to a message."""
        self.reset()
        can: dict[str, str] = {"8bitmime": "", "smtputf8": ""}
        try:
            if self.proxy.next.protocol != "maildir":
                can = self.connected().esmtp_features
        except (OSError, smtplib.SMTPException) as error:
            say(f"the next server does not answer: {one_line(error)}.")
            self.reply("421 4.4.1 the next server does not answer")
            return False
        passed = [f"250 {name.upper()} {can[name]}".rstrip() for name in _PASSED if name in can]
        size = can.get("size", "")
        if size.isascii() and size.isdecimal() and int(size):  # 0 is no limit
            self.largest = min(self.proxy.largest, int(size))
        size_line = f"250 SIZE {self.largest}"
        self.reply("250 lopsided", "250 PIPELINING", size_line, *passed, "250 ENHANCEDSTATUSCODES")
        return True

    def mail(self, rest: str) -> None:
        """Begin a message."""
        if self.sender is not None:
            self.reply("503 5.5.1 one sender a message")
        elif not _PATH.fullmatch(rest) or not rest.upper().startswith("FROM"):
            self.reply("501 5.5.4 MAIL FROM:<address>")
        elif (size := _SIZE.search(rest, rest.rindex(">"))) and int(size[1]) > self.largest:
            self.reply(self.too_large)
        else:
            self.sender = rest
            self.reply("250 2.1.0 ok")

    def rcpt(self, rest: str) -> None:
        """Take one more recipient. Whether the next server takes it is said after the message."""
        found = _PATH.fullmatch(rest)
        if self.sender is None:
            self.reply("503 5.5.1 MAIL comes first")
        elif not found or not rest.upper().startswith("TO"):
            self.reply("501 5.5.4 RCPT TO:<address>")
        elif len(self.recipients) >= _MOST_RECIPIENTS:
            self.reply("452 4.5.3 too many recipients")
        else:
            self.recipients.append((found[1], rest))
            self.reply("250 2.1.5 ok")

    def data(self) -> None:
        """Take the message in, pass it on, and say for each recipient what became of it."""
        with self.proxy.idle:
            self.proxy.busy += 1
        try:
            with self.place.message(), SpooledTemporaryFile(_IN_MEMORY) as spool:
                self.reply("354 the message, and a line with a dot")
                # A spooled file reads and writes like any other; the stubs give it a class of its own.
                problem = _take_in(self.rfile, spool, self.largest, self.too_large)  # type: ignore[arg-type]
                if problem is not None:
                    self.reply_to_all(problem)
                else:
                    self.deliver_to_all(spool)
        finally:
            self.reset()
            with self.proxy.idle:
                self.proxy.busy -= 1
                self.proxy.idle.notify_all()

    @property
    def too_large(self) -> str:
        """Our answer to a message that is too large."""
        return f"552 5.3.4 message too large, {self.largest} bytes at most"

    def deliver_to_all(self, spool: IO[bytes]) -> None:
        """Pass the message on to each recipient; those whose state another process uses come last.

        The answers are in the order of the recipients.
        """
        late: list[tuple[str, str, str | None]] = []  # from the first recipient on whose state is in use
        for address, rest in self.recipients:
            answer = self.deliver(spool, address, rest)
            if answer is None or late:
                late.append((address, rest, answer))
            else:
                self.reply(answer)
        if not late:
            return
        waits, until = self.proxy.line.acquire(blocking=False), monotonic() + _WAIT_FOR_STATE
        try:
            for address, rest, answer in late:
                if answer is None and waits:
                    answer = self.deliver(spool, address, rest, until)
                self.reply(answer or "451 4.3.0 the filter of this recipient is in use, try again later")
        finally:
            if waits:
                self.proxy.line.release()

    def reply_to_all(self, answer: str) -> None:
        """Send the same answer for each recipient."""
        for _ in self.recipients:
            self.reply(answer)

    def deliver(self, spool: IO[bytes], address: str, rest: str, until: float | None = None) -> str | None:
        """Pass the message on to one recipient, and return the next server's answer.

        None if another process uses the recipient's state, which is waited for until a moment.
        """
        try:
            if self.proxy.next.protocol == "maildir":
                return self.store(spool, address, until)
            next = self.connected()
            sender = self.sender if next.has_extn("size") else _SIZE.sub("", self.sender or "")
            for command in (f"MAIL {sender}", f"RCPT {rest}"):
                code, text = next.docmd(command)
                if code // 100 != 2:
                    next.docmd("RSET")
                    return _as_reply(code, text)
            spool.seek(0)
            message = Message(spool)
            try:  # Only now: a recipient whom the next server does not know gets no filter.
                header = self.proxy.judge(address, message.head, until)
            except BusyError:
                next.docmd("RSET")
                return None
            code, text = next.docmd("DATA")
            if code // 100 != 3:
                next.docmd("RSET")
                return _as_reply(code, text)
            out = Dotted(next.sock)
            # It is only written to, which `Dotted` can.
            message.copy(out, header, end=b"\n")  # type: ignore[arg-type]
            out.end()
            return _as_reply(*next.getreply())
        except BusyError:  # of a Maildir's owner
            return None
        except Exception as error:  # anything: the sender keeps the message, and tries again
            say(f"not passed on: {one_line(error)}.")
            self.leave()
            return "451 4.4.1 not passed on, try again later"

    def store(self, spool: IO[bytes], address: str, until: float | None) -> str:
        """Put the message into the recipient's Maildir or its hidden folder, and return our answer.

        The folder must be there, empty or not. Nobody gets one by being written to; and if it is not there
        because a disk is not, the sender keeps the message until it is.
        """
        try:
            user = user_of(address, domain=self.proxy.domain)
        except ValueError:
            return "550 5.1.3 no Maildir has the name of this recipient"
        box = Path(self.proxy.next.host, user)
        if not box.is_dir():
            return "451 4.2.0 no Maildir of this recipient"
        spool.seek(0)
        message = Message(spool)
        header = self.proxy.judge(address, message.head, until)
        sender = _PATH.fullmatch(self.sender or "")
        with delivery(box / ".Junk" if header.startswith("hide;") else box) as file:
            envelope = f"Return-Path: <{sender[1] if sender else ''}>\nDelivered-To: {address}\n"
            message.copy(file, header, envelope.encode(), end=b"\n")
        return "250 2.0.0 stored"

    def connected(self) -> smtplib.SMTP:
        """Return the next server, greeted once a connection; again if it has gone meanwhile."""
        if self.next is not None:
            with suppress(OSError, smtplib.SMTPException):
                if self.next.noop()[0] == 250:
                    return self.next
            self.leave()
        self.next = self.proxy.next.connect()
        return self.next

    def leave(self, politely: bool = False) -> None:
        """Close the connection to the next server."""
        if self.next is not None:
            with suppress(OSError, smtplib.SMTPException):
                if politely and self.next.sock is not None:
                    self.next.sock.settimeout(5)
                    self.next.docmd("QUIT")
            self.next.close()
            self.next = None

    def reset(self) -> None:
        """Forget the message."""
        self.sender, self.recipients = None, []


class _Server(socketserver.ThreadingMixIn, socketserver.BaseServer):
    """A thread a connection, at a socket that is there already."""

    daemon_threads = True

    def __init__(self, listener: socket.socket, proxy: Proxy) -> None:
        super().__init__(listener.getsockname(), Session)
        self.socket, self.proxy = listener, proxy

    def fileno(self) -> int:
        return self.socket.fileno()

    def get_request(self) -> tuple[socket.socket, Any]:
        peer, _ = self.socket.accept()
        peer.settimeout(_WAIT)
        send_at_once(peer)
        return peer, self.proxy.places.enter(peer)

    def verify_request(self, request: Any, client_address: Place | None) -> bool:
        """Turn a connection away for which there is no place."""
        if client_address is None:
            with suppress(OSError):
                request.send(b"421 4.3.2 too many connections, try again later\r\n")
        return client_address is not None

    def process_request(self, request: Any, client_address: Place) -> None:
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be started
            self.proxy.places.leave(client_address)
            raise

    def process_request_thread(self, request: Any, client_address: Place) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.proxy.places.leave(client_address)

    def shutdown_request(self, request: Any) -> None:
        with suppress(OSError):
            request.shutdown(socket.SHUT_WR)
        request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what is wrong; the service goes on, and the sender tries again."""
        say(f"a connection has ended: {one_line(sys.exception())}.")


def serve_lmtp(
    listen: str, proxy: Proxy, *, ready: Callable[[str], None], stopped: Callable[[], bool]
) -> None:
    """Serve at ``HOST:PORT`` or ``/PATH`` until ``stopped`` says so, which is asked twice a second.

    A socket at a path is for its owner and group: the mail server is another user.
    """
    make_room(proxy.users.most)
    path = Path(listen) if listen.startswith("/") else None
    if path is not None:
        listener = listen_at(path)
        os.chmod(path, 0o660)
        place = listen
    else:
        host, port = host_and_port(listen)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=128)
        place = "{}:{}".format(*listener.getsockname()[:2])
    with listener:
        server = _Server(listener, proxy)
        server.timeout = _ASKED
        try:
            ready(place)
            while not stopped():
                server.handle_request()
                proxy.places.tidy()
        finally:
            proxy.close()
            if path is not None:
                path.unlink(missing_ok=True)


def _take_in(source: IO[bytes], spool: IO[bytes], largest: int, too_large: str) -> str | None:
    """Read a message up to the line with a dot, its lines ended by LF; an answer if it cannot be held.

    Only CR LF ends a line of the protocol: a dot between other ends is part of the message, or somebody could
    write the end of one message, and the next one, into the text of a message.
    """
    problem, starts, held, size = None, True, b"", 0
    while True:
        piece = source.readline(_PIECE)
        if not piece:
            raise ConnectionError("the sender has gone in the middle of a message")
        line, held = held + piece, b""
        if starts and line == b".\r\n":
            return problem
        if starts and line.startswith(b"."):
            line = line[1:]
        if line.endswith(b"\r"):  # of a long line; perhaps LF comes next
            line, held = line[:-1], b"\r"
        starts = line.endswith(b"\r\n")
        size += len(line)
        if size > largest:
            problem = too_large
        if size > 2 * largest:
            raise ConnectionError("the sender goes on and on")
        try:
            if problem is None:
                spool.write(line[:-2] + b"\n" if starts else line)
        except OSError as error:
            say(f"a message could not be held: {one_line(error)}.")
            problem = "452 4.3.1 no room for the message, try again later"


def _as_reply(code: int, text: bytes) -> str:
    """Return the next server's answer as one line."""
    words = " ".join(text.decode("ascii", "replace").split())
    if not 200 <= code <= 599 or code // 100 == 3:
        return "451 4.4.2 the next server says nothing that means anything"
    return f"{451 if code == 421 else code} {words}"[:480]  # 421 would mean that we hang up
