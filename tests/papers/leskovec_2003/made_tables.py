"""Tables and figures made by hand, in which all claims of the paper hold but for what is changed."""

from dataclasses import replace

import numpy as np

from lopsided.experiments import Measurement, Measurements
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003.data import ALL, SMALL
from lopsided.papers.leskovec_2003.methods import ADA, ADA_U, LP, LP_U, SVM, Setting
from lopsided.papers.leskovec_2003.units import RoundCurve, best_on_test
from papers.leskovec_2003.made_runs import counted, measured, run_of

F1 = {  # on large and small categories, as the paper tells it
    SVM: (0.92, 0.30),
    ADA: (0.915, 0.40),
    ADA_U: (0.915, 0.70),
    LP: (0.90, 0.70),
    LP_U: (0.90, 0.90),
}
# Disc.LP is what Disc.MH is.
LOSS = {"": 0.0, "real.mh": 0.0, "disc.mh": 0.02, "real.lp": 0.02, "real.u": 0.04, "disc.u": 0.04}
GAPS = {SVM: 0.01, ADA: 0.01, ADA_U: 0.08, LP: 0.12, LP_U: 0.04}  # between upper bound and honest F1
CATEGORIES = ("earn", "gnp", "platinum", "potato")


def same(run):
    return run


def _settings(learner):
    return [
        Setting(ADA, learner),
        Setting(ADA_U, learner, 4),
        *(Setting(method, learner, beta, nu) for method, beta in ((LP, 1), (LP_U, 4)) for nu in (0.1, 0.2)),
    ]


def table1(change=same):
    """Return Table 1 or Figure 3."""
    runs = []
    for category in CATEGORIES:
        is_small = category in SMALL
        for setting in [Setting(SVM), *(s for learner in LOSS if learner for s in _settings(learner))]:
            f1 = F1[setting.method][is_small] - LOSS[setting.learner]
            facts = {"n_rounds": 300, "n_rules": 300, "seconds": 0.3}
            if setting.method in (LP, LP_U):
                n = 3 if is_small else 50
                facts = {"n_rounds": n, "n_rules": n, "seconds": 0.0012 * n, "train": counted(0.6)}
                f1 -= 0.08 * (setting.nu > 0.1)
            if setting.method == ADA_U:
                facts["train"] = counted(0.95)
            if setting.method == LP_U and category == "platinum" and setting.nu == 0.1:
                f1 += 0.1
                facts |= {"n_rules": 1, "words": ("platinum",)}
            if setting.method == LP_U and category == "potato":
                f1 -= 0.1
            runs.append(change(run_of(category, setting, min(f1, 1.0), **facts)))
    return measured(runs)


def as_in_figure_3(run):
    """Return a run of an LP as the text on Figure 3 has it: lower in training, not on test documents."""
    if run.setting.method not in (LP, LP_U):
        return run
    train, by = (0.6, 0.2 if run.setting.method == LP else 0.0) if run.category in SMALL else (0.8, 0.0)
    return replace(run, train=counted(train), test=counted(min(1.0, run.test.f() + by)))


def table2(change=same):
    """Return Table 2; Disc.MH is chosen."""
    runs = []
    for one in best_on_test(table1()):
        setting = one.at["setting"]
        learners = [("", 0.5)] if setting.method == SVM else [("real.mh", 0.5), ("disc.mh", 0.6)]
        runs += [
            change(
                run_of(
                    one.at["category"],
                    setting._replace(learner=learner),
                    one.values["f1"] - GAPS[setting.method],
                    part=("fold", k),
                    validation=counted(validation),
                )
            )
            for k in range(5)
            for learner, validation in learners
        ]
    return measured(runs)


def figure4(wobble=0.02, late=0.0, jump=0.3):
    """Return curves: AdaBoost level, AdaUBoost going up and down, the LPs jumping and then level."""
    up = np.minimum(0.8, np.arange(40) / 10)
    waves = (-1.0) ** np.arange(40)
    jumps = np.where(np.arange(40) < 3, 0.8 - jump * (np.arange(40) % 2), 0.8)
    jumps[-1] += late
    shapes = {ADA: up + 0.002 * waves, ADA_U: up + wobble / 2 * waves, LP: jumps, LP_U: jumps}
    curves = [
        RoundCurve("acq", Setting(m, "real.mh"), tuple(f1), tuple(f1), True) for m, f1 in shapes.items()
    ]
    return Measurements([Measurement({"category": "acq"}, {}, curve) for curve in curves])


def figure5(earn=None, acq=None, without=()):
    """Return Figure 5 as the text describes it, but for changes at the fewest positives."""
    few = {
        "earn": {ADA: 0.90, ADA_U: 0.94, LP: 0.2, LP_U: 0.4, **(earn or {})},
        "acq": {ADA: 0.05, ADA_U: 0.60, LP: 0.05, LP_U: 0.59, **(acq or {})},
    }
    return measured(
        [
            run_of(category, Setting(method, "real.mh"), f1, part=part, train=Counts(tp=n))
            for category, means in few.items()
            if category not in without
            for n, part in ((10, ("positives", 10, 0)), (1000, ALL))
            for method, f1 in (means if n == 10 else dict.fromkeys(means, 0.95)).items()
        ]
    )


def moved(by, *methods, among=CATEGORIES, learners=tuple(LOSS)):
    """Return a change that moves the F1 of some methods on test documents."""

    def change(run):
        is_meant = run.setting.method in methods and run.category in among
        if is_meant and run.setting.learner in learners:
            return replace(run, test=counted(min(1.0, run.test.f() + by)))
        return run

    return change


def altered(method, among=CATEGORIES, **facts):
    """Return a change of other facts of the runs of a method."""

    def change(run):
        return replace(run, **facts) if run.setting.method == method and run.category in among else run

    return change
