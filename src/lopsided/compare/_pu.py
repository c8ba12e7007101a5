"""Positives and a heap: half of the positives are known, the other rows to learn from have no label."""

from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC, LinearSVC, OneClassSVM

from lopsided.compare._data import Rows, Source, find_wanted, load
from lopsided.compare._method import RECORDS, Method, SplitScores, as_dense, judge, split
from lopsided.pu import PEBL, SMC, SVMC, RocSVM, SpyEM
from lopsided.runs import Work

WORK = Work(__name__, RECORDS)
ABOUT = (
    "Three rows in ten, of either class, judge. Of the others half of the positives are known; the rest is "
    "the heap, whose labels no method sees."
)

_ATTEMPTS = 20  # at holding out a known positive


class PUTask(NamedTuple):
    """Training rows, test rows, and the seed of what a method draws."""

    rows: Rows
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    known: NDArray[np.int64]
    """1 for each training row that is a known positive, 0 for each that is unlabeled."""
    seed: int

    @property
    def learned(self) -> Any:
        """The training rows."""
        return self.rows.X[self.train]

    @property
    def judged(self) -> Any:
        """The test rows."""
        return self.rows.X[self.test]


def run(source: Source, positive: str | None, method: str, seed: int) -> SplitScores:
    """Learn from one split and return the scores of a method."""
    rows = load(source)
    is_positive = rows.labels == find_wanted(rows.labels, positive)
    train, test = split(is_positive, seed)
    positives = np.random.default_rng(seed).permutation(np.flatnonzero(is_positive[train]))
    known = np.zeros(len(train), dtype=np.int64)
    known[positives[: max(1, len(positives) // 2)]] = 1
    task = PUTask(rows, train, test, known, seed % 2**32)
    METHODS[method].load()
    start = perf_counter()
    scores = METHODS[method].learn(task)
    return judge(method, seed, is_positive[test], scores, int(known.sum()), perf_counter() - start)


def _ours(model: Any, form: str, task: PUTask) -> Any:
    rows = getattr(task.rows, form if task.rows.is_text else "X")
    return model.fit(rows[task.train], task.known).decision_function(rows[task.test])


def _heap_as_negative(task: PUTask) -> Any:
    model = LinearSVC(class_weight="balanced", random_state=task.seed).fit(task.learned, task.known)
    return model.decision_function(task.judged)


def _one_class(task: PUTask) -> Any:
    kernel = "linear" if issparse(task.learned) else "rbf"
    return (
        OneClassSVM(kernel=kernel, nu=0.1).fit(task.learned[task.known == 1]).decision_function(task.judged)
    )


def _elkan_noto(task: PUTask) -> Any:
    X = as_dense(task.learned)
    machine = CalibratedClassifierCV(LinearSVC() if issparse(task.learned) else SVC())
    for attempt in range(_ATTEMPTS):
        model = import_module("pulearn").ElkanotoPuClassifier(
            machine, hold_out_ratio=0.2, random_state=(task.seed + attempt) % 2**32
        )
        try:
            model.fit(X, task.known)
        except ValueError as error:  # the rows it holds out are drawn without a look at their labels
            if "hold-out set" not in str(error) or attempt == _ATTEMPTS - 1:
                raise
        else:
            break
    return np.asarray(model.predict_proba(as_dense(task.judged)))[:, 1] - 0.5


def _bagging(task: PUTask) -> Any:
    machine = LinearSVC() if issparse(task.learned) else SVC()
    size = min(int(task.known.sum()), int((task.known == 0).sum()))
    model = import_module("pulearn").BaggingPuClassifier(
        machine, n_estimators=30, max_samples=size, random_state=task.seed
    )
    return model.fit(task.learned, task.known).decision_function(task.judged)


METHODS: dict[str, Method] = {
    "SVMC": Method(lambda task: _ours(SVMC(), "presence", task)),
    "SMC": Method(lambda task: _ours(SMC(), "presence", task)),
    "RocSVM": Method(lambda task: _ours(RocSVM(), "X", task), words_only=True),
    "SpyEM": Method(lambda task: _ours(SpyEM(random_state=task.seed), "counts", task), words_only=True),
    "PEBL": Method(lambda task: _ours(PEBL(), "X", task), words_only=True),
    "LinearSVC, heap as negative": Method(_heap_as_negative, ours=False),
    "OneClassSVM": Method(_one_class, ours=False),
    "pulearn, Elkan-Noto": Method(_elkan_noto, ours=False, needs="pulearn"),
    "pulearn, bagging": Method(_bagging, ours=False, needs="pulearn"),
}
