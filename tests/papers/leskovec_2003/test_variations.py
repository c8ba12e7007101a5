from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.svm import SVC

from experiments.unit_laws import check_result
from lopsided.boosting._edge_lp import EdgeLP
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003 import data, units, variations
from lopsided.papers.leskovec_2003.data import ALL, TFIDF
from lopsided.papers.leskovec_2003.methods import LP, LP_U, SVM, Setting, boosted
from lopsided.papers.leskovec_2003.variations import COST, TOLERANCE, VERTEX, C, best_vertex, vary
from lopsided.runs import Unit

DISC, UNEVEN = Setting(LP, "disc.mh", 1, 0.5), Setting(LP_U, "real.mh", 4, 0.3)


@pytest.mark.parametrize(("setting", "change", "value"), [(Setting(SVM), COST, 1.0), (UNEVEN, VERTEX, 1.0)])
def test_a_unit_done_by_itself_gives_the_same(made_data, setting, change, value):
    arguments = ("acq", ("fold", 0), setting, change, value, 20)
    check_result(Unit(variations.__name__, "vary", arguments), data.draw.cache_clear)


@pytest.mark.parametrize(
    ("setting", "change", "value"),
    [(Setting(SVM), C, 1.0), (DISC, TOLERANCE, 1e-6), (UNEVEN, TOLERANCE, 1e-6), (UNEVEN, VERTEX, 0.0)],
)
def test_what_is_as_before_gives_the_scores_of_the_tables(made_data, setting, change, value):
    part = ("fold", 1)
    varied, run = (
        vary("interest", part, setting, change, value, 20),
        units.run("interest", part, setting, 20),
    )
    assert (varied.validation, varied.test) == (run.validation, run.test)
    assert varied.n_rounds == run.n_rounds
    assert vary("interest", ALL, setting, change, value, 20).validation == Counts()


def test_a_larger_tolerance_ends_earlier(made_data):
    rounds = [vary("earn", ALL, UNEVEN, TOLERANCE, tol, 50).n_rounds for tol in (1e-6, 0.1, 10.0)]
    assert rounds == sorted(rounds, reverse=True)
    assert rounds[0] > rounds[-1] == 1


def test_costs_and_c_are_those_of_the_machine(made_data):
    task, stories = data.draw("lead", ALL), data.load(TFIDF)
    X, _, X_test, has_test = stories.one_topic("lead")
    ratio = float(np.mean(task.signs < 0) / np.mean(task.signs > 0))
    for change, machine in (
        (C, SVC(kernel="linear", C=10.0)),
        (COST, SVC(kernel="linear", class_weight={1: 10 * ratio})),
    ):
        scores = machine.fit(X, task.signs).decision_function(X_test)
        assert vary("lead", ALL, Setting(SVM), change, 10.0).test == units.count(has_test, scores)


def margins(ensemble, task, X, a):
    return task.signs * (np.column_stack([member.says(X) for member in ensemble.members]) @ a)


@pytest.mark.parametrize("setting", [DISC, UNEVEN, Setting(LP, "disc.mh", 1, 0.8)])
@pytest.mark.parametrize("category", ["lead", "groundnut", "earn"])
def test_the_vertex_is_optimal_and_has_the_largest_margin_on_positives(made_data, category, setting):
    task = data.draw(category, ALL)
    X = data.load().one_topic(category)[0][task.rows]
    ensemble = boosted(task, setting, 30)
    a = best_vertex(ensemble, task, X, setting)
    assert a.min() >= -1e-12
    assert a.sum() == pytest.approx(1)
    upper = np.where(task.signs > 0, setting.beta, 1.0) / (setting.nu * len(task.signs))
    program = EdgeLP(task.signs, np.zeros(len(upper)), upper)
    for member in ensemble.members:
        program.add(member.says(X))
    bound = ensemble.history["bound"][-1]
    assert program._primal(a) >= bound - 3e-6

    def on_positives(weights):
        return margins(ensemble, task, X, weights)[task.signs > 0].mean()

    assert on_positives(a) >= on_positives(ensemble.weights[-1]) - 1e-6
    rng = np.random.default_rng(0)
    for _ in range(200):  # no other optimum has a larger one
        other = rng.dirichlet(np.full(len(a), 0.1))
        if program._primal(other) >= bound - 1e-6:
            assert on_positives(other) <= on_positives(a) + 1e-6


def test_rules_of_one_value_are_told_apart_by_the_positives():
    """With two of 20 rows positive and nu = 0.5 all that errs on two rows is as good as saying no to all."""
    signs = np.where(np.arange(20) < 2, 1, -1)
    no, finds = -np.ones(20), np.where(np.isin(np.arange(20), [0, 2]), 1.0, -1.0)
    members = [SimpleNamespace(says=lambda X, said=said: said) for said in (no, finds)]
    program = EdgeLP(signs, np.zeros(20), np.full(20, 0.1))
    for said in (no, finds):
        program.add(said)
    assert program.solve().bound == pytest.approx(0.6)
    assert [program._primal(a) for a in np.eye(2)] == pytest.approx([0.6, 0.6])
    ensemble = SimpleNamespace(members=members, history={"bound": [0.6]})
    a = best_vertex(ensemble, SimpleNamespace(signs=signs), None, Setting(LP, "disc.mh", 1, 0.5))
    assert a == pytest.approx([0, 1])
