"""Open a project: a file, or the address of a database."""

import os
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from lopsided.store._database import Database
from lopsided.store._errors import StoreError, errors_of, not_a_project
from lopsided.store._migrating import migrate, version_of
from lopsided.store._store import Store

_DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_HEAD = b"SQLite format 3\0"


def open_store(where: str | os.PathLike[str], *, create: bool = True, timeout: float = 30.0) -> Store:
    """Open a project, bring an older one up to date, or create a new one.

    Parameters
    ----------
    where : path or str
        A file, or the URL of a database: ``sqlite:///reviews.db``, ``postgresql://user@host/reviews``. One
        database holds one project.
    create : bool, default=True
        Whether a project that is not there is created. A database on a server must be there.
    timeout : float, default=30.0
        Seconds to wait for another program that is writing.

    Returns
    -------
    store : Store
        The open project. Threads may share it.

    Raises
    ------
    StoreError
        Where there is no project, or none that this version can open. Nothing is changed then.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with open_store(folder.name + "/ships.db") as store:
    ...     store.project.name, store.n_items
    ('ships', 0)
    >>> folder.cleanup()
    """
    url = _url(where)
    if url.get_backend_name() == "sqlite":
        database = _open_file(url, create, timeout)
        name = Path(str(url.database)).stem
    else:
        place = url.set(query={}).render_as_string(hide_password=True).replace("+psycopg", "")
        try:
            database = Database(url, place, timeout)
        except ModuleNotFoundError as error:
            raise ImportError(
                "projects in PostgreSQL need psycopg: pip install 'lopsided[postgres]'"
            ) from error
        name = url.database or "project"
    try:
        migrate(database, create=create)
        store = Store(database)
        store.begin(name)
    except BaseException:
        database.close()
        raise
    return store


def _url(where: str | os.PathLike[str]) -> URL:
    text = os.fspath(where)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
        driver = _DRIVERS[url.drivername]
    except (ArgumentError, KeyError, ValueError):
        raise StoreError(
            "the address of a project must begin with sqlite:/// or postgresql://",
            "Or name a file, such as project.db.",
        ) from None
    return url.set(drivername=driver)


def _open_file(url: URL, create: bool, timeout: float) -> Database:
    place = url.database or ""
    path = Path(place)
    if not place or place == ":memory:" or place.startswith("file:"):
        raise StoreError("a project must be a file", "Name one, such as project.db.")
    _check_file(path, create)
    database = Database(url, place, timeout)
    try:
        with database.reading() as connection:
            version_of(connection, place)  # refuses the file of another program before anything is changed
        with errors_of(place), database.engine.connect() as connection:
            mode = database.pragma(connection, "journal_mode = WAL")
        if mode != "wal":
            raise StoreError(
                f"{place} is on a disk that cannot hold a project (SQLite offers {mode!r} instead of a log)",
                "Copy the file to a local disk.",
                "unusable",
            )
        database.watch_file()
    except BaseException:
        database.close()
        raise
    return database


def _check_file(path: Path, create: bool) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a folder", f"Name a file, such as {path / 'project.db'}.", "unusable")
    if not path.exists() and not create:
        raise StoreError(f"there is no project {path}", "Name another file.", "missing")
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {path.parent}", "Create it first.", "unusable")
    for one in (path, path.parent):  # SQLite keeps its log beside the file
        if one.exists() and not os.access(one, os.R_OK | os.W_OK):
            raise StoreError(
                f"{one} cannot be read and written",
                "Change its permissions, or copy the file to a folder of your own.",
                "unusable",
            )
    if path.exists() and path.stat().st_size:
        with open(path, "rb") as file:  # SQLite itself takes a file of a few bytes for an empty one
            if file.read(len(_HEAD)) != _HEAD:
                raise not_a_project(str(path))
