import sys

import numpy as np
import pytest

from experiments.unit_laws import FULL, QUICK, check_result, check_units, units_of
from lopsided.experiments import UNTESTED
from lopsided.experiments._reproduction import extent_of, reproduce
from lopsided.papers.ertekin_2007 import PAPER, data, units
from lopsided.papers.ertekin_2007.data import QUICK_ROWS, ROWS
from lopsided.papers.ertekin_2007.units import RunScores, describe, receive, run, scores, trace
from lopsided.report import Bars, Plot, Table
from lopsided.report._text import write_blocks
from lopsided.runs import Results, Runner, Unit
from papers.ertekin_2007.made_up import IDS


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("run", ("smote", 4)),
        ("trace", ("active", 4, 5)),
        ("receive", ("random-stopped", 4)),
        ("weigh", ("batch", 4)),
        ("describe", ()),
    ],
)
def test_a_unit_done_by_itself_gives_the_same(tiny, function, arguments):
    check_result(Unit(units.__name__, function, ("tiny", *arguments)), data.load.cache_clear)


def test_keys_and_records_are_those_of_kept_results(tiny):
    """Results outlive a move of the module and new names in it."""
    unit = Unit(units.__name__, "run", ("tiny", "batch", 4))
    assert unit.key == 'lopsided.reproduce.ertekin_2007.run {"~": "tuple", "is": ["tiny", "batch", 4]}'
    assert unit.write(unit.do()).startswith('{"~": "Outcome", "is": {"problem": "tiny", "method": "batch", ')
    line = Unit(units.__name__, "describe", ("tiny",))
    assert line.write(line.do()).startswith('{"~": "Row", "is": {"problem": "tiny", "ours": ')


def test_a_line_of_table_2(tiny):
    line = describe("tiny")
    assert line.ours["n_pos"] + line.ours["n_neg"] == 600
    assert (line.ours["n_features"], line.ours["C"], line.ours["gamma"]) == (6, 1.0, 0.1)
    assert line.printed == {}


def test_scores_of_a_run():
    ended = RunScores("ship", "active", 1, 0.5, 0.9, 0.8, 10.0, 100, 40, 10, 20, 1.5, "saturation")
    assert scores(ended) == {
        "gmeans": 50.0,
        "auc": 90.0,
        "prbep": 80.0,
        "class_ratio": 10.0,
        "sv_ratio": 2.0,
        "labels": 40.0,
        "seconds": 1.5,
    }


def test_an_roc_curve_is_kept_at_few_points(tiny):
    roc = receive("tiny", "active", 0)
    assert len(roc.fpr) == len(roc.tpr) == 101
    assert (roc.fpr[0], roc.fpr[-1], roc.tpr[-1]) == (0, 1, 1)
    assert (np.diff(roc.tpr) >= 0).all()
    assert np.trapezoid(roc.tpr, roc.fpr) == pytest.approx(roc.auc, abs=0.02)
    assert roc.auc == run("tiny", "active", 0).auc


def test_full_search_ends_its_curve_where_it_stops(tiny):
    curve = trace("tiny", "exhaustive", 0, n_points=3).curve
    assert curve.n_labels[-1] == curve.stopped_at < 600
    assert trace("tiny", "active", 0, n_points=3).curve.n_labels[-1] == 600


@pytest.mark.parametrize("extent", [QUICK, FULL])
def test_units(extent):
    check_units(PAPER, extent)


def test_what_items_are_made_of():
    assert len(units_of(PAPER, "table1", FULL)) == len(ROWS) * 2 * 2
    assert len(units_of(PAPER, "table3", FULL)) == len(ROWS) * 2 * 5
    assert set(units_of(PAPER, "table1")) < set(units_of(PAPER, "table3"))  # done once
    assert units_of(PAPER, "table4", FULL) == units_of(PAPER, "table3", FULL)
    assert len(units_of(PAPER, "table2", FULL)) == len(ROWS)
    assert len(units_of(PAPER, "figure4", FULL)) == 3  # one run of each fold
    of_search = [unit for unit in units_of(PAPER, "figure2", FULL) if unit.arguments[1] == "exhaustive"]
    assert sorted(unit.function for unit in of_search) == 3 * ["run"] + 3 * ["trace"]  # of one run each
    quick = {(unit.function, unit.arguments[1]) for unit in units_of(PAPER, "figure2")}
    assert quick == {("trace", "batch"), ("trace", "active"), ("run", "active"), ("run", "exhaustive")}
    for item in PAPER.items:
        assert len(units_of(PAPER, item)) < len(units_of(PAPER, item, FULL)) or item == "figure4"
        assert PAPER.items[item].left_out
    assert {unit.arguments[3] for unit in units_of(PAPER, "figure8")} == {12}
    assert {unit.arguments[3] for unit in units_of(PAPER, "figure8", FULL)} == {30}


