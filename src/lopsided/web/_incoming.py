"""Items on their way from the store into a session, while an import still brings more."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.screening import ScreeningSession
from lopsided.screening._words import ReadWords, follow

_KIND = "words"  # of the blocks in which the store keeps what was read
_LEAST_KEPT = 1000  # records: fewer are soon read again
_FIRST, _GROWTH = 20_000, 4  # screening begins with so many items, and goes on with four times as many


class Incoming:
    """Bring items into a session: all that are there, or during an import enough to begin with.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Any) -> None:
        self._store = store
        self._n_imports = 0
        self._changed = threading.Condition()

    @contextmanager
    def expecting(self) -> Iterator[None]:
        """Wait, as long as this is open, for more items to come."""
        with self._changed:
            self._n_imports += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_imports -= 1
                self._changed.notify_all()

    def notify(self) -> None:
        """Say that items have come, or that nobody wants them any more."""
        with self._changed:
            self._changed.notify_all()

    def bring(self, session: ScreeningSession, after: int, is_wanted: Callable[[], bool]) -> int:
        """Add items to a session, and return the number of the last one.

        Parameters
        ----------
        session : ScreeningSession
        after : int
            The last item that it has.
        is_wanted : callable
            Whether to go on.
        """
        last = first_kept = after

        def items() -> Iterator[Any]:
            nonlocal last, first_kept
            if after == 0:
                for read in follow(self._store.blocks(_KIND)):
                    if last + read.n_records > self._store.n_items:
                        break
                    last += read.n_records
                    yield read
                first_kept = last
            while is_wanted():
                is_growing = self._n_imports > 0
                for item in self._store.items(after=last):
                    last = item.id
                    yield item
                    if not is_wanted() or (is_growing and last >= max(_FIRST, _GROWTH * after)):
                        return
                if not is_growing:
                    return
                with self._changed:
                    self._changed.wait(1.0)

        def keep(read: ReadWords) -> None:
            nonlocal first_kept
            if read.n_records >= _LEAST_KEPT:
                self._store.save_block(_KIND, first_kept, read.to_bytes())
            first_kept += read.n_records

        session.add(items(), keep=keep)
        session.regroup(self.groups(last))
        return last

    def groups(self, n_items: int) -> NDArray[np.intp]:
        """Return for each of the first items the row of the first of its copies.

        Parameters
        ----------
        n_items : int
        """
        rows = np.arange(n_items)
        for item, first in self._store.groups().items():
            if item <= n_items:
                rows[item - 1] = first - 1
        return rows
