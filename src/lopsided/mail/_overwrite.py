"""An mbox written over, in such a way that another process can go on where one was killed.

What is to be in the box stands complete in a file beside it before the first byte is written, together with
what was in the box. So the next process can tell how far the first one came, and what was delivered later.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO

from lopsided._files import open_private

_PIECE = 1 << 16
_DIGITS = 20  # at the end of the file beside the box: the size of what is to be in the box


def work_file(box: Path, what: str) -> Path:
    """Return a new name beside a box: in a spool that many may write to, nobody can have taken it."""
    return box.with_name(f".{box.name}.lopsided-{what}-{secrets.token_hex(8)}")


def write_over(box: Path, wanted: Path) -> None:
    """Put what a file holds into a box, which stays the same file, and remove the file.

    The file is made by `finish`. A full disk leaves the box as it is.
    """
    with wanted.open("rb") as file:
        size, _ = _sizes(file)
    whole = work_file(box, "whole")
    os.rename(wanted, whole)  # complete: killed from here on, `go_on` finds it
    _write(box, whole, size)


def finish(file: IO[bytes], box: IO[bytes]) -> None:
    """Complete a file that holds what is to be in a box."""
    size = file.tell()
    copy(box, 0, os.fstat(box.fileno()).st_size, file)
    file.write(b"%0*d" % (_DIGITS, size))
    file.flush()
    os.fsync(file.fileno())


def go_on(box: Path) -> None:
    """Complete what a killed process has begun to write, keep what was delivered later, and tidy up."""
    for whole in _left_behind(box, "whole"):
        with whole.open("rb") as file, box.open("rb") as there:
            size, size_before = _sizes(file)
            start = _start_of_later_mail(file, size, size_before, there)
            if start is None:
                raise OSError(
                    f"an earlier run was ended while it wrote '{box}', which another program has changed "
                    f"since. The first {size} bytes of '{whole.name}' beside it are what belonged there: put "
                    "both together, and remove that file."
                )
            if start < os.fstat(there.fileno()).st_size:
                joined = work_file(box, "kept")
                with open_private(joined) as out:
                    copy(file, 0, size, out)
                    out.write(_blank_line(file, size))
                    copy(there, start, os.fstat(there.fileno()).st_size, out)
                    finish(out, there)
                    size = os.fstat(out.fileno()).st_size - _DIGITS - os.fstat(there.fileno()).st_size
                os.rename(joined, whole)
        _write(box, whole, size)
    for what in ("kept", "moved"):
        for path in _left_behind(box, what):
            path.unlink()


def copy(file: IO[bytes], start: int, end: int, out: IO[bytes]) -> None:
    """Write a part of a file to another one."""
    while start < end:
        file.seek(start)
        data = file.read(min(_PIECE, end - start))
        if not data:
            return
        out.write(data)
        start += len(data)


def _write(box: Path, whole: Path, size: int) -> None:
    with whole.open("rb") as read, box.open("r+b") as write:
        size_before = os.fstat(write.fileno()).st_size
        if hasattr(os, "posix_fallocate") and size:
            try:
                os.posix_fallocate(write.fileno(), 0, size)
            except OSError:
                write.truncate(size_before)
                whole.unlink()
                raise
        copy(read, 0, size, write)
        write.truncate(size)
        write.flush()
        os.fsync(write.fileno())
    whole.unlink()


def _sizes(whole: IO[bytes]) -> tuple[int, int]:
    """Return the sizes of what is to be in a box and of what was in it."""
    end = whole.seek(0, os.SEEK_END) - _DIGITS
    whole.seek(end)
    size = int(whole.read(_DIGITS))
    return size, end - size


def _start_of_later_mail(whole: IO[bytes], size: int, size_before: int, box: IO[bytes]) -> int | None:
    """Return where mail begins that came after a process was killed; None if the box was changed otherwise.

    The box begins with as much as was written. Then comes the rest of what was in it, and where it has become
    longer, zeros for what was not written.
    """
    written = _n_equal(whole, 0, box, 0, size)
    rest = size_before - written
    if rest <= 0 or _n_equal(whole, size + written, box, written, rest) == rest:
        start = max(written, size_before)
    elif written == size:  # cut to its size, too
        return size
    else:
        return None
    while start < size:
        box.seek(start)
        data = box.read(min(_PIECE, size - start))
        n_zeros = len(data) - len(data.lstrip(b"\0"))
        start += n_zeros
        if n_zeros < len(data) or not data:
            break
    return start


def _n_equal(a: IO[bytes], place_a: int, b: IO[bytes], place_b: int, most: int) -> int:
    """Return how many bytes from two places on are the same in two files."""
    n = 0
    while n < most:
        a.seek(place_a + n)
        b.seek(place_b + n)
        wanted = min(_PIECE, most - n)
        x, y = a.read(wanted), b.read(wanted)
        if x != y or not x:
            differ = (i for i, (one, other) in enumerate(zip(x, y, strict=False)) if one != other)
            return n + next(differ, min(len(x), len(y)))
        n += len(x)
    return n


def _blank_line(file: IO[bytes], size: int) -> bytes:
    file.seek(max(size - 4, 0))
    return blank_line_after(file.read(min(size, 4)))


def blank_line_after(end: bytes) -> bytes:
    """Return what an mbox lacks behind its last bytes, so that the next message is another one."""
    end = end.replace(b"\r\n", b"\n")
    return b"" if not end or end.endswith(b"\n\n") else b"\n" if end.endswith(b"\n") else b"\n\n"


def _left_behind(box: Path, what: str) -> list[Path]:
    """Return the files that our own killed processes have left; those of other users are none of ours."""
    found = []
    start = f".{box.name}.lopsided-{what}-"
    for path in sorted(box.parent.iterdir()):
        if path.name.startswith(start):
            with suppress(FileNotFoundError):
                seen = path.lstat()
                mine = not hasattr(os, "geteuid") or seen.st_uid == os.geteuid()
                if mine and stat.S_ISREG(seen.st_mode) and seen.st_nlink == 1:
                    found.append(path)
    return found
