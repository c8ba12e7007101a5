from dataclasses import replace

import numpy as np
import pytest

from lopsided.boosting import AdaUBoostStumps, LPUBoostStumps
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003.data import ALL, FACTS, rows_of
from lopsided.papers.leskovec_2003.methods import (
    ADA,
    ADA_U,
    LP,
    LP_U,
    PUBLISHED_SETTINGS,
    QUICK_SETTINGS,
    SHARE_SETTINGS,
    SVM,
    Setting,
)
from lopsided.papers.leskovec_2003.units import N_NAMED, follow, run


def test_settings():
    assert len(set(PUBLISHED_SETTINGS)) == len(PUBLISHED_SETTINGS) == 1 + FACTS["runs_for_a_category"]
    forces_equal_weights = (0.1, 10)
    assert not any((s.nu, s.divisor) == forces_equal_weights for s in PUBLISHED_SETTINGS)
    assert {s.nu for s in PUBLISHED_SETTINGS if s.method in (LP, LP_U)} == {0.1, 0.2}
    assert {s.beta for s in PUBLISHED_SETTINGS if s.method in (ADA, LP)} == {1}
    assert not any(s.of_share for s in PUBLISHED_SETTINGS)
    assert set(QUICK_SETTINGS) < set(PUBLISHED_SETTINGS)
    assert len(QUICK_SETTINGS) == 37
    assert len(SHARE_SETTINGS) == 121
    assert all(s.of_share == (s.method in (LP, LP_U)) for s in SHARE_SETTINGS)
    assert PUBLISHED_SETTINGS[0] == QUICK_SETTINGS[0] == Setting(SVM)


def test_a_setting_in_words():
    assert str(Setting(SVM)) == "C 1"
    assert str(Setting(ADA, "real.mh")) == "real.mh"
    assert str(Setting(ADA_U, "disc.u", 2)) == "disc.u, beta 2"
    assert str(Setting(LP, "real.lp", 1, 0.2, 50)) == "real.lp, nu 0.2, bound 1/50"
    assert str(Setting(LP_U, "real.lp", 8, 0.1)) == "real.lp, beta 8, nu 0.1"
    assert str(Setting(LP, "real.mh", 1, 0.5, 0, True)) == "real.mh, nu 0.5 of the share"


@pytest.mark.parametrize(
    ("setting", "estimator"),
    [
        (Setting(ADA_U, "real.lp", 2), AdaUBoostStumps(2, weak_learner="real.lp", n_rounds=20)),
        (
            Setting(LP_U, "disc.u", 4, 0.2, 50),
            LPUBoostStumps(4, 0.2, lower_bound_divisor=50, weak_learner="disc.u", n_rounds=20),
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:no question about a column:UserWarning")
def test_a_run_is_what_the_booster_gives(made_data, setting, estimator):
    rows, others = rows_of("acq", ("fold", 1))
    X, y, X_test, y_test = made_data.one_topic("acq")
    estimator.fit(X[rows], y[rows].astype(int))
    found = run("acq", ("fold", 1), setting, 20)
    for counts, rows_of_side, truth, side in (
        (found.train, rows, y, X),
        (found.validation, others, y, X),
        (found.test, np.arange(len(y_test)), y_test, X_test),
    ):
        expected = Counts.from_predictions(
            truth[rows_of_side].astype(int), estimator.predict(side[rows_of_side])
        )
        assert counts == expected
    assert found.n_rules == len(estimator.rules_)
    assert found.n_rounds == estimator.n_rounds_
    assert found.converged == estimator.converged_


def test_nu_by_the_share_of_positives(made_data):
    share = made_data.train.labels("acq").mean()
    ours = run("acq", ALL, Setting(LP, "real.mh", 1, 0.5, 0, True))
    same = run("acq", ALL, Setting(LP, "real.mh", 1, 0.5 * share))
    assert replace(ours, seconds=0) == replace(same, setting=ours.setting, seconds=0)
    assert run("earn", ALL, Setting(LP, "real.mh", 1, 50.0, 0, True), 5).n_rounds >= 1  # less than 1


def test_the_svm(made_data):
    found = run("earn", ALL, Setting(SVM))
    assert (found.n_rules, found.n_rounds, found.words) == (0, 0, ())
    assert found.train.n == 240
    assert found.validation.n == 0
    assert found.test.f() > 0.3


def test_words_of_short_lists(made_data):
    found = run("acq", ALL, Setting(LP_U, "real.mh", 4, 0.2), 3)
    assert 1 <= found.n_rules <= N_NAMED
    assert "acq" in found.words
    assert len(found.words) == found.n_rules
    assert run("acq", ALL, Setting(ADA, "real.mh"), 20).words == ()


@pytest.mark.parametrize("method", [Setting(ADA), Setting(ADA_U, beta=4), Setting(LP_U, beta=4, nu=0.2)])
def test_one_run_stands_for_both_learners_of_signs(made_data, method):
    first, second = (
        run("money-fx", ALL, method._replace(learner=learner), 25) for learner in ("disc.mh", "disc.lp")
    )
    assert replace(first, seconds=0) == replace(second, setting=first.setting, seconds=0)


@pytest.mark.parametrize("setting", [Setting(ADA_U, "disc.u", 4), Setting(LP, "real.lp", 1, 0.2)])
def test_a_curve_ends_where_the_run_does(made_data, setting):
    curve = follow("earn", ALL, setting, 15)
    found = run("earn", ALL, setting, 15)
    assert len(curve.train) == len(curve.test) == found.n_rounds
    assert (curve.train[-1], curve.test[-1]) == (found.train.f(), found.test.f())
    assert curve.converged == found.converged
    assert follow("earn", ALL, setting, 2).test == curve.test[:2]


@pytest.mark.slow
def test_platinum_needs_one_word(need):
    need("reuters21578")
    found = run("platinum", ALL, Setting(LP_U, "real.mh", 4, 0.1))
    assert found.words == ("platinum",)
    assert found.test == Counts(tp=7, tn=3292)
    assert run("platinum", ALL, Setting(LP, "real.mh", 1, 0.1)).test.tp == 0  # equal costs find nothing
