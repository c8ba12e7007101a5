"""The documents that a reader returns: texts, ids, labels, and what was skipped or repaired on the way."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload


class Document(NamedTuple):
    """One document as it comes out of a reader.

    Examples
    --------
    >>> Document("mail.csv:2", "hello").label is None
    True
    """

    id: str
    text: str | bytes
    label: Any = None
    row: dict[str, Any] | None = None


class Problem(NamedTuple):
    """Something a reader skipped, or repaired and kept.

    Examples
    --------
    >>> Problem("mail.csv:7", "not JSON", skipped=True).reason
    'not JSON'
    """

    id: str
    reason: str
    skipped: bool


@dataclass(frozen=True)
class Documents(Sequence[str | bytes]):
    """A sequence of texts, with their ids, their labels and a record of what went wrong.

    It can be passed to a vectorizer as it stands.

    Parameters
    ----------
    texts : list of str or list of bytes
        The documents.
    ids : list of str
        Where each came from: a path inside the folder, ``file:line``, ``file:number``, or the named column.
    labels : list or None
        The label of each document, None for a missing one; None altogether where no labels were asked for.
    problems : list of Problem
        What was skipped, and what was repaired and kept.
    rows : list of dict or None
        Tables: all cells of the row of each document; None altogether where they were not asked for.

    Examples
    --------
    >>> documents = Documents(["hello", ""], ["a.txt", "b.txt"], None, [Problem("b.txt", "empty", False)])
    >>> len(documents), documents[0]
    (2, 'hello')
    >>> documents.summary()
    '2 documents, 1 repaired or odd (1 empty)'
    """

    texts: list[str | bytes]
    ids: list[str]
    labels: list[Any] | None = None
    problems: list[Problem] = field(default_factory=list)
    rows: list[dict[str, Any]] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, index: int) -> str | bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[str | bytes]: ...
    def __getitem__(self, index: int | slice) -> str | bytes | list[str | bytes]:
        return self.texts[index]

    def summary(self) -> str:
        """Return one line: how many documents there are, how many were skipped and repaired, and why.

        Returns
        -------
        line : str
            Counts, the most frequent reason first.

        Examples
        --------
        >>> Documents(["hello"], ["1"]).summary()
        '1 document'
        """
        parts = [f"{len(self):,} document{'' if len(self) == 1 else 's'}"]
        for what, skipped in (("skipped", True), ("repaired or odd", False)):
            affected = [problem for problem in self.problems if problem.skipped == skipped]
            if affected:
                reasons = Counter(problem.reason for problem in affected).most_common()
                listed = ", ".join(f"{count:,} {reason}" for reason, count in reasons)
                number = len({problem.id for problem in affected})
                parts.append(f"{number:,} {what} ({listed})")
        return ", ".join(parts)
