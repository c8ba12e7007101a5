"""Why a document was found: its words that weigh most, and a piece of it that shows them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import Stemmer
from numpy.typing import NDArray

from lopsided.text._stemmed import _WORD

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
        """The text cut at the marks, and whether each piece is marked."""
        ends = [0, *(place for mark in self.marks for place in mark), len(self.text)]
        cut = [(self.text[a:b], i % 2 == 1) for i, (a, b) in enumerate(pairwise(ends))]
        return [piece for piece in cut if piece[0]]


class Reasons:
    """Words that speak for a document, under a linear model of stems.

    Parameters
    ----------
    stems : array of str of shape (n_features,)
        The stem of each column.
    coef : array of shape (n_features,)
        Weight of each column.
    n_words : int, default=6
        The most words to give.

    Examples
    --------
    >>> reasons = Reasons(np.array(["sail", "ship", "the"]), np.array([1.0, 2.0, -1.0]))
    >>> words, snippet = reasons.explain("The Ships were sailing.", np.array([0, 1, 2]), np.ones(3))
    >>> words
    ('Ships', 'sailing')
    >>> snippet
    Snippet(text='The Ships were sailing.', marks=((4, 9), (15, 22)))
    """

    def __init__(self, stems: NDArray[Any], coef: NDArray[np.float64], n_words: int = 6) -> None:
        self._stems, self._coef, self._n_words = stems, coef, n_words
        self._stem_of: dict[str, str] = {}

    def explain(
        self, text: str, columns: NDArray[np.integer[Any]], values: NDArray[np.float64]
    ) -> tuple[tuple[str, ...], Snippet]:
        """Words as the document spells them, the weightiest first, and the piece that holds most of them.

        Parameters
        ----------
        text : str
            The document.
        columns, values : arrays
            What of its vector is not 0.

        Returns
        -------
        words : tuple of str
        snippet : Snippet
        """
        weight_of = self._weigh(columns, values)
        found = list(self._find(text, weight_of))
        spelled: dict[str, str] = {}
        for stem, start, end in found:
            spelled.setdefault(stem, text[start:end])
        return tuple(spelled.get(stem, stem) for stem in weight_of), _cut(text, found, weight_of)

    def _weigh(self, columns: NDArray[Any], values: NDArray[np.float64]) -> dict[str, float]:
        """What each of the weightiest stems adds to the score; only what speaks for the document."""
        parts = values * self._coef[columns]
        best = np.argsort(-parts, kind="stable")[: self._n_words]
        return {str(self._stems[columns[i]]): float(parts[i]) for i in best if parts[i] > 0}

    def _find(self, text: str, wanted: Mapping[str, float]) -> Iterator[tuple[str, int, int]]:
        """Stem, start and end of each word whose stem is wanted."""
        if not wanted:
            return
        stemmer, known = Stemmer.Stemmer("porter", 0), self._stem_of
        for match in _WORD.finditer(text):
            word = match[0].lower()
            stem = known.get(word)
            if stem is None:
                stem = known[word] = stemmer.stemWord(word)
            if stem in wanted:
                yield stem, match.start(), match.end()


def _cut(text: str, found: list[tuple[str, int, int]], weight_of: Mapping[str, float]) -> Snippet:
    """The window whose different wanted words weigh most; the beginning where there are none."""
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


def _best_start(found: list[tuple[str, int, int]], weight_of: Mapping[str, float]) -> int:
    """Where the best window begins, at a word; the earliest of equally good ones."""
    best, best_start, total, last = 0.0, 0, 0.0, 0
    inside: Counter[str] = Counter()
    for i, (stem, start, _) in enumerate(found):
        while last < len(found) and found[last][2] - start <= _WIDTH - _BEFORE:
            if not inside[found[last][0]]:
                total += weight_of[found[last][0]]
            inside[found[last][0]] += 1
            last += 1
        if total > best * (1 + 1e-9):
            best, best_start = total, start
        if last > i:
            inside[stem] -= 1
            if not inside[stem]:
                total -= weight_of[stem]
        else:
            last = i + 1  # a word longer than the window
    return best_start
