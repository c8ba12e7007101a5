"""Messages of a Maildir or an mbox, one at a time, and both rewritten by what was decided."""

import errno
import io
import os
import re
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from lopsided.mail._filter import alone
from lopsided.mail._message import Message
from lopsided.text._mailbox import is_maildir, parts_of_mbox

_PIECE = 1 << 16
_STALE = 600  # seconds after which the lock of an mbox has been forgotten
_UNFINISHED = ".lopsided"  # in tmp of a Maildir, while a message gets our header; one at a time, under a lock
_ENVELOPE = b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n"  # of a message that has none
_WITHOUT_LINKS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


class Stored(NamedTuple):
    """A message in a mailbox."""

    folder: str  # of a Maildir: "" the inbox, ".Junk" ...; of an mbox: its path
    flags: str  # of a Maildir's name, or of an mbox's Status: S seen, R answered, F flagged, T deleted
    message: Message


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


def filter_maildir(inbox: Path, hidden: Path, judge: Judge) -> dict[str, int]:
    """Judge the messages in ``new``: move the hidden ones to another Maildir, and give the others our header.

    A message is in one of the two at every moment, whole. Killed in between, both may have it. No message
    ever replaces another one, whatever their names are.
    """
    for part in ("cur", "new", "tmp"):
        (hidden / part).mkdir(mode=0o700, parents=True, exist_ok=True)
    counts = {"show": 0, "hide": 0, "left": 0}
    with alone(inbox / "new"):  # a second one would judge everything again
        names = {box: {"", *_names_in(box)} for box in (inbox, hidden)}
        for path in sorted((inbox / "new").iterdir()):
            if path.name.startswith(".") or not path.is_file():
                continue
            try:
                with path.open("rb") as file:
                    message = Message(file)
                    judged = judge(message)
                    if judged is not None:
                        box = hidden if judged.word == "hide" else inbox
                        _put(message, judged.header, file, path, box, names[box])
                    counts["left" if judged is None else judged.word] += 1
            except FileNotFoundError:
                continue  # a mail program took it meanwhile
    return counts


def _put(message: Message, header: str, file: IO[bytes], path: Path, box: Path, names: set[str]) -> None:
    """Put a message with our header into a Maildir, in place of the one without.

    ``names`` holds the names in use in that Maildir, without flags.
    """
    before = os.fstat(file.fileno())
    whole = box / "tmp" / _UNFINISHED
    try:
        with _private(whole) as out:
            os.fchmod(out.fileno(), before.st_mode & 0o777)
            message.copy(out, header)
            out.flush()
            os.fsync(out.fileno())
        os.utime(whole, ns=(before.st_atime_ns, before.st_mtime_ns))  # when it came, for mail programs
        _check_unmoved(path, before)
        name = _without_sizes(path.name)
        if box / "new" / name == path:
            os.replace(whole, path)
            return
        if _without_flags(name) in names:
            name = _new_name()
        names.add(_without_flags(name))
        _publish(whole, box, name)
    except BaseException:
        whole.unlink(missing_ok=True)
        raise
    _check_unmoved(path, before)
    path.unlink()


def _check_unmoved(path: Path, before: os.stat_result) -> None:
    """Raise FileNotFoundError unless a file is still where it was."""
    if not os.path.samestat(path.stat(), before):
        raise FileNotFoundError(f"'{path}' is another file now.")


def _publish(whole: Path, box: Path, name: str) -> None:
    """Move a message to ``new`` of a Maildir, under another name if this one is taken."""
    while not _move_if_free(whole, box / "new" / name):
        name = _new_name()
    folder = os.open(box / "new", os.O_RDONLY)
    try:
        os.fsync(folder)  # from here on it survives a power failure
    finally:
        os.close(folder)


def _move_if_free(path: Path, place: Path) -> bool:
    """Move a file unless there is one at its new place, which a rename would write over."""
    try:
        os.link(path, place)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _WITHOUT_LINKS:
            raise
        try:  # an empty file reserves the place, and is the only one that the rename can replace
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        os.replace(path, place)
    else:
        path.unlink()
    return True


