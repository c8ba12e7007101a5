import pytest

from experiments.unit_laws import FULL, QUICK, units_of
from lopsided.experiments import Measurement, Measurements
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003 import PAPER
from lopsided.papers.leskovec_2003.data import ALL, CATEGORIES, N_FOLDS, RARE
from lopsided.papers.leskovec_2003.methods import LP, SVM, Setting
from lopsided.papers.leskovec_2003.sensitivity import LP_SETTINGS, TOLERANCES, measure, show
from lopsided.papers.leskovec_2003.variations import COST, TOLERANCE, VERTEX, C, VariedRun
from papers.leskovec_2003.made_runs import counted, measured, run_of

REAL, DISC = (Setting(LP, learner, 1, 0.1) for learner in ("real.mh", "disc.mh"))


def test_what_it_is_made_of():
    units = [unit for unit in units_of(PAPER, "sensitivity", FULL) if unit.function == "vary"]
    by_change = {
        change: sum(change in unit.arguments for unit in units) for change in (TOLERANCE, VERTEX, C, COST)
    }
    assert by_change == {
        TOLERANCE: len(CATEGORIES) * len(LP_SETTINGS) * len(TOLERANCES),
        VERTEX: len(RARE) * len(LP_SETTINGS),
        C: len(CATEGORIES) * (N_FOLDS + 1),
        COST: len(CATEGORIES) * (N_FOLDS + 1),
    }
    assert len(LP_SETTINGS) == 10  # five learners, two values of nu


def test_all_else_of_a_full_run_is_that_of_the_tables():
    tables = {unit for name in ("table1", "table2") for unit in units_of(PAPER, name, FULL)}
    assert {unit for unit in units_of(PAPER, "sensitivity", FULL) if unit.function != "vary"} == tables
    quick = {unit.arguments[2] for unit in units_of(PAPER, "sensitivity", QUICK) if unit.function == "run"}
    assert quick >= set(LP_SETTINGS)


def varied(category, setting, change, value, f1, part=ALL):
    at = {"category": category, "part": part, "setting": setting, "change": change, "value": value}
    (labels, values), *_ = measure(VariedRun(Counts(), counted(f1), 3))
    return Measurement({**at, **labels}, values)


def tables(*more):
    folds = [("fold", k) for k in range(2)]
    runs = [
        *(run_of(name, REAL, 0.2) for name in ("earn", "lead")),
        *(run_of(name, DISC, 0.3) for name in ("earn", "lead")),
        *(
            run_of("earn", Setting(SVM), f1, part=part, validation=counted(0.5))
            for part, f1 in ((ALL, 0.9), *((fold, 0.7) for fold in folds))
        ),
        *(
            run_of("earn", setting, 0.1, part=part, validation=counted(held_out))
            for part in folds
            for setting, held_out in ((REAL, 0.6), (DISC, 0.4))
        ),
    ]
    plain = measured(runs)
    return show(Measurements([*plain, *more]))


def values(table, line):
    return [cell and pytest.approx(cell.ours) for cell in dict(table.lines)[line]]


def test_tolerances_are_those_of_the_best_setting_and_of_one():
    best, one, *_ = tables(
        varied("earn", REAL, TOLERANCE, 0.03, 0.0), varied("earn", DISC, TOLERANCE, 0.03, 0.25)
    )
    assert best.columns == one.columns == ("1e-06", "0.001", "0.01", "0.03")
    assert values(best, "earn") == [0.3, "", "", 0.25]
    assert values(one, "earn") == [0.2, "", "", 0.0]
    assert values(one, "mean of 2, all") == [0.2, "", "", ""]  # lead lacks the others


def test_the_vertex_is_that_of_rare_categories():
    *_, vertices, _, _ = tables(varied("lead", REAL, VERTEX, 1.0, 0.75))
    assert [name for name, _ in vertices.lines] == ["lead", "mean of 1, small", "mean of 1, all"]
    assert values(vertices, "lead") == [0.3, 0.75, 0.3, ""]


def test_costs_and_c_stand_beside_the_machine_of_the_tables():
    *_, svm, _ = tables(
        varied("earn", Setting(SVM), COST, 1.0, 0.8, ("fold", 0)),
        varied("earn", Setting(SVM), COST, 1.0, 0.6, ("fold", 1)),
        varied("earn", Setting(SVM), C, 10.0, 0.95),
    )
    assert svm.columns[:3] == ("C = 1, all", "C = 10, all", "cost n-/n+, all")
    assert values(svm, "earn") == [0.9, 0.95, "", 0.7, "", 0.7]


def test_the_chosen_setting_is_learned_again_from_all_documents():
    refit = tables()[-1]
    at = dict(zip(refit.columns, values(refit, "earn"), strict=True))
    assert (at["SVM, five"], at["SVM, all"]) == (0.7, 0.9)
    assert (at["LPBoost, five"], at["LPBoost, all"]) == (0.1, 0.2)  # of REAL, which is better held out


def test_a_run_of_the_tables_is_measured_as_there():
    run = run_of("earn", DISC, 0.5)
    assert [labels["learner"] for labels, _ in measure(run)] == ["disc.mh", "disc.lp"]
