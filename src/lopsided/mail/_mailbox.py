"""The messages of a Maildir, an mbox, a folder or a file, one at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lopsided.mail._mbox import part_of, spans
from lopsided.mail._message import Message
from lopsided.text._mailbox import is_maildir


class Stored(NamedTuple):
    """A message in a mailbox."""

    folder: str  # of a Maildir: "" the inbox, ".Junk" ...; of an mbox: its path
    flags: str  # of a Maildir's name, or of an mbox's Status: S seen, R answered, F flagged, T deleted
    message: Message


def stored_messages(path: Path) -> Iterator[Stored]:
    """Yield all messages of a Maildir with its folders, of an mbox, of a folder of files, or one file."""
    if is_maildir(path):
        folders = [path, *(child for child in sorted(path.glob(".*")) if is_maildir(child))]
        for folder in folders:
            yield from _of_maildir(folder, "" if folder == path else folder.name)
    elif path.is_dir():
        for child in sorted(path.iterdir()):
            if child.is_file() and not child.name.startswith("."):
                yield from _of_file(child, child.parent.name)
    elif path.exists():
        yield from _of_file(path, str(path))
    else:
        raise FileNotFoundError(f"no mailbox '{path}'. Check the path.")


def _of_maildir(folder: Path, name: str) -> Iterator[Stored]:
    for part in ("cur", "new"):
        for path in sorted((folder / part).iterdir()):
            if path.name.startswith("."):
                continue
            flags = path.name.rpartition(":2,")[2] if ":2," in path.name else ""
            try:
                with path.open("rb") as file:
                    yield Stored(name, flags, Message(file))
            except (FileNotFoundError, IsADirectoryError):
                continue  # a mail program took it meanwhile


def _of_file(path: Path, name: str) -> Iterator[Stored]:
    with path.open("rb") as file:
        if file.read(5) != b"From ":
            file.seek(0)
            yield Stored(name, "", Message(file))
            return
        for _, body, end in spans(file):
            message = Message(part_of(file, body, end))
            yield Stored(name, _status(message.head), message)


def _status(head: bytes) -> str:
    """Return the flags of an mbox's message: it was read, answered, flagged or deleted."""
    flags = ""
    for line in head.partition(b"\n\n")[0].lower().splitlines():
        name, _, value = line.partition(b":")
        if name == b"status" and b"r" in value:
            flags += "S"
        if name == b"x-status":
            flags += "".join(new for old, new in zip("afd", "RFT", strict=True) if old.encode() in value)
    return flags
