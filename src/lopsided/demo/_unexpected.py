"""Unexpected groups: the new documents hold some of a group that the known ones do not."""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import OneClassSVM

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

    strangeness = (
        -OneClassSVM(kernel="linear", nu=_SHARE).fit(corpus.X[train]).decision_function(corpus.X[test])
    )
    yield result("baseline: OneClassSVM", strangeness > 0, strangeness)
    _, known_class = np.unique(corpus.group[train], return_inverse=True)
    y = np.concatenate([known_class, np.full(len(test), -1)])
    detector = UnexpectedDetector(random_state=0).fit(corpus.X[np.concatenate([train, test])], y)
    strangeness = -detector.decision_function(corpus.X[test])
    yield result("UnexpectedDetector", strangeness > 0, strangeness)
