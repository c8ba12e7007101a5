from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.unit_laws import FULL, QUICK, check_result, check_units, units_of
from lopsided.cli._reproduce import command
from lopsided.datasets import DataUnavailable
from lopsided.experiments import Extent, seeds
from lopsided.experiments._reproduction import reproduce
from lopsided.papers.li_2007 import NOISES, PAPER, PURE_SHARES, SHARES, SPY_SHARES, units
from lopsided.papers.li_2007.data import QUICK_ROWS, REUTERS, ROWS, TEN_CLASSES, TEN_NEWSGROUPS
from lopsided.papers.li_2007.methods import COMPARED, EXTRACTORS, LGN_, OURS, READINGS
from lopsided.papers.li_2007.units import SetScore, extract, prior, run, spy
from lopsided.report._text import write_blocks
from lopsided.runs import Results, Runner, Unit

WHOLE = Extent(seeds(PAPER.n_runs), quick=False)


def test_f_by_hand():
    setup = SimpleNamespace(protocol="A", seed=7, truth=np.array([False, False, True, True]))
    score = units._score(setup, np.array([1.0, -1.0, -2.0, 0.0]), "line", "LGN")
    assert score.value == pytest.approx(50)  # one right, one wrong, one missed; a score of 0 is expected
    assert score.auc == pytest.approx(75)
    assert score.seed == 7


def test_purity_by_hand(made_data, monkeypatch):
    class Extracted:
        def fit(self, X, y):
            n_known = y.sum()
            self.strong_negatives_ = n_known + np.array([0, 1, 2, len(y) - n_known - 1])
            return self

    monkeypatch.setitem(EXTRACTORS, "Roc-SVM", lambda setup: (Extracted(), setup.tfidf))
    assert extract("os-med", "Roc-SVM", 50, "A", 0).value == 25  # the last row of U is unexpected
    assert 0 <= extract("os-med", "S-EM", 50, "A", 0).value <= 100


def test_settings_as_they_come_are_those_of_the_table(made_data):
    table = {name: run("os-med", name, 5, "A", 0) for name in (LGN_, "S-EM")}
    assert prior("os-med", LGN_, 1.0, "A", 0).value == table[LGN_].value
    assert spy("os-med", 0.15, 0.15, "A", 0).value == table["S-EM"].value


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("run", ("os-med", "S-EM", 5, "A", 3)),
        ("run", ("os-med+", LGN_, 20, "B", 3, "20 %")),
        ("prior", ("os-med", "LGN printed", 0.4, "A", 3)),
        ("spy", ("os-med", 0.1, 0.2, "B", 3)),
        ("extract", ("os-med", "PEBL", 20, "A", 3)),
    ],
)
def test_a_unit_done_by_itself_gives_the_same(made_data, forget, function, arguments):
    check_result(Unit(units.__name__, function, arguments), forget)


@pytest.mark.parametrize("extent", [QUICK, FULL])
def test_units(extent):
    check_units(PAPER, extent)


def test_equal_whatever_came_before(made_data, without_detector, forget):
    """Units in turn, backwards, and each by itself."""
    some = [unit for unit in units_of(PAPER, "table1", FULL) if unit.arguments[0] == "os-med"]
    forth = {unit.key: unit.write(unit.do()) for unit in some}
    forget()
    assert {unit.key: unit.write(unit.do()) for unit in some[::-1]} == forth
    forget()
    assert some[3].write(some[3].do()) == forth[some[3].key]


def test_a_quick_run_is_a_part_of_the_whole():
    for item in PAPER.items:
        whole = {unit.key for unit in units_of(PAPER, item, WHOLE)}
        assert {unit.key for unit in units_of(PAPER, item)} < whole
    assert {unit.arguments[0] for unit in units_of(PAPER, "table1")} == set(QUICK_ROWS)
    assert OURS in {unit.arguments[1] for unit in units_of(PAPER, "table1")}


