"""The search for items that are there more than once, while people screen."""

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from lopsided.screening import DuplicateIndex
from lopsided.text import Record

_BATCH = 1000  # items that are compared at once


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

    def run(self, before: int, is_wanted: Callable[[], bool]) -> int:
        """Compare all items that have not been compared; return how many behind a number are copies.

        Parameters
        ----------
        before : int
        is_wanted : callable
            Whether to go on.
        """
        n_copies = 0
        # Items may have come otherwise meanwhile, and the rows of the index are those of all items.
        items = self._store.items(after=self._n_indexed)
        while is_wanted() and (batch := list(islice(items, _BATCH))):
            begun = time.perf_counter()
            first = self._n_indexed + 1
            rows = self._index.add(Record(item.key, item.title, item.text, item.fields) for item in batch)
            self._n_indexed += len(batch)
            groups = {first + i: int(row) + 1 for i, row in enumerate(rows) if int(row) + 1 != first + i}
            self._missing |= groups
            self._store.set_groups(self._missing)
            self._missing = {}
            n_copies += sum(item > before for item in groups)
            # Half of the time is for those who screen meanwhile.
            time.sleep(time.perf_counter() - begun)
        return n_copies
