from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.unit_laws import FULL, QUICK, check_result, check_units, units_of
from lopsided.cli._reproduce import command
from lopsided.experiments import UNTESTED, seeds
from lopsided.experiments._reproduction import extent_of, reproduce
from lopsided.metrics import Counts
from lopsided.papers.yu_2003 import PAPER, data, units
from lopsided.papers.yu_2003.data import ISLANDS, QUICK_ROWS
from lopsided.papers.yu_2003.methods import METHODS, OSVM
from lopsided.papers.yu_2003.units import MethodRun, scores
from lopsided.report import Plot
from lopsided.report._text import write_blocks
from lopsided.runs import Results, Runner, Unit

IDS = [f"Y{k}" for k in range(1, 10)]


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("run", ("letter_A", "SVMC", 3)),
        ("run", ("course", "S-EM", 3)),
        ("tighten", (ISLANDS, 4.0, 3)),
        ("converge", (3,)),
        ("sketch", (3,)),
        ("remap", (ISLANDS, "isolation forest", 3)),
        ("thin", ("faculty", 0.5, 3)),
        ("close_in", ("all", 20.0, 3)),
        ("widen", ("SVMC, guarded", 1.0, 3)),
    ],
)
def test_a_unit_done_by_itself_gives_the_same(made_data, function, arguments):
    check_result(Unit(units.__name__, function, arguments), data.load.cache_clear)


@pytest.mark.parametrize("extent", [QUICK, FULL])
def test_units(extent):
    check_units(PAPER, extent)


def test_what_items_are_made_of():
    assert len(units_of(PAPER, "table1", FULL)) == 9 * 6 * 2
    assert len(units_of(PAPER, "table1")) == 4 * 6
    assert units_of(PAPER, "figure2", FULL) == units_of(PAPER, "figure5", FULL)
    assert PAPER.items["table1"].left_out == (
        "every row but letter_A, letter_B, b-cancer, faculty; runs after the first"
    )
    assert PAPER.items["thinning"].left_out == "runs after the first"
    many = replace(FULL, seeds=seeds(10))
    assert len(units_of(PAPER, "gap", many)) == 3 * 2 * len(units.FIRST)  # three draws at most
    assert PAPER.n_runs == 10


def test_scores_of_a_run():
    counts = Counts(tp=8, fp=2, fn=2, tn=80)
    run = MethodRun("letter_A", "SVMC", 0, counts, Counts(tn=9, fp=1), 1.5, 4)
    found = scores(run)
    assert found["f1"] == pytest.approx(16 / 20)
    assert found["acc"] == pytest.approx(100 * 88 / 92)
    assert (found["seconds"], found["iterations"], found["rest_acc"]) == (1.5, 4, pytest.approx(90))
    assert "rest_f1" not in found  # no positive there
    assert scores(replace(run, rest=Counts(tp=3, fn=1)))["rest_f1"] == pytest.approx(6 / 7)


def test_the_gap_halves(made_data):
    """By hand: the boundary lies between 1 and the nearest negative, so that the gap halves each time."""
    far, near = (units.close_in("support_vectors", first, 0).values for first in (900.0, 2.0))
    assert abs(far["iterations"] - far["log2_gap"]) <= 2
    assert near["iterations"] <= 4
    all_rows = units.close_in("all", 900.0, 0).values["rows"]
    assert all_rows > 5 * far["rows"]
    assert far["rows"] < 1.1 * near["rows"]


def test_an_edge_is_where_the_score_is_0():
    """A circle of radius 1, by hand: all points are on it, all around, and as far apart as the grid asks."""
    edge = units._edge(lambda X: 1 - (X**2).sum(axis=1))
    np.testing.assert_allclose(np.hypot(*edge.T), 1, atol=0.003)
    angles = np.sort(np.arctan2(edge[:, 1], edge[:, 0]))
    assert np.diff(angles, append=angles[0] + 2 * np.pi).max() < 0.12
    assert len(units._edge(lambda X: np.ones(len(X)))) == 0


def test_everything_end_to_end(made_data):
    done = reproduce(PAPER, extent_of(PAPER, quick=True), Runner(Results()))
    assert [verdict.id for verdict in done.verdicts] == IDS
    assert all(verdict.verdict != UNTESTED for verdict in done.verdicts)
    for name, result in done.items.items():
        assert not result.failed, name
        assert write_blocks(result.blocks), name
        for plot in (block for block in result.blocks if isinstance(block, Plot)):
            assert all(len(line.x) == len(line.y) for line in plot.series), name


def test_a_method_that_raises_leaves_out_its_rows(made_data, monkeypatch):
    def fail(setup):
        raise ArithmeticError("no margin")

    monkeypatch.setitem(METHODS, OSVM, replace(METHODS[OSVM], learn=fail))
    done = reproduce(PAPER, extent_of(PAPER, quick=True), Runner(Results()), items=["table1"], claims=["Y2"])
    assert len(done.items["table1"].failed) == len(QUICK_ROWS)
    assert done.verdicts[0].verdict == "cannot be tested here"
    assert OSVM not in done.items["table1"].blocks[0].columns


def test_command_twice(made_data, tmp_path):
    arguments = ["yu-2003", "--table", "1", "--claim", "Y6", "--jobs", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    assert "== yu-2003 table1: " in done.output
    assert "== yu-2003 figure5: " in done.output
    assert "faculty" in done.output
    assert "student" not in done.output
    assert "Y6 holds" in done.output or "Y6 does not hold" in done.output
    assert "Y5 " not in done.output
    assert CliRunner().invoke(command, arguments).stdout == done.stdout
