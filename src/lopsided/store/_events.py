"""The audit log: what was done, by whom, when and why. Rows are added to it, and never changed."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, exists, insert, select

from lopsided.store._database import clean, count_of, now, take
from lopsided.store._errors import StoreError
from lopsided.store._items import PAGE, no_item
from lopsided.store._part import Part
from lopsided.store._schema import events, items, labels, tags, users

LONGEST_TOKEN = 200
# What an event has unless it says otherwise.
_NOTHING: dict[str, Any] = {
    "label_id": None,
    "tag_id": None,
    "note": None,
    "undoes": None,
    "reason": "",
    "score": None,
    "seconds": None,
}


class Event(NamedTuple):
    """One line of the audit log.

    Parameters
    ----------
    id : int
        1 for the first, without gaps.
    time : str
        When it was stored, in UTC.
    user_id : int
        Who did it.
    kind : str
        "answer", "skip", "undo", "note", "tag", "untag", "resolve" or "dismiss".
    item_id : int
        The item.
    label_id : int or None
        The label that was given; of an undo: the one that was taken back.
    tag_id : int or None
        The tag.
    note : str or None
        The note; empty where it was removed.
    undoes : int or None
        The event that an undo takes back.
    reason : str
        Why the item was shown.
    score : float or None
        Its score then.
    seconds : float or None
        How long the reviewer looked at it.
    token : str
        What the client called this event: it is stored once, however often it is sent.

    Examples
    --------
    >>> Event(1, "", 1, "answer", 7, 1, None, None, None, "most likely", 0.9, 4.5, "a1").item_id
    7
    """

    id: int
    time: str
    user_id: int
    kind: str
    item_id: int
    label_id: int | None
    tag_id: int | None
    note: str | None
    undoes: int | None
    reason: str
    score: float | None
    seconds: float | None
    token: str


class EventPart(Part):
    """The audit log."""

    @property
    def n_events(self) -> int:
        """The number of events; their ids are 1 to this number."""
        with self.database.reading() as connection:
            return count_of(connection, "events")

    def event(self, event_id: int) -> Event:
        """Return one event.

        Parameters
        ----------
        event_id : int
            Its id.
        """
        with self.database.reading() as connection:
            row = connection.execute(select(events).where(events.c.id == event_id)).one_or_none()
        if row is None:
            raise StoreError(f"no event {event_id} in this project", "events() yields them all.", "missing")
        return as_event(row)

    def events(
        self, after: int = 0, *, item_id: int | None = None, user_id: int | None = None
    ) -> Iterator[Event]:
        """Yield events in the order in which they were stored.

        Parameters
        ----------
        after : int, default=0
            Begin behind this id.
        item_id : int or None, default=None
            Yield those of this item only.
        user_id : int or None, default=None
            Yield those of this user only.
        """
        query = select(events).order_by(events.c.id).limit(PAGE)
        if item_id is not None:
            query = query.where(events.c.item_id == item_id)
        if user_id is not None:
            query = query.where(events.c.user_id == user_id)
        while True:
            with self.database.reading() as connection:
                rows = connection.execute(query.where(events.c.id > after)).all()
            yield from map(as_event, rows)
            if len(rows) < PAGE:
                return
            after = rows[-1].id


def as_event(row: Row[Any]) -> Event:
    """Return a row of the table as an event."""
    return Event(**row._asdict())


def append(connection: Connection, **values: Any) -> tuple[Event, bool]:
    """Store an event unless its token is known; return the event, and whether it is new.

    Whoever calls this holds the log until the transaction ends: two events of one token cannot meet.
    """
    values["token"] = checked_token(values["token"])
    last = take(connection, "events", 0)
    known = known_event(connection, **values)
    if known:
        return known, False
    event = Event(id=last + 1, time=now(), **(_NOTHING | values))
    _refuse_what_is_missing(connection, event)
    connection.execute(insert(events).values(event._asdict()))
    take(connection, "events", 1)
    return event, True


def checked_token(token: str) -> str:
    """Return a token that can be stored, or say what is wrong with it."""
    token = clean(token)
    if not 0 < len(token) <= LONGEST_TOKEN:
        raise StoreError(
            f"a token has 1 to {LONGEST_TOKEN} characters, got {len(token)}",
            "Use a new random one per event.",
        )
    return token


def known_event(connection: Connection, token: str, **values: Any) -> Event | None:
    """Return the event of a token; refuse a token that was used for something else."""
    row = connection.execute(select(events).where(events.c.token == token)).one_or_none()
    if row is None:
        return None
    event = as_event(row)
    for name in ("user_id", "kind", "item_id", "label_id", "tag_id"):
        if name in values and getattr(event, name) != values[name]:
            raise StoreError(
                f"token {token!r} was used for another event (number {event.id})",
                "Use a new random one per event.",
                "conflict",
            )
    return event


def _refuse_what_is_missing(connection: Connection, event: Event) -> None:
    """Say what an event refers to in vain. The database would refuse it too, but not say what it is."""
    named = [
        (items, event.item_id, "item", ""),
        (users, event.user_id, "user", "users()"),
        (labels, event.label_id, "label", "labels()"),
        (tags, event.tag_id, "tag", "tags()"),
    ]
    named_ones = [one for one in named if one[1] is not None]
    found = connection.execute(
        select(*(exists().where(table.c.id == id_) for table, id_, _, _ in named_ones))
    )
    for is_there, (_, id_, what, where) in zip(found.one(), named_ones, strict=True):
        if not is_there and what == "item":
            raise no_item(connection, event.item_id)
        if not is_there:
            raise StoreError(f"no {what} {id_} in this project", f"{where} lists them.", "missing")
