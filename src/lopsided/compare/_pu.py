"""Positives and unlabeled rows: half of the positives are known, the other training rows have no label."""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC, LinearSVC, OneClassSVM

from lopsided.compare._data import ComparedRows, DataSource, find_wanted, load
from lopsided.compare._method import RECORDS, ComparedMethod, SplitScores, as_dense, split, time_and_judge
from lopsided.pu import PEBL, SMC, SVMC, RocSVM, SpyEM, find_more
from lopsided.runs import Work

WORK = Work(__name__, RECORDS)
ABOUT = (
    "Three rows in ten, of either class, judge. Of the others half of the positives are known; no "
    "method sees the labels of the rest."
)

_ATTEMPTS = 20  # at holding out a known positive


class PUTask(NamedTuple):
    """Training rows, test rows, and the seed of what a method draws."""

    rows: ComparedRows
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


def run(source: DataSource, positive: str | None, method: str, seed: int) -> SplitScores:
    """Learn from one split and return the scores of a method."""
    rows = load(source)
    is_positive = find_wanted(rows.labels, positive).positive
    train, test = split(is_positive, seed)
    positives = np.random.default_rng(seed).permutation(np.flatnonzero(is_positive[train]))
    known = np.zeros(len(train), dtype=np.int64)
    known[positives[: max(1, len(positives) // 2)]] = 1
    return evaluate(PUTask(rows, train, test, known, seed % 2**32), is_positive[test], method, seed)


def evaluate(task: PUTask, truth: NDArray[np.bool_], method: str, seed: int) -> SplitScores:
    """Learn from known positives and unlabeled rows, and return the scores of a method on the test rows."""
    METHODS[method].load()
    return time_and_judge(METHODS[method], method, task, truth, seed, int(task.known.sum()))


def _ours(model: Any, form: str, task: PUTask) -> Any:
    rows = getattr(task.rows, form if task.rows.is_text else "X")
    return model.fit(rows[task.train], task.known).decision_function(rows[task.test])


def _find_more(task: PUTask) -> Any:
    """Rank the unlabeled training items and the test items together, as a user would."""
    items = np.array(task.rows.texts, dtype=object) if task.rows.is_text else task.rows.X
    known = items[task.train[task.known == 1]]
    unlabeled = np.unique(np.concatenate([task.train[task.known == 0], task.test]))
    found = find_more(known, items[unlabeled])
    # What equals a known positive is not ranked: it is as like them as can be. Nor is a text without words.
    scores = np.full(len(items), found.scores[-1] - 1)
    equal = {_content(item) for item in known}
    scores[[row for row in unlabeled if _content(items[row]) in equal]] = found.scores[0] + 1
    for record in found.records:
        scores[unlabeled[record.row]] = record.score
    return scores[task.test]


def _content(item: Any) -> Any:
    """Return what two equal items share; white space does not count in a text."""
    return item.tobytes() if isinstance(item, np.ndarray) else " ".join(item.split())


def _unlabeled_as_negative(model: Any, task: PUTask) -> Any:
    return model.fit(task.learned, task.known).decision_function(task.judged)


def _linear(task: PUTask) -> Any:
    return _unlabeled_as_negative(LinearSVC(class_weight="balanced", random_state=task.seed), task)


def _logistic(task: PUTask) -> Any:
    return _unlabeled_as_negative(LogisticRegression(class_weight="balanced", max_iter=1000), task)


def _elkan_noto_logistic(task: PUTask) -> Any:
    """Return the probability of being known, divided by its mean over known positives that were held out."""
    model = LogisticRegression(max_iter=1000)
    is_known = task.known == 1
    folds = StratifiedKFold(min(5, int(is_known.sum())), shuffle=True, random_state=task.seed)
    held_out = cross_val_predict(model, task.learned, task.known, cv=folds, method="predict_proba")[:, 1]
    chance = model.fit(task.learned, task.known).predict_proba(task.judged)[:, 1]
    return chance / held_out[is_known].mean() - 0.5


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


METHODS: dict[str, ComparedMethod] = {
    "find_more": ComparedMethod(_find_more),
    "SVMC": ComparedMethod(lambda task: _ours(SVMC(), "presence", task)),
    "SMC": ComparedMethod(lambda task: _ours(SMC(), "presence", task)),
    "RocSVM": ComparedMethod(lambda task: _ours(RocSVM(), "X", task), words_only=True),
    "SpyEM": ComparedMethod(
        lambda task: _ours(SpyEM(random_state=task.seed), "counts", task), words_only=True
    ),
    "PEBL": ComparedMethod(lambda task: _ours(PEBL(), "X", task), words_only=True),
    "LinearSVC, unlabeled as negative": ComparedMethod(_linear, ours=False),
    "LogisticRegression, unlabeled as negative": ComparedMethod(_logistic, ours=False),
    "LogisticRegression, Elkan-Noto": ComparedMethod(_elkan_noto_logistic, ours=False),
    "OneClassSVM": ComparedMethod(_one_class, ours=False),
    "pulearn, Elkan-Noto": ComparedMethod(_elkan_noto, ours=False, needs="pulearn"),
    "pulearn, bagging": ComparedMethod(_bagging, ours=False, needs="pulearn"),
}
