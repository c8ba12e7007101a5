"""The texts of a table that a person is asked about: equal ones once, empty ones never."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


class DistinctTexts:
    """Tell equal and empty texts from the others.

    Parameters
    ----------
    texts : sequence of str
        All texts.

    Attributes
    ----------
    digests : list of str
        A name of each text that follows from its content.
    first : dict
        From a digest to the first row with this text, which stands for all.
    fingerprint : str
        Stands for all texts in their order.
    askable : array of bool
        The rows that stand for a text that is not empty.
    rows : array of int
        The same as numbers.
    n_empty, n_copies : int
        Rows that are left out: empty, or equal to an earlier one.

    Examples
    --------
    >>> distinct = DistinctTexts(["a ship", "", "wheat", "a ship"])
    >>> distinct.rows.tolist(), distinct.standing_for(3), distinct.place(2)
    ([0, 2], 0, 1)
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.digests = [_digest(text) for text in texts]
        self.fingerprint = blake2b("".join(self.digests).encode(), digest_size=8).hexdigest()
        self.first: dict[str, int] = {}
        for i, digest in enumerate(self.digests):
            self.first.setdefault(digest, i)
        self.askable = np.zeros(len(texts), dtype=bool)
        self.askable[[i for i in self.first.values() if texts[i].strip()]] = True
        self.rows: NDArray[np.intp] = np.flatnonzero(self.askable)
        self.n_empty = sum(not text.strip() for text in texts)
        self.n_copies = len(texts) - self.n_empty - len(self.rows)

    def standing_for(self, row: int) -> int:
        """Return the row that stands for a row."""
        return self.first[self.digests[row]]

    def place(self, row: int) -> int:
        """Return which of `rows` a row is."""
        return int(np.searchsorted(self.rows, row))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