def _new_name() -> str:
    """Return a name that no message in any Maildir has."""
    now = time.time_ns()
    return f"{now // 10**9}.M{now // 1000 % 10**6}P{os.getpid()}R{secrets.token_hex(8)}.{_host()}"


def _names_in(box: Path) -> set[str]:
    """Return the names in use in a Maildir, without flags.

    Names in ``cur`` count, because a mail program that moves a new message there replaces a message that
    has the same name.
    """
    return {_without_flags(name) for part in ("cur", "new") for name in os.listdir(box / part)}


def _without_flags(name: str) -> str:
    return name.partition(":")[0]


def _without_sizes(name: str) -> str:
    """Return a name without the sizes that Dovecot adds, which are those of a message without our header."""
    unique, colon, flags = name.partition(":")
    return re.sub(r",[SW]=[0-9]+(?=,|$)", "", unique) + colon + flags


def _private(path: Path) -> IO[bytes]:
    """Open a new file for its owner alone, in place of what a killed process left; never through a link."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


@contextmanager
def delivery(box: Path) -> Iterator[IO[bytes]]:
    """Deliver a new message to a Maildir, made if need be: it is there when it is whole and on the disk."""
    for part in ("cur", "new", "tmp"):
        (box / part).mkdir(mode=0o700, parents=True, exist_ok=True)
    name = _new_name()
    whole = box / "tmp" / name
    try:
        with whole.open("xb") as file:
            os.fchmod(file.fileno(), 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        _publish(whole, box, name)
    except BaseException:
        whole.unlink(missing_ok=True)
        raise


def filter_mbox(inbox: Path, hidden: Path, judge: Judge) -> dict[str, int]:
    """Judge the messages of an mbox: some move to another mbox, the rest get our header.

    The box is locked meanwhile, as mail programs lock it. If it changes all the same, nothing is done. It is
    written over, not replaced: who waits for its lock has it open already.
    """
    counts = {"show": 0, "hide": 0, "left": 0}
    inbox = inbox.resolve()
    if hidden.exists() and hidden.samefile(inbox):
        raise ValueError(f"'{hidden}' is the mailbox itself. Name another file for hidden messages.")
    hidden = hidden.resolve()  # programs lock the file, not a link to it
    with _locked(inbox), inbox.open("rb") as file:
        before = os.fstat(file.fileno())
        kept = inbox.with_name(f".{inbox.name}.lopsided-kept")
        moved = inbox.with_name(f".{inbox.name}.lopsided-moved")
        whole = inbox.with_name(f".{inbox.name}.lopsided-whole")
        if whole.exists():
            raise OSError(
                f"an earlier run was ended while it wrote '{inbox}'. All that belongs there is in "
                f"'{whole.name}' beside it, but for mail that came later: put both together, and remove that."
            )
        try:
            with _private(kept) as keep, _private(moved) as move:
                for start, body, end in _spans(file):
                    message = Message(_part_of(file, body, end))
                    judged = judge(message)
                    out = move if judged is not None and judged.word == "hide" else keep
                    if start == body and out is move:
                        out.write(_ENVELOPE)  # or it would become part of the message before it
                    _copy(file, start, body, out)
                    if judged is None:
                        _copy(file, body, end, out)
                        counts["left"] += 1
                    else:
                        message.copy(out, judged.header)
                        counts[judged.word] += 1
                for out in (keep, move):
                    out.flush()
                    os.fsync(out.fileno())
            if _mark(inbox.stat()) != _mark(before):
                raise OSError(f"'{inbox}' was changed while it was read. Nothing was moved; run it again.")
            if moved.stat().st_size:
                _append(moved, hidden)
            os.rename(kept, whole)  # complete: killed from here on, all is in there
            _write_over(whole, inbox)
            whole.unlink()
        finally:
            for path in (kept, moved):
                with suppress(FileNotFoundError):
                    path.unlink()
    return counts


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
        for _, body, end in _spans(file):
            message = Message(_part_of(file, body, end))
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


def _spans(file: IO[bytes]) -> Iterator[tuple[int, int, int]]:
    """Yield where each message of an mbox starts, where its own lines start, and where it ends."""
    file.seek(0)
    start = body = -1
    place = 0
    for piece, part in parts_of_mbox(_pieces(file)):
        end = place + len(piece)
        if part == "separator":
            if start >= 0:
                yield start, body, place
                file.seek(end)  # the caller has read elsewhere meanwhile
            start = place
        if part != "message":
            body = end
        elif start < 0:
            start = body = place
        place = end
    if start >= 0:
        yield start, body, place


def _pieces(file: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield lines, and whether each starts a line; a long line comes in several pieces."""
    starts = True
    while piece := file.readline(_PIECE):
        yield piece, starts
        starts = piece.endswith(b"\n")


