"""A project in a database: all its parts under one name."""

from types import TracebackType
from typing import Self

from lopsided.store._answers import AnswerPart
from lopsided.store._current import CurrentPart
from lopsided.store._events import EventPart
from lopsided.store._importing import ImportPart
from lopsided.store._inbox import InboxPart
from lopsided.store._items import ItemPart
from lopsided.store._settings import SettingsPart
from lopsided.store._snapshots import SnapshotPart
from lopsided.store._users import UserPart


class Store(
    SettingsPart, ImportPart, ItemPart, AnswerPart, EventPart, CurrentPart, UserPart, InboxPart, SnapshotPart
):
    """A project: its items, labels, people, decisions and audit log. ``open_store`` opens one.

    What a method stores is on the disk before it returns. Threads may share a store, and processes may open
    one project at the same time; readers never wait for writers.

    Parameters
    ----------
    database : Database
        The open database.

    Examples
    --------
    >>> import tempfile
    >>> from lopsided.store import open_store
    >>> from lopsided.text import Record
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = open_store(folder.name + "/ships.db")
    >>> with store.importing("a list") as batch:
    ...     batch.add([Record("a", "Ships", "A ship sank."), Record("b", "Wheat", "Prices rose.")])
    ImportCounts(n_new=2, n_known=0)
    >>> ada = store.add_user("Ada")
    >>> relevant, irrelevant = store.labels()
    >>> event = store.answer(1, ada.id, relevant.id, reason="search", token="6f1c")
    >>> store.answer(1, ada.id, relevant.id, reason="search", token="6f1c").id == event.id  # sent twice
    True
    >>> store.current()
    {1: {1: 1}}
    >>> store.close(); folder.cleanup()
    """

    def close(self) -> None:
        """Close the connections; a file is then one file again, and may be copied."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
