"""Units of work: each learns one category in one setting."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from lopsided.experiments import timed
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003.data import Part, draw, load
from lopsided.papers.leskovec_2003.methods import N_ROUNDS, SVM, Setting, boosted, stand_in
from lopsided.runs import Work

N_NAMED = 5  # rules whose words are kept


@dataclass(frozen=True)
class CategoryRun:
    """How one setting fared on one category."""

    category: str
    part: Part
    setting: Setting
    train: Counts
    validation: Counts
    """Of the documents held out; nothing is counted where there are none."""
    test: Counts
    n_rules: int
    """Of weight above 0; support vectors do not count."""
    n_rounds: int
    converged: bool
    seconds: float
    """Of training, on this thread."""
    words: tuple[str, ...]
    """Stems that the rules ask for, where these are few."""


def run(category: str, part: Part, setting: Setting, n_rounds: int = N_ROUNDS) -> CategoryRun:
    """Learn a category in one setting."""
    task, corpus = draw(category, part), load()
    X, X_test = corpus.tfidf if setting.method == SVM else corpus.presence
    words: tuple[str, ...] = ()
    if setting.method == SVM:
        machine, seconds = timed(lambda: SVC(kernel="linear", C=1.0).fit(X[task.rows], task.signs))
        scores, facts = machine.decision_function, (0, 0, True)
    else:
        ensemble, seconds = timed(lambda: boosted(task, setting, n_rounds))
        rules = ensemble.rules()
        scores, facts = ensemble.scores, (len(rules), len(ensemble.members), ensemble.converged)
        if len(rules) <= N_NAMED:
            words = tuple(corpus.stems[rule.feature] for rule in rules)
    has, has_test = corpus.has[category]
    train, validation = (
        _count(has[rows], scores(X[rows])) if len(rows) else Counts() for rows in (task.rows, task.held_out)
    )
    test = _count(has_test, scores(X_test))
    return CategoryRun(category, part, setting, train, validation, test, *facts, seconds, words)


def _count(has: NDArray[np.bool_], scores: NDArray[np.float64]) -> Counts:
    return Counts.from_predictions(has, scores > 0)


def measure_run(run: CategoryRun) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """Yield the scores of a run, once for each setting that it stands for."""
    values = {
        "f1": run.test.f(),
        "train_f1": run.train.f(),
        "validation_f1": run.validation.f() if run.validation.n_positive else math.nan,
        "test_positives": run.test.n_positive,
        "rules": run.n_rules,
        "rounds": run.n_rounds,
        "seconds": run.seconds,
    }
    positives = int(run.train.n_positive + run.validation.n_positive)
    for setting in (run.setting, run.setting._replace(learner="disc.lp")):
        if stand_in(setting) == run.setting:
            labels = {"method": setting.method, "learner": setting.learner, "positives": positives}
            yield {"setting": setting, **labels}, values


@dataclass(frozen=True)
class RoundCurve:
    """F1 after each round."""

    category: str
    setting: Setting
    train: tuple[float, ...]
    test: tuple[float, ...]
    converged: bool


def follow(category: str, part: Part, setting: Setting, n_rounds: int = N_ROUNDS) -> RoundCurve:
    """Learn a category and score each round."""
    task, corpus = draw(category, part), load()
    ensemble = boosted(task, setting, n_rounds)
    (X, X_test), (has, has_test) = corpus.presence, corpus.has[category]
    train, test = (
        tuple(_count(truth, scores).f() for scores in ensemble.staged_scores(rows))
        for rows, truth in ((X[task.rows], has[task.rows]), (X_test, has_test))
    )
    return RoundCurve(category, setting, train, test, ensemble.converged)


WORK = Work(
    "lopsided.reproduce.leskovec_2003",
    {"Counts": Counts, "Curve": RoundCurve, "Outcome": CategoryRun, "Setting": Setting},
)
