"""Reading one file that may be huge, broken, compressed or in any encoding; its content never raises."""

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from lopsided.text._decode import clean_text, decode_bytes, marked_encoding, printable
from lopsided.text._documents import Problem

COMPRESSED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
# what the decompressors raise for a damaged or cut file, besides OSError
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)
_CHUNK = 1 << 16
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()
_ReadLine = Callable[[int], bytes]


@dataclass
class DocumentFile:
    """One file, the size limit of its documents, and the list where problems are noted."""

    path: Path
    max_bytes: int
    problems: list[Problem] = field(default_factory=list)
    progress: Callable[[int], None] | None = None  # told how many bytes were read from the disk
    delimiter: str | None = None  # of a CSV or TSV file; None recognises it
    keeps_rows: bool = False  # whether documents of a table come with all cells of their row

    @property
    def name(self) -> str:
        """The file name as messages and ids show it."""
        return printable(self.path.name or str(self.path))  # "." has no name

    def skip(self, id: str, reason: str) -> None:
        """Note that something was left out."""
        self.problems.append(Problem(id, reason, skipped=True))

    def repair(self, id: str, *reasons: str) -> None:
        """Note that something was odd but kept."""
        self.problems.extend(Problem(id, reason, skipped=False) for reason in reasons)

    def open(self) -> io.BufferedReader:
        """Open for reading bytes, decompressed by the suffix .gz, .xz or .bz2."""
        opener = COMPRESSED.get(self.path.suffix.lower())
        if opener is None and self.progress is not None:
            return io.BufferedReader(_CountedFile(self.path, self.progress), _CHUNK)
        # the decompressors offer the methods used here, though not the type
        return cast("io.BufferedReader", opener(self.path, "rb") if opener else open(self.path, "rb"))

    def read(self, id: str) -> tuple[bytes, bool]:
        """Read the first `max_bytes` of the file, and return whether that is not all of it."""
        pieces, size = [], 0
        raw = _UpToDamage(self.open())
        with io.BufferedReader(raw, _CHUNK) as file:
            while size <= self.max_bytes and (piece := file.read(min(_CHUNK, self.max_bytes + 1 - size))):
                pieces.append(piece)
                size += len(piece)
        if raw.damage is not None:
            self.repair(id, self._damage(raw.damage))
        if size > self.max_bytes:
            self.repair(id, f"cut to {self.max_bytes:,} bytes")
        return b"".join(pieces)[: self.max_bytes], size > self.max_bytes

    def pieces(self, *, lone_cr: bool = False) -> Iterator[tuple[bytes, bool]]:
        """Yield lines with their ends, and whether each starts a line; a long line comes in several pieces.

        With `lone_cr` a carriage return ends a line too, as on an old Mac.
        """
        ends = (b"\n", b"\r") if lone_cr else (b"\n",)
        raw = _UpToDamage(self.open())
        with io.BufferedReader(raw, _CHUNK) as file:
            starts, replaced = True, False
            encoding = marked_encoding(file.peek(4)[:4])
            readline = _reader_of_lines(file, encoding, "" if lone_cr else "\n")
            while piece := readline(_CHUNK):
                yield piece, starts
                starts = piece.endswith(ends)
                replaced = replaced or _REPLACEMENT in piece
        if replaced and encoding in ("utf-16", "utf-32"):
            self.repair(self.name, f"not {encoding.upper()} throughout: it holds U+FFFD")
        if raw.damage is not None:
            self.skip(self.name, self._damage(raw.damage))

    def lines(self, *, lone_cr: bool = False) -> Iterator[tuple[int, bytes]]:
        """Yield numbered lines, from 1; a line longer than `max_bytes` is skipped and noted."""
        number, line = 0, bytearray()
        for piece, starts in self.pieces(lone_cr=lone_cr):
            halves_of_one_end = piece == b"\n" and line.endswith(b"\r")  # the pieces were cut between them
            if starts and not halves_of_one_end:
                if number and (whole := self._within_limit(number, line)) is not None:
                    yield number, whole
                number, line = number + 1, bytearray()
            if len(line) <= self.max_bytes:
                line += piece
        if number and (whole := self._within_limit(number, line)) is not None:
            yield number, whole

    def decode(self, id: str, raw: bytes, *, cut: bool = False) -> str:
        """Return the text of bytes in any encoding; repairs are noted."""
        text, repairs = decode_bytes(raw, cut=cut)
        self.repair(id, *repairs)
        return text

    def clean(self, id: str, value: object) -> str:
        """Return the text of a field of a table, '' where it is missing; repairs are noted."""
        if isinstance(value, bytes):
            text = self.decode(id, value)
        else:
            text, repairs = clean_text("" if value is None else str(value))
            self.repair(id, *repairs)
        if not text.strip():
            self.repair(id, "empty")
        return text

    def identify(self, place: str, value: object) -> str:
        """Return the id from a field of a table, or the place in the file where that field is empty."""
        if isinstance(value, bytes):
            return self.decode(place, value).strip() or place
        return clean_text("" if value is None else str(value))[0].strip() or place

    def _within_limit(self, number: int, line: bytearray) -> bytes | None:
        if len(line) <= self.max_bytes:
            return bytes(line)
        self.skip(f"{self.name}:{number}", f"line longer than {self.max_bytes:,} bytes")
        return None

    def _damage(self, error: Exception) -> str:
        suffix = self.path.suffix.lower()
        return f"the rest is unreadable{f' as {suffix}' if suffix in COMPRESSED else ''} ({error})"


class _CountedFile(io.FileIO):
    """A file that tells how many bytes were read from it."""

    def __init__(self, path: Path, progress: Callable[[int], None]) -> None:
        super().__init__(path)
        self._progress = progress

    def readinto(self, buffer: Any) -> int:
        n = super().readinto(buffer)
        self._progress(n or 0)
        return n

    def readall(self) -> bytes:
        piece = super().readall()
        self._progress(len(piece or b""))
        return piece


class _UpToDamage(io.RawIOBase):
    """A file that ends where its damage begins, so that nothing read before it is lost."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.damage: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.damage is not None:
            return 0
        try:
            # read would gather several pieces, and drop them all if the last one is damaged
            piece = self._file.read1(len(buffer))
        except DAMAGE as error:
            self.damage = error
            return 0
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._file.close()
        super().close()


def _reader_of_lines(file: "io.BufferedReader[_UpToDamage]", encoding: str | None, newline: str) -> _ReadLine:
    if encoding == "utf-8-sig":
        file.read(3)
        encoding = None
    if encoding is None and newline == "\n":
        return file.readline
    # In UTF-16 and UTF-32 the byte 10 is no line end, so these are recoded on the way; anything else goes
    # through latin-1 and back, which changes no byte.
    text = io.TextIOWrapper(file, encoding or "latin-1", errors="replace", newline=newline)
    return lambda size: text.readline(size).encode("utf-8" if encoding else "latin-1", "replace")
