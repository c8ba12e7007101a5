"""Units of work, each of which learns one category in one setting, and the settings that are best.

Upper bounds are those of the setting that is best on the test documents, honest scores of the chosen one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from lopsided.experiments import Measurement, Measurements, timed
from lopsided.metrics import Counts, mean_fold_score
from lopsided.papers.leskovec_2003.data import PRESENCE, TFIDF, Part, draw, load
from lopsided.papers.leskovec_2003.methods import METHODS, N_ROUNDS, SVM, Setting, boosted, stand_in
from lopsided.runs import Work

N_NAMED = 5  # rules whose words are kept


@dataclass(frozen=True)
class CategoryRun:
    """The scores of one setting on one category."""

    category: str
    part: Part
    setting: Setting
    train: Counts
    validation: Counts
    """Counts of the documents held out; zeros where there are none."""
    test: Counts
    n_rules: int
    """Number of rules of weight above 0; support vectors do not count."""
    n_rounds: int
    converged: bool
    seconds: float
    """Time of training, on this thread."""
    words: tuple[str, ...]
    """Stems that the rules ask for, where these are few."""


def run(category: str, part: Part, setting: Setting, n_rounds: int = N_ROUNDS) -> CategoryRun:
    """Learn a category in one setting."""
    task, stories = draw(category, part), load(TFIDF if setting.method == SVM else PRESENCE)
    X, has, X_test, has_test = stories.one_topic(category)
    words: tuple[str, ...] = ()
    if setting.method == SVM:
        machine, seconds = timed(lambda: SVC(kernel="linear", C=1.0).fit(X[task.rows], task.signs))
        scores, facts = machine.decision_function, (0, 0, True)
    else:
        ensemble, seconds = timed(lambda: boosted(task, setting, n_rounds))
        rules = ensemble.rules()
        scores, facts = ensemble.scores, (len(rules), len(ensemble.members), ensemble.converged)
        if len(rules) <= N_NAMED:
            words = tuple(stories.words[rule.feature] for rule in rules)
    train, validation = (
        count(has[rows], scores(X[rows])) if len(rows) else Counts() for rows in (task.rows, task.held_out)
    )
    test = count(has_test, scores(X_test))
    return CategoryRun(category, part, setting, train, validation, test, *facts, seconds, words)


def count(has: NDArray[Any], scores: NDArray[np.float64]) -> Counts:
    """Return the counts of documents whose scores are above 0."""
    return Counts.from_predictions(has > 0, scores > 0)


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


def best_on_test(t: Measurements) -> Measurements:
    """Return the run with the highest F1 on test documents, the first of equals, of each part and method."""
    return t.best("setting", "f1", within=("category", "part", "method"))


def chosen_by_folds(t: Measurements) -> Measurements:
    """Return the setting with the highest mean F1 held out, the first of equals, of each method.

    ``validation_f1`` is the mean over the folds that have a positive, ``f1`` that on the test documents over
    the models of all folds. The result holds the stems that all of these ask for, where they have few rules.
    """
    parts = t.split("category", "method").values()
    scored = [map(_mean_of_folds, runs.split("setting").values()) for runs in parts]
    return Measurements([max(settings, key=lambda one: one.values["validation_f1"]) for settings in scored])


def _mean_of_folds(folds: Measurements) -> Measurement:
    first, *others = (one.result.words for one in folds)
    words = tuple(stem for stem in first if all(stem in words for words in others))
    validation_f1 = mean_fold_score(folds.values("validation_f1"))
    means = {metric: folds.mean(metric) for metric in ("f1", "test_positives")}
    (one, *_) = folds
    return Measurement(one.at, {**means, "validation_f1": validation_f1}, words)


def models_of_folds(t: Measurements) -> Measurements:
    """Return the models of all folds of the settings that were chosen, as what cross validation runs."""
    chosen = {(one.at["category"], one.at["setting"]) for one in chosen_by_folds(t)}
    return Measurements([one for one in t if (one.at["category"], one.at["setting"]) in chosen])


def by_draw(t: Measurements) -> Measurements:
    """Return runs on parts of the positives by category, method, number of positives and draw."""
    axes = ("category", "method", "positives")
    return Measurements(
        [Measurement({**{a: one.at[a] for a in axes}, "draw": one.at["part"][2:]}, one.values) for one in t]
    )


def mean_by_method(t: Measurements, metric: str = "f1") -> dict[str, float]:
    """Return means in percent of the methods that every category has: others cannot be compared."""
    n = len(t.labels("category"))
    methods = [m for m in METHODS if len(t.labels("category", method=m)) == n]
    return {m: 100 * t.mean(metric, method=m) for m in methods}


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
    task = draw(category, part)
    ensemble = boosted(task, setting, n_rounds)
    X, has, X_test, has_test = load().one_topic(category)
    train, test = (
        tuple(count(truth, scores).f() for scores in ensemble.staged_scores(rows))
        for rows, truth in ((X[task.rows], has[task.rows]), (X_test, has_test))
    )
    return RoundCurve(category, setting, train, test, ensemble.converged)


WORK = Work(
    "lopsided.reproduce.leskovec_2003",
    {"Counts": Counts, "Curve": RoundCurve, "Outcome": CategoryRun, "Setting": Setting},
)
