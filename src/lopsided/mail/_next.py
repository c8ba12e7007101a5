"""The next mail server, which messages are passed on to, or the Maildirs that they are put into."""

import smtplib
import socket
from contextlib import nullcontext
from typing import NamedTuple

from lopsided.mail._sockets import address_of

_PIECE = 1 << 16
_WAIT = 300.0  # seconds for the other side, as RFC 5321 has it


class Next(NamedTuple):
    """The destination of messages: another server, or Maildirs in a folder.

    Examples
    --------
    >>> Next.of("smtp:127.0.0.1:10026")
    Next(protocol='smtp', host='127.0.0.1', port=10026)
    >>> Next.of("lmtp:/run/dovecot/lmtp").host
    '/run/dovecot/lmtp'
    >>> Next.of("maildir:/var/vmail").host
    '/var/vmail'
    """

    protocol: str
    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Next":
        """Read a command line: smtp:HOST:PORT, lmtp:HOST:PORT, lmtp:/PATH or maildir:/FOLDER."""
        protocol, _, place = text.partition(":")
        if protocol in ("lmtp", "maildir") and place.startswith("/"):
            return cls(protocol, place, 0)
        if protocol not in ("smtp", "lmtp"):
            raise ValueError(
                f"'{text}': write smtp:HOST:PORT, lmtp:HOST:PORT, lmtp:/PATH or maildir:/FOLDER."
            )
        return cls(protocol, *host_and_port(place))

    def connect(self) -> smtplib.SMTP:
        """Greet the next server; OSError or SMTPException if that fails."""
        kind = smtplib.SMTP if self.protocol == "smtp" else smtplib.LMTP
        is_path = self.host.startswith("/")
        with address_of(self.host) if is_path else nullcontext(self.host) as host:
            client = kind(host, self.port, local_hostname="localhost", timeout=_WAIT)
        client.command_encoding = "utf-8"
        send_at_once(client.sock)
        client.ehlo_or_helo_if_needed()
        return client


def host_and_port(text: str) -> tuple[str, int]:
    """Return the two parts of ``HOST:PORT``."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or not 0 <= int(port) < 1 << 16:
        raise ValueError(f"'{text}': write HOST:PORT, as in 127.0.0.1:10025.")
    return host.strip("[]"), int(port)


class Dotted:
    """Lines on their way to a server: ended by CR LF, and a dot before each dot that begins one."""

    def __init__(self, peer: socket.socket | None) -> None:
        assert peer is not None
        self._peer, self._starts = peer, True
        self._waiting = bytearray()

    def write(self, piece: bytes) -> None:
        """Take some bytes, with LF at the ends of lines."""
        if self._starts and piece[:1] == b".":
            piece = b"." + piece
        if piece:
            self._starts = piece[-1:] == b"\n"
        self._waiting += piece.replace(b"\n.", b"\n..").replace(b"\n", b"\r\n")
        if len(self._waiting) >= _PIECE:
            self._send()

    def end(self) -> None:
        """Send the line that ends the message."""
        self._waiting += b".\r\n" if self._starts else b"\r\n.\r\n"
        self._send()

    def _send(self) -> None:
        self._peer.sendall(self._waiting)
        self._waiting.clear()


def send_at_once(peer: socket.socket | None) -> None:
    """Wait for no more bytes before sending few: a conversation is many short lines."""
    if peer is not None and peer.family != socket.AF_UNIX:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
