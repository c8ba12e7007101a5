"""Unexpected groups: the new documents hold some of a group that the known ones do not."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
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

    X, classes = corpus.X[train], corpus.group[train]
    softmax = LogisticRegression(max_iter=1000).fit(X, classes).predict_proba
    yield result("baseline: largest softmax", *_below_the_known(softmax, corpus.X, train, test))
    margin = LinearSVC(random_state=0).fit(X, classes).decision_function
    yield result("baseline: largest margin", *_below_the_known(margin, corpus.X, train, test))
    _, known_class = np.unique(corpus.group[train], return_inverse=True)
    y = np.concatenate([known_class, np.full(len(test), -1)])
    detector = UnexpectedDetector(random_state=0).fit(corpus.X[np.concatenate([train, test])], y)
    strangeness = -detector.decision_function(corpus.X[test])
    yield result("UnexpectedDetector", strangeness > 0, strangeness)


def _below_the_known(
    values: Callable[[Any], Any], X: csr_matrix, train: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Flag documents of which a classifier is less sure than of all but a twentieth of the known ones."""
    known, new = (values(X[rows]).max(axis=1) for rows in (train, test))
    strangeness = np.quantile(known, _SHARE) - new
    return strangeness > 0, strangeness
