"""The places for connections of a service with a thread for each: who gets one, and who has to leave.

A client that says nothing keeps no place that another one needs. It has time until its next message is
complete, less where more than half of the places are taken; and where all are taken, or half of them by the
same client, the connection that has been silent longest makes room for a new one.
"""

import io
import os
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

_PATIENCE = 300.0  # seconds for the next message to be complete, as RFC 5321 has it for a command
_UNDER_LOAD = 10.0  # where more than half of the places are taken
_SLOWEST = 1000.0  # bytes a second; a long message has so much more time
_GOODBYE = b"421 4.3.2 the place of this connection is needed, try again later\r\n"


class Place:
    """A connection, and how long it has been waiting for its client."""

    def __init__(self, peer: socket.socket, client: str, lock: threading.Lock) -> None:
        self.peer, self.client = peer, client
        self._lock = lock
        self._is_dismissed = False
        self._begun = monotonic()  # with its present message, or with waiting for it
        self._heard: float | None = None  # since when it waits for the client; None while it works
        self._listens = False  # waits for the client to say something, not to fetch something
        self._received = 0  # bytes of the message
        self._in_message = False

    @contextmanager
    def waiting(self, *, listens: bool = False) -> Iterator[None]:
        """Wait for the client meanwhile; ConnectionError if the place was given to another one."""
        with self._lock:
            self._check()
            self._heard, self._listens = monotonic(), listens
        try:
            yield
        finally:
            with self._lock:
                self._heard = None
                self._check()

    def receive_into(self, buffer: Any) -> int:
        """Receive some bytes."""
        with self.waiting(listens=True):
            n = self.peer.recv_into(buffer)
        if self._in_message:
            self._received += n
        return n

    @contextmanager
    def message(self) -> Iterator[None]:
        """Receive and answer a message meanwhile; after that, the client has all the time again."""
        self._in_message = True
        yield
        self._in_message, self._begun, self._received = False, monotonic(), 0

    def silence(self, now: float) -> float:
        """Return for how many seconds it has waited for the client; negative if it does not wait."""
        return -1.0 if self._heard is None else now - self._heard

    def is_late(self, now: float, patience: float) -> bool:
        """Return whether the client has had its time."""
        return self._heard is not None and now - self._begun > patience + self._received / _SLOWEST

    def dismiss(self) -> None:
        """End the connection, whose thread waits for the client; called with the lock."""
        self._is_dismissed = True
        with suppress(OSError):
            if self._listens:  # else it would stand in the middle of an answer
                os.write(self.peer.fileno(), _GOODBYE)  # does not wait, as `send` would
            self.peer.shutdown(socket.SHUT_RDWR)

    def _check(self) -> None:
        if self._is_dismissed:
            raise ConnectionAbortedError("the client was silent for too long")


class Places:
    """The places of all connections.

    Parameters
    ----------
    most : int
        Number of connections at a time. One client gets half of them.
    """

    def __init__(self, most: int) -> None:
        self.most, self._most_per_client = most, (most + 1) // 2
        self._lock = threading.Lock()
        self._taken: list[Place] = []

    def __len__(self) -> int:
        return len(self._taken)

    def enter(self, peer: socket.socket) -> Place | None:
        """Return a place; None if all that are in question are at work."""
        with self._lock:
            place = Place(peer, client_of(peer), self._lock)
            mine = [other for other in self._taken if other.client == place.client]
            rivals = mine if len(mine) >= self._most_per_client else self._taken
            if rivals is mine or len(self._taken) >= self.most:
                now = monotonic()
                silent = max(rivals, key=lambda other: other.silence(now))
                if silent.silence(now) < 0:
                    return None
                silent.dismiss()
                self._taken.remove(silent)
            self._taken.append(place)
            return place

    def leave(self, place: Place) -> None:
        """Give a place back."""
        with self._lock, suppress(ValueError):  # dismissed before
            self._taken.remove(place)

    def tidy(self) -> None:
        """Dismiss the connections whose clients have had their time."""
        with self._lock:
            now = monotonic()
            patience = _UNDER_LOAD if 2 * len(self._taken) > self.most else _PATIENCE
            for place in [one for one in self._taken if one.is_late(now, patience)]:
                place.dismiss()
                self._taken.remove(place)


class FromClient(io.RawIOBase):
    """A client as a file to read from."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def readable(self) -> bool:
        return True

    # The stubs allow any buffer, and BufferedReader passes this one.
    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        return self._place.receive_into(buffer)


def client_of(peer: socket.socket) -> str:
    """Return who is at the other end: a host, or the user of the system behind a Unix socket."""
    if peer.family != socket.AF_UNIX:
        with suppress(OSError):  # it has gone
            return str(peer.getpeername()[0])
    elif hasattr(socket, "SO_PEERCRED"):  # on Linux
        found = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return f"user {struct.unpack('3i', found)[1]}"
    return ""
