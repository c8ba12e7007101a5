"""Answers in a file that only grows: each is on the disk before the next question is asked."""

import json
import os
import sys
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import fcntl

_START = b'{"lopsided": "answers"'
_VERSION = 1


class AnswerFile:
    """One line of JSON for each answer, below a first line that says what was asked.

    A second session on the same file is refused (but on Windows). A line torn by a crash is left out. A
    file that was made here and never written to is removed again.

    Parameters
    ----------
    path : path-like
        The file; it is made if it is not there.

    Attributes
    ----------
    header : dict or None
        The first line; None in a new file.
    records : list of dict
        The lines below it, as they were read.
    n_broken : int
        Lines left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "mails.labels.jsonl")
    ...     file = AnswerFile(path)
    ...     file.append({"answer": "yes"}, header={"question": "Is this spam?"})
    ...     file.close()
    ...     file = AnswerFile(path)
    ...     file.close()
    >>> file.header["question"], file.records
    ('Is this spam?', [{'answer': 'yes'}])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.header: dict[str, Any] | None = None
        self.records: list[dict[str, Any]] = []
        self.n_broken = 0
        self._line_end = b""  # to be written before the next line
        self._unused = not self.path.exists()
        try:
            self._file = open(self.path, "a+b", buffering=0)  # noqa: SIM115  it stays open, and locked
        except OSError as error:
            raise OSError(
                f"cannot write {self.path} ({error.strerror}). Name another file (in the shell: --out)."
            ) from None
        try:
            self._lock()
            self._read()
        except BaseException:
            self._file.close()
            raise

    def append(self, record: dict[str, Any], *, header: dict[str, Any]) -> None:
        """Write a line, behind the header in a new file, and wait until the disk has it."""
        lines = [record]
        if self.header is None:
            # as _START has it
            self.header = {"lopsided": "answers", "version": _VERSION, **header}
            lines = [self.header, record]
        data = self._line_end + "".join(json.dumps(line) + "\n" for line in lines).encode()
        self._unused = False
        if self._file.write(data) < len(data):
            raise OSError(f"{self.path}: the disk is full. All answers but the last are saved.")
        self._line_end = b""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        if self._unused and not self._file.closed:
            self.path.unlink(missing_ok=True)
        self._file.close()

    def _lock(self) -> None:
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(
                f"{self.path} is in use by another session. End that one, or name another file "
                "(in the shell: --out)."
            ) from None
        except OSError:  # some network file systems know no locks
            pass

    def _read(self) -> None:
        self._file.seek(0)
        raw = self._file.read()
        if b"\n" not in raw and raw[: len(_START)] == _START[: len(raw)]:
            self._file.truncate(0)  # nothing, or half a first line: the crash came before any answer
            return
        # a torn last line stays, but what follows begins a new one
        self._line_end = b"" if raw.endswith(b"\n") else b"\n"
        first, *lines = [_parse(line) for line in raw.split(b"\n") if line.strip()] or [None]
        if first is None or first.get("lopsided") != "answers":
            raise ValueError(f"{self.path} is not a file of answers. Name another one (in the shell: --out).")
        if first.get("version") != _VERSION:
            raise ValueError(
                f"{self.path} is of version {first.get('version')!r}, and {_VERSION} can be read. "
                "Update lopsided."
            )
        self.header = first
        self.records = [line for line in lines if line is not None]
        self.n_broken = len(lines) - len(self.records)


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
