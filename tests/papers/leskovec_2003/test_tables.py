import math
from dataclasses import replace

import pytest

from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003.methods import ADA, SVM, Setting
from lopsided.papers.leskovec_2003.tables import best_on_test, chosen_by_folds, mean_by_method
from papers.leskovec_2003.made_runs import counted, measured, run_of


def test_the_best_on_test_is_the_first_of_equals():
    runs = [
        run_of("earn", Setting(ADA, learner), f1)
        for learner, f1 in (("real.mh", 0.5), ("disc.mh", 0.75), ("real.lp", 0.75))
    ]
    best = best_on_test(measured([*runs, run_of("acq", Setting(SVM), 0.25)]))
    assert best.labels("learner", category="earn") == ["disc.mh"]
    assert best.labels("method", category="acq") == [SVM]
    assert mean_by_method(best) == {}  # no method is on both
    assert mean_by_method(best.only(category="earn")) == {ADA: 75.0}


def fold_runs(test_of_first=0.25):
    """Return two settings on three folds, one of which has no positive to validate on."""
    return [
        run_of(
            "earn",
            Setting(ADA, learner),
            test if k else test / 2,
            part=("fold", k),
            validation=Counts(fp=3, tn=5) if math.isnan(f1) else counted(f1),
        )
        for learner, scores, test in (
            ("real.mh", (0.5, math.nan, 0.75), test_of_first),
            ("disc.mh", (0.5, math.nan, 0.5), 1.0),
        )
        for k, f1 in enumerate(scores)
    ]


def chosen(runs):
    (one,) = chosen_by_folds(measured(runs))
    return one


def test_cross_validation_chooses_without_the_test_documents():
    one = chosen(fold_runs())
    assert (one.at["category"], one.at["method"], one.at["learner"]) == ("earn", ADA, "real.mh")
    assert one.values["validation_f1"] == 0.625
    assert one.values["f1"] == pytest.approx(0.25 * (0.5 + 1 + 1) / 3)
    assert chosen(fold_runs(test_of_first=0.0)).at["setting"] == one.at["setting"]


def test_words_that_all_folds_ask_for():
    words = [("corn", "glass"), ("maiz", "corn"), ("corn",)]
    runs = [replace(run, words=own) for run, own in zip(fold_runs()[:3], words, strict=True)]
    assert chosen(runs).result == ("corn",)


def test_a_category_without_positives_to_validate_on_scores_0():
    assert chosen([replace(run, validation=Counts(tn=5)) for run in fold_runs()]).values["validation_f1"] == 0


def test_the_best_of_each_draw():
    runs = [
        run_of("acq", Setting(ADA, learner), f1, part=("positives", 10, k), train=Counts(fn=10))
        for learner, k, f1 in (
            *(("real.mh", 0, 0.5), ("disc.mh", 0, 0.25)),
            *(("real.mh", 1, 0), ("disc.mh", 1, 0.25)),
        )
    ]
    best = best_on_test(measured([*runs, run_of("acq", Setting(ADA, "real.mh"), 0.75, train=Counts(tp=99))]))
    assert best.labels("positives") == [10, 99]
    assert best.values("f1", positives=10) == [0.5, 0.25]
    assert mean_by_method(best.only(positives=10)) == {ADA: 37.5}
    assert mean_by_method(best.only(positives=99)) == {ADA: 75.0}
