"""The files in a folder or in a zip archive, each as a source of its own."""

import io
import re
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, cast

from lopsided.text._decode import printable
from lopsided.text._readers import files_below
from lopsided.text._record_rows import RecordFile, compressed
from lopsided.text._zip_limits import is_bomb, open_zip

_LARGEST = 16 * 2**30  # bytes that all files of an archive may unpack to
_DRIVE = re.compile(r"[A-Za-z]:")
_SEEKING = (".parquet", ".xlsx", ".xlsm")  # read from the end, which a stream has not


@dataclass
class MemberFile(RecordFile):
    """A file inside a zip archive, unpacked as it is read."""

    archive: Any = None
    member: Any = None

    def open(self) -> io.BufferedReader:
        """Open for reading bytes; nothing is written where the name of the file says."""
        with _damage_as_os_error():
            file = self.archive.open(self.member)
        if self.path.suffix.lower() in _SEEKING:
            whole = tempfile.TemporaryFile()  # noqa: SIM115  the reader closes it
            with file, _damage_as_os_error():
                shutil.copyfileobj(file, whole)
            whole.seek(0)
            return cast("io.BufferedReader", whole)
        return cast("io.BufferedReader", _Unpacked(file))


@contextmanager
def _damage_as_os_error() -> Iterator[None]:
    """Turn what zipfile raises for a damaged member into the OSError that readers expect."""
    try:
        yield
    except Exception as error:  # zipfile raises whatever broken bytes lead to
        raise OSError(str(error) or type(error).__name__) from None


class _Unpacked(io.BufferedIOBase):
    """A member of an archive as a file."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        with _damage_as_os_error():
            return cast("bytes", self._file.read(size))

    def read1(self, size: int = -1) -> bytes:
        with _damage_as_os_error():
            return cast("bytes", self._file.read1(size))

    def close(self) -> None:
        self._file.close()
        super().close()


def files_in_folder(source: RecordFile) -> Iterator[RecordFile]:
    """Yield the files below a folder in the order of their paths."""
    for path in files_below(source):
        name = "/".join(printable(part) for part in path.relative_to(source.path).parts)
        try:
            # a named pipe or a device would block, or never end
            if not stat.S_ISREG(path.stat().st_mode):
                source.skip(name, "not a file")
                continue
        except OSError as error:
            source.skip(name, f"unreadable ({error.strerror})")
            continue
        yield RecordFile(path, source.max_bytes, source.problems, source.progress, label_of_source=name)


def files_in_zip(source: RecordFile) -> Iterator[RecordFile]:
    """Yield the files of an archive that can be read, in its order."""
    with source.open() as file, open_zip(file, source.name) as archive:
        left = _LARGEST
        for member in archive.infolist():
            name = printable(member.filename)
            id = f"{source.name}/{name}"
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if name.endswith("/") or any(
                part.startswith((".", "__MACOSX")) and part != ".." for part in parts
            ):
                continue
            reason = _why_not(member, name, parts, left)
            if reason is not None:
                source.skip(id, reason)
                continue
            left -= member.file_size
            file_in_it = Path(parts[-1])
            yield MemberFile(
                file_in_it,
                source.max_bytes,
                source.problems,
                label_of_source=id,
                archive=archive,
                member=member,
            )


def _why_not(member: zipfile.ZipInfo, name: str, parts: tuple[str, ...], left: int) -> str | None:
    """Return why a file of an archive is not read, or None."""
    if not parts or ".." in parts or parts[0] == "/" or _DRIVE.fullmatch(parts[0]):
        return "its path leads out of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "a link"
    if member.flag_bits & 1:
        return "encrypted: unpack the archive first"
    if compressed(name):
        return "an archive in the archive: unpack it first"
    if is_bomb(member.file_size, member.compress_size):
        return f"unpacks to {member.file_size:,} bytes from {member.compress_size:,}"
    if member.file_size > left:
        return f"the archive unpacks to more than {_LARGEST:,} bytes"
    return None
