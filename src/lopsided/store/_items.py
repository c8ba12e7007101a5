"""The items of a project: one, a page of them, or all of them as a stream."""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, bindparam, func, select, update

from lopsided.store._database import clean, count_of
from lopsided.store._errors import StoreError
from lopsided.store._part import Part
from lopsided.store._schema import items

# So many rows are read in one transaction of a stream: no reader holds back the log of an SQLite file.
PAGE = 1000
# PostgreSQL indexes no longer texts; an id that is longer ends in a digest of all of it.
LONGEST_KEY = 500


class StoredItem(NamedTuple):
    """One record of a project.

    Parameters
    ----------
    id : int
        1 for the first that arrived, 2 for the second, without gaps.
    key : str
        Id of the record in its source.
    copy : int
        0, or how many other records with this id came before it.
    title, text : str
        What a reader sees.
    fields : dict
        All other columns.
    given : str
        The label that was in the source; empty for none.
    group : int
        The first item of its group of duplicates: its own id where it is that one, or has no duplicates.
    source_id : int
        The source that it came from.

    Examples
    --------
    >>> StoredItem(7, "pmid:1", 0, "Ships", "A ship sank.", {}, "", 3, 1).group
    3
    """

    id: int
    key: str
    copy: int
    title: str
    text: str
    fields: dict[str, str]
    given: str
    group: int
    source_id: int


_COLUMNS = [column for column in items.c if column.name != "digest"]


class ItemPart(Part):
    """Items, their texts and their groups."""

    @property
    def n_items(self) -> int:
        """The number of items; their ids are 1 to this number."""
        with self.database.reading() as connection:
            return count_of(connection, "items")

    def item(self, item_id: int) -> StoredItem:
        """Return one item.

        Parameters
        ----------
        item_id : int
            Its id.
        """
        with self.database.reading() as connection:
            row = connection.execute(select(*_COLUMNS).where(items.c.id == item_id)).one_or_none()
            if row is None:
                raise no_item(connection, item_id)
            return _item(row)

    def find_items(self, key: str) -> list[StoredItem]:
        """Return the items whose record has this id in its source, none where there is none.

        Parameters
        ----------
        key : str
            The id of the record.
        """
        with self.database.reading() as connection:
            query = select(*_COLUMNS).where(items.c.key == key_of(key)).order_by(items.c.copy)
            return [_item(row) for row in connection.execute(query)]

    def items(self, after: int = 0, limit: int | None = None) -> Iterator[StoredItem]:
        """Yield items in the order of their ids, read page by page.

        Parameters
        ----------
        after : int, default=0
            Begin behind this id.
        limit : int or None, default=None
            Yield at most so many; None for all.
        """
        return islice((_item(row) for row in self._stream(select(*_COLUMNS), after, limit)), limit)

    def texts(self, after: int = 0) -> Iterator[tuple[int, str, str]]:
        """Yield id, title and text of all items behind an id, with bounded memory.

        Parameters
        ----------
        after : int, default=0
            Begin behind this id.
        """
        for row in self._stream(select(items.c.id, items.c.title, items.c.text), after, None):
            yield row.id, row.title, row.text

    def _stream(self, query: Select[Any], after: int, limit: int | None) -> Iterator[Row[Any]]:
        size = PAGE if limit is None else min(limit, PAGE)
        page_after = query.where(items.c.id > bindparam("after")).order_by(items.c.id).limit(size)
        while size:
            with self.database.reading() as connection:
                rows = connection.execute(page_after, {"after": after}).all()
            yield from rows
            if len(rows) < size:
                return
            after = rows[-1].id

    def set_groups(self, firsts: Mapping[int, int] | Iterable[tuple[int, int]]) -> None:
        """Say which items are duplicates. Items that are not named stay in their groups.

        Parameters
        ----------
        firsts : mapping or iterable of pairs
            From the id of an item to that of the first item of its group, its own id to take it out.
        """
        pairs = iter(firsts.items() if isinstance(firsts, Mapping) else firsts)
        change = update(items).where(items.c.id == bindparam("item")).values(group_id=bindparam("first"))
        while chunk := list(islice(pairs, 5 * PAGE)):
            with self.database.writing() as connection:
                last = count_of(connection, "items")
                for item, first in chunk:
                    if not 0 < first <= item <= last:
                        raise StoreError(
                            f"item {item} cannot be in a group that begins with item {first}",
                            f"A group begins with its lowest id, and ids are 1 to {last}.",
                        )
                rows = [{"item": int(i), "first": None if i == f else int(f)} for i, f in chunk]
                connection.execute(change, rows)

    def groups(self) -> dict[int, int]:
        """Return the first item of the group of each item that is a duplicate of an earlier one."""
        query = select(items.c.id, items.c.group_id).where(items.c.group_id.is_not(None))
        with self.database.reading() as connection:
            return {row.id: row.group_id for row in connection.execute(query.order_by(items.c.group_id))}

    def members(self, item_id: int) -> list[int]:
        """Return the ids of the group of an item, in order; its own id alone where it has no duplicates.

        Parameters
        ----------
        item_id : int
            Any item of the group.
        """
        with self.database.reading() as connection:
            row = connection.execute(select(items.c.group_id).where(items.c.id == item_id)).one_or_none()
            if row is None:
                raise no_item(connection, item_id)
            first = row.group_id or item_id
            rest = select(items.c.id).where(items.c.group_id == first).order_by(items.c.id)
            return [first, *connection.execute(rest).scalars()]

    def given_labels(self) -> dict[str, int]:
        """Return the labels that were in the sources, with how many records have each."""
        query = select(items.c.given, func.count()).where(items.c.given != "").group_by(items.c.given)
        with self.database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(query.order_by(items.c.given))}


def key_of(text: str) -> str:
    """Return the id of a record as it is stored."""
    key = clean(text)
    if not key:
        raise StoreError("a record has no id", "Name another column for the ids, or none.")
    if len(key) <= LONGEST_KEY:
        return key
    return key[: LONGEST_KEY - 33] + "#" + blake2b(key.encode(), digest_size=16).hexdigest()


def no_item(connection: Connection, item_id: int) -> StoreError:
    """Return the error that says which items there are."""
    last = count_of(connection, "items")
    there = f"Its items are 1 to {last}." if last else "Import records first."
    return StoreError(f"no item {item_id} in this project", there, "missing")


def _item(row: Row[Any]) -> StoredItem:
    values = row._asdict()
    group = values.pop("group_id")
    values["fields"] = json.loads(values["fields"])
    return StoredItem(**values, group=group or row.id)
