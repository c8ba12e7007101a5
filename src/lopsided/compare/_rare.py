"""A rare class: all labels of the rows to learn from are there, or are asked for."""

from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from lopsided.boosting import AdaBoostStumps, AdaUBoostStumps
from lopsided.boosting._short_list import learn_short_list
from lopsided.compare._data import ComparedRows, DataSource, find_wanted, load
from lopsided.compare._method import RECORDS, ComparedMethod, SplitScores, as_dense, judge, split
from lopsided.runs import Work
from lopsided.svm import LASVC, LASVCCV

WORK = Work(__name__, RECORDS)
ABOUT = (
    "Three rows in ten, of either class, judge; the others are learned from. Words and scales come from all "
    "rows, labels from those learned from. What asks at the border reads few labels, and is told how rare "
    "the class is; scikit-activeml asks for as many, in about 50 rounds."
)
_N_RULES = 10


class RareTask(NamedTuple):
    """Training rows, test rows, and the seed of what a method draws."""

    X: Any
    y: NDArray[np.int64]
    asked: Any
    """The features of stumps: presence of words, or the numbers."""
    X_test: Any
    asked_test: Any
    is_text: bool
    seed: int


class RareScores(NamedTuple):
    """Scores of the test rows, the number of labels read, and the seconds that do not count."""

    scores: Any
    n_labels: int
    seconds_aside: float = 0.0


def run(source: DataSource, positive: str | None, method: str, seed: int) -> SplitScores:
    """Learn from one split and return the scores of a method."""
    rows = load(source)
    return evaluate(rows, find_wanted(rows.labels, positive).positive, method, seed)


def evaluate(rows: ComparedRows, is_positive: NDArray[np.bool_], method: str, seed: int) -> SplitScores:
    """Learn a class from one split of the rows and return the scores of a method."""
    train, test = split(is_positive, seed)
    asked = rows.presence if rows.is_text else rows.X
    y = is_positive[train].astype(np.int64)
    task = RareTask(rows.X[train], y, asked[train], rows.X[test], asked[test], rows.is_text, seed % 2**32)
    METHODS[method].load()
    start = perf_counter()
    learned = METHODS[method].learn(task)
    seconds = perf_counter() - start - learned.seconds_aside
    return judge(method, seed, is_positive[test], learned.scores, learned.n_labels, seconds)


def _machine(task: RareTask, class_weight: Any, **settings: Any) -> LASVC:
    kernel = "linear" if task.is_text else "rbf"
    model = LASVC(kernel=kernel, class_weight=class_weight, random_state=task.seed, **settings)
    return model.fit(task.X, task.y)


def _all_labels(task: RareTask) -> RareScores:
    return RareScores(_machine(task, "balanced").decision_function(task.X_test), len(task.y))


def _searched(task: RareTask) -> RareScores:
    model = LASVCCV(random_state=task.seed).fit(task.X, task.y)
    return RareScores(model.decision_function(task.X_test), len(task.y))


def _at_the_border(task: RareTask) -> RareScores:
    rarity = (len(task.y) - task.y.sum()) / task.y.sum()  # "balanced" would have to read all labels
    machine = _machine(task, {1: rarity}, selection="active", stopping="margin")
    return RareScores(machine.decision_function(task.X_test), int(machine.n_labels_))


def _stumps(booster: Any, task: RareTask) -> RareScores:
    kind = "presence" if task.is_text else "threshold"
    model = booster(stumps=kind, n_rounds=100).fit(task.asked, task.y)
    return RareScores(model.decision_function(task.asked_test), len(task.y))


def _rules(task: RareTask) -> RareScores:
    kind = "presence" if task.is_text else "threshold"
    short = learn_short_list(task.asked, task.y == 1, kind, _N_RULES, task.seed)
    return RareScores(short.decision_function(task.asked_test), len(task.y))


def _fitted(model: Any, task: RareTask) -> RareScores:
    model.fit(task.X, task.y)
    return RareScores(model.decision_function(task.X_test), len(task.y))


