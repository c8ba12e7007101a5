"""The one error that a project raises, and how errors of the database become it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from sqlalchemy import exc

Kind = Literal["busy", "conflict", "full", "lost", "missing", "refused", "unusable"]


class StoreError(ValueError):
    """A project cannot do what it was asked to, and nothing of it was changed.

    Parameters
    ----------
    message : str
        What was expected and what came.
    remedy : str
        What to do.
    kind : str, default="refused"
        "missing": no such item, user or label. "conflict": the request contradicts what is stored.
        "busy": another program keeps the database locked. "full": no space left. "lost": the connection
        broke. "unusable": the file or the server cannot be opened. "refused": everything else.

    Examples
    --------
    >>> str(StoreError("no item 7 in this project", "Its items are 1 to 5."))
    'no item 7 in this project. Its items are 1 to 5.'
    """

    def __init__(self, message: str, remedy: str, kind: Kind = "refused") -> None:
        super().__init__(message, remedy, kind)
        self.message = message
        self.remedy = remedy
        self.kind: Kind = kind

    def __str__(self) -> str:
        return f"{self.message}. {self.remedy}"


def not_a_project(place: str) -> StoreError:
    """Return the error for a file of another kind."""
    return StoreError(
        f"{place} is not a project of lopsided", "Name a project, or a new place to create one.", "unusable"
    )


@contextmanager
def errors_of(place: str) -> Iterator[None]:
    """Turn errors of the database at a place into a ``StoreError`` of one line."""
    try:
        yield
    except exc.IntegrityError as error:
        raise StoreError(
            f"the change contradicts what is in {place}",
            "Look at it again and repeat the change.",
            "conflict",
        ) from error
    except exc.TimeoutError as error:
        raise StoreError(
            f"all connections to {place} are in use", "Try again in a moment.", "busy"
        ) from error
    except exc.DBAPIError as error:
        raise _translated(error, place) from error
    except sqlite3.Error as error:  # from a connection that is being set up
        raise _of_sqlite(error, place) from error


# What SQLite says -> (what is wrong, what to do, kind). {place} is the file.
_SQLITE: dict[str, tuple[str, str, Kind]] = {
    "database or disk is full": (
        "no space left for {place}",
        "Free some disk space and try again: everything acknowledged so far is kept.",
        "full",
    ),
    "disk I/O error": (
        "the disk of {place} failed to read or write",
        "Check the disk and its free space, then open the project again.",
        "full",
    ),
    "database is locked": (
        "{place} is locked by another program",
        "Close the program that uses it, or try again in a moment.",
        "busy",
    ),
    "readonly database": (
        "{place} cannot be written",
        "Change the permissions of the file and its folder, or copy the file to a folder of your own.",
        "unusable",
    ),
    "unable to open database file": (
        "{place} cannot be opened",
        "Check that its folder exists and that you may write to it and to the file.",
        "unusable",
    ),
    "database disk image is malformed": (
        "{place} is damaged",
        "Restore the latest backup of the file.",
        "unusable",
    ),
}


def _translated(error: exc.DBAPIError, place: str) -> StoreError:
    if isinstance(error.orig, sqlite3.Error):
        return _of_sqlite(error.orig, place)
    return _of_postgresql(error, place)


def _of_sqlite(error: sqlite3.Error, place: str) -> StoreError:
    if "file is not a database" in str(error):
        return not_a_project(place)
    for words, (what, remedy, kind) in _SQLITE.items():
        if words in str(error):
            return StoreError(what.format(place=place), remedy, kind)
    return StoreError(f"SQLite cannot go on with {place}: {error}", "Open the project again.")


def _of_postgresql(error: exc.DBAPIError, place: str) -> StoreError:
    said = " ".join(str(error.orig).split())
    state = str(getattr(error.orig, "sqlstate", None) or "")
    if state.startswith("53"):
        return StoreError(
            f"the server of {place} has no space or memory left",
            "Free some and try again: everything acknowledged so far is kept.",
            "full",
        )
    if state.startswith(("55", "40")) or state == "57014":
        return StoreError(f"{place} is locked by another program", "Try again in a moment.", "busy")
    if state in ("42501", "25006"):
        return StoreError(
            f"this account may not write to {place}",
            "Grant it the right to, or use another account.",
            "unusable",
        )
    if isinstance(error, exc.OperationalError | exc.InterfaceError) or error.connection_invalidated:
        return StoreError(
            f"no connection to {place} ({said})",
            "Check that the server runs and that address, user and password are right, then try again.",
            "lost",
        )
    return StoreError(f"PostgreSQL cannot go on with {place}: {said}", "Open the project again.")
