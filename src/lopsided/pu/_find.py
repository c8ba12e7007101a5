"""More like these: rank unlabeled texts by how much they are like the positives, and say why."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from lopsided.pu._find_report import FindReport
from lopsided.pu._rankers import FEWEST_POSITIVES, learn_ranking
from lopsided.pu._share import PositiveShare, estimate_positive_share
from lopsided.report._reasons import Reasons
from lopsided.text import StemmedVectorizer
from lopsided.text._input import name_texts, read_texts, tell_apart
from lopsided.text._stemmed import locate_stems


def find_more(
    positives: Iterable[str | bytes],
    unlabeled: Iterable[str | bytes],
    *,
    ids: Sequence[str] | None = None,
) -> FindReport:
    """Rank unlabeled texts by how much they are like the positives.

    Words are stemmed and weighed by (1 + ln tf) ln(N / df). `RocSVM`, a balanced linear SVM and logistic
    regression learn how much each word speaks for a text. Each of them ranks known positives that were hidden
    from it; the report ranks by the best, or by the mean of those that are as good up to chance. The texts
    over the threshold are as many as `estimate_positive_share` estimates.

    With fewer than five positives nothing can be held out. The texts are then ranked by `RocSVM`, the number
    of positives among them is not estimated, and none is flagged. None is flagged either where the interval
    of the estimate reaches from no text to more than half of them.

    Parameters
    ----------
    positives : iterable of str or bytes
        Texts of the kind that is wanted; two at least.
    unlabeled : iterable of str or bytes
        Texts among which there may be more. Those equal to a positive, up to white space, are left out.
    ids : sequence of str or None, default=None
        A name for each unlabeled text. If not given: ``unlabeled.ids`` where there is such a thing (as in
        what `read_documents` returns), else the place from 1.

    Returns
    -------
    report : FindReport
        The ranked texts with their reasons, and the estimated number of positives among them.

    Examples
    --------
    >>> ships = ["The ship left the port.", "A ship and its crew.", "Two ships in the harbour."]
    >>> heap = ["Wheat grows.", "Some ships sank in port.", "Corn and wheat prices.", "Wheat prices grow."]
    >>> best = find_more(ships, heap).records[0]
    >>> best.id, best.words
    ('2', ('port', 'ships'))
    """
    known = read_texts("positives", positives, needed_by="find_more")
    texts = read_texts("unlabeled", unlabeled, needed_by="find_more")
    names = name_texts("unlabeled", unlabeled, ids, len(texts))
    corpus = _Corpus(known, texts)
    heap = corpus.X[corpus.n_positives :]
    (coef, intercept), trials = learn_ranking(corpus.X, corpus.y)
    scores = heap @ coef + intercept
    share = _estimate(corpus)
    order = np.argsort(-scores, kind="stable")
    evidence = heap[order]
    evidence.data *= coef[evidence.indices]
    return FindReport(
        share=share,
        n_positives=corpus.n_positives,
        n_unlabeled=len(texts),
        n_known=corpus.n_known,
        n_wordless=corpus.n_wordless,
        trials=trials,
        scores=scores[order] - _draw_line(scores, share.n_hidden if share else 0),
        _rows=corpus.rows[order],
        _ids=names,
        _texts=texts,
        _evidence=evidence,
        _reasons=Reasons(corpus.stems, locate_stems),
    )


class _Corpus:
    """Vectors of the positives, then of the unlabeled texts, without copies and texts that say nothing."""

    def __init__(self, positives: list[str], unlabeled: list[str]) -> None:
        places, rows = tell_apart(positives, unlabeled)
        self.n_known = len(unlabeled) - len(rows)
        texts = [positives[i] for i in places]
        n_texts = len(texts)
        if n_texts < 2:
            raise ValueError(
                f"two positives that differ are needed to tell what they have in common; got {n_texts} "
                f"(texts: {len(positives):,}). Add some."
            )
        if not rows:
            raise ValueError(
                f"nothing is left to search: all {len(unlabeled):,} unlabeled texts are equal to positives. "
                "Name other texts."
            )
        if len(rows) == 1:
            raise ValueError("two unlabeled texts at least are needed to rank them; got 1. Add some.")
        X, self.stems = weigh_stems(texts + [unlabeled[i] for i in rows])
        says_something = np.diff(X.indptr) > 0
        self.n_positives = int(says_something[:n_texts].sum())
        if self.n_positives < 2 or says_something[n_texts:].sum() < 2:
            raise ValueError(_NOTHING_SHARED.format(n=len(says_something)))
        self.n_wordless = int((~says_something[n_texts:]).sum())
        self.X = X[says_something]
        self.y = (np.arange(self.X.shape[0]) < self.n_positives).astype(int)
        self.rows = np.array(rows, dtype=np.intp)[says_something[n_texts:]]


def weigh_stems(texts: list[str]) -> tuple[Any, NDArray[Any]]:
    """(1 + ln tf) ln(N / df) of each stem, in rows of length 1; and the stems.

    A stem of one text alone says nothing about another. The logarithm keeps a word that a page repeats in
    every line from being all there is to it: without it the mean average precision on WebKB was a quarter
    lower.
    """
    vectorizer = StemmedVectorizer(weighting="counts", norm=None, min_df=2)
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError:
        raise ValueError(_NOTHING_SHARED.format(n=len(texts))) from None
    X.data = (1 + np.log(X.data)) * vectorizer.idf_[X.indices]
    X.eliminate_zeros()
    return normalize(X, copy=False), vectorizer.get_feature_names_out()


_NOTHING_SHARED = (
    "the {n:,} texts have too few words in common to learn from (words of one text alone, words of all texts "
    "and the most common English ones do not count). Are they whole documents?"
)


def _estimate(corpus: _Corpus) -> PositiveShare | None:
    """Return the share of positives among the unlabeled texts; None where it can hardly be known."""
    if corpus.n_positives < FEWEST_POSITIVES:
        return None
    share = estimate_positive_share(corpus.X, corpus.y, random_state=0)
    return None if share.n_hidden_low == 0 and share.high > _VAGUE else share


_VAGUE = 0.5  # an interval from no text to more than half of them does not say where to stop


def _draw_line(scores: NDArray[np.float64], n_hidden: int) -> float:
    """The score at which a text counts as found: between the last of so many, and the next.

    The 0 of the SVM is no such line: where few positives stand against thousands, next to nothing reaches it.
    """
    ranked = np.sort(scores)[::-1]
    if n_hidden == 0:  # above all, by as much as can be seen
        return max(0.0, float(ranked[0] + 0.01 * (ranked[0] - ranked[-1]) + 0.01))
    return float(ranked[n_hidden - 1 : n_hidden + 1].mean())
