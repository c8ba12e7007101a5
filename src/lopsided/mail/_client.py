"""Asking a filter that runs as a service: a process that loads nothing heavy."""

import random
import socket
import time

from lopsided.mail._message import HEAD
from lopsided.mail._names import is_user
from lopsided.mail._sockets import address_of

_WAIT = 30.0  # seconds for an answer, all attempts together
_PAUSE = 0.2  # seconds between two attempts, on average
_LONGEST = 1000  # bytes of an answer


class _TryAgainError(OSError):
    """Raised where another attempt may help: the service is there, and has no time for us now."""


def ask(path: str, user: str, head: bytes) -> str:
    """Return what our header is to say of a message; OSError if the service does not answer in time.

    A service that is not there is told at once. One that is busy is asked again, as is one that another
    process keeps from the user's state.
    """
    if not is_user(user):
        raise ValueError(f"'{user}' is no name of a user: letters, digits and . _ @ + -, up to 128")
    end = time.monotonic() + _WAIT
    while True:
        try:
            return _ask_once(path, user, head[:HEAD], max(end - time.monotonic(), 0.1))
        except _TryAgainError:
            pause = random.uniform(0.5, 1.5) * _PAUSE  # not all at the same moment
            if time.monotonic() + pause > end:
                raise
            time.sleep(pause)


def _ask_once(path: str, user: str, head: bytes, wait: float) -> str:
    with socket.socket(socket.AF_UNIX) as service:
        service.settimeout(wait)
        try:
            with address_of(path) as address:
                service.connect(address)
        except BlockingIOError:
            raise _TryAgainError(f"too many wait for the service at '{path}'") from None
        except OSError as error:
            raise OSError(f"no service answers at '{path}' ({error.strerror or error})") from None
        answer = b""
        try:
            service.sendall(f"check {user} {len(head)}\n".encode() + head)
            while b"\n" not in answer and len(answer) <= _LONGEST:
                piece = service.recv(4096)
                if not piece:
                    raise ConnectionError
                answer += piece
        except ConnectionError:  # it made room for somebody else, or has ended
            raise _TryAgainError("the service has ended in the middle of an answer") from None
    text = answer.partition(b"\n")[0].decode("ascii", "replace").strip()
    if text.startswith("error BusyError"):
        raise _TryAgainError(f"the service says: {text}")
    if not text.startswith(("show;", "hide;")):
        raise OSError(f"the service says: {text}")
    return text