def _logistic(task: RareTask) -> RareScores:
    return _fitted(LogisticRegression(class_weight="balanced", max_iter=1000), task)


def _linear(task: RareTask) -> RareScores:
    return _fitted(LinearSVC(class_weight="balanced", random_state=task.seed), task)


def _kernel(task: RareTask) -> RareScores:
    kernel = "linear" if task.is_text else "rbf"
    return _fitted(SVC(kernel=kernel, class_weight="balanced"), task)


def _resampled(name: str, task: RareTask) -> RareScores:
    samplers = import_module(
        "imblearn.under_sampling" if name == "RandomUnderSampler" else "imblearn.over_sampling"
    )
    settings = {"k_neighbors": max(1, min(5, int(task.y.sum()) - 1))} if name == "SMOTE" else {}
    X, y = getattr(samplers, name)(random_state=task.seed, **settings).fit_resample(task.X, task.y)
    model = LinearSVC(random_state=task.seed).fit(X, y)
    return RareScores(model.decision_function(task.X_test), len(task.y))


def _balanced_forest(task: RareTask) -> RareScores:
    forest = import_module("imblearn.ensemble").BalancedRandomForestClassifier(
        sampling_strategy="all", replacement=True, bootstrap=False, random_state=task.seed
    )
    forest.fit(task.X, task.y)
    return RareScores(forest.predict_proba(task.X_test)[:, 1] - 0.5, len(task.y))


def _uncertainty(task: RareTask) -> RareScores:
    """Learn by scikit-activeml, which asks for as many labels as ours, the first ones at random."""
    pool, classifiers = import_module("skactiveml.pool"), import_module("skactiveml.classifier")
    start = perf_counter()
    n_labels = _at_the_border(task).n_labels
    aside = perf_counter() - start
    X, X_test = as_dense(task.X), as_dense(task.X_test)
    rng = np.random.default_rng(task.seed)
    y = np.full(len(task.y), np.nan)
    first = [rng.choice(np.flatnonzero(task.y == label)) for label in (0, 1)]
    y[first] = task.y[first]
    strategy = pool.UncertaintySampling(method="margin_sampling", random_state=task.seed)
    model = classifiers.SklearnClassifier(
        LogisticRegression(class_weight="balanced", max_iter=1000), classes=[0, 1], random_state=task.seed
    )
    batch = max(1, n_labels // 50)
    while (left := n_labels - int((~np.isnan(y)).sum())) > 0:
        chosen = strategy.query(X=X, y=y, clf=model, batch_size=min(batch, left))
        y[chosen] = task.y[chosen]
    model.fit(X, y)
    return RareScores(model.predict_proba(X_test)[:, 1] - 0.5, n_labels, aside)


METHODS: dict[str, ComparedMethod] = {
    "LASVC, asked at the border": ComparedMethod(_at_the_border),
    "LASVCCV": ComparedMethod(_searched),
    "LASVC, all labels": ComparedMethod(_all_labels),
    "find_rules, 10 rules": ComparedMethod(_rules),
    "AdaUBoostStumps": ComparedMethod(lambda task: _stumps(AdaUBoostStumps, task)),
    "AdaBoostStumps": ComparedMethod(lambda task: _stumps(AdaBoostStumps, task)),
    "LinearSVC, balanced": ComparedMethod(_linear, ours=False),
    "LogisticRegression, balanced": ComparedMethod(_logistic, ours=False),
    "SVC, balanced": ComparedMethod(_kernel, ours=False),
    "SMOTE + LinearSVC": ComparedMethod(
        lambda task: _resampled("SMOTE", task), ours=False, needs="imblearn.over_sampling"
    ),
    "undersampling + LinearSVC": ComparedMethod(
        lambda task: _resampled("RandomUnderSampler", task), ours=False, needs="imblearn.under_sampling"
    ),
    "BalancedRandomForest": ComparedMethod(_balanced_forest, ours=False, needs="imblearn.ensemble"),
    "scikit-activeml, uncertainty": ComparedMethod(_uncertainty, ours=False, needs="skactiveml.pool"),
}
