"""Questions about words: does the text hold one of this stem?"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from lopsided.boosting._material import Asked, Condition, Piece
from lopsided.report._reasons import Reasons
from lopsided.text import StemmedVectorizer
from lopsided.text._stemmed import locate_stems

_SPELLINGS = 4  # of a word that are shown
_LOOKED_AT = 500  # texts in which spellings are counted


class Words:
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

    def question(self, feature: int, threshold: float | None) -> Asked:
        """Named by the most common spelling."""
        answers = np.zeros(len(self._texts), dtype=bool)
        answers[self._columns.indices[slice(*self._columns.indptr[feature : feature + 2])]] = True
        words = self._spellings(str(self._stems[feature]), answers)
        return Asked(str(self._stems[feature]), None, f"'{words[0]}'", f"no '{words[0]}'", words, answers)

    def show(self, row: int, conditions: list[Condition]) -> list[Piece]:
        """The piece of a text that holds most of the words the rules ask for."""
        here = {c.asked.feature: c.says_yes for c in conditions if c.asked.answers[row]}
        reasons = Reasons(np.array(list(here), dtype=object), locate_stems, n_words=len(here))
        parts = np.array([1.0 - 0.01 * i for i in range(len(here))])  # the weightiest rule comes first
        snippet = reasons.explain(self._texts[row], np.arange(len(here)), parts)[1]
        return [(text, self._speaks(text, here) if marked else "") for text, marked in snippet.pieces()]

    def _speaks(self, word: str, here: dict[str, bool]) -> str:
        stem = next((stem for stem, _, _ in locate_stems(word)), "")
        return "for" if here.get(stem, True) else "against"

    def _spellings(self, stem: str, answers: NDArray[np.bool_]) -> tuple[str, ...]:
        """In lower case, the most common first."""
        having = self._learned_from[answers[self._learned_from]][:_LOOKED_AT]
        found = Counter(
            self._texts[i][start:end].lower()
            for i in having
            for found, start, end in locate_stems(self._texts[i])
            if found == stem
        )
        ranked = sorted(found, key=lambda word: (-found[word], word))
        return tuple(ranked[:_SPELLINGS]) or (stem,)
