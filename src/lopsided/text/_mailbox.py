"""Recognition of mailboxes: a Maildir by its folders, an mbox by the lines that separate its messages."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

Part = Literal["separator", "rest of separator", "message"]


def is_maildir(path: Path) -> bool:
    """Return whether a folder is a Maildir: it has the folders ``cur`` and ``new``."""
    return (path / "cur").is_dir() and (path / "new").is_dir()


def parts_of_mbox(pieces: Iterable[tuple[bytes, bool]]) -> Iterator[tuple[bytes, Part]]:
    r"""Yield the pieces of an mbox, each with the part that it belongs to.

    A message starts behind a separator: a line `From ` that opens the file or follows an empty line.

    Parameters
    ----------
    pieces : iterable of (bytes, bool)
        Lines with their ends, and whether each starts a line; a long line comes in several pieces.

    Examples
    --------
    >>> lines = [b"From anna\n", b"Hello\n", b"From here\n", b"\n", b"From bob\n", b"Bye\n"]
    >>> [part for _, part in parts_of_mbox((line, True) for line in lines)]
    ['separator', 'message', 'message', 'message', 'separator', 'message']
    """
    after_blank, in_separator = True, False
    for piece, starts in pieces:
        if starts:
            in_separator = after_blank and piece.startswith(b"From ")
            after_blank = piece in (b"\n", b"\r\n")
        if in_separator:
            yield piece, "separator" if starts else "rest of separator"
        else:
            yield piece, "message"
