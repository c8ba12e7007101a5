"""Questions about words: does the text hold one of this stem?"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from lopsided.boosting._asked import AskedCondition
from lopsided.boosting._material import Answered, Piece
from lopsided.report._reasons import Reasons
from lopsided.text import StemmedVectorizer
from lopsided.text._stemmed import locate_stems

_SPELLINGS = 4  # of a word that are shown
_LOOKED_AT = 500  # texts in which spellings are counted


class Stems:
    """Presence of stems; those of one text alone say nothing about another, and are left out.

    Parameters
    ----------
    texts : sequence of str
    learned_from : array of int
        Places of the texts to learn from.
    """

    stumps = "presence"

    def __init__(self, texts: Sequence[str], learned_from: NDArray[np.intp]) -> None:
        vectorizer = StemmedVectorizer(weighting="binary", norm=None, min_df=2)
        try:
            vectorizer.fit([texts[i] for i in learned_from])
        except ValueError:
            raise ValueError(
                f"no word is in two of the {len(learned_from):,} texts to learn from (the most common "
                "English ones do not count). Are they whole documents?"
            ) from None
        rows: Any = vectorizer.transform(texts)
        self.X = rows[learned_from]
        self._columns = csc_array(rows)
        self._stems = vectorizer.get_feature_names_out()
        self._texts, self._learned_from = texts, learned_from

    def condition(self, feature: int, threshold: float | None, yes: bool) -> Answered:
        """Return the condition that the word is there, or is not; it has the name of the common spelling."""
        there = np.zeros(len(self._texts), dtype=bool)
        there[self._columns.indices[slice(*self._columns.indptr[feature : feature + 2])]] = True
        stem = str(self._stems[feature])
        asked = AskedCondition("word", stem, None, yes, self._spellings(stem, there))
        return Answered(asked, there if yes else ~there)

    def show(self, row: int, conditions: Sequence[Answered]) -> list[Piece]:
        """Return the piece of a text that holds most of the words the rules ask for."""
        # A word that one rule asks for and another refuses speaks for the positives.
        here: dict[str, bool] = {}
        for condition in conditions:
            if condition.holds[row] == condition.asked.says_yes:
                stem = condition.asked.feature
                here[stem] = here.get(stem, False) or condition.asked.says_yes
        reasons = Reasons(np.array(list(here), dtype=object), locate_stems, n_words=len(here))
        parts = np.array([1.0 - 0.01 * i for i in range(len(here))])  # the weightiest rule comes first
        snippet = reasons.explain(self._texts[row], np.arange(len(here)), parts)[1]
        return [(text, self._speaks(text, here) if marked else "") for text, marked in snippet.pieces()]

    def _speaks(self, word: str, here: dict[str, bool]) -> str:
        stem = next((stem for stem, _, _ in locate_stems(word)), "")
        return "for" if here.get(stem, True) else "against"

    def _spellings(self, stem: str, answers: NDArray[np.bool_]) -> tuple[str, ...]:
        """Return the spellings in lower case, the most common first."""
        having = self._learned_from[answers[self._learned_from]][:_LOOKED_AT]
        found = Counter(
            self._texts[i][start:end].lower()
            for i in having
            for found, start, end in locate_stems(self._texts[i])
            if found == stem
        )
        ranked = sorted(found, key=lambda word: (-found[word], word))
        return tuple(ranked[:_SPELLINGS]) or (stem,)
