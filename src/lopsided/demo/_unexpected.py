"""Unexpected groups: the new documents hold some of a group that the known ones do not."""

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import LinearSVC

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.unexpected._detector import UnexpectedDetector

_KNOWN = slice(11, 15)  # the four sci.* groups
_UNEXPECTED = 17  # talk.politics.mideast
_SHARE = 0.05


def unexpected(corpus: Corpus) -> Iterator[Result]:
    """Yield the results of finding unexpected documents, the class that is scored here."""
    names = np.unique(corpus.group)
    known = np.isin(corpus.group, names[_KNOWN])
    train = np.flatnonzero(known & corpus.is_train)
    expected = np.flatnonzero(known & ~corpus.is_train)
    strangers = np.flatnonzero((corpus.group == names[_UNEXPECTED]) & ~corpus.is_train)
    # The first ones would be a few threads, each message with its answers.
    strangers = np.random.default_rng(0).permutation(strangers)[: round(_SHARE * len(expected))]
    test = np.concatenate([expected, strangers])
    truth = np.isin(test, strangers).astype(int)

    def result(method: str, flagged: np.ndarray, strangeness: np.ndarray) -> Result:
        task = f"{len(strangers)} of {names[_UNEXPECTED]} among {len(test):,}"
        return Result.of("unexpected groups", task, method, len(train), truth, flagged, strangeness)

    X, new, classes = corpus.X[train], corpus.X[test], corpus.group[train]
    logistic = LogisticRegression(max_iter=1000).fit(X, classes)
    doubt = (-logistic.predict_proba(rows).max(axis=1) for rows in (X, new))
    yield result("baseline: largest softmax", *_beyond_the_known(*doubt))
    linear = LinearSVC(random_state=0).fit(X, classes)
    doubt = (-linear.decision_function(rows).max(axis=1) for rows in (X, new))
    yield result("baseline: largest margin", *_beyond_the_known(*doubt))
    nearest = NearestNeighbors(n_neighbors=10).fit(X)
    distance = (nearest.kneighbors(rows)[0][:, -1] for rows in (None, new))  # None: without the row itself
    yield result("baseline: 10 nearest neighbours", *_beyond_the_known(*distance))
    _, known_class = np.unique(corpus.group[train], return_inverse=True)
    y = np.concatenate([known_class, np.full(len(test), -1)])
    detector = UnexpectedDetector(random_state=0).fit(corpus.X[np.concatenate([train, test])], y)
    strangeness = -detector.decision_function(corpus.X[test])
    yield result("UnexpectedDetector", strangeness > 0, strangeness)


def _beyond_the_known(known: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Flag new documents that are stranger than all but a twentieth of the known ones."""
    strangeness = new - np.quantile(known, 1 - _SHARE)
    return strangeness > 0, strangeness
