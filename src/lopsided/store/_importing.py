"""Records become items: in chunks, each id once, with bounded memory."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, insert, select, update

from lopsided.store._database import Database, clean, now, take
from lopsided.store._items import key_of
from lopsided.store._part import Part
from lopsided.store._schema import items, sources
from lopsided.text import Record

# So many records are one transaction. It takes about a tenth of a second, and answers wait for its end.
CHUNK = 2000


class ImportCounts(NamedTuple):
    """The number of records that were new, and of those that were there already.

    Examples
    --------
    >>> ImportCounts(10, 2).n_new
    10
    """

    n_new: int
    n_known: int


class ImportSource(NamedTuple):
    """A file, or another source, from which records came.

    Examples
    --------
    >>> ImportSource(1, "a.csv", "csv", {}, "2026-01-01T00:00:00+00:00", None, 5, 0).finished is None
    True
    """

    id: int
    name: str
    format: str
    roles: dict[str, Any]
    started: str
    finished: str | None
    n_new: int
    n_known: int


class ImportBatch:
    """An import that is under way; `StorePart.importing` opens it."""

    def __init__(self, database: Database, source_id: int, one_text_per_id: bool) -> None:
        self.database = database
        self.source_id = source_id
        self.one_text_per_id = one_text_per_id
        self.counts = ImportCounts(0, 0)

    def add(self, records: Iterable[Record]) -> ImportCounts:
        """Add records as they come, and return what became of them.

        Each chunk is on the disk before the next one is read. Whoever adds the same records again, after an
        interruption for example, adds only those that are missing.

        Parameters
        ----------
        records : iterable of Record
            Read once, in chunks.
        """
        before = self.counts
        for chunk in _chunks(records):
            self._add_chunk(chunk)
        return ImportCounts(self.counts.n_new - before.n_new, self.counts.n_known - before.n_known)

    def _add_chunk(self, records: Sequence[Record]) -> None:
        rows = [_row(record, self.source_id) for record in records]
        with self.database.writing() as connection:
            first = take(connection, "items", 0) + 1  # before the look: nobody adds these ids meanwhile
            known = _known_copies(connection, {row["key"] for row in rows})
            fresh: list[dict[str, Any]] = []
            for row in rows:
                copies = known.setdefault(row["key"], [])
                if copies and (self.one_text_per_id or row["digest"] in copies):
                    continue
                row["copy"] = len(copies)
                row["id"] = first + len(fresh)
                copies.append(row["digest"])
                fresh.append(row)
            if fresh:
                connection.execute(insert(items), fresh)
                take(connection, "items", len(fresh))
            n_known = len(rows) - len(fresh)
            more = {"n_new": sources.c.n_new + len(fresh), "n_known": sources.c.n_known + n_known}
            connection.execute(update(sources).where(sources.c.id == self.source_id).values(**more))
        self.counts = ImportCounts(self.counts.n_new + len(fresh), self.counts.n_known + n_known)


class ImportPart(Part):
    """Import of records."""

    @contextmanager
    def importing(
        self,
        name: str,
        format: str = "",
        roles: Mapping[str, Any] | None = None,
        *,
        one_text_per_id: bool = False,
        continued: bool = False,
    ) -> Iterator[ImportBatch]:
        """Open an import, and note when it ends. A record that is there already stays as it is.

        Parameters
        ----------
        name : str
            Name of the file or of another source.
        format : str, default=""
            Its format.
        roles : mapping or None, default=None
            Which column plays which part, kept as JSON.
        one_text_per_id : bool, default=False
            If True, an id names one record for ever, and one that comes again is known whatever it says. If
            False, a record of a known id with another content is another item: two files may number their
            records alike, and none of them may get lost.
        continued : bool, default=False
            If True, a source of the same name and format that is there goes on, and its numbers grow.

        Returns
        -------
        batch : ImportBatch
            Its ``add`` takes records.
        """
        values = {
            "name": clean(name),
            "format": format,
            "roles": json.dumps(dict(roles or {})),
            "started": now(),
            "n_new": 0,
            "n_known": 0,
        }
        with self.database.writing() as connection:
            source_id = _latest_source(connection, values) if continued else None
            if source_id is None:
                new = insert(sources).values(values).returning(sources.c.id)
                source_id = connection.execute(new).scalar_one()
        yield ImportBatch(self.database, source_id, one_text_per_id)
        with self.database.writing() as connection:
            connection.execute(update(sources).where(sources.c.id == source_id).values(finished=now()))

    def sources(self) -> list[ImportSource]:
        """Return the sources in the order in which they came; one that broke off is not finished."""
        with self.database.reading() as connection:
            return [_source(row) for row in connection.execute(select(sources).order_by(sources.c.id))]


def _latest_source(connection: Connection, values: Mapping[str, Any]) -> int | None:
    same = [sources.c[name] == values[name] for name in ("name", "format")]
    query = select(sources.c.id).where(*same).order_by(sources.c.id.desc()).limit(1)
    return connection.execute(query).scalar_one_or_none()


def _chunks(records: Iterable[Record]) -> Iterator[list[Record]]:
    rest = iter(records)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


def _row(record: Record, source_id: int) -> dict[str, Any]:
    title, text = clean(record.title), clean(record.text)
    fields = json.dumps(
        {clean(name): clean(cell) for name, cell in record.fields.items()}, ensure_ascii=False
    )
    return {
        "key": key_of(record.id),
        "digest": blake2b("\0".join((title, text, fields)).encode(), digest_size=16).digest(),
        "title": title,
        "text": text,
        "fields": fields,
        "given": clean(record.label),
        "source_id": source_id,
    }


def _known_copies(connection: Connection, keys: set[str]) -> dict[str, list[bytes]]:
    """Return the digests of the records that are there, for each key in the order of their copies."""
    found: dict[str, list[bytes]] = {}
    query = (
        select(items.c.key, items.c.digest).where(items.c.key.in_(keys)).order_by(items.c.key, items.c.copy)
    )
    for key, digest in connection.execute(query):
        found.setdefault(key, []).append(digest)
    return found


def _source(row: Row[Any]) -> ImportSource:
    return ImportSource(**{**row._asdict(), "roles": json.loads(row.roles)})
