"""New texts that belong to none of the known classes: a ranked list with the words that say so."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from lopsided.report._reasons import Reasons
from lopsided.text._input import name_texts, read_texts, tell_apart
from lopsided.unexpected._detector import UnexpectedDetector
from lopsided.unexpected._lgn import LGN, Contrast
from lopsided.unexpected._report import UnexpectedReport

_WORD = re.compile(r"\b\w\w+\b")
_LEAST = 3  # texts: a word is in as many, those of a background counted as well


def find_unexpected(
    known: Iterable[str | bytes],
    new: Iterable[str | bytes],
    *,
    method: Literal["auto", "lgn"] = "auto",
    classes: Sequence[Any] | None = None,
    ids: Sequence[str] | None = None,
    fdr: float = 0.3,
    background: Iterable[str | bytes] | None = None,
) -> UnexpectedReport:
    """Rank new texts by how little they are like the known ones, and flag those that belong to no class.

    Words are counted as they are, without stemming: it hides what an unexpected text has and others lack.

    Parameters
    ----------
    known : iterable of str or bytes
        Texts of the known classes.
    new : iterable of str or bytes
        Texts among which there may be others. Those equal to a known one, up to white space, are left out.
    method : {"auto", "lgn"}, default="auto"
        "auto" is `UnexpectedDetector`, the best there is here. "lgn" is `LGN`, the published method, which
        has no p-values and finds next to nothing on some collections: see `LGN`.
    classes : sequence or None, default=None
        The class of each known text. If not given: ``known.labels`` where there is such a thing (as in what
        `read_documents` returns), else they are taken for one class.
    ids : sequence of str or None, default=None
        A name for each new text. If not given: ``new.ids`` where there is such a thing, else the place
        from 1.
    fdr : float, default=0.3
        The share of mistakes to be expected among the flagged texts. It holds on average and not in every
        list; see `UnexpectedDetector`. "lgn" has no such choice.
    background : iterable of str or bytes or None, default=None
        Words, or texts of any kind, the more the better. Then misspellings and junk do not count: words that
        are not in the list and in fewer than 3 of all texts.

    Returns
    -------
    report : UnexpectedReport
        The ranked texts with their p-values, flags and reasons.

    Examples
    --------
    >>> known = ["The ship left the port.", "A ship and its crew.", "Wheat grows.", "Corn and wheat prices."]
    >>> new = ["Ships left port.", "The goalie saved a penalty.", "Wheat prices left the ship."]
    >>> best = find_unexpected(known, new, method="lgn").records[0]
    >>> best.id, sorted(best.words)
    ('2', ['goalie', 'penalty', 'saved'])
    """
    if method not in ("auto", "lgn"):
        raise ValueError(f"method must be 'auto' or 'lgn'; got {method!r}.")
    old = read_texts("known", known, needed_by="find_unexpected")
    texts = read_texts("new", new, needed_by="find_unexpected")
    names = name_texts("new", new, ids, len(texts))
    context = (
        None if background is None else read_texts("background", background, needed_by="find_unexpected")
    )
    corpus = _Corpus(old, _class_names(known, classes, len(old)), texts, context)
    judged = _by_lgn(corpus.X, corpus.y) if method == "lgn" else _by_detector(corpus.X, corpus.y, fdr)
    order = np.argsort(-judged.scores, kind="stable")
    return UnexpectedReport(
        classes=corpus.sizes,
        n_new=len(texts),
        n_equal=corpus.n_equal,
        n_wordless=corpus.n_wordless,
        fdr=judged.fdr,
        pvalues=None if judged.pvalues is None else judged.pvalues[order],
        flagged=None if judged.caveat else judged.scores[order] > 0,
        caveat=judged.caveat,
        scores=judged.scores[order],
        _rows=corpus.rows[order],
        _ids=names,
        _texts=texts,
        _evidence=_without_numbers(judged.evidence[order], corpus.words),
        _reasons=Reasons(corpus.words, locate_words),
    )


class _Corpus:
    """Counts of words of the known texts, then of the new ones, without copies and texts without words."""

    def __init__(
        self, known: list[str], classes: list[str], new: list[str], background: list[str] | None
    ) -> None:
        places, rows = tell_apart(known, new)
        self.n_equal = len(new) - len(rows)
        no_words = f"no word is in any of the {len(known):,} known texts{_NOT_COUNTED}. Name other texts."
        vectorizer = CountVectorizer(token_pattern=_WORD.pattern, stop_words="english", dtype=np.float64)
        try:
            X = vectorizer.fit_transform([known[i] for i in places] + [new[i] for i in rows])
        except ValueError:
            raise ValueError(no_words) from None
        self.words = vectorizer.get_feature_names_out()
        if background is not None:
            kept = _are_words(vectorizer, X, background)
            X, self.words = X[:, kept], self.words[kept]
        has_words = np.diff(X.indptr) > 0
        n_known = len(places)
        self.n_wordless = int((~has_words[n_known:]).sum())
        if not has_words[:n_known].any():
            raise ValueError(no_words)
        if self.n_wordless == len(rows):
            raise ValueError(
                f"nothing is left to judge: of {len(new):,} new texts {self.n_equal:,} are equal to a known "
                f"one and {self.n_wordless:,} hold no word{_NOT_COUNTED}. Name other texts."
            )
        names = np.array(classes)[places][has_words[:n_known]]
        self.sizes = dict(Counter(names.tolist()))
        self.X = X[has_words]
        _, index = np.unique(names, return_inverse=True)
        self.rows = np.array(rows, dtype=np.intp)[has_words[n_known:]]
        self.y = np.concatenate([index, np.full(len(self.rows), -1)])


_NOT_COUNTED = " (numbers count, the most common English words do not)"


def _are_words(vectorizer: Any, X: Any, background: list[str]) -> NDArray[np.bool_]:
    """Return which columns of X are words, and not slips: those in a word list, or in three texts."""
    n_texts = np.bincount(X.indices, minlength=X.shape[1])
    if any(len(text.split()) > 1 for text in background):
        n_texts += np.bincount(vectorizer.transform(background).indices, minlength=X.shape[1])
        return n_texts >= _LEAST
    listed = {text.strip().lower() for text in background}
    return (n_texts >= _LEAST) | np.array([word in listed for word in vectorizer.get_feature_names_out()])


class _Judgement(NamedTuple):
    """The score of each new text, and what each word adds to it."""

    scores: NDArray[np.float64]  # over 0 is unexpected
    evidence: Any  # CSR
    pvalues: NDArray[np.float64] | None = None
    fdr: float | None = None
    caveat: str | None = None  # why nothing can be flagged


def _by_detector(X: Any, y: NDArray[np.intp], fdr: float) -> _Judgement:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="UnexpectedDetector needs")  # the report says it
        model = UnexpectedDetector(fdr=fdr, random_state=0).fit(X, y)
    new = X[y < 0]
    expected = model.decision_function(new)
    log_odds = model.threshold_ - expected
    # Where nothing is flagged, the line is at even odds, or just above the best.
    line = model.threshold_ if (expected < 0).any() else max(0.0, np.nextafter(log_odds.max(), np.inf))
    if model.calibrated_:
        return _Judgement(log_odds - line, model.evidence(new), model.pvalues(new), fdr)
    caveat = "there are too few known texts to say what is rare among them"
    return _Judgement(log_odds, model.evidence(new), caveat=caveat)


def _by_lgn(X: Any, y: NDArray[np.intp]) -> _Judgement:
    """Return the judgement of LGN without words that would spoil it: those of nearly every text."""
    kept = np.ones(X.shape[1], dtype=bool)
    while (spoiling := Contrast.between(X, y < 0, "counts").words_spoiling).any():
        kept &= ~spoiling
        X = X.multiply(kept).tocsr()
    model = LGN(random_state=0).fit(X, y)
    new = X[y < 0]
    evidence = new.copy()
    evidence.data *= (model.feature_log_prob_[0] - model.feature_log_prob_[1])[evidence.indices]
    return _Judgement(-model.decision_function(new), evidence)


def _without_numbers(evidence: Any, words: NDArray[Any]) -> Any:
    """Return the evidence without numbers, which tell a reader little however much the detector learns."""
    evidence.data *= np.array([any(map(str.isalpha, word)) for word in words])[evidence.indices]
    return evidence


def _class_names(known: Any, classes: Sequence[Any] | None, n: int) -> list[str]:
    """Return the name of the class of each known text, '' where none are given."""
    if classes is None:
        classes = getattr(known, "labels", None)
    if classes is None:
        return [""] * n
    if len(classes) != n:
        raise ValueError(
            f"classes must name the class of each of the {n:,} known texts; got {len(classes):,}."
        )
    for i, name in enumerate(classes):
        if name is None or name != name:
            raise ValueError(
                f"classes[{i}] is missing; expected a class for each known text. Leave out those without "
                "one, or give no classes at all."
            )
    return [str(name) for name in classes]


def locate_words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a text in lower case, and where it starts and ends."""
    for match in _WORD.finditer(text):
        yield match[0].lower(), match.start(), match.end()
