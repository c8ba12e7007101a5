"""Bytes that can be computed again: models, and blocks of features. The caller writes them without pickle."""

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import delete, insert, select

from lopsided.store._database import now
from lopsided.store._part import Part
from lopsided.store._schema import blocks, snapshots

# So many snapshots of a kind are kept: the latest, and the one before in case it cannot be read.
KEPT = 2


class Snapshot(NamedTuple):
    """A model as it was after so many events.

    Examples
    --------
    >>> Snapshot("ranking", 120, "2026-01-01T00:00:00+00:00", b"").n_events
    120
    """

    kind: str
    n_events: int
    time: str
    content: bytes


class SnapshotPart(Part):
    """Snapshots of models, and blocks of features."""

    def save_snapshot(self, kind: str, n_events: int, content: bytes) -> None:
        """Keep a snapshot; older ones of its kind are removed but one.

        Parameters
        ----------
        kind : str
            What it is.
        n_events : int
            How many events it knows of.
        content : bytes
            An ``.npz`` file, written without pickle.
        """
        with self.database.writing() as connection:
            values = {"kind": kind, "n_events": n_events, "time": now(), "content": content}
            connection.execute(insert(snapshots).values(values))
            of_kind = select(snapshots.c.id).where(snapshots.c.kind == kind).order_by(snapshots.c.id.desc())
            kept = list(connection.execute(of_kind.limit(KEPT)).scalars())
            old = (snapshots.c.kind == kind) & (snapshots.c.id < min(kept))
            connection.execute(delete(snapshots).where(old))

    def latest_snapshot(self, kind: str) -> Snapshot | None:
        """Return the latest snapshot of a kind, None if there is none.

        Parameters
        ----------
        kind : str
            What it is.
        """
        table = snapshots.c
        query = select(table.kind, table.n_events, table.time, table.content).where(table.kind == kind)
        with self.database.reading() as connection:
            row = connection.execute(query.order_by(table.id.desc()).limit(1)).one_or_none()
        return None if row is None else Snapshot(*row)

    def save_block(self, kind: str, first_item: int, content: bytes) -> None:
        """Keep the features of a stretch of items, in place of the block that began there.

        Parameters
        ----------
        kind : str
            What it is.
        first_item : int
            The first item of the block.
        content : bytes
            An ``.npz`` file, written without pickle.
        """
        same = (blocks.c.kind == kind) & (blocks.c.first_item == first_item)
        with self.database.writing() as connection:
            connection.execute(delete(blocks).where(same))
            values = {"kind": kind, "first_item": first_item, "content": content}
            connection.execute(insert(blocks).values(values))

    def blocks(self, kind: str) -> Iterator[tuple[int, bytes]]:
        """Yield the first item and the bytes of each block of a kind, in order; one is in memory at a time.

        Parameters
        ----------
        kind : str
            What it is.
        """
        after = -1
        query = select(blocks.c.first_item, blocks.c.content).where(blocks.c.kind == kind)
        while True:
            with self.database.reading() as connection:
                one = query.where(blocks.c.first_item > after).order_by(blocks.c.first_item).limit(1)
                row = connection.execute(one).one_or_none()
            if row is None:
                return
            yield row.first_item, row.content
            after = row.first_item

    def remove_blocks(self, kind: str) -> None:
        """Remove all blocks of a kind.

        Parameters
        ----------
        kind : str
            What it is.
        """
        with self.database.writing() as connection:
            connection.execute(delete(blocks).where(blocks.c.kind == kind))
