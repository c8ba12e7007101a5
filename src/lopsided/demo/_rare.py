"""Rare class: one group, of which the training set holds one document in ten."""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import LinearSVC

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.metrics import Counts, prbep_score

_WANTED = 14  # sci.space


def rare(corpus: Corpus) -> Iterator[Result]:
    """Learn from about 60 positives among 10,800 documents, judge the newer documents."""
    wanted = np.unique(corpus.group)[_WANTED]
    y = (corpus.group == wanted).astype(int)
    train = np.flatnonzero(corpus.is_train)
    surplus = train[y[train] == 1]
    surplus = surplus[np.arange(len(surplus)) % 10 != 0]
    train = np.setdiff1d(train, surplus)
    test = ~corpus.is_train
    model = LinearSVC(random_state=0).fit(corpus.X[train], y[train])
    scores = model.decision_function(corpus.X[test])
    yield Result(
        setting="rare class",
        task=f"{wanted}: {y[train].sum()} positives in {len(train):,}",
        method="baseline: LinearSVC",
        n_labels=len(train),
        counts=Counts.from_predictions(y[test], (scores > 0).astype(int)),
        prbep=prbep_score(y[test], scores),
    )
