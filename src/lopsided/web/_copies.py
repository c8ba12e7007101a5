"""The search for items that are there more than once, while people screen."""

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from lopsided.screening import DuplicateIndex
from lopsided.text import Record

_BATCH = 1000  # items that are compared at once
_KIND = "copies"  # of the blocks in which the store keeps them
_UNFINISHED = "copies unfinished"  # of a block that marks a search that was begun


class CopySearch:
    """Puts copies into groups, one item after the other in the order in which they came.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Any) -> None:
        self._store = store
        self._index = DuplicateIndex()
        self._n_indexed = 0  # all items up to this number are in the index
        self._missing: dict[int, int] = {}  # groups that are not in the store yet

    @property
    def is_unfinished(self) -> bool:
        """Whether items are still to be compared, perhaps since before a restart of the server."""
        return next(self._store.blocks(_UNFINISHED), None) is not None

    def begin(self) -> None:
        """Note that items are to be compared. The note stays until `run` has compared all of them."""
        self._store.save_block(_UNFINISHED, 0, b"")

    def run(self, before: int, is_wanted: Callable[[], bool]) -> int:
        """Compare all items that have not been compared; return how many behind a number are copies.

        Parameters
        ----------
        before : int
        is_wanted : callable
            Whether to go on.
        """
        n_copies = 0
        if not self._n_indexed:
            self._restore()
        # Items may have come otherwise meanwhile, and the rows of the index are those of all items.
        items = self._store.items(after=self._n_indexed)
        while is_wanted() and (batch := list(islice(items, _BATCH))):
            begun = time.perf_counter()
            first = self._n_indexed + 1
            kept: list[bytes] = []
            records = (Record(item.key, item.title, item.text, item.fields) for item in batch)
            rows = self._index.add(records, keep=kept.append)
            self._n_indexed += len(batch)
            groups = {first + i: int(row) + 1 for i, row in enumerate(rows) if int(row) + 1 != first + i}
            self._missing |= groups
            self._store.set_groups(self._missing)
            self._missing = {}
            for content in kept:  # one; after the groups, which it takes for known
                self._store.save_block(_KIND, first - 1, content)
            n_copies += sum(item > before for item in groups)
            # Half of the time is for those who screen meanwhile.
            time.sleep(time.perf_counter() - begun)
        if is_wanted():
            self._store.remove_blocks(_UNFINISHED)
        return n_copies

    def _restore(self) -> None:
        """Put into the index what was compared before the server was started."""
        n_items = self._store.n_items
        for first, content in self._store.blocks(_KIND):
            if first < self._n_indexed:
                continue  # of an earlier time, when blocks began elsewhere
            try:
                self._n_indexed += self._index.restore(content)
            except ValueError:
                return
            if self._n_indexed > n_items:
                self._index, self._n_indexed = DuplicateIndex(), 0
                return
