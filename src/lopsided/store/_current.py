"""Current labels, conflicts, resolutions, notes and tags; and the same from the audit log alone."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, select

from lopsided.store._events import Event
from lopsided.store._items import PAGE
from lopsided.store._part import Part
from lopsided.store._schema import (
    dismissals,
    events,
    labels,
    notes,
    project,
    resolutions,
    standing,
    tagged,
)


class StandingAnswer(NamedTuple):
    """The label, or the skip, of one user on one item that stands now, with its event.

    Examples
    --------
    >>> StandingAnswer(7, 1, None, 3, "2026-01-01T00:00:00+00:00", "border", 0.5).label_id is None
    True
    """

    item_id: int
    user_id: int
    label_id: int | None
    event_id: int
    time: str
    reason: str
    score: float | None


class ProjectState(NamedTuple):
    """Everything that follows from the audit log.

    Parameters
    ----------
    answers : dict
        From (item, user) to a label, or to None for a skip.
    resolutions, dismissals : dict
        From an item to the label that holds; from an item to the user who dismissed it.
    notes : dict
        From (item, user) to a text.
    tags : set
        Triples (item, user, tag).

    Examples
    --------
    >>> replay([]).answers
    {}
    """

    answers: dict[tuple[int, int], int | None]
    resolutions: dict[int, int]
    dismissals: dict[int, int]
    notes: dict[tuple[int, int], str]
    tags: set[tuple[int, int, int]]


class CurrentPart(Part):
    """The part of a store that knows the current labels."""

    def current(self, *, seen_by: int | None = None) -> dict[int, dict[int, int]]:
        """Return the label of each user on each item; skips are no labels.

        Parameters
        ----------
        seen_by : int or None, default=None
            A user. Where the project is blind, only what this user may see is returned: own labels, and all
            labels of items that are resolved.
        """
        query = select(standing.c.item_id, standing.c.user_id, standing.c.label_id)
        query = query.where(standing.c.label_id.is_not(None)).order_by(standing.c.item_id, standing.c.user_id)
        found: dict[int, dict[int, int]] = {}
        with self.database.reading() as connection:
            for row in connection.execute(_visible(connection, query, seen_by)):
                found.setdefault(row.item_id, {})[row.user_id] = row.label_id
        return found

    def skipped(self, user_id: int) -> set[int]:
        """Return the items that a user skipped last.

        Parameters
        ----------
        user_id : int
            The user.
        """
        query = select(standing.c.item_id).where(standing.c.user_id == user_id, standing.c.label_id.is_(None))
        with self.database.reading() as connection:
            return set(connection.execute(query).scalars())

    def answers(
        self, after: int = 0, *, item_id: int | None = None, seen_by: int | None = None
    ) -> Iterator[StandingAnswer]:
        """Yield the labels and skips that stand, with when and why, in the order of items.

        Parameters
        ----------
        after : int, default=0
            Begin behind this item.
        item_id : int or None, default=None
            Yield those of this item only.
        seen_by : int or None, default=None
            A user; where the project is blind, only what this user may see is yielded.
        """
        chosen = [*standing.c, events.c.time, events.c.reason, events.c.score]
        query = select(*chosen).join(events, events.c.id == standing.c.event_id)
        query = query.order_by(standing.c.item_id, standing.c.user_id)
        if item_id is not None:
            with self.database.reading() as connection:
                query = query.where(standing.c.item_id == item_id)
                rows = connection.execute(_visible(connection, query, seen_by)).all()
            yield from (StandingAnswer(*row) for row in rows)
            return
        while True:
            page = select(standing.c.item_id).where(standing.c.item_id > after)
            page = page.order_by(standing.c.item_id).limit(1).offset(PAGE)
            with self.database.reading() as connection:
                end = connection.execute(page).scalar()
                rest = query.where(standing.c.item_id > after)
                if end is not None:
                    rest = rest.where(standing.c.item_id <= end)
                rows = connection.execute(_visible(connection, rest, seen_by)).all()
            yield from (StandingAnswer(*row) for row in rows)
            if end is None:
                return
            after = end

    def counts(self) -> dict[int, dict[int | None, int]]:
        """Return how many items each user gave each label; those under None were skipped."""
        query = select(standing.c.user_id, standing.c.label_id, func.count())
        found: dict[int, dict[int | None, int]] = {}
        with self.database.reading() as connection:
            for user, label, count in connection.execute(
                query.group_by(standing.c.user_id, standing.c.label_id)
            ):
                found.setdefault(user, {})[label] = count
        return found

    def conflicts(self) -> dict[int, dict[int, int]]:
        """Return the items whose reviewers disagree on relevance, unresolved, with the label of each user."""
        query = select(standing.c.item_id).join(labels, labels.c.id == standing.c.label_id)
        query = query.group_by(standing.c.item_id).having(func.count(labels.c.relevant.distinct()) > 1)
        undecided = query.where(standing.c.item_id.not_in(select(resolutions.c.item_id)))
        rows = select(standing.c.item_id, standing.c.user_id, standing.c.label_id)
        rows = rows.where(standing.c.item_id.in_(undecided), standing.c.label_id.is_not(None))
        found: dict[int, dict[int, int]] = {}
        with self.database.reading() as connection:
            for row in connection.execute(rows.order_by(standing.c.item_id, standing.c.user_id)):
                found.setdefault(row.item_id, {})[row.user_id] = row.label_id
        return found

    def resolved(self) -> dict[int, int]:
        """Return the label that holds for each item that was resolved."""
        with self.database.reading() as connection:
            return {row.item_id: row.label_id for row in connection.execute(select(resolutions))}

    def dismissed(self) -> set[int]:
        """Return the items that were dismissed."""
        with self.database.reading() as connection:
            return set(connection.execute(select(dismissals.c.item_id)).scalars())

    def notes(self, item_id: int) -> dict[int, str]:
        """Return the note of each user on an item.

        Parameters
        ----------
        item_id : int
            The item.
        """
        query = select(notes.c.user_id, notes.c.note).where(notes.c.item_id == item_id)
        with self.database.reading() as connection:
            return {row.user_id: row.note for row in connection.execute(query)}

    def tags_of(self, item_id: int) -> dict[int, set[int]]:
        """Return the tags that each user put on an item.

        Parameters
        ----------
        item_id : int
            The item.
        """
        query = select(tagged.c.user_id, tagged.c.tag_id).where(tagged.c.item_id == item_id)
        found: dict[int, set[int]] = {}
        with self.database.reading() as connection:
            for row in connection.execute(query):
                found.setdefault(row.user_id, set()).add(row.tag_id)
        return found

    def label_pairs(self, user_a: int, user_b: int) -> list[tuple[int, int]]:
        """Return the labels of two users on the items that both labeled, for Cohen's kappa.

        Parameters
        ----------
        user_a, user_b : int
            The two users.
        """
        other = standing.alias()
        query = select(standing.c.label_id, other.c.label_id.label("other")).join(
            other, other.c.item_id == standing.c.item_id
        )
        query = query.where(standing.c.user_id == user_a, other.c.user_id == user_b)
        query = query.where(standing.c.label_id.is_not(None), other.c.label_id.is_not(None))
        with self.database.reading() as connection:
            return [(row[0], row[1]) for row in connection.execute(query.order_by(standing.c.item_id))]

    def state(self) -> ProjectState:
        """Return all that follows from the audit log, as the tables have it: equal to a replay of the log."""
        with self.database.reading() as connection:
            dismissed = select(dismissals.c.item_id, events.c.user_id).join(
                events, events.c.id == dismissals.c.event_id
            )
            held = select(resolutions.c.item_id, resolutions.c.label_id)
            return ProjectState(
                {(row.item_id, row.user_id): row.label_id for row in connection.execute(select(standing))},
                {row.item_id: row.label_id for row in connection.execute(held)},
                {row.item_id: row.user_id for row in connection.execute(dismissed)},
                {(row.item_id, row.user_id): row.note for row in connection.execute(select(notes))},
                {(row.item_id, row.user_id, row.tag_id) for row in connection.execute(select(tagged))},
            )


def _visible(connection: Connection, query: Select[Any], seen_by: int | None) -> Select[Any]:
    """Leave what a user may see, if the project is blind."""
    if seen_by is None or not connection.execute(select(project.c.blind)).scalar_one():
        return query
    open_items = standing.c.item_id.in_(select(resolutions.c.item_id))
    return query.where((standing.c.user_id == seen_by) | open_items)


def replay(log: Iterable[Event]) -> ProjectState:
    """Return the state that an audit log leads to.

    Parameters
    ----------
    log : iterable of Event
        All events from the first on, as ``store.events()`` yields them.

    Returns
    -------
    state : ProjectState
        Equal to ``store.state()``.

    Examples
    --------
    >>> yes = Event(1, "", 1, "answer", 7, 1, None, None, None, "", None, None, "a")
    >>> back = Event(2, "", 1, "undo", 7, 1, None, None, 1, "", None, None, "b")
    >>> replay([yes]).answers, replay([yes, back]).answers
    ({(7, 1): 1}, {})
    """
    kept: dict[int, Event] = {}
    for event in log:
        if event.kind == "undo":
            del kept[event.undoes or 0]
        else:
            kept[event.id] = event
    state = ProjectState({}, {}, {}, {}, set())
    for event in kept.values():
        key = (event.item_id, event.user_id)
        if event.kind in ("answer", "skip"):
            state.answers[key] = event.label_id
        elif event.kind == "resolve" and event.label_id is not None:
            state.resolutions[event.item_id] = event.label_id
        elif event.kind == "dismiss":
            state.dismissals[event.item_id] = event.user_id
        elif event.kind == "note":
            state.notes.pop(key, None)
            if event.note:
                state.notes[key] = event.note
        elif event.kind == "tag":
            state.tags.add((*key, event.tag_id or 0))
        elif event.kind == "untag":
            state.tags.discard((*key, event.tag_id or 0))
    return state
