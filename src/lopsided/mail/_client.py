"""Asking a filter that runs as a service: a process that loads nothing heavy."""

import socket

from lopsided.mail._message import HEAD
from lopsided.mail._names import is_user
from lopsided.mail._sockets import address_of

_WAIT = 30.0  # seconds for an answer
_LONGEST = 1000  # bytes of it


def ask(path: str, user: str, head: bytes) -> str:
    """Return what our header is to say of a message; OSError if the service does not answer."""
    if not is_user(user):
        raise ValueError(f"'{user}' is no name of a user: letters, digits and . _ @ + -, up to 128")
    with socket.socket(socket.AF_UNIX) as service:
        service.settimeout(_WAIT)
        try:
            with address_of(path) as address:
                service.connect(address)
        except OSError as error:
            raise OSError(f"no service answers at '{path}' ({error.strerror or error})") from None
        head = head[:HEAD]
        service.sendall(f"check {user} {len(head)}\n".encode() + head)
        answer = b""
        while b"\n" not in answer:
            piece = service.recv(4096)
            if not piece or len(answer) > _LONGEST:
                raise OSError("the service has ended in the middle of an answer")
            answer += piece
    text = answer.partition(b"\n")[0].decode("ascii", "replace").strip()
    if not text.startswith(("show;", "hide;")):
        raise OSError(f"the service says: {text}")
    return text
