"""A session that follows the store: its items, which of them are copies, and the log, in order.

Words of items that were read are kept in the store, in blocks, so that they need not be read again after a
restart. During an import screening begins with the first items, and goes on with more of them at a time.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.screening import ScreeningSession
from lopsided.screening._words import ReadWords, follow
from lopsided.store import StoreError
from lopsided.terminal import say
from lopsided.web._votes import Votes

_KIND = "words"  # of the blocks
_LEAST_KEPT = 1000  # records: fewer are soon read again
_MOMENT = 0.1  # seconds between looks at what an import has brought
_FIRST, _GROWTH = 20_000, 8  # screening begins with so many items, and goes on with eight times as many


class Expected:
    """Counts the imports that bring more items."""

    def __init__(self) -> None:
        self._n = 0
        self._lock = Lock()

    def __bool__(self) -> bool:
        return self._n > 0

    @contextmanager
    def expecting(self) -> Iterator[None]:
        """Expect more items as long as this is open."""
        with self._lock:
            self._n += 1
        try:
            yield
        finally:
            with self._lock:
                self._n -= 1


class FollowingSession:
    """The session of a project, which is nothing but the items and the log of the store.

    Parameters
    ----------
    store : Store

    Attributes
    ----------
    session : ScreeningSession
    votes : Votes
        The labels that stand.
    n_events : int
        How many events of the log are known.
    is_ready : bool
        Whether it has had all items and events that there were at its beginning.
    """

    def __init__(self, store: Any) -> None:
        project = store.project
        self._store = store
        self.session = ScreeningSession(
            (), strategy=project.strategy, question=project.question, seed=project.seed
        )
        self.votes = Votes(store.labels())
        self.n_events = 0
        self.is_ready = False
        self._n_passed = 0  # the last item that an event names and that has not been read
        self._keeps = True

    @property
    def n_items(self) -> int:
        """The number of items that have been read."""
        return self.session.n_records

    # items

    def read_items(self, more: Expected, is_wanted: Callable[[], bool]) -> None:
        """Add items of the store to the session, during an import as many as are worth a new model.

        Answers may be given meanwhile. What was read before a failure is kept.

        Parameters
        ----------
        more : Expected
            Whether an import brings more items.
        is_wanted : callable
            Whether to go on.
        """
        before, last = self.n_items, self._store.n_items
        enough = max(_FIRST, _GROWTH * before, 0 if self.is_ready else last)
        failures: list[StoreError] = []
        self._regroup()
        if last > before or more:
            coming = _Coming(self._store, before)
            records = coming.records(more, enough, is_wanted, failures)
            self.session.add(records, keep=self._keeper(coming))
            self._regroup()
        if failures:
            raise failures[0]

    def _keeper(self, coming: "_Coming") -> Callable[[ReadWords], None]:
        def keep(read: ReadWords) -> None:
            first, coming.n_kept = coming.n_kept, coming.n_kept + read.n_records
            if read.n_records < _LEAST_KEPT or not self._keeps:
                return
            try:
                self._store.save_block(_KIND, first, read.to_bytes())
            except StoreError as error:
                self._keeps = False  # later ones would be of no use without this one
                say(f"the next start will read these documents again: {error}")

        return keep

    def _regroup(self) -> None:
        """Tell the session which items are copies."""
        n = self.n_items
        rows: NDArray[np.intp] = np.arange(n)
        for item, first in self._store.groups().items():
            if item <= n:
                rows[item - 1] = first - 1
        self.session.regroup(rows)

    # the log

    def read_events(self) -> None:
        """Tell the session what happened in the store since it was told last.

        An item may have a label before it has been read. The session is told of it later, and then told
        again of everything that came after, so that the order is that of the log.
        """
        n = self.n_items
        if 0 < self._n_passed <= n:
            self.session.restart()
            self.votes, self.n_events, self._n_passed = Votes(self._store.labels()), 0, 0
        for event in self._store.events(after=self.n_events):
            if event.item_id > n:
                self._n_passed = max(self._n_passed, event.item_id)
            else:
                self.votes.apply(event, self.session)
            self.n_events = event.id


class _Coming:
    """Items behind a number as a stream for a session: words that were kept, then records."""

    def __init__(self, store: Any, after: int) -> None:
        self._store = store
        self._last = self.n_kept = after

    def records(
        self, more: Expected, enough: int, is_wanted: Callable[[], bool], failures: list[StoreError]
    ) -> Iterator[Any]:
        """Yield what comes, during an import until it is enough; a failure of the store ends it."""
        try:
            if not self._last:
                yield from self._known()
            while True:
                is_growing = bool(more)  # asked first: what comes before the end of an import is seen
                for item in self._store.items(after=self._last):
                    self._last = item.id
                    yield item
                    if not is_wanted() or (is_growing and self._last >= enough):
                        return
                if not is_growing or self._last >= enough or not is_wanted():
                    return
                time.sleep(_MOMENT)
        except StoreError as error:
            failures.append(error)

    def _known(self) -> Iterator[ReadWords]:
        n_items = self._store.n_items
        for read in follow(self._store.blocks(_KIND)):
            if self._last + read.n_records > n_items:
                return
            self._last = self.n_kept = self._last + read.n_records
            yield read
