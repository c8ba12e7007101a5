"""Actions of reviewers: answer, skip, undo, note, tag, resolve and dismiss, each stored before it returns."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Table, delete, exists, insert, select
from sqlalchemy.sql.elements import ColumnElement

from lopsided.store._database import clean, now, take
from lopsided.store._events import Event, append, as_event, checked_token, known_event
from lopsided.store._part import Part
from lopsided.store._schema import dismissals, events, items, notes, resolutions, standing, tagged

# What undo takes back. A note and a tag have a way back of their own.
UNDONE = ("answer", "skip", "resolve", "dismiss")
# So many labels of a source are one transaction.
_CHUNK = 1000


class AnswerPart(Part):
    """The events that reviewers cause."""

    def answer(
        self,
        item_id: int,
        user_id: int,
        label_id: int | None,
        *,
        token: str,
        reason: str = "",
        score: float | None = None,
        seconds: float | None = None,
    ) -> Event:
        """Store a label, or a skip; the latest one of a user on an item stands.

        It is on the disk when this returns. A token that is sent again stores nothing, and returns the event
        that it stored first: whoever got no reply may send it again.

        Parameters
        ----------
        item_id : int
            The item.
        user_id : int
            Who answers.
        label_id : int or None
            The label; None to skip.
        token : str
            A name that the client makes up for this event, such as 32 random digits.
        reason : str, default=""
            Why the item was shown.
        score : float or None, default=None
            Its score.
        seconds : float or None, default=None
            How long the reviewer looked at it.
        """
        kind = "skip" if label_id is None else "answer"
        return self._store(
            kind,
            item_id,
            user_id,
            token,
            label_id=label_id,
            reason=clean(reason),
            score=score,
            seconds=seconds,
        )

    def undo(self, user_id: int, token: str) -> Event | None:
        """Take back the latest answer, skip, resolution or dismissal of a user; None if none is left.

        What stood before stands again. ``undoes`` of the event that is returned names the one taken back.

        Parameters
        ----------
        user_id : int
            Whose.
        token : str
            A name that the client makes up for this event.
        """
        with self.database.writing() as connection:
            take(connection, "events", 0)  # nobody adds an event while we look for the latest
            known = known_event(connection, checked_token(token), user_id=user_id, kind="undo")
            if known:
                return known
            by_user = (events.c.user_id == user_id) & events.c.kind.in_(UNDONE)
            back = _latest(connection, by_user)
            if back is None:
                return None
            event, is_new = append(
                connection,
                kind="undo",
                item_id=back.item_id,
                user_id=user_id,
                token=token,
                label_id=back.label_id,
                undoes=back.id,
                reason=back.reason,
                score=back.score,
            )
            if is_new:
                _restore(connection, back)
            return event

    def note(self, item_id: int, user_id: int, text: str, token: str) -> Event:
        """Write a user's note on an item in place of the one before; an empty one removes it.

        Parameters
        ----------
        item_id : int
            The item.
        user_id : int
            Who writes.
        text : str
            The note.
        token : str
            A name that the client makes up for this event.
        """
        return self._store("note", item_id, user_id, token, note=clean(text))

    def tag(self, item_id: int, user_id: int, tag_id: int, token: str) -> Event:
        """Put a tag on an item.

        Parameters
        ----------
        item_id : int
            The item.
        user_id : int
            Who tags.
        tag_id : int
            The tag.
        token : str
            A name that the client makes up for this event.
        """
        return self._store("tag", item_id, user_id, token, tag_id=tag_id)

    def untag(self, item_id: int, user_id: int, tag_id: int, token: str) -> Event:
        """Take a user's tag off an item.

        Parameters
        ----------
        item_id : int
            The item.
        user_id : int
            Whose tag.
        tag_id : int
            The tag.
        token : str
            A name that the client makes up for this event.
        """
        return self._store("untag", item_id, user_id, token, tag_id=tag_id)

    def resolve(self, item_id: int, user_id: int, label_id: int, token: str) -> Event:
        """Say which label an item has in the end, whatever its reviewers said; their labels are kept.

        Parameters
        ----------
        item_id : int
            The item.
        user_id : int
            Who resolves the conflict.
        label_id : int
            The label that holds.
        token : str
            A name that the client makes up for this event.
        """
        return self._store("resolve", item_id, user_id, token, label_id=label_id)

    def dismiss(self, item_id: int, user_id: int, token: str) -> Event:
        """Take an item off the shelf of unexpected ones.

        Parameters
        ----------
        item_id : int
            The item.
        user_id : int
            Who dismisses it.
        token : str
            A name that the client makes up for this event.
        """
        return self._store("dismiss", item_id, user_id, token)

    def accept_given(self, user_id: int, meaning: Mapping[str, int]) -> int:
        """Answer for a user with the labels that were in the sources, and return how many answers are new.

        Items that this user labeled or skipped keep what they have. Calling it again adds nothing.

        Parameters
        ----------
        user_id : int
            Who answers for them.
        meaning : mapping of str to int
            The label that each text in the sources stands for; other texts are left alone.
        """
        n_new = 0
        for rows in self._unanswered(user_id, meaning):
            with self.database.writing() as connection:
                n_new += _answer_all(connection, user_id, [(id_, meaning[given]) for id_, given in rows])
        return n_new

    def _unanswered(self, user_id: int, meaning: Mapping[str, int]) -> Iterator[list[tuple[int, str]]]:
        after = 0
        answered = exists().where(standing.c.item_id == items.c.id, standing.c.user_id == user_id)
        query = select(items.c.id, items.c.given).where(items.c.given.in_(list(meaning)), ~answered)
        while True:
            with self.database.reading() as connection:
                page = query.where(items.c.id > after).order_by(items.c.id).limit(_CHUNK)
                rows = [(row.id, row.given) for row in connection.execute(page)]
            if not rows:
                return
            yield rows
            after = rows[-1][0]

    def _store(self, kind: str, item_id: int, user_id: int, token: str, **values: Any) -> Event:
        with self.database.writing() as connection:
            event, is_new = append(
                connection, kind=kind, item_id=item_id, user_id=user_id, token=token, **values
            )
            if is_new:
                _apply(connection, event)
            return event


def _answer_all(connection: Connection, user_id: int, answers: list[tuple[int, int]]) -> int:
    """Store many answers at once, each as `append` does one; return how many were new."""
    last = take(connection, "events", 0)
    named = {f"given:{user_id}:{item_id}": (item_id, label_id) for item_id, label_id in answers}
    known = set(connection.execute(select(events.c.token).where(events.c.token.in_(named))).scalars())
    fresh = [(token, *answer) for token, answer in named.items() if token not in known]
    same = {"time": now(), "user_id": user_id, "kind": "answer", "reason": "given"}
    rows = [
        same | {"id": last + i, "item_id": item_id, "label_id": label_id, "token": token}
        for i, (token, item_id, label_id) in enumerate(fresh, 1)
    ]
    if rows:
        connection.execute(insert(events), rows)
        stand = [
            {"event_id": row["id"]} | {n: row[n] for n in ("item_id", "user_id", "label_id")} for row in rows
        ]
        connection.execute(insert(standing), stand)
        take(connection, "events", len(rows))
    return len(rows)


def _apply(connection: Connection, event: Event) -> None:
    """Make an event stand in the table that says how things are."""
    item, user = {"item_id": event.item_id}, {"user_id": event.user_id}
    if event.kind in ("answer", "skip"):
        _put(connection, standing, item | user, {"label_id": event.label_id, "event_id": event.id})
    elif event.kind == "resolve":
        _put(connection, resolutions, item, {"label_id": event.label_id, "event_id": event.id})
    elif event.kind == "dismiss":
        _put(connection, dismissals, item, {"event_id": event.id})
    elif event.kind == "note":
        _put(connection, notes, item | user, {"note": event.note} if event.note else None)
    else:
        _put(connection, tagged, item | user | {"tag_id": event.tag_id}, {} if event.kind == "tag" else None)


def _put(connection: Connection, table: Table, key: dict[str, Any], values: dict[str, Any] | None) -> None:
    """Replace the row of a key; None leaves none."""
    same = [table.c[name] == value for name, value in key.items()]
    connection.execute(delete(table).where(*same))
    if values is not None:
        connection.execute(insert(table).values(**key, **values))


def _restore(connection: Connection, undone: Event) -> None:
    """Make stand again what stood before an event, which is undone now."""
    on_item = events.c.item_id == undone.item_id
    if undone.kind in ("answer", "skip"):
        kinds = events.c.kind.in_(("answer", "skip"))
        before = _latest(connection, on_item & (events.c.user_id == undone.user_id) & kinds)
        table, key = standing, {"item_id": undone.item_id, "user_id": undone.user_id}
    else:
        before = _latest(connection, on_item & (events.c.kind == undone.kind))
        table = resolutions if undone.kind == "resolve" else dismissals
        key = {"item_id": undone.item_id}
    if before is not None:
        _apply(connection, before)
    else:
        _put(connection, table, key, None)


def _latest(connection: Connection, condition: ColumnElement[bool]) -> Event | None:
    """Return the latest event that meets a condition and was not undone."""
    later = events.alias()
    standing_ones = select(events).where(condition, ~exists().where(later.c.undoes == events.c.id))
    row = connection.execute(standing_ones.order_by(events.c.id.desc()).limit(1)).one_or_none()
    return None if row is None else as_event(row)
