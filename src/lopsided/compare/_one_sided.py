"""A stream with feedback only on what is shown."""

from time import perf_counter
from typing import Any

import numpy as np

from lopsided.compare._data import DataSource, find_wanted, load
from lopsided.compare._method import RECORDS, ComparedMethod, SplitScores, judge
from lopsided.compare._stream_peers import (
    VW_STEPS_OF_1,
    Shown,
    StreamTask,
    build_river,
    build_sgd,
    build_vw,
)
from lopsided.feedback import AppleTasting, EpsilonGreedy, LabelEfficient, OneSidedFilter, run_stream
from lopsided.metrics import Counts
from lopsided.online import MarginPerceptron, RelaxedOnlineSVM
from lopsided.runs import Work

WORK = Work(__name__, RECORDS)
ABOUT = (
    "Rows come one by one: those of a table in its order in the first run, shuffled in the others; those of "
    "a folder always shuffled. A label comes back only for what is shown; the whole stream counts from the "
    "first row. Until the first positive everything is shown, and negatives teach nothing."
)


def run(source: DataSource, positive: str | None, method: str, seed: int, place: int) -> SplitScores:
    """Replay the stream and return the scores of a method."""
    rows = load(source)
    y = find_wanted(rows.labels, positive).positive.astype(np.int64)
    in_order = place == 0 and not source.is_folder
    order = np.arange(len(y)) if in_order else np.random.default_rng(seed).permutation(len(y))
    return evaluate(StreamTask(rows.X[order], y[order], rows.is_text, seed % 2**32), method, seed)


def evaluate(task: StreamTask, method: str, seed: int) -> SplitScores:
    """Replay a stream and return the scores of a method."""
    METHODS[method].load()
    start = perf_counter()
    shown = METHODS[method].learn(task)
    seconds = perf_counter() - start
    outcome = judge(method, seed, task.y == 1, shown.scores, shown.n_labels, seconds)
    counts = Counts.from_predictions(task.y, shown.show.astype(int))
    return SplitScores(method, seed, counts, outcome.auc, outcome.average_precision, shown.n_labels, seconds)


def _filter(make: Any, task: StreamTask, feedback: str = "one-sided") -> Shown:
    report = run_stream(make(task), task.X, task.y, feedback=feedback)
    return Shown(report.score, report.show, int(report.n_labels))


def _perceptron(task: StreamTask, explorer: Any = None) -> OneSidedFilter:
    # Numbers are centred: a plane through the origin would call half of the rows positive.
    return OneSidedFilter(MarginPerceptron(fit_intercept=not task.is_text), explorer, random_state=task.seed)


def _adaptive(task: StreamTask) -> OneSidedFilter:
    learner = MarginPerceptron(step="adaptive", fit_intercept=True)
    return OneSidedFilter(learner, random_state=task.seed)


def _svm(task: StreamTask, explorer: Any = None) -> OneSidedFilter:
    return OneSidedFilter(RelaxedOnlineSVM(random_state=task.seed), explorer, random_state=task.seed)


_PERCEPTRON = {"loss": "perceptron", "learning_rate": "constant", "eta0": 1.0, "penalty": None}
_PASSIVE_AGGRESSIVE = {"loss": "hinge", "learning_rate": "pa1", "eta0": 1.0, "penalty": None}


METHODS: dict[str, ComparedMethod] = {
    "MarginPerceptron, adaptive": ComparedMethod(lambda task: _filter(_adaptive, task)),
    "MarginPerceptron": ComparedMethod(lambda task: _filter(_perceptron, task)),
    "MarginPerceptron + LabelEfficient": ComparedMethod(
        lambda task: _filter(lambda one: _perceptron(one, LabelEfficient()), task)
    ),
    "MarginPerceptron + AppleTasting": ComparedMethod(
        lambda task: _filter(lambda one: _perceptron(one, AppleTasting()), task)
    ),
    "MarginPerceptron + EpsilonGreedy": ComparedMethod(
        lambda task: _filter(lambda one: _perceptron(one, EpsilonGreedy()), task)
    ),
    "RelaxedOnlineSVM": ComparedMethod(lambda task: _filter(_svm, task)),
    "RelaxedOnlineSVM + LabelEfficient": ComparedMethod(
        lambda task: _filter(lambda one: _svm(one, LabelEfficient()), task)
    ),
    "MarginPerceptron, all labels": ComparedMethod(lambda task: _filter(_perceptron, task, "full")),
    "SGDClassifier": ComparedMethod(build_sgd(), ours=False),
    "SGDClassifier, perceptron": ComparedMethod(build_sgd(**_PERCEPTRON), ours=False),
    "SGDClassifier, passive-aggressive": ComparedMethod(build_sgd(**_PASSIVE_AGGRESSIVE), ours=False),
    "SGDClassifier, passive-aggressive, no intercept": ComparedMethod(
        build_sgd(**_PASSIVE_AGGRESSIVE, fit_intercept=False), ours=False
    ),
    "river, LogisticRegression": ComparedMethod(
        build_river("LogisticRegression"), ours=False, needs="river.linear_model"
    ),
    "river, passive-aggressive, no intercept": ComparedMethod(
        build_river("PAClassifier", learn_intercept=False), ours=False, needs="river.linear_model"
    ),
    "Vowpal Wabbit, hinge loss, steps of 1": ComparedMethod(
        build_vw(VW_STEPS_OF_1), ours=False, needs="vowpalwabbit"
    ),
}
