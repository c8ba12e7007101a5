"""Unexpected groups: the new documents hold some of a group that the known ones do not."""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import OneClassSVM

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.metrics import Counts, prbep_score

_KNOWN = slice(11, 15)  # the four sci.* groups
_UNEXPECTED = 17  # talk.politics.mideast
_SHARE = 0.05


def unexpected(corpus: Corpus) -> Iterator[Result]:
    """Here the unexpected documents are the class that is scored."""
    names = np.unique(corpus.group)
    known = np.isin(corpus.group, names[_KNOWN])
    train = np.flatnonzero(known & corpus.is_train)
    expected = np.flatnonzero(known & ~corpus.is_train)
    strangers = np.flatnonzero((corpus.group == names[_UNEXPECTED]) & ~corpus.is_train)
    strangers = strangers[: round(_SHARE * len(expected))]
    test = np.concatenate([expected, strangers])
    truth = np.isin(test, strangers).astype(int)
    model = OneClassSVM(kernel="linear", nu=_SHARE).fit(corpus.X[train])
    strangeness = -model.decision_function(corpus.X[test])
    yield Result(
        setting="unexpected groups",
        task=f"{len(strangers)} of {names[_UNEXPECTED]} among {len(test):,}",
        method="baseline: OneClassSVM",
        n_labels=len(train),
        counts=Counts.from_predictions(truth, (strangeness > 0).astype(int)),
        prbep=prbep_score(truth, strangeness),
    )
