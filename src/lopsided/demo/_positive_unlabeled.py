"""Positive + unlabeled: fifty documents of a group are known, all others are unlabeled."""

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import LinearSVC

from lopsided.demo._corpus import Corpus
from lopsided.demo._result import Result
from lopsided.pu import estimate_positive_share
from lopsided.pu._rankers import learn_ranking

_WANTED = 10  # rec.sport.hockey
_N_KNOWN = 50


def positive_unlabeled(corpus: Corpus) -> Iterator[Result]:
    """Yield the results of finding the rest of a group; unlabeled rows are scored by their hidden labels."""
    wanted = np.unique(corpus.group)[_WANTED]
    train = np.flatnonzero(corpus.is_train)
    is_wanted = corpus.group[train] == wanted
    known = np.zeros(len(train), dtype=int)
    # At random: the oldest would not be like the rest, and their number could not be estimated.
    known[np.random.default_rng(0).choice(np.flatnonzero(is_wanted), _N_KNOWN, replace=False)] = 1
    X, unlabeled = corpus.X[train], known == 0
    truth = is_wanted[unlabeled].astype(int)

    def result(method: str, predicted: np.ndarray, scores: np.ndarray) -> Result:
        task = f"{wanted}: {_N_KNOWN} known, {truth.sum()} hidden in {unlabeled.sum():,}"
        return Result.of("positive + unlabeled", task, method, _N_KNOWN, truth, predicted, scores)

    for name, model in {
        "baseline: balanced LinearSVC": LinearSVC(class_weight="balanced", random_state=0),
        "baseline: balanced LogisticRegression": LogisticRegression(class_weight="balanced", max_iter=1000),
    }.items():
        scores = model.fit(X, known).decision_function(X[unlabeled])
        yield result(name, scores > 0, scores)
    scores = _elkan_noto(X, known)
    yield result("baseline: Elkan-Noto", scores > 0.5, scores)
    # So few positives are enough to rank, not to set a threshold: that is where the estimated number ends.
    (weights, intercept), _ = learn_ranking(X, known)
    scores = X[unlabeled] @ weights + intercept
    n_hidden = estimate_positive_share(X, known, random_state=0).n_hidden
    first = np.zeros(len(scores), dtype=bool)
    first[np.argsort(-scores, kind="stable")[:n_hidden]] = True
    yield result(f"ranking of find_more, the first {n_hidden:,}", first, scores)


def _elkan_noto(X: csr_matrix, known: np.ndarray) -> np.ndarray:
    """Return the probability of being known, divided by its mean over known documents that were held out."""
    model = LogisticRegression(max_iter=1000)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    held_out = cross_val_predict(model, X, known, cv=folds, method="predict_proba")[:, 1]
    chance = model.fit(X, known).predict_proba(X[known == 0])[:, 1]
    return np.asarray(chance / held_out[known == 1].mean())
