import math
from dataclasses import replace

import pytest
from click.testing import CliRunner

from experiments.unit_laws import FULL, QUICK, check_result, check_units, units_of
from lopsided.cli._reproduce import command
from lopsided.experiments._reproduction import extent_of, items_for, reproduce
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003 import KEPT, PAPER, data, units
from lopsided.papers.leskovec_2003.data import ALL, QUICK_CATEGORIES
from lopsided.papers.leskovec_2003.methods import (
    ADA,
    ADA_U,
    LP,
    PUBLISHED_SETTINGS,
    QUICK_SETTINGS,
    SVM,
    Setting,
    boosted,
    stand_in,
)
from lopsided.papers.leskovec_2003.units import best_on_test, chosen_by_folds, mean_by_method
from lopsided.report._text import write_blocks
from lopsided.runs import Results, Runner, Unit
from papers.leskovec_2003.made_runs import counted, measured, run_of

N_RUN, N_RUN_QUICK = (len(set(map(stand_in, settings))) for settings in (PUBLISHED_SETTINGS, QUICK_SETTINGS))


@pytest.mark.parametrize(
    ("function", "more"),
    [
        ("run", (("fold", 0), Setting(LP, "real.mh", 1, 0.2, 50), 10)),
        ("run", (("positives", 5, 1), Setting(ADA_U, "disc.u", 4), 5)),
        ("run", (ALL, Setting(SVM), 1)),
        ("follow", (ALL, Setting(ADA, "real.mh"), 3)),
    ],
)
def test_a_unit_done_by_itself_gives_the_same(made_data, function, more):
    check_result(Unit(units.__name__, function, ("earn", *more)), data.draw.cache_clear)


@pytest.mark.parametrize("extent", [QUICK, FULL])
def test_units(extent):
    check_units(PAPER, extent)


def test_what_items_are_made_of():
    assert len(units_of(PAPER, "table1", FULL)) == 16 * N_RUN
    assert len(units_of(PAPER, "table1")) == 3 * N_RUN_QUICK
    assert len(units_of(PAPER, "table2", FULL)) == 16 * 5 * N_RUN
    assert units_of(PAPER, "figure3", FULL) == units_of(PAPER, "table1", FULL)
    assert {unit.arguments[0] for unit in units_of(PAPER, "figure4", FULL)} == {"earn", "acq", "interest"}
    assert {unit.arguments[0] for unit in units_of(PAPER, "figure4")} == set(QUICK_CATEGORIES)
    kept = units_of(PAPER, "figure5", FULL)
    assert {unit.arguments[0] for unit in kept} == {"earn", "acq"}
    assert len(kept) == 2 * (N_RUN - 1) * (2 * len(KEPT) + 1)  # without the SVM; all positives, once
    assert {unit.arguments[0] for unit in units_of(PAPER, "figure5")} == {"acq"}
    assert PAPER.n_runs == 5


def test_what_a_quick_run_leaves_out_is_told():
    left_out = {name: item.left_out for name, item in PAPER.items.items()}
    assert left_out["table1"] == (
        "every category but gnp, cotton, platinum; 84 of the 121 values of setting; n_rounds 300 (30 instead)"
    )
    assert left_out["figure5"].startswith(
        "category earn; positives 10, 50, 200, 1000; runs after the first; "
    )
    assert all(left_out.values())


def test_the_learners_of_signs_are_run_once():
    run = run_of("earn", Setting(ADA, "disc.mh"), 0.5)
    t = measured([run])
    assert t.labels("setting") == [Setting(ADA, "disc.mh"), Setting(ADA, "disc.lp")]
    assert t.values("f1") == [0.5, 0.5]
    assert measured([run_of("earn", Setting(SVM), 0.5)]).labels("setting") == [Setting(SVM)]


def test_numbers_do_not_depend_on_the_order(made_data):
    some = units_of(PAPER, "table2")[:8]
    forth, back = [unit.do() for unit in some], [unit.do() for unit in reversed(some)]
    assert [replace(run, seconds=0) for run in forth] == [replace(run, seconds=0) for run in reversed(back)]


@pytest.fixture
def few_rounds(monkeypatch):
    """End boosting after three rounds, whatever a unit asks for."""
    monkeypatch.setattr(units, "boosted", lambda task, setting, n_rounds: boosted(task, setting, 3))


def test_everything_end_to_end(made_data, few_rounds, monkeypatch):
    calls, really_run = [], units.run

    def counted_run(*arguments):
        calls.append(arguments)
        return really_run(*arguments)

    monkeypatch.setattr(units, "run", counted_run)
    results = Results()
    done = reproduce(PAPER, extent_of(PAPER, quick=True), Runner(results))
    for name, result in done.items.items():
        assert not result.failed, name
        assert result.summary, name
        assert write_blocks(result.blocks), name
    assert len(done.items["table1"].summary) == 3 * len(QUICK_SETTINGS)
    found = {verdict.id: verdict.verdict for verdict in done.verdicts}
    assert found.pop("B11") == "cannot be tested here"  # a quick run has acq alone
    assert set(found.values()) <= {"holds", "does not hold", "within noise"}

    assert len(set(calls)) == len(calls)  # Figure 3 has the runs of Table 1
    calls.clear()
    again = reproduce(PAPER, extent_of(PAPER, quick=True), Runner(results))
    assert [result.summary for result in again.items.values()] == [r.summary for r in done.items.values()]
    assert not calls


def test_command_twice(made_data, few_rounds, tmp_path):
    arguments = ["leskovec-2003", "--table", "1", "--claim", "B10", "--jobs", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    assert "== leskovec-2003 table1: " in done.output
    assert "== leskovec-2003 figure4: " in done.output
    assert "table2" not in done.output
    assert "B10 holds" in done.output or "B10 does not hold" in done.output
    assert "B7 " not in done.output
    assert CliRunner().invoke(command, arguments).stdout == done.stdout


def test_items_that_claims_need():
    assert items_for(PAPER, [], ["B2", "B11"]) == ["table1", "figure5"]


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
