"""Results of units in one SQLite file, entered as they come."""

import os
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple, Self

_APPLICATION = 0x6C6F7072  # "lopr"; a file of anything else is not ours
_FORMAT = 1
_SCHEMA = """
create table results (
    key text primary key,
    status text not null check (status in ('done', 'failed', 'skipped')),
    text text not null,
    seconds real not null,
    version text not null,
    finished text not null
) without rowid;
"""

Status = Literal["done", "failed", "skipped"]


class Record(NamedTuple):
    """What became of a unit."""

    status: Status
    text: str
    """The result as text; of a failed unit the traceback, of a skipped one what is missing."""
    seconds: float


class Results:
    """Records by the keys of their units.

    A record stands for what its unit would give again, so a file must not outlive a change of the code it
    came from; `versions` says which versions of the library the records are of.

    Parameters
    ----------
    path : path, optional
        Made where there is none. A file that is damaged or of another program is moved aside, never written
        to: `moved_aside` is where. None: in memory.

    Examples
    --------
    >>> results = Results()
    >>> results.enter("squares [3]", Record("done", "9", 0.1), version="1.0")
    >>> results.find(["squares [3]", "squares [4]"])
    {'squares [3]': Record(status='done', text='9', seconds=0.1)}
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self.moved_aside: Path | None = None
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not _is_ours(self.path):
                self.moved_aside = _move_aside(self.path)
        self._connection = sqlite3.connect(self.path or ":memory:", timeout=60)
        if not self._connection.execute("select 1 from sqlite_master where name = 'results'").fetchone():
            with self._connection:
                self._connection.executescript(
                    f"pragma application_id = {_APPLICATION}; pragma user_version = {_FORMAT}; {_SCHEMA}"
                )
        # A killed process loses nothing that was entered; a power cut at most the last entries.
        self._connection.execute("pragma journal_mode = wal")
        self._connection.execute("pragma synchronous = normal")

    def enter(self, key: str, record: Record, *, version: str) -> None:
        """Keep a record; an older one of the same unit is replaced."""
        row = (key, *record, version, datetime.now(UTC).isoformat(timespec="seconds"))
        with self._connection:
            self._connection.execute(
                "insert or replace into results (key, status, text, seconds, version, finished) "
                "values (?, ?, ?, ?, ?, ?)",
                row,
            )

    def find(self, keys: Iterable[str]) -> dict[str, Record]:
        """Records of those units that have one."""
        found = {}
        for key in keys:
            row = self._connection.execute(
                "select status, text, seconds from results where key = ?", (key,)
            ).fetchone()
            if row is not None:
                found[key] = Record(*row)
        return found

    @property
    def versions(self) -> dict[str, int]:
        """Versions of the library, and how many records are of each."""
        return dict(
            self._connection.execute(
                "select version, count(*) from results group by version order by version"
            )
        )

    def __len__(self) -> int:
        return int(self._connection.execute("select count(*) from results").fetchone()[0])

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_ours(path: Path) -> bool:
    """Whether the file is whole, and one that this class wrote; an empty one may become that."""
    if path.stat().st_size == 0:
        return True
    try:
        connection = sqlite3.connect(path, timeout=60)
        try:
            facts = [connection.execute(f"pragma {name}").fetchone()[0] for name in _FACTS]
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return False
    return facts == [_APPLICATION, _FORMAT, "ok"]


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
