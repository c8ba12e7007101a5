"""The inbox: items that programs send. A one-sided filter decides which of them somebody should see.

The filter is nothing but the labels of the project, learned in their order. Decisions are in the store: an
item that is sent again gets the decision that was made.
"""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from lopsided.feedback import AppleTasting, MissedEstimate, OneSidedFilter, missed_positives
from lopsided.online import MarginPerceptron
from lopsided.store import NewDecision
from lopsided.text import ByteGramVectorizer, Record
from lopsided.web._desk import Desk


class Arrival(NamedTuple):
    """The outcome for an item that was sent.

    Parameters
    ----------
    id : str
        As its sender calls it.
    item : int
        Its number in the project.
    is_new : bool
        Whether it was sent for the first time.
    show : bool
        Whether somebody should see it.
    explored : bool
        Whether it is shown as a check only.
    score, probability : float or None
        What the filter makes of it, and how likely it was to be shown.
    """

    id: str
    item: int
    is_new: bool
    show: bool
    explored: bool
    score: float | None
    probability: float | None


class InboxReport(NamedTuple):
    """The numbers of items that came and were shown, and an estimate of those missed."""

    n_arrived: int
    n_shown: int
    n_checks: int
    n_waiting: int
    n_labeled: int
    n_relevant: int
    missed: MissedEstimate | None


class Inbox:
    """The inbox of a served project.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = threading.Lock()
        self._filter: OneSidedFilter | None = None
        self._learned: dict[int, bool] = {}
        self._vectorizer = ByteGramVectorizer()

    def take(self, records: Sequence[Record]) -> list[Arrival]:
        """Take items, decide about those that are new, and return what became of each.

        Parameters
        ----------
        records : sequence of Record
        """
        store = self._desk.store
        with self._lock:
            before = store.n_items
            today = f"inbox of {datetime.now(UTC):%Y-%m-%d}"
            with store.importing(today, "api", one_text_per_id=True, continued=True) as batch:
                batch.add(records)
            numbers = [store.find_items(record.id)[0].id for record in records]
            open_ = [n for n in dict.fromkeys(numbers) if store.decision(n) is None]
            if open_:
                store.decide_all(self._decide(open_))
            found = {n: store.decision(n) for n in numbers}
        if store.n_items > before:
            self._desk.read_again()
        return [
            Arrival(record.id, n, n > before, d.show, d.explored, d.score, d.probability)
            for record, n in zip(records, numbers, strict=True)
            if (d := found[n]) is not None
        ]

    def report(self) -> InboxReport:
        """Return how the inbox stands, with an estimate of what is being missed."""
        store, votes = self._desk.store, self._desk.votes
        made = list(store.decisions())
        meanings = votes.meanings()
        missed = None
        if made:
            explored = np.array([one.explored for one in made], dtype=bool)
            rejected = explored | ~np.array([one.show for one in made], dtype=bool)
            positive = np.array([meanings.get(one.item_id, False) for one in made], dtype=bool)
            chance = np.array([one.probability or 0.0 for one in made])
            missed = missed_positives(chance, rejected, explored, positive)
        shown = [one for one in made if one.show]
        labeled = [one for one in shown if one.item_id in meanings]
        return InboxReport(
            n_arrived=len(made),
            n_shown=len(shown),
            n_checks=sum(one.explored for one in made),
            n_waiting=len(store.waiting()),
            n_labeled=len(labeled),
            n_relevant=sum(meanings[one.item_id] for one in labeled),
            missed=missed,
        )

    def _decide(self, numbers: list[int]) -> list[NewDecision]:
        decider = self._taught()
        decision = decider.decide(self._rows(numbers))
        return [
            NewDecision(
                number,
                bool(decision.show[i]),
                bool(decision.explored[i]),
                float(decision.score[i]),
                float(decision.probability[i]),
            )
            for i, number in enumerate(numbers)
        ]

    def _taught(self) -> OneSidedFilter:
        """Return the filter after it has learned what was labeled since."""
        store = self._desk.store
        if self._filter is None:
            n_made = sum(1 for _ in store.decisions())
            self._filter = OneSidedFilter(
                MarginPerceptron(step="adaptive", fit_intercept=True),
                explorer=AppleTasting(),
                random_state=np.random.default_rng([store.project.seed, n_made]),
            )
        news = {n: y for n, y in self._desk.votes.meanings().items() if self._learned.get(n) is not y}
        for chunk in np.array_split(np.fromiter(news, int), max(1, len(news) // 1000)):
            if len(chunk):
                labels = np.array([int(news[int(n)]) for n in chunk])
                self._filter.learn(self._rows(chunk.tolist()), labels)
        self._learned |= news
        return self._filter

    def _rows(self, numbers: list[int]) -> Any:
        items = [self._desk.store.item(number) for number in numbers]
        return self._vectorizer.transform([f"{item.title}\n{item.text}" for item in items])