def _part_of(file: IO[bytes], start: int, end: int) -> IO[bytes]:
    # A raw file of ours; the stubs want one of the library's.
    return io.BufferedReader(_FilePart(file, start, end), _PIECE)  # type: ignore[type-var]


class _FilePart(io.RawIOBase):
    """A part of an open file as a file."""

    def __init__(self, file: IO[bytes], start: int, end: int) -> None:
        self._file, self._place, self._end = file, start, end

    def readable(self) -> bool:
        return True

    # The stubs allow any buffer, and BufferedReader passes this one.
    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        self._file.seek(self._place)
        data = self._file.read(min(len(buffer), self._end - self._place))
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


def _copy(file: IO[bytes], start: int, end: int, out: IO[bytes]) -> None:
    while start < end:
        file.seek(start)
        data = file.read(min(_PIECE, end - start))
        if not data:
            return
        out.write(data)
        start += len(data)


def _host() -> str:
    """Return this machine's name, as names of files in a Maildir have it."""
    return socket.gethostname().replace("/", "\\057").replace(":", "\\072")


def _mark(stat: os.stat_result) -> tuple[int, int, int]:
    """Return numbers that differ after a file has changed."""
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _write_over(source: Path, target: Path) -> None:
    """Put what one file has into another, which stays the same file; a full disk leaves it as it is."""
    size, size_before = source.stat().st_size, target.stat().st_size
    with source.open("rb") as read, target.open("r+b") as write:
        if hasattr(os, "posix_fallocate") and size:
            try:
                os.posix_fallocate(write.fileno(), 0, size)
            except OSError:
                write.truncate(size_before)
                source.unlink()
                raise
        _copy(read, 0, size, write)
        write.truncate(size)
        write.flush()
        os.fsync(write.fileno())


def _append(moved: Path, hidden: Path) -> None:
    """Put messages behind those of another mbox; half of them, if the disk is full, are taken off again."""
    hidden.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(hidden), moved.open("rb") as source, hidden.open("a+b") as out:
        size = out.seek(0, os.SEEK_END)
        try:
            out.write(_blank_line(out, size))
            _copy(source, 0, os.fstat(source.fileno()).st_size, out)
            out.flush()
            os.fsync(out.fileno())
        except OSError:
            os.truncate(hidden, size)
            raise


def _blank_line(file: IO[bytes], size: int) -> bytes:
    """Return what an mbox lacks behind its last message, so that the next one is another.

    Read through the file that is open: to close another one would drop the lock.
    """
    file.seek(max(size - 4, 0))
    end = file.read().replace(b"\r\n", b"\n")
    return b"" if not end or end.endswith(b"\n\n") else b"\n" if end.endswith(b"\n") else b"\n\n"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock an mbox as mail programs do: a file beside it, and the system's lock where it has one."""
    dot = path.with_name(f"{path.name}.lock")
    with suppress(FileNotFoundError):
        if abs(time.time() - dot.stat().st_mtime) > _STALE:
            dot.unlink()  # of a program that was killed
    try:
        os.close(os.open(dot, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise OSError(f"'{path}' is locked by another program ('{dot.name}'). Run it again later.") from None
    try:
        with os.fdopen(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), "ab") as file:
            try:
                import fcntl

                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:
                pass
            except OSError:
                raise OSError(f"'{path}' is locked by another program. Run it again later.") from None
            yield
    finally:
        dot.unlink(missing_ok=True)
