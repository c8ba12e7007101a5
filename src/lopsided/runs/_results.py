"""Results of units in one SQLite file, entered as they come."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple, Self

_APPLICATION = 0x6C6F7072  # "lopr"; a file of anything else is not ours
_FORMAT = 1
_SCHEMA = f"""
begin immediate;
pragma application_id = {_APPLICATION};
pragma user_version = {_FORMAT};
create table if not exists results (
    key text primary key,
    status text not null check (status in ('done', 'failed', 'skipped')),
    text text not null,
    seconds real not null,
    version text not null,
    finished text not null
) without rowid;
create table if not exists begun (key text primary key) without rowid;
commit;
"""
_WAIT = 60.0  # seconds for another process that writes to the file

Status = Literal["done", "failed", "skipped"]


class UnitRecord(NamedTuple):
    """The outcome of a unit: its result, or why there is none."""

    status: Status
    text: str
    """The result as text; of a failed unit the traceback, of a skipped one what is missing."""
    seconds: float


class Results:
    """Records by the keys of their units.

    A record stands for what its unit would give again, so a file must not outlive a change of the code it
    came from; `versions` says which versions and commits of the library the records are of. Several processes
    may use one file: of two records of a unit the later one stays.

    Parameters
    ----------
    path : path, optional
        Made where there is none. A file that is damaged or of another program is moved aside, never written
        to: `moved_aside` is where. None: in memory.

    Examples
    --------
    >>> results = Results()
    >>> results.enter("squares [3]", UnitRecord("done", "9", 0.1), version="1.0")
    >>> results.find(["squares [3]", "squares [4]"])
    {'squares [3]': UnitRecord(status='done', text='9', seconds=0.1)}
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.moved_aside: Path | None = None
        with self._told():
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                if self.path.exists() and not _is_ours(self.path):
                    self.moved_aside = _move_aside(self.path)
            self._connection = sqlite3.connect(self.path or ":memory:", timeout=_WAIT)
            try:
                self._connection.executescript(_SCHEMA)
                # A killed process loses nothing that was entered; a power cut at most the last entries.
                with suppress(sqlite3.OperationalError):  # the other process that is just here does it
                    self._connection.execute("pragma journal_mode = wal")
                self._connection.execute("pragma synchronous = normal")
            except BaseException:
                self._connection.close()
                raise

    def enter(self, key: str, record: UnitRecord, *, version: str) -> None:
        """Keep a record; an older one of the same unit is replaced."""
        self.enter_all([(key, record, version)])

    def enter_all(self, entries: Iterable[tuple[str, UnitRecord, str]]) -> None:
        """Keep records, given as (key, record, version), all of them or none."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._told(), self._connection:
            self._connection.executemany(
                "insert or replace into results (key, status, text, seconds, version, finished) "
                "values (?, ?, ?, ?, ?, ?)",
                (
                    # a traceback may hold half characters
                    (key, status, text.encode(errors="backslashreplace").decode(), seconds, version, now)
                    for key, (status, text, seconds), version in entries
                ),
            )

    def rows(self) -> Iterator[tuple[str, UnitRecord, str]]:
        """Yield (key, record, version) of every unit, sorted by key."""
        with self._told():
            for key, *record, version in self._connection.execute(
                "select key, status, text, seconds, version from results order by key"
            ):
                yield key, UnitRecord(*record), version

    def find(self, keys: Iterable[str]) -> dict[str, UnitRecord]:
        """Return the records of the units that have one."""
        found = {}
        with self._told():
            for key in keys:
                row = self._connection.execute(
                    "select status, text, seconds from results where key = ?", (key,)
                ).fetchone()
                if row is not None:
                    found[key] = UnitRecord(*row)
        return found

    def versions_of(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the versions that the records of the units are of; units without a record are left out."""
        query = "select version from results where key = ?"
        with self._told():
            found = {key: self._connection.execute(query, (key,)).fetchone() for key in keys}
        return {key: row[0] for key, row in found.items() if row is not None}

    def begin(self, key: str) -> None:
        """Remember that a unit is being done, in case it takes the process with it."""
        with self._told(), self._connection:
            self._connection.execute("insert or ignore into begun values (?)", (key,))

    def end(self, key: str) -> None:
        """Forget that a unit was being done: the process is still there."""
        with self._told(), self._connection:
            self._connection.execute("delete from begun where key = ?", (key,))

    @property
    def begun(self) -> set[str]:
        """The keys of the units that were begun and never ended."""
        with self._told():
            return {key for (key,) in self._connection.execute("select key from begun")}

    @property
    def versions(self) -> dict[str, int]:
        """The versions of the library with their commits, and the number of records of each."""
        with self._told():
            return dict(
                self._connection.execute(
                    "select version, count(*) from results group by version order by version"
                )
            )

    def __len__(self) -> int:
        with self._told():
            return int(self._connection.execute("select count(*) from results").fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Raise the errors of SQLite in words that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            raise OSError(
                f"cannot use {self.path or 'the results in memory'}: {error}. What was entered before is "
                "kept; mend this and run it again to go on."
            ) from error


def _is_ours(path: Path) -> bool:
    """Return whether the file is whole and was written by this class, or is empty."""
    if path.is_file() and path.stat().st_size == 0:
        return not _has_more(path)
    connection = sqlite3.connect(path, timeout=_WAIT)
    try:
        facts = [connection.execute(f"pragma {name}").fetchone()[0] for name in _FACTS]
    except sqlite3.DatabaseError as error:
        # Whatever else there is, such as a file that may not be read, says nothing of what it holds.
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        return False
    finally:
        connection.close()
    return facts == [_APPLICATION, _FORMAT, "ok"]


def _has_more(path: Path) -> bool:
    """Return whether entries stand beside an empty file; SQLite would throw them away."""
    beside = path.with_name(path.name + "-wal")
    return beside.exists() and beside.stat().st_size > 0


_FACTS = ("application_id", "user_version", "quick_check")


def _move_aside(path: Path) -> Path:
    n = 1
    while (aside := path.with_name(f"{path.name}.damaged-{n}")).exists():
        n += 1
    path.rename(aside)
    for suffix in ("-wal", "-shm"):  # belong to it
        beside = path.with_name(path.name + suffix)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + suffix))
    return aside
