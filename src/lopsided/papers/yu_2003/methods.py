"""The methods that the paper compares, and others for positive and unlabeled data."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC, LinearSVC, OneClassSVM

from lopsided.experiments import import_peer, without_convergence_warnings
from lopsided.metrics import Counts
from lopsided.papers.yu_2003.data import CANCER, COUNTS, LETTERS, PAGES, PRESENCE, ROWS, TFIDF, PuDraw
from lopsided.pu import PEBL, SVMC, MappingConvergence, RocSVM, SpyEM
from lopsided.pu._solvers import NuSolver
from lopsided.pu._width import gamma_of_positives

NU = 0.01


class Learned(NamedTuple):
    """The answer of a method on a set-up: scores, of which those above 0 are positive."""

    scores: Callable[[Any], NDArray[Any]]
    n_iter: int = 0


TSVM, OSVM, SVM_NN, OURS = "TSVM", "OSVM", "SVM_NN", "SVMC()"
# SMC and SVMC follow each other directly, so that their times can be compared.
COMPARED = (TSVM, "SMC", "SVMC", OURS, OSVM, SVM_NN)


_NO_GUARDS = {"guarded": False, "max_new": None, "max_reject": None, "watch": 0.0}


def as_printed(keep: str = "support_vectors", **settings: Any) -> MappingConvergence:
    """Return SVMC, or SMC with ``keep="all"``, without anything that the paper does not have."""
    return MappingConvergence(keep=keep, **{"nu": NU, **_NO_GUARDS, **settings})


def fit(model: Any, X: Any, is_known: NDArray[Any]) -> Any:
    """Fit a model on P and U without its warnings: the scores tell."""
    with without_convergence_warnings():
        return model.fit(X, is_known)


def fitted(model: Any, setup: PuDraw) -> Learned:
    """Fit a model on P and U, and return what it learned."""
    fit(model, setup.X, setup.is_known)
    return Learned(model.decision_function, getattr(model, "n_iter_", 0))


def separate(setup: PuDraw, *, with_truth: bool) -> Learned:
    """Train a nu-SVM on P against the true negatives of U, or against all of U."""
    negative = setup.n_known + (np.flatnonzero(~setup.truth) if with_truth else np.arange(len(setup.truth)))
    chosen = np.concatenate([np.arange(setup.n_known), negative])
    signs = np.where(chosen < setup.n_known, 1, -1).astype(np.int8)
    gamma = gamma_of_positives(setup.P, setup.X) if isinstance(setup.gamma, str) else setup.gamma
    return Learned(NuSolver(NU, setup.kernel, gamma).solve(setup.X, chosen, signs, 0).model.scores)


OSVM_NU = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
OSVM_GAMMA = tuple(2.0**k for k in range(-10, 4))


def _best_one_class(setup: PuDraw) -> Learned:
    """Train a one-class SVM with the parameters that are best on U and its labels: an upper bound."""
    P, best, best_f1 = setup.P, (math.nan, math.nan), -1.0
    among, across = euclidean_distances(P, squared=True), euclidean_distances(setup.U, P, squared=True)
    for gamma in OSVM_GAMMA:
        K, K_unlabeled = np.exp(-gamma * among), np.exp(-gamma * across)
        for nu in OSVM_NU:
            machine = OneClassSVM(nu=nu, kernel="precomputed").fit(K)
            f1 = count(setup.truth, machine.decision_function(K_unlabeled)).f()
            if f1 > best_f1:
                best, best_f1 = (nu, gamma), f1
    nu, gamma = best
    return Learned(OneClassSVM(nu=nu, gamma=gamma).fit(P).decision_function)


def _peer(name: str, setup: PuDraw, **settings: Any) -> Learned:
    """Train a classifier of pulearn; written against its version 0.2."""
    kind = import_peer("pulearn", name)
    seed = setup.seed % 2**32  # it knows no other generators
    model = fit(kind(random_state=seed, **settings), setup.X, setup.is_known)
    return Learned(lambda X: np.asarray(model.predict_proba(X))[:, 1] - 0.5)


def _machine(setup: PuDraw) -> Any:
    # LIBLINEAR for text: LIBSVM takes minutes to walk so many sparse rows.
    return LinearSVC() if issparse(setup.X) else SVC(gamma=setup.gamma)


def _elkan_noto(setup: PuDraw) -> Learned:
    machine = CalibratedClassifierCV(_machine(setup))  # which scores by probability
    return _peer("ElkanotoPuClassifier", setup, estimator=machine, hold_out_ratio=0.2)


def _pu_bagging(setup: PuDraw) -> Learned:
    size = min(setup.n_known, len(setup.truth))
    return _peer("BaggingPuClassifier", setup, estimator=_machine(setup), n_estimators=30, max_samples=size)


@dataclass(frozen=True)
class PuMethod:
    """A method: how it learns, from which form of the rows, and on which data it can."""

    learn: Callable[[PuDraw], Learned]
    form: str = PRESENCE
    rows: tuple[str, ...] = ROWS


_TABLES = (*LETTERS, CANCER)
METHODS: dict[str, PuMethod] = {
    TSVM: PuMethod(partial(separate, with_truth=True)),
    "SMC": PuMethod(lambda s: fitted(as_printed("all", gamma=s.gamma), s)),
    "SVMC": PuMethod(lambda s: fitted(as_printed(gamma=s.gamma), s)),
    OURS: PuMethod(lambda s: fitted(SVMC(), s)),
    OSVM: PuMethod(_best_one_class),
    SVM_NN: PuMethod(partial(separate, with_truth=False)),
    "S-EM": PuMethod(lambda s: fitted(SpyEM(random_state=s.seed), s), COUNTS, PAGES),
    "Roc-SVM": PuMethod(lambda s: fitted(RocSVM(), s), TFIDF, PAGES),
    "PEBL": PuMethod(lambda s: fitted(PEBL(), s), rows=PAGES),
    "Elkan-Noto": PuMethod(_elkan_noto, rows=_TABLES),  # these two take no sparse rows
    # The true prior is given to it.
    "nnPU": PuMethod(lambda s: _peer("NNPUClassifier", s, prior=float(s.truth.mean())), rows=_TABLES),
    "PU bagging": PuMethod(_pu_bagging),
}
OTHERS = tuple(name for name in METHODS if name not in COMPARED)


def count(truth: NDArray[np.bool_], scores: Any) -> Counts:
    """Count right and wrong answers; scores above 0 are positive."""
    return Counts.from_predictions(truth.astype(int), (np.ravel(scores) > 0).astype(int))