def test_the_detector_has_one_run_beside_the_curves_of_the_paper():
    some = units_of(PAPER, "figure4", WHOLE)
    runs = {name: {unit.arguments[4] for unit in some if unit.arguments[1] == name} for name in COMPARED}
    assert {name: len(used) for name, used in runs.items()} == {
        name: 1 if name == OURS else 5 for name in COMPARED
    }
    assert OURS not in {unit.arguments[1] for unit in units_of(PAPER, "figure4")}
    assert {unit.arguments[0] for unit in units_of(PAPER, "figure5", FULL)} == {f"{row}+" for row in ROWS}


def test_what_a_quick_run_leaves_out_is_told():
    left_out = {name: item.left_out for name, item in PAPER.items.items()}
    assert left_out["table1"] == (
        "every data set but graphic-crypt, os-med, mac.hardware-space; runs after the first"
    )
    assert left_out["figure5"] == "every data set but graphic-crypt+; runs after the first; method detector"
    assert left_out["ten"] == "runs after the first; method detector"


def test_everything_end_to_end(made_data, without_detector):
    with Results() as results:
        done = reproduce(PAPER, QUICK, Runner(results))
        n_done = len(results)
        again = reproduce(PAPER, QUICK, Runner(results))
        assert len(results) == n_done
    assert not any(result.failed or result.skipped for result in done.items.values())
    assert {verdict.verdict for verdict in done.verdicts} <= {"holds", "does not hold", "within noise"}
    assert again.verdicts == done.verdicts
    for name, result in done.items.items():
        assert write_blocks(again.items[name].blocks) == write_blocks(result.blocks) != ""
    t = {name: result.summary for name, result in done.items.items()}
    assert t["table1"].labels("line") == list(QUICK_ROWS)
    assert t["figure4"].labels("line") == t["figure5"].labels("line") == [f"{share} %" for share in SHARES]
    assert t["priors"].labels("line") == ["prior 0.4", "prior 0.6", "prior 0.8", "prior 1"]
    assert t["priors"].labels("method") == list(READINGS)
    assert len(t["spies"].labels("line")) == len(NOISES) * len(SPY_SHARES)
    assert t["purity"].labels("line") == [f"{share} %" for share in PURE_SHARES]
    assert len(t["ten"].labels("line")) == 10
    assert [str(share) for share in t["ten"].labels("share")] == list(TEN_CLASSES.labels("share"))


def test_ten_classes_of_one_collection_are_not_judged(made_data, without_detector):
    def missing():
        raise DataUnavailable("reuters21578 is not at hand.")

    made_data[REUTERS] = missing
    with Results() as results:
        done = reproduce(PAPER, QUICK, Runner(results), items=["ten"], claims=["L7"])
    assert done.items["ten"].skipped
    assert not done.items["ten"].failed
    assert [title for title, _ in done.items["ten"].blocks[0].lines] == [
        f"{TEN_NEWSGROUPS}, {protocol}" for protocol in "AB"
    ]
    assert [verdict.verdict for verdict in done.verdicts] == ["cannot be tested here"]


def test_a_score_is_measured_without_what_is_missing():
    score = SetScore("A", "5 %", "PEBL", float("nan"), seed=3)
    assert units.measure_purity(score) == [({"line": "5 %", "method": "PEBL"}, {})]
    score = SetScore("A", "os-med", LGN_, 50.0, 90.0, seed=3)
    assert units.measure_f(score) == [({"line": "os-med", "method": LGN_}, {"f": 50.0, "auc": 90.0})]


def test_command_on_one_claim(made_data, without_detector, tmp_path):
    done = CliRunner().invoke(command, ["li-2007", "--claim", "L1", "--jobs", "1", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "L1 holds" in done.output or "L1 does not hold" in done.output
    assert "== li-2007 table1" in done.output
    assert "L2" not in done.output


def test_command_on_a_table_and_a_figure(made_data, without_detector, tmp_path):
    done = CliRunner().invoke(
        command, ["li-2007", "--table", "1", "--figure", "5", "--jobs", "1", "--out", str(tmp_path)]
    )
    assert done.exit_code == 0, done.output
    assert "mac.hardware-space" in done.output
    assert "li-2007 figure5" in done.output
    assert "li-2007 figure4" not in done.output
    assert "holds" not in done.output
