"""The answers of a session in their order, and what follows from them: labels, and what is left."""

from collections import Counter
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# With more records than this, a model takes longer than a quick reviewer. Then it knows the labels up to the
# last but one multiple of so many answers: it is ready when it is needed, and depends on nothing but these.
MOST_FOLLOWED = 200_000
_STRIDE = 5


class LoggedAnswer(NamedTuple):
    """One answer, and how things stood when it came."""

    row: int
    """The record that stands for all copies of the one that was shown."""
    shown: int
    relevant: bool | None  # None: skipped
    reason: str
    probability: float
    n_unlabelled: int
    n_support: float
    key: bytes  # stands for all answers up to this one
    first_relevant: int  # number of answers up to the first relevant one, 0 without one
    n_relevant: int  # labels after this answer


class AnswerLog:
    """The answers so far.

    An answer takes the same time however many records there are, so that thousands are soon given again.

    Attributes
    ----------
    firsts : array of int
        For each record the row of the first of its copies.
    labels : dict of int to bool
        The labels that stand, in the order of the answers.
    """

    def __init__(self) -> None:
        self.firsts = np.zeros(0, dtype=np.intp)
        self.stands = np.zeros(0, dtype=bool)  # whether a record stands for its copies, or has none
        self.n_items = 0
        self.clear()

    def clear(self) -> None:
        """Forget all answers."""
        self.labels: dict[int, bool] = {}
        self._given: list[LoggedAnswer] = []
        self._times: Counter[int] = Counter()  # row -> answers
        self._left = self.stands.copy()
        self.n_left, self.n_found = self.n_items, 0

    def __len__(self) -> int:
        return len(self._given)

    def all(self) -> list[LoggedAnswer]:
        """Return the answers in their order."""
        return list(self._given)

    def is_left(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return whether rows were neither labeled nor skipped."""
        return self._left[rows]

    def left_after(self, n: int) -> NDArray[np.intp]:
        """Return the rows that were neither labeled nor skipped by the first n answers."""
        later = Counter(answer.row for answer in self._given[n:])
        back = [row for row, times in later.items() if times == self._times[row]]
        if not back:
            return np.flatnonzero(self._left)
        left = self._left.copy()
        left[back] = True
        return np.flatnonzero(left)

    def group(self, firsts: NDArray[np.intp]) -> None:
        """Say, for all records there are by now, which are copies; answers count for the groups."""
        self.firsts, self.stands = firsts, firsts == np.arange(len(firsts))
        self.n_items = int(self.stands.sum())
        given = self._given
        self.clear()
        for answer in given:
            self.add(answer.shown, answer.relevant, answer.reason, answer.probability, answer.n_support)

    def add(
        self, shown: int, relevant: bool | None, reason: str, probability: float, n_support: float
    ) -> None:
        """Append an answer."""
        row = int(self.firsts[shown])
        before = self._given[-1] if self._given else None
        n_unlabelled = self.n_left
        self._label(row, relevant)
        first_relevant = 0 if before is None else before.first_relevant
        answer = LoggedAnswer(
            row=row,
            shown=shown,
            relevant=relevant,
            reason=reason,
            probability=probability,
            n_unlabelled=n_unlabelled,
            n_support=n_support,
            key=next_key(self.key(), row, relevant),
            first_relevant=first_relevant or (len(self) + 1 if relevant else 0),
            n_relevant=self.n_found,
        )
        self._given.append(answer)
        self._times[row] += 1
        if self._times[row] == 1:
            self._left[row] = False
            self.n_left -= 1

    def undo(self) -> LoggedAnswer | None:
        """Take back the last answer, and return it."""
        if not self._given:
            return None
        last = self._given.pop()
        self._times[last.row] -= 1
        if not self._times[last.row]:
            self._left[last.row] = True
            self.n_left += 1
        self.labels = self._labels_after(len(self))
        self.n_found = sum(self.labels.values())
        return last

    def key(self, n: int | None = None) -> bytes:
        """Return what stands for the first n answers; for all without n."""
        n = len(self) if n is None else n
        return self._given[n - 1].key if n else b""

    def n_learned(self, n: int) -> int:
        """Return how many answers the model knows that ranks after n answers, which may be one to come."""
        if len(self.firsts) <= MOST_FOLLOWED or not self._given:
            return n
        first = self._given[-1].first_relevant
        m = max(_STRIDE * (n // _STRIDE - 1), first)
        return m if 0 < m < n and self._given[m - 1].n_relevant else n

    def learned(self, n: int) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return the rows and the labels after the first n answers."""
        labels = self.labels if n == len(self) else self._labels_after(n)
        rows = np.fromiter(labels, np.intp, len(labels))
        return rows, np.fromiter(labels.values(), bool, len(labels))

    def _label(self, row: int, relevant: bool | None) -> None:
        self.n_found -= bool(self.labels.pop(row, False))
        if relevant is not None:
            self.labels[row] = relevant
            self.n_found += relevant

    def _labels_after(self, n: int) -> dict[int, bool]:
        labels: dict[int, bool] = {}
        for answer in self._given[:n]:
            labels.pop(answer.row, None)
            if answer.relevant is not None:
                labels[answer.row] = answer.relevant
        return labels


def next_key(key: bytes, row: int, relevant: bool | None) -> bytes:
    """Return what stands for the answers of a key and one more."""
    return blake2b(key + repr((row, relevant)).encode(), digest_size=16).digest()
