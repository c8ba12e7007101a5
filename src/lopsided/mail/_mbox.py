"""An mbox as the places of its messages in the file, and rewritten by what was decided about them."""

import io
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lopsided._files import open_private
from lopsided.mail._message import Judge, Message
from lopsided.mail._overwrite import blank_line_after, copy, finish, go_on, work_file, write_over
from lopsided.text._mailbox import parts_of_mbox

_PIECE = 1 << 16
_STALE = 600  # seconds after which the lock of an mbox has been forgotten
_ENVELOPE = b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n"  # of a message that has none


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
    with _locked(inbox):
        go_on(inbox)
        kept, moved = work_file(inbox, "kept"), work_file(inbox, "moved")
        try:
            with inbox.open("rb") as file, open_private(kept) as keep, open_private(moved) as move:
                before = os.fstat(file.fileno())
                for start, body, end in spans(file):
                    message = Message(part_of(file, body, end))
                    judged = judge(message)
                    out = move if judged is not None and judged.word == "hide" else keep
                    if start == body and out is move:
                        out.write(_ENVELOPE)  # or it would become part of the message before it
                    copy(file, start, body, out)
                    if judged is None:
                        copy(file, body, end, out)
                        counts["left"] += 1
                    else:
                        message.copy(out, judged.header)
                        counts[judged.word] += 1
                finish(keep, file)
                move.flush()
                os.fsync(move.fileno())
            if _mark(inbox.stat()) != _mark(before):
                raise OSError(f"'{inbox}' was changed while it was read. Nothing was moved; run it again.")
            if moved.stat().st_size:
                _append(moved, hidden)
            write_over(inbox, kept)
        finally:
            for path in (kept, moved):
                with suppress(FileNotFoundError):
                    path.unlink()
    return counts


def spans(file: IO[bytes]) -> Iterator[tuple[int, int, int]]:
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


def part_of(file: IO[bytes], start: int, end: int) -> IO[bytes]:
    """Return a part of an open file as a file."""
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


def _mark(stat: os.stat_result) -> tuple[int, int, int]:
    """Return numbers that differ after a file has changed."""
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _append(moved: Path, hidden: Path) -> None:
    """Put messages behind those of another mbox; half of them, if the disk is full, are taken off again."""
    hidden.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(hidden), moved.open("rb") as source, hidden.open("a+b") as out:
        size = out.seek(0, os.SEEK_END)
        try:
            out.write(_blank_line(out, size))
            copy(source, 0, os.fstat(source.fileno()).st_size, out)
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
    return blank_line_after(file.read())


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
