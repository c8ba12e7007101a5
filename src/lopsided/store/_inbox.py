"""The inbox: what a filter decided about items that arrived, and what waits for feedback."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sqlalchemy import exists, insert, select

from lopsided.store._database import count_of, now, take
from lopsided.store._items import PAGE, no_item
from lopsided.store._part import Part
from lopsided.store._schema import decisions, standing


class NewDecision(NamedTuple):
    """The decision of a filter about an item.

    Parameters
    ----------
    item_id : int
        The item.
    show : bool
        Whether it is shown.
    explored : bool
        Whether it is shown as a check only, though the filter would hide it.
    score, probability : float or None
        What the filter makes of it.

    Examples
    --------
    >>> NewDecision(7, True, False, 0.4, 0.7).show
    True
    """

    item_id: int
    show: bool
    explored: bool
    score: float | None
    probability: float | None


class InboxDecision(NamedTuple):
    """A decision as it was stored.

    Parameters
    ----------
    id : int
        1 for the first, without gaps.
    item_id : int
        The item.
    time : str
        When it was stored, in UTC.
    show, explored : bool
        Whether the item is shown, and whether as a check only.
    score, probability : float or None
        What the filter made of it.
    after_event : int
        The last event before it: with the audit log, what the filter knew when it decided.

    Examples
    --------
    >>> InboxDecision(1, 7, "2026-01-01T00:00:00+00:00", True, False, 0.4, 0.7, 12).after_event
    12
    """

    id: int
    item_id: int
    time: str
    show: bool
    explored: bool
    score: float | None
    probability: float | None
    after_event: int


class InboxPart(Part):
    """Decisions. One an item: who sends an item again gets the decision that was made."""

    def decide(
        self, item_id: int, show: bool, explored: bool, score: float | None, probability: float | None
    ) -> InboxDecision:
        """Store the decision about an item, and return it; if there is one already, return that one.

        Parameters
        ----------
        item_id : int
            The item.
        show : bool
            Whether it is shown.
        explored : bool
            Whether it is shown as a check only.
        score, probability : float or None
            What the filter makes of it.
        """
        return self.decide_all([NewDecision(item_id, show, explored, score, probability)])[0]

    def decide_all(self, made: Iterable[NewDecision]) -> list[InboxDecision]:
        """Store decisions in one transaction, and return those that stand, in the same order.

        Parameters
        ----------
        made : iterable of NewDecision
            About different items, or the same ones again.
        """
        wanted = list(made)
        with self.database.writing() as connection:
            last = take(connection, "decisions", 0)
            n_items = count_of(connection, "items")
            after = count_of(connection, "events")
            ids = [one.item_id for one in wanted]
            query = select(decisions).where(decisions.c.item_id.in_(ids))
            known = {row.item_id: InboxDecision(*row) for row in connection.execute(query)}
            fresh: list[InboxDecision] = []
            for one in wanted:
                if not 0 < one.item_id <= n_items:
                    raise no_item(connection, one.item_id)
                if one.item_id not in known:
                    stored = InboxDecision(
                        id=last + len(fresh) + 1, time=now(), after_event=after, **one._asdict()
                    )
                    known[one.item_id] = stored
                    fresh.append(stored)
            if fresh:
                connection.execute(insert(decisions), [one._asdict() for one in fresh])
                take(connection, "decisions", len(fresh))
        return [known[one.item_id] for one in wanted]

    def decisions(self, after: int = 0) -> Iterator[InboxDecision]:
        """Yield decisions in the order in which they were made.

        Parameters
        ----------
        after : int, default=0
            Begin behind the decision of this id.
        """
        query = select(decisions).order_by(decisions.c.id).limit(PAGE)
        while True:
            with self.database.reading() as connection:
                rows = connection.execute(query.where(decisions.c.id > after)).all()
            yield from (InboxDecision(*row) for row in rows)
            if len(rows) < PAGE:
                return
            after = rows[-1].id

    def decision(self, item_id: int) -> InboxDecision | None:
        """Return the decision about an item, None if there is none.

        Parameters
        ----------
        item_id : int
            The item.
        """
        with self.database.reading() as connection:
            row = connection.execute(select(decisions).where(decisions.c.item_id == item_id)).one_or_none()
        return None if row is None else InboxDecision(*row)

    def waiting(self, after: int = 0, limit: int | None = None) -> list[InboxDecision]:
        """Return the decisions whose items are shown and have neither a label nor a skip yet, oldest first.

        Parameters
        ----------
        after : int, default=0
            Begin behind the decision of this id.
        limit : int or None, default=None
            At most so many; None for all.
        """
        answered = exists().where(standing.c.item_id == decisions.c.item_id)
        query = select(decisions).where(decisions.c.show, ~answered, decisions.c.id > after)
        with self.database.reading() as connection:
            rows = connection.execute(query.order_by(decisions.c.id).limit(limit)).all()
        return [InboxDecision(*row) for row in rows]
