"""More like these: rank unlabeled texts or rows by how much they are like the positives, and say why."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from lopsided.boosting._columns import read_columns
from lopsided.pu._find_report import FindReport
from lopsided.pu._find_rows import find_rows
from lopsided.pu._rankers import learn_ranking
from lopsided.pu._threshold import draw_line, estimate_share
from lopsided.report._reasons import Reasons
from lopsided.text import StemmedVectorizer
from lopsided.text._dask import is_in_partitions
from lopsided.text._input import name_texts, read_texts, tell_apart
from lopsided.text._stemmed import locate_stems


def find_more(positives: Any, unlabeled: Any, *, ids: Sequence[str] | None = None) -> FindReport:
    """Rank unlabeled texts, or rows of a table, by how much they are like the positives.

    Several models learn to tell the positives from the unlabeled items. Each of them ranks known positives
    that were hidden from it; the report ranks by the best, or by the mean of those that are as good up to
    chance. The items over the threshold are as many as `estimate_positive_share` estimates.

    Words of texts are stemmed and weighed by (1 + ln tf) ln(N / df). `RocSVM`, a balanced linear SVM and
    logistic regression learn how much each word speaks for a text. Tables are compared in the columns that
    they share: numbers, dates and categories. Logistic regression, extremely randomized trees and a balanced
    SVM with an rbf kernel learn from them.

    With fewer than five positives nothing can be held out. Texts are then ranked by `RocSVM` and rows by the
    mean of all models, the number of positives is not estimated, and nothing is flagged. Nothing is flagged
    either where the interval of the estimate reaches from none to more than half of the items. Where the
    classes overlap, the report gives an upper end in place of an interval (``share.overlaps``), and many of
    the flagged items may be negative.

    Parameters
    ----------
    positives : iterable of str or bytes, mapping, data frame or array of shape (n_samples, n_columns)
        Texts or rows of the kind that is wanted; two at least.
    unlabeled : iterable of str or bytes, mapping, data frame or array of shape (n_samples, n_columns)
        Texts or rows among which there may be more. Those equal to a positive are left out; white space does
        not count in texts, and rows are compared in all columns that the two tables share. The texts of a
        Dask bag, or the documents of `lopsided.text.read_bag`, are read by the workers, and not kept: models
        learn from 50,000 of them, and all are ranked.
    ids : sequence of str or None, default=None
        A name for each unlabeled item. If not given: ``unlabeled.ids`` where there is such a thing (as in
        what `read_documents` returns), else the place from 1.

    Returns
    -------
    report : FindReport
        The ranked items with their reasons, and the estimated number of positives among them.

    Examples
    --------
    >>> ships = ["The ship left the port.", "A ship and its crew.", "Two ships in the harbour."]
    >>> texts = ["Wheat grows.", "Some ships sank in port.", "Corn and wheat prices.", "Wheat prices grow."]
    >>> best = find_more(ships, texts).records[0]
    >>> best.id, best.words
    ('2', ('port', 'ships'))

    >>> known = {"age": [61, 64, 67, 70], "town": ["Bled", "Ptuj", "Bled", "Bled"]}
    >>> others = {"age": [20, 25, 66, 30, 35, 40], "town": ["Ptuj", "Bled", "Bled", "Ptuj", "Ptuj", "Ptuj"]}
    >>> best = find_more(known, others).records[0]
    >>> best.id, best.words
    ('3', ('age = 66', 'town = Bled'))
    """
    tables = [
        None if is_in_partitions(data) else read_columns(data, needed_by=f"find_more ({name})")
        for name, data in (("positives", positives), ("unlabeled", unlabeled))
    ]
    known_rows, rows = tables
    if known_rows is not None and rows is not None:
        return find_rows(known_rows, rows, ids, unlabeled)
    if known_rows is not None or rows is not None:
        raise ValueError(
            "positives and unlabeled must both be texts, or both be tables; got one of each. Pass two alike."
        )
    if is_in_partitions(unlabeled):
        return _find_in_bag(positives, unlabeled, ids)
    known = read_texts("positives", positives, needed_by="find_more")
    texts = read_texts("unlabeled", unlabeled, needed_by="find_more")
    names = name_texts("unlabeled", unlabeled, ids, len(texts))
    corpus = _PositiveUnlabeledTexts(known, texts)
    vectors = corpus.X[corpus.n_positives :]
    (coef, intercept), trials = learn_ranking(corpus.X, corpus.y)
    scores = vectors @ coef + intercept
    share = estimate_share(corpus.X, corpus.y)
    order = np.argsort(-scores, kind="stable")
    evidence = vectors[order]
    evidence.data *= coef[evidence.indices]
    return FindReport(
        share=share,
        n_positives=corpus.n_positives,
        n_unlabeled=len(texts),
        n_known=corpus.n_known,
        n_wordless=corpus.n_wordless,
        trials=trials,
        scores=scores[order] - draw_line(scores, share.n_hidden if share else 0),
        _rows=corpus.rows[order],
        _ids=names,
        _texts=texts,
        _evidence=evidence,
        _reasons=Reasons(corpus.stems, locate_stems),
    )


def _find_in_bag(positives: Any, bag: Any, ids: Sequence[str] | None) -> FindReport:
    from lopsided.pu._archives import BagArchive  # late: it needs what is here
    from lopsided.pu._find_archive import find_in_archive

    if ids is not None:
        raise ValueError("ids cannot name the documents of a Dask bag. Pass a bag of Document (read_bag).")
    return find_in_archive(positives, BagArchive(bag))


class _PositiveUnlabeledTexts:
    """Vectors of the positives, then of the unlabeled texts, without copies and texts that say nothing."""

    def __init__(self, positives: list[str], unlabeled: list[str]) -> None:
        places, rows = tell_apart(positives, unlabeled)
        self.n_known = len(unlabeled) - len(rows)
        texts = [positives[i] for i in places]
        n_texts = len(texts)
        check_numbers_of_texts(n_texts, len(positives), len(rows), len(unlabeled))
        X, self.stems = weigh_stems(texts + [unlabeled[i] for i in rows])
        says_something = np.diff(X.indptr) > 0
        self.n_positives = int(says_something[:n_texts].sum())
        if self.n_positives < 2 or says_something[n_texts:].sum() < 2:
            raise ValueError(NOTHING_SHARED.format(n=len(says_something)))
        self.n_wordless = int((~says_something[n_texts:]).sum())
        self.X = X[says_something]
        self.y = (np.arange(self.X.shape[0]) < self.n_positives).astype(int)
        self.rows = np.array(rows, dtype=np.intp)[says_something[n_texts:]]


def check_numbers_of_texts(n_distinct: int, n_positives: int, n_new: int, n_unlabeled: int) -> None:
    """Raise ValueError where there are too few texts that differ to learn from, or to rank."""
    if n_distinct < 2:
        raise ValueError(
            f"two positives that differ are needed to tell what they have in common; got {n_distinct} "
            f"(texts: {n_positives:,}). Add some."
        )
    if not n_new:
        raise ValueError(
            f"nothing is left to search: all {n_unlabeled:,} unlabeled texts are equal to positives. "
            "Name other texts."
        )
    if n_new == 1:
        raise ValueError("two unlabeled texts at least are needed to rank them; got 1. Add some.")


def weigh_stems(texts: list[str]) -> tuple[Any, NDArray[Any]]:
    """Return rows of length 1 with (1 + ln tf) ln(N / df) of each stem, and the stems.

    A stem of one text alone says nothing about another. The logarithm keeps a word that a page repeats in
    every line from being all there is to it: without it the mean average precision on WebKB was a quarter
    lower.
    """
    vectorizer = StemmedVectorizer(weighting="counts", norm=None, min_df=2)
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError:
        raise ValueError(NOTHING_SHARED.format(n=len(texts))) from None
    X.data = (1 + np.log(X.data)) * vectorizer.idf_[X.indices]
    X.eliminate_zeros()
    return normalize(X, copy=False), vectorizer.get_feature_names_out()


NOTHING_SHARED = (
    "the {n:,} texts have too few words in common to learn from (words of one text alone, words of all texts "
    "and the most common English ones do not count). Are they whole documents?"
)
