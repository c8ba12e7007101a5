"""Positive + unlabeled: fifty documents of a group are known, everything else is a heap."""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import LinearSVC

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.metrics import Counts, prbep_score

_WANTED = 10  # rec.sport.hockey
_N_KNOWN = 50


def positive_unlabeled(corpus: Corpus) -> Iterator[Result]:
    """Find the rest of the group in the heap; the heap's labels are used for the score alone."""
    wanted = np.unique(corpus.group)[_WANTED]
    train = np.flatnonzero(corpus.is_train)
    is_wanted = corpus.group[train] == wanted
    labeled = np.zeros(len(train), dtype=int)
    labeled[np.flatnonzero(is_wanted)[:_N_KNOWN]] = 1
    heap = labeled == 0
    model = LinearSVC(class_weight="balanced", random_state=0).fit(corpus.X[train], labeled)
    scores = model.decision_function(corpus.X[train][heap])
    truth = is_wanted[heap].astype(int)
    yield Result(
        setting="positive + unlabeled",
        task=f"{wanted}: {_N_KNOWN} known, {truth.sum()} hidden in {heap.sum():,}",
        method="baseline: LinearSVC, heap as negative",
        n_labels=_N_KNOWN,
        counts=Counts.from_predictions(truth, (scores > 0).astype(int)),
        prbep=prbep_score(truth, scores),
    )
