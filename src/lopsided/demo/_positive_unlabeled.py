"""Positive + unlabeled: fifty documents of a group are known, everything else is a heap."""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import LinearSVC

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.pu import RocSVM, estimate_positive_share

_WANTED = 10  # rec.sport.hockey
_N_KNOWN = 50


def positive_unlabeled(corpus: Corpus) -> Iterator[Result]:
    """Yield the results of finding the rest of a group; unlabeled rows are scored by their hidden labels."""
    wanted = np.unique(corpus.group)[_WANTED]
    train = np.flatnonzero(corpus.is_train)
    is_wanted = corpus.group[train] == wanted
    labeled = np.zeros(len(train), dtype=int)
    # At random: the oldest would not be like the rest, and their number could not be estimated.
    labeled[np.random.default_rng(0).choice(np.flatnonzero(is_wanted), _N_KNOWN, replace=False)] = 1
    heap = labeled == 0
    model = LinearSVC(class_weight="balanced", random_state=0).fit(corpus.X[train], labeled)
    scores = model.decision_function(corpus.X[train][heap])
    truth = is_wanted[heap].astype(int)

    def result(method: str, predicted: np.ndarray, scores: np.ndarray) -> Result:
        task = f"{wanted}: {_N_KNOWN} known, {truth.sum()} hidden in {heap.sum():,}"
        return Result.of("positive + unlabeled", task, method, _N_KNOWN, truth, predicted, scores)

    yield result("baseline: unlabeled as negative", scores > 0, scores)
    # So few positives are enough to rank, not to draw a line: that is where the estimated number ends.
    scores = RocSVM(max_iter=1).fit(corpus.X[train], labeled).decision_function(corpus.X[train][heap])
    n_hidden = estimate_positive_share(corpus.X[train], labeled, random_state=0).n_hidden
    first = np.zeros(len(scores), dtype=bool)
    first[np.argsort(-scores, kind="stable")[:n_hidden]] = True
    yield result(f"RocSVM, the first {n_hidden:,}", first, scores)
