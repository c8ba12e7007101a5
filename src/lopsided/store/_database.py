"""The connection to a database: short transactions that read, and one at a time that writes."""

import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, select, update

from lopsided.store._errors import StoreError, errors_of
from lopsided.store._schema import counters

# Four bytes in the head of an SQLite file that say whose it is: "LOPS".
APPLICATION_ID = 0x4C4F5053

# Execution option of a transaction that will write.
_WRITES = "lopsided_writes"


class Database:
    """An engine, the name of its place for messages, and transactions whose errors are one line.

    Parameters
    ----------
    url : sqlalchemy.URL
        SQLite or PostgreSQL.
    place : str
        The file, or the address without its password.
    timeout : float
        Seconds to wait for a lock.
    """

    def __init__(self, url: URL, place: str, timeout: float) -> None:
        self.place = place
        self.timeout = timeout
        self.is_sqlite = url.get_backend_name() == "sqlite"
        # hide_parameters: neither logs nor messages show what is in a statement
        self.engine = create_engine(url, hide_parameters=True, **_options(self.is_sqlite, timeout))
        self._writer = threading.Lock()
        self._path = place
        self._file: tuple[int, int] | None = None  # set where the file is watched
        if self.is_sqlite:
            _prepare_sqlite(self.engine, timeout)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a transaction that reads one state of the database, whatever is written meanwhile."""
        self._check_file()
        with errors_of(self.place), self.engine.connect() as connection:
            if not self.is_sqlite:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that writes; it is on the disk when this returns, or nothing of it is."""
        self._check_file()
        with errors_of(self.place), self._turn(), self.engine.connect() as connection:
            connection = connection.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    def watch_file(self) -> None:
        """Refuse from now on to work if the file was removed or replaced: what SQLite wrote would be lost."""
        self._path = os.path.abspath(self.place)
        self._file = _identity(self._path)

    def _check_file(self) -> None:
        if self._file is not None and _identity(self._path) != self._file:
            raise StoreError(
                f"{self.place} is no longer the file that was opened",
                "Put it back, with the files beside it that end in -wal and -shm, or open the project again.",
                "lost",
            )

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let the threads of this process write one after the other: SQLite itself would make them poll."""
        if not self.is_sqlite:
            yield
            return
        if not self._writer.acquire(timeout=self.timeout):
            raise StoreError(f"{self.place} is busy with a long write", "Try again in a moment.", "busy")
        try:
            yield
        finally:
            self._writer.release()

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """Open the one transaction in which all tables are changed: all of it happens, or nothing."""
        with errors_of(self.place), self._turn(), self.engine.connect() as connection:
            connection = connection.execution_options(**{_WRITES: True})
            if self.is_sqlite:  # a table that is built anew is dropped first, with rows that refer to it
                self.pragma(connection, "foreign_keys = OFF")
            try:
                with connection.begin():
                    if not self.is_sqlite:
                        connection.execute(select(func.pg_advisory_xact_lock(APPLICATION_ID)))
                    yield connection
            finally:
                if self.is_sqlite:
                    self.pragma(connection, "foreign_keys = ON")

    @staticmethod
    def pragma(connection: Connection, setting: str) -> Any:
        """Read or set something of SQLite outside a transaction, and return its value or None."""
        row = connection.connection.cursor().execute(f"PRAGMA {setting}").fetchone()
        return row[0] if row else None

    def close(self) -> None:
        """Close all connections. SQLite then writes what is in its log into the one file."""
        self.engine.dispose()


def _identity(place: str) -> tuple[int, int]:
    """Return what tells one file from another; (0, 0) for none."""
    try:
        told = os.stat(place)
    except OSError:
        return 0, 0
    return told.st_dev, told.st_ino


def _options(is_sqlite: bool, timeout: float) -> dict[str, Any]:
    if is_sqlite:
        # The connection used last is taken first: each one that is used has a cache of its own.
        arguments = {"timeout": timeout, "check_same_thread": False}
        return {"connect_args": arguments, "pool_size": 16, "pool_use_lifo": True}
    waits = f"-c lock_timeout={int(timeout * 1000)} -c synchronous_commit=on"
    return {"connect_args": {"options": waits, "connect_timeout": 10}, "pool_pre_ping": True, "pool_size": 16}


def _prepare_sqlite(engine: Engine, timeout: float) -> None:
    """Set up each connection, and begin transactions ourselves: Python's module begins too late."""

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {int(timeout * 1000)}")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA trusted_schema = OFF")  # the file may come from a stranger
        # FULL: in WAL mode each commit reaches the disk before it returns. Apple's fsync alone does not.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")
        # The log goes into the file every 32 MB: an import touches the pages of its index again and again.
        connection.execute("PRAGMA wal_autocheckpoint = 8192")
        connection.execute("PRAGMA journal_size_limit = 67108864")
        connection.execute("PRAGMA cache_size = -65536")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        raw = connection.connection.cursor()
        if not connection.get_execution_options().get(_WRITES, False):
            raw.execute("BEGIN")
            return
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            _begin_to_write(raw, time.monotonic() + timeout)
        finally:
            raw.execute(f"PRAGMA busy_timeout = {int(timeout * 1000)}")


def _begin_to_write(raw: Any, until: float) -> None:
    """Begin a transaction that writes, as soon as no other process does.

    SQLite itself would ask again only every tenth of a second, and might never find a busy project free.
    """
    while True:
        try:
            raw.execute("BEGIN IMMEDIATE")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(random.uniform(0.0005, 0.002))


def take(connection: Connection, name: str, n: int) -> int:
    """Hold a counter until the transaction ends, add ``n`` to it, and return its value before.

    On PostgreSQL the row is locked: others who add to it wait. On SQLite the whole transaction is.
    """
    row = counters.c.name == name
    value: int = connection.execute(select(counters.c.value).where(row).with_for_update()).scalar_one()
    if n:
        connection.execute(update(counters).where(row).values(value=value + n))
    return value


def count_of(connection: Connection, name: str) -> int:
    """Return the value of a counter."""
    return connection.execute(select(counters.c.value).where(counters.c.name == name)).scalar_one()


def now() -> str:
    """Return the time in UTC, to the microsecond, in a form that sorts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def clean(text: str) -> str:
    """Return a text that every database can hold: no zero bytes, no half of a surrogate pair.

    Examples
    --------
    >>> clean("a" + chr(0) + "b" + chr(0xD800))
    'ab\ufffd'
    """
    text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
