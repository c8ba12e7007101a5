"""The beginning of a message, by which it is judged, and the message passed on with our header.

Only the first 3,000 bytes are held; what follows is copied in pieces, however long it is. Our own header is
taken out of whatever comes in, so that nobody can send it to us.
"""

import io
import re
from collections.abc import Callable, Iterator
from typing import IO, Protocol

HEADER = "X-Lopsided"
HEAD = 3000  # bytes of a message that are looked at
_PIECE = 1 << 16
# A name alone on its line may get its colon by the next line, which continues it.
_OURS = re.compile(rb"(?i)x-lopsided[^:\s]*[ \t]*(:|\r*\n|\Z)")
# Some programs end a line where others see a character of it.
_AT_OTHER_ENDS = re.compile(rb"(?i)(?<=[\r\0\v\f])x-lopsided")
# The end of a piece, in which such a name may begin that goes on in the next one.
_CUT = re.compile(rb"[\r\0\v\f][^\r\0\v\f]{0,9}\Z")
_ID = re.compile(rb"\bid=([0-9a-f]{16})\b")


def head_of(message: bytes) -> bytes:
    """Return what `Message` makes of the beginning of a message that is all there."""
    if b"x-lopsided" in message.lower():
        return Message(io.BytesIO(message)).head
    return message[:HEAD]


class Message:
    r"""A message on its way: ``head`` is there at once, `copy` passes everything on.

    Examples
    --------
    >>> import io
    >>> message = Message(io.BytesIO(b"X-Lopsided: show; id=0123456789abcdef\nSubject: hello\n\nYou"))
    >>> message.head, message.id
    (b'Subject: hello\n\nYou', '0123456789abcdef')
    >>> out = io.BytesIO()
    >>> message.copy(out, "hide")
    >>> out.getvalue()
    b'X-Lopsided: hide\nSubject: hello\n\nYou'
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._found: list[bytes] = []
        self._rest = _without_ours(stream, self._found)
        self._pieces: list[bytes] = []
        size = 0
        while size < HEAD and (piece := next(self._rest, b"")):
            self._pieces.append(piece)
            size += len(piece)
        self.head = b"".join(self._pieces)[:HEAD]

    @property
    def id(self) -> str | None:
        """The name that an earlier header of ours gave the message; None without one."""
        for line in self._found:
            if found := _ID.search(line):
                return found[1].decode("ascii")
        return None

    def copy(self, out: IO[bytes], header: str | None, before: bytes = b"", end: bytes | None = None) -> None:
        """Write the message, with our header before its own; None: without one. Once only.

        ``before`` are lines of headers that come first, and ``end`` ends our line; by default as the first
        line of the message ends.
        """
        start = b"".join(self._pieces)
        if end is None:
            end = b"\r\n" if re.match(rb"[^\n]*\r\n", start[:_PIECE]) else b"\n"
        envelope = b""  # an mbox's line stays the first
        # With a lone CR in it, it would end the headers for some readers before they come to ours.
        if found := re.match(rb"From [^\r\n]*\r?\n", start):
            envelope, start = found[0], start[found.end() :]
        out.write(envelope + before)
        if header is not None:
            out.write(f"{HEADER}: {' '.join(header.split())}".encode("ascii", "replace") + end)  # one line
            if start[:1] in (b" ", b"\t"):  # it would continue our line; as no header can, it is all text
                out.write(end)
        out.write(start)
        for piece in self._rest:
            out.write(piece)


class JudgedMessage(Protocol):
    """A decision about a message."""

    @property
    def word(self) -> str:
        """Return "show" or "hide"."""

    @property
    def header(self) -> str:
        """Return the value of the header that the message gets."""


Judge = Callable[[Message], JudgedMessage | None]
"""None: it was judged before, and stays where it is."""


def _without_ours(stream: IO[bytes], found: list[bytes]) -> Iterator[bytes]:
    """Yield the pieces of a message; lines of our header go to ``found`` instead."""
    starts, ours, held = True, False, b""
    while piece := stream.readline(_PIECE):
        if starts and not piece.strip(b"\r\n"):
            yield piece
            break
        if starts and piece[:1] not in (b" ", b"\t"):  # else it continues the line before
            ours = _OURS.match(piece) is not None
        if ours:
            found.append(piece[:1000])
            del found[100:]
        else:
            line, held = held + piece, b""
            if not line.endswith(b"\n") and (cut := _CUT.search(line)):
                line, held = line[: cut.start()], line[cut.start() :]
            if line:
                yield _AT_OTHER_ENDS.sub(b"X-Not-Lopsided", line)
        starts = piece.endswith(b"\n")
    if held:
        yield held
    while piece := stream.read(_PIECE):
        yield piece
