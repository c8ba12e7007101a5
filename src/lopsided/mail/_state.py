"""A filter's state: one SQLite file a user, in which a lesson is either whole or not there.

The learner is kept as a snapshot and the lessons since, which are learned again when it is loaded; each
lesson is a transaction, so that a killed process loses at most the one it was at. Opening a file runs
nothing that is in it: its schema must be ours to the letter, and it holds numbers only.
"""

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.mail._settings import Settings

APPLICATION = 0x4C6F7053  # "LopS"
VERSION = 1
WAIT = 30.0  # seconds for another delivery to end

_SCHEMA = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # One row: the gate, and what was counted on the present day.
    "CREATE TABLE gate (one INTEGER PRIMARY KEY, state BLOB NOT NULL, day INTEGER NOT NULL, "
    "counts TEXT NOT NULL)",
    "CREATE TABLE arrays (name TEXT PRIMARY KEY, type TEXT NOT NULL, shape TEXT NOT NULL, "
    "data BLOB NOT NULL)",
    # The features of a message that is remembered, or its own: a lesson is few bytes.
    "CREATE TABLE lessons (number INTEGER PRIMARY KEY, sign INTEGER NOT NULL, message INTEGER, "
    "features BLOB)",
    "CREATE TABLE messages (number INTEGER PRIMARY KEY, id TEXT NOT NULL, time INTEGER NOT NULL, "
    "shown INTEGER NOT NULL, explored INTEGER NOT NULL, score REAL NOT NULL, probability REAL NOT NULL, "
    "label INTEGER NOT NULL)",
    # As many places as messages are kept with their features, used over and over: one page each, and only
    # that one is written.
    "CREATE TABLE features (place INTEGER PRIMARY KEY, message INTEGER NOT NULL, packed BLOB NOT NULL)",
    "CREATE TABLE days (day INTEGER NOT NULL, what TEXT NOT NULL, n INTEGER NOT NULL, "
    "PRIMARY KEY (day, what)) WITHOUT ROWID",
)
# What ANALYZE adds, which somebody may have run on the file; SQLite alone can make tables of these names.
_STATISTICS = {
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
_TYPES = ("float32", "float64", "int8", "int32", "int64", "uint8", "bool")


class DamagedError(ValueError):
    """Raised for a file that is no state, or no longer one."""


class NewerError(ValueError):
    """Raised for a state of a later version, which is left alone."""


class BusyError(OSError):
    """Raised when another process keeps a state to itself longer than one may wait."""


class State:
    """An open state file. What changes it happens inside a `turn`, one at a time over all processes."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._db, self._inode = path, connection, _inode(path)
        try:
            facts = dict(self.rows("SELECT name, value FROM facts"))
            self.seed, self.created = int(facts["seed"]), int(facts["created"])
            if not 0 <= self.seed < 2**64:
                raise ValueError(f"a seed of {self.seed}")
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedError(f"its settings cannot be read ({error})") from None

    def load_settings(self) -> Settings:
        """Return the settings that are in the file now."""
        try:
            ((value,),) = self.rows("SELECT value FROM facts WHERE name = 'settings'")
            return Settings(**json.loads(value))
        except (TypeError, ValueError) as error:
            raise DamagedError(f"its settings cannot be read ({error})") from None

    def save_settings(self, settings: Settings) -> None:
        """Replace the settings, inside a turn."""
        self.write("UPDATE facts SET value = ? WHERE name = 'settings'", json.dumps(vars(settings)))

    @classmethod
    def open(cls, path: Path, wait: float = WAIT) -> "State":
        """Open a state; `DamagedError`, `NewerError` or OSError where there is none that can be used."""
        if not path.is_file():
            if os.path.lexists(path):
                raise FileNotFoundError(f"'{path}' is no file. Move it away, or name another.")
            raise FileNotFoundError(f"no state '{path}'. It appears with the first 'lopsided filter run'.")
        connection = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
        try:
            _check(connection)
            return cls(path, connection)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            connection.close()
            raise _translated(error) from None
        except BaseException:
            connection.close()
            raise

    @staticmethod
    def create(path: Path, settings: Settings, seed: int, now: int) -> bool:
        """Make a new state; False if one is there already. It appears whole, or not at all."""
        part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            with closing(sqlite3.connect(part, isolation_level=None)) as db:
                db.execute(f"PRAGMA application_id = {APPLICATION}")
                db.execute(f"PRAGMA user_version = {VERSION}")
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("BEGIN")
                for statement in _SCHEMA:
                    db.execute(statement)
                facts = {"settings": json.dumps(vars(settings)), "seed": str(seed), "created": str(now)}
                db.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
                db.execute("COMMIT")
            if not path.exists():
                _remove_companions(path)  # of a state that somebody has removed: they would be taken for ours
            try:
                os.link(part, path)  # unlike a rename, it does not replace what another process made
            except FileExistsError:
                return False
            return True
        finally:
            part.unlink(missing_ok=True)
            _remove_companions(part)

    @staticmethod
    @contextmanager
    def copied(source: Path, beside: Path) -> Iterator[Path]:
        """Yield a copy of a database beside where it will be wanted, and remove it afterwards."""
        if not source.is_file():
            raise FileNotFoundError(f"no state '{source}'. Check the path.")
        part = beside.with_name(f".{beside.name}.{secrets.token_hex(8)}.part")
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            try:
                with (
                    closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as db,
                    closing(sqlite3.connect(part)) as copy,
                ):
                    db.backup(copy)
            except sqlite3.DatabaseError as error:
                raise ValueError(f"'{source}' cannot be used: {_translated(error)}.") from None
            yield part
        finally:
            part.unlink(missing_ok=True)
            _remove_companions(part)

    @property
    def is_in_place(self) -> bool:
        """Whether the open file is still the one of its name: somebody may have removed or replaced it."""
        return _inode(self.path) == self._inode

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let nobody else change the state meanwhile; all that is written stays, or nothing if it raises."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _translated(error) from None

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return all rows of a query."""
        try:
            return self._db.execute(query, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _translated(error) from None

    def write(self, statement: str, *values: Any) -> None:
        """Execute a statement, inside a turn."""
        try:
            self._db.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise _translated(error) from None

    @property
    def changes_by_others(self) -> int:
        """A number that is another one when another process has changed the state."""
        return int(self.rows("PRAGMA data_version")[0][0])

    def save_arrays(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Replace the snapshot."""
        for name, array in arrays.items():
            parts = (name, array.dtype.name, json.dumps(array.shape), array.tobytes())
            # An update writes only those pages of a large value that have changed.
            self.write(
                "INSERT INTO arrays VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE "
                "SET type = excluded.type, shape = excluded.shape, data = excluded.data",
                *parts,
            )

    def load_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the snapshot; an empty dict before the first one."""
        arrays = {}
        for name, kind, shape, data in self.rows("SELECT name, type, shape, data FROM arrays"):
            try:
                if kind not in _TYPES:
                    raise ValueError(kind)
                arrays[name] = np.frombuffer(data, kind).reshape(json.loads(shape))
            except (ArithmeticError, TypeError, ValueError):
                raise DamagedError(f"its array '{name}' cannot be read") from None
        return arrays

    def export(self, target: Path) -> None:
        """Copy one moment into one file that can be moved elsewhere."""
        if target.exists():
            raise ValueError(f"'{target}' is there already. Name another file.")
        part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            with closing(sqlite3.connect(part, isolation_level=None)) as db:
                self._db.backup(db)
                db.execute("PRAGMA journal_mode = DELETE")
            os.link(part, target)
        finally:
            os.unlink(part)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove_companions(path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal"):
        with suppress(FileNotFoundError):
            os.unlink(f"{path}{suffix}")


def set_aside(path: Path) -> Path:
    """Rename a file that is no state, with its companions, and return its new name."""
    for number in range(1, 10_000):
        aside = path.with_name(f"{path.name}.refused-{number}")
        try:
            os.link(path, aside)
        except FileExistsError:
            continue
        os.unlink(path)
        for suffix in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.rename(f"{path}{suffix}", f"{aside}{suffix}")
        return aside
    raise OSError(f"'{path}' was refused 10,000 times. Remove the files beside it.")


def _check(db: sqlite3.Connection) -> None:
    """Raise an error unless the file is one that we have written."""
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise DamagedError("it is no state of this filter")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise NewerError(f"it is of version {version}, and this program reads {VERSION}. Update lopsided.")
    there = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
    if version != VERSION or there - _STATISTICS != set(_SCHEMA):
        raise DamagedError("its tables are not those of a state")
    db.execute("PRAGMA journal_mode = WAL")  # a network's file system says no, and is used as it is
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA wal_autocheckpoint = 2000")


def _translated(error: sqlite3.DatabaseError | UnicodeDecodeError) -> Exception:
    """Return the error in our words; a full disk or a lock that does not open is no damage."""
    if isinstance(error, UnicodeDecodeError):  # SQLite's own message quotes what is in the file
        return DamagedError("it is damaged (text that is not UTF-8)")
    # Python's sqlite3 has no code for a column that is not UTF-8.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT):
        return DamagedError(f"it is damaged ({error})")
    if code == sqlite3.SQLITE_BUSY:
        return BusyError(f"another process uses its state ({error})")
    return OSError(f"its state cannot be used now ({error})")
