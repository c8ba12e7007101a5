"""Reasons for the rank of a document: the words that weigh most, and a piece that shows them."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Found = tuple[str, int, int]  # a term, and where the word that stands for it starts and ends

_SPACE = re.compile(r"\s+")
_WIDTH = 240  # characters of a snippet
_BEFORE = 30  # of which so many stand before its first marked word, where there are any


class Snippet(NamedTuple):
    """A piece of a document, with white space drawn together, and where the marked words stand in it.

    Examples
    --------
    >>> Snippet("a ship sails", ((2, 6),)).pieces()
    [('a ', False), ('ship', True), (' sails', False)]
    """

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def pieces(self) -> list[tuple[str, bool]]:
        """Return the text cut at the marks, and whether each piece is marked."""
        ends = [0, *(place for mark in self.marks for place in mark), len(self.text)]
        cut = [(self.text[a:b], i % 2 == 1) for i, (a, b) in enumerate(pairwise(ends))]
        return [piece for piece in cut if piece[0]]


class Reasons:
    """The words that raise the score of a document most, from what each term adds to it.

    Parameters
    ----------
    terms : array of str of shape (n_features,)
        The term of each column, such as a stem.
    locate : callable
        Returns the term of each word of a document, and where the word starts and ends.
    n_words : int, default=6
        Largest number of words.

    Examples
    --------
    >>> from lopsided.text._stemmed import locate_stems
    >>> reasons = Reasons(np.array(["sail", "ship", "the"]), locate_stems)
    >>> parts = np.array([1.0, 2.0, -1.0])
    >>> words, snippet = reasons.explain("The Ships were sailing.", np.array([0, 1, 2]), parts)
    >>> words
    ('Ships', 'sailing')
    >>> snippet
    Snippet(text='The Ships were sailing.', marks=((4, 9), (15, 22)))
    """

    def __init__(
        self, terms: NDArray[Any], locate: Callable[[str], Iterable[Found]], n_words: int = 6
    ) -> None:
        self._terms, self._locate, self._n_words = terms, locate, n_words

    def explain(
        self, text: str, columns: NDArray[np.integer[Any]], parts: NDArray[np.float64]
    ) -> tuple[tuple[str, ...], Snippet]:
        """Return words as the document spells them, the weightiest first, and the piece that holds most.

        Parameters
        ----------
        text : str
            The document.
        columns, parts : arrays
            Terms of the document, and what each adds to its score.

        Returns
        -------
        words : tuple of str
        snippet : Snippet
        """
        weight_of = self._weigh(columns, parts)
        found = [one for one in self._locate(text) if one[0] in weight_of] if weight_of else []
        spelled: dict[str, str] = {}
        for term, start, end in found:
            spelled.setdefault(term, text[start:end])
        return tuple(spelled.get(term, term) for term in weight_of), _cut(text, found, weight_of)

    def _weigh(self, columns: NDArray[Any], parts: NDArray[np.float64]) -> dict[str, float]:
        """Return what each of the weightiest terms adds to the score, where it raises the score."""
        best = np.argsort(-parts, kind="stable")[: self._n_words]
        return {str(self._terms[columns[i]]): float(parts[i]) for i in best if parts[i] > 0}


def _cut(text: str, found: list[Found], weight_of: Mapping[str, float]) -> Snippet:
    """Return the window whose different words weigh most; the beginning where there are none."""
    start = _best_start(found, weight_of)
    first = max(0, start - _BEFORE)
    if first > 0:  # not inside a word, unless that is long
        space = _SPACE.search(text, first, start)
        first = space.end() if space else first
    end = min(len(text), first + _WIDTH)
    if end < len(text):
        end = max(text.rfind(" ", first, end), text.rfind("\n", first, end), first + _WIDTH // 2)
    shown, marks, at = "", [], first
    for _, a, b in found:
        if first <= a and b <= end:
            shown += _SPACE.sub(" ", text[at:a])
            marks.append((len(shown), len(shown) + b - a))
            shown += text[a:b]
            at = b
    shown = shown + _SPACE.sub(" ", text[at:end])
    blank = len(shown) - len(shown.lstrip())
    lead = "… " if first > 0 else ""
    shift = len(lead) - blank
    shown = lead + shown.strip() + (" …" if text[end:].strip() else "")
    return Snippet(shown, tuple((a + shift, b + shift) for a, b in marks))


def _best_start(found: list[Found], weight_of: Mapping[str, float]) -> int:
    """Return where the best window begins, at a word; the earliest of equally good ones."""
    best, best_start, total, last = 0.0, 0, 0.0, 0
    inside: Counter[str] = Counter()
    for i, (term, start, _) in enumerate(found):
        while last < len(found) and found[last][2] - start <= _WIDTH - _BEFORE:
            if not inside[found[last][0]]:
                total += weight_of[found[last][0]]
            inside[found[last][0]] += 1
            last += 1
        if total > best * (1 + 1e-9):
            best, best_start = total, start
        if last > i:
            inside[term] -= 1
            if not inside[term]:
                total -= weight_of[term]
        else:
            last = i + 1  # a word longer than the window
    return best_start