def test_methods_of_one_problem_and_seed_follow_each_other():
    """So that their times can be compared."""
    runs = [unit.arguments for unit in units_of(PAPER, "table3", FULL)]
    assert len({(name, seed) for name, _, seed in runs[:5]}) == 1
    assert len({(name, seed) for name, _, seed in runs[5:10]}) == 1
    searched = [unit.arguments for unit in units_of(PAPER, "figure2", FULL) if unit.function == "run"]
    assert [method for _, method, _ in searched] == 3 * ["active", "exhaustive"] + 3 * ["active"]
    assert [name for name, _, _ in searched[:6:2]] == [name for name, _, _ in searched[1:6:2]]


def test_names_are_those_of_the_paper():
    of_the_paper = [*(f"table{k}" for k in (1, 2, 3, 4)), *(f"figure{k}" for k in range(2, 10))]
    assert [name for name in PAPER.items if name != "abalone"] == of_the_paper
    assert PAPER.items["abalone"].caption.startswith("not in the paper: ")


def test_everything_end_to_end(tiny_sources):
    runner = Runner(Results())
    extent = extent_of(PAPER, quick=True, n_seeds=2)
    done = reproduce(PAPER, extent, runner)
    results = {name: result.summary for name, result in done.items.items()}
    assert not any(result.failed or result.skipped for result in done.items.values())
    for item in ("table1", "table2", "table3"):
        table = done.items[item].blocks[0]
        assert [name for name, _ in table.lines] == list(QUICK_ROWS)
        name, cells = table.lines[-1]
        assert name == "usps"
        assert all(cell.ours is not None and cell.printed is not None for cell in cells)
    assert results["figure7"].labels("method", problem="satimage") == ["active", "batch", "random-stopped"]
    assert [verdict.id for verdict in done.verdicts] == IDS
    assert all(verdict.verdict != UNTESTED for verdict in done.verdicts)
    assert all(verdict.measured and verdict.asked for verdict in done.verdicts)
    shown = {name: write_blocks(result.blocks) for name, result in done.items.items()}
    again = reproduce(PAPER, extent, runner)
    assert {name: write_blocks(result.blocks) for name, result in again.items.items()} == shown
    assert again.verdicts == done.verdicts
    for name, kind in [("table1", Table), ("figure2", Plot), ("figure3", Bars), ("figure4", Plot)]:
        assert isinstance(done.items[name].blocks[0], kind)
    for name, result in done.items.items():
        for plot in (block for block in result.blocks if isinstance(block, Plot)):
            assert all(len(line.x) == len(line.y) > 0 for line in plot.series), name
            assert all(np.isfinite([*line.x, *line.y, *line.spread]).all() for line in plot.series), name
            assert all(not line.spread or len(line.spread) == len(line.x) for line in plot.series), name
            if name not in ("figure4", "figure8"):  # one run; the class ratio has no spread
                assert all(line.spread for line in plot.series), name


def test_a_method_whose_package_is_missing_leaves_out_its_rows(tiny_sources, monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn.over_sampling", None)
    runner, extent = Runner(Results()), extent_of(PAPER, quick=True)
    done = reproduce(
        PAPER, extent, runner, items=["table1", "table3", "table4", "figure9"], claims=["E2", "E13", "E14"]
    )
    assert [verdict.verdict for verdict in done.verdicts][1:2] == ["cannot be tested here"]
    assert done.verdicts[0].measured
    assert done.verdicts[2].measured  # without SMOTE
    assert len(done.items["table3"].skipped) == len(QUICK_ROWS)
    for item in ("table3", "table4"):
        assert "Skipped: SMOTE needs imbalanced-learn" in write_blocks(done.items[item].blocks)
