"""Upper bounds, of the setting that is best on the test documents, and honest scores of the chosen one."""

from lopsided.experiments import Measurement, Measurements
from lopsided.metrics import mean_fold_score
from lopsided.papers.leskovec_2003.methods import METHODS


def best_on_test(t: Measurements) -> Measurements:
    """Return the run with the highest F1 on test documents, the first of equals, of each part and method."""
    parts = t.split("category", "part", "method").values()
    return Measurements([max(runs, key=lambda one: one.values["f1"]) for runs in parts])


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


def mean_by_method(t: Measurements, metric: str = "f1") -> dict[str, float]:
    """Return means in percent of the methods that every category has: others cannot be compared."""
    n = len(t.labels("category"))
    methods = [m for m in METHODS if len(t.labels("category", method=m)) == n]
    return {m: 100 * t.mean(metric, method=m) for m in methods}
