"""Asking a filter that runs as a service: a process that loads nothing heavy."""

import socket

from lopsided.mail._message import HEAD

_WAIT = 30.0  # seconds for an answer


def ask(path: str, user: str, head: bytes) -> str:
    """What our header is to say of a message; OSError if the service does not answer."""
    with socket.socket(socket.AF_UNIX) as service:
        service.settimeout(_WAIT)
        service.connect(path)
        head = head[:HEAD]
        service.sendall(f"check {user} {len(head)}\n".encode() + head)
        answer = b""
        while not answer.endswith(b"\n"):
            piece = service.recv(4096)
            if not piece:
                raise OSError("the service has ended in the middle of an answer")
            answer += piece
    text = answer.decode("ascii", "replace").strip()
    if not text.startswith(("show;", "hide;")):
        raise OSError(f"the service says: {text}")
    return text
