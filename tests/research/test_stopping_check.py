from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.sparse import issparse

import stopping_check as check
from lopsided.datasets import make_lopsided
from lopsided.experiments import seeds
from lopsided.papers.ertekin_2007 import data as paper
from lopsided.papers.ertekin_2007.units import RunScores, learn
from lopsided.problems.rare import READERS, ProblemSource

CHOSEN = {name: (C, gamma) for _, name, C, gamma in check._CHOSEN}


def outcome(method, g_mean=0.9, prbep=0.8, n_labels=50, stop="saturation"):
    return RunScores("p", method, 0, g_mean, 0.9, prbep, 10.0, 100, n_labels, 10, 20, 1.0, stop)


@pytest.fixture
def tiny(monkeypatch):
    """Two problems of a few hundred rows in place of all."""

    def read(rate):
        X, y = make_lopsided(n_samples=600, n_features=5, positive_rate=rate, random_state=1)
        return X[:400], y[:400], X[400:], y[400:]

    sources = {
        name: ProblemSource(f"kind of {name}", partial(read, rate), 1.0, 0.1)
        for name, rate in (("one", 0.1), ("two", 0.05))
    }
    monkeypatch.setattr(check, "SOURCES", sources)


def test_no_problem_of_the_paper_is_among_them():
    """On all of these but one the rule, or an earlier version of it, was run while it was made."""

    def identity(source):
        return source.read.func, source.read.args

    of_the_paper = [identity(source) for source in paper.SOURCES.values()]
    assert identity(ProblemSource("letter", partial(READERS["letter"], "A"), 10, 0.01)) in of_the_paper
    assert not [name for name, source in check.SOURCES.items() if identity(source) in of_the_paper]


def test_siblings_have_the_parameters_of_the_paper():
    for name, sibling in (("letter-B", "letter-a"), ("satimage-1", "satimage"), ("USPS-1", "usps")):
        ours, printed = check.SOURCES[name], paper.SOURCES[sibling]
        assert (ours.C, ours.gamma) == (printed.C, printed.gamma)


def test_a_row_has_means_and_the_worst_run():
    batch = [outcome("batch", 0.90), outcome("batch", 0.92)]
    active = [outcome("active", 0.91), outcome("active", 0.89, prbep=0.7, n_labels=100, stop="exhausted")]
    assert check.summarise(batch, active) == pytest.approx(
        {
            "imb_ratio": 10,
            "gmeans_batch": 91,
            "gmeans_al": 90,
            "prbep_batch": 80,
            "prbep_al": 75,
            "data_efficiency_pct": 75,
            "worst_loss": 3,
            "n_short": 1,
            "n_exhausted": 1,
        }
    )


@pytest.mark.parametrize(
    ("change", "short"),
    [({}, False), ({"g_mean": 0.886}, False), ({"g_mean": 0.884}, True), ({"prbep": 0.784}, True)],
)
def test_what_falls_short(change, short):
    row = check.summarise([outcome("batch")], [replace(outcome("active"), **change)])
    assert check.falls_short(row) is short


def test_the_check_runs_both_on_equal_seeds(tiny):
    row, one = check.check_stopping("one", seeds(2)), check.load("one")
    batch = [learn(one, "batch", seed) for seed in seeds(2)]
    active = [learn(one, "active", seed) for seed in seeds(2)]
    assert row == check.summarise(batch, active) | check.score_exactly(one)
    assert row["data_efficiency_pct"] < 100


def test_the_tables_are_printed(tiny, capsys, monkeypatch):
    monkeypatch.setattr(check, "falls_short", lambda row: row["imb_ratio"] > 15)
    check.main()
    lines = [line.strip("| \n").split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["problem", "one", "two", "kind", "kind of one", "kind of two"]
    assert ["yes" in line for line in lines[1:3]] == [False, True]
    assert lines[5][1:8] == ["1", *lines[2][2:8]]  # a kind of one problem has its means
    assert [line[9] for line in lines[4:]] == ["0", "1"]
    check.main(["one"])
    assert "two" not in capsys.readouterr().out


def test_the_exact_svm_is_scored(tiny):
    scores = check.score_exactly(check.load("one"))
    assert set(scores) == {"gmeans_exact", "prbep_exact"}
    assert all(50 < score <= 100 for score in scores.values())


def test_parameters_are_chosen_by_the_training_set(tiny):
    problem = check.load("one")
    C, gamma = check.choose_parameters(problem, (1e-6, 0.1), n_rows=300)
    assert C in check.GRID_C
    assert gamma == 0.1  # so small a gamma makes all rows the same
    spoilt = replace(problem, X_test=np.nan * problem.X_test)
    assert check.choose_parameters(spoilt, (1e-6, 0.1), n_rows=300) == (C, gamma)


@pytest.mark.parametrize(
    ("name", "data"), [("malignant", "breast_cancer_wisconsin_original"), ("Fpv.Open", "shuttle")]
)
def test_the_parameters_are_those_that_were_chosen(need, name, data):
    need(data)
    assert check.choose_parameters(check.load(name), check.GRID_GAMMA["columns"]) == CHOSEN[name]


@pytest.mark.parametrize(
    ("name", "data", "n_train", "n_positive", "n_test"),
    [
        ("letter-B", "letter", 18_000, 695, 2_000),
        ("satimage-1", "satimage", 4_435, 1_072, 2_000),
        ("USPS-1", "usps", 7_291, 1_005, 2_007),
        ("acq", "reuters21578", 7_770, 1_650, 3_019),
        ("Aspen", "covtype", 20_000, 345, 20_000),
        ("Fpv.Open", "shuttle", 43_500, 132, 14_500),
        ("spam", "spambase", 3_067, 1_203, 1_534),
        ("malignant", "breast_cancer_wisconsin_original", 455, 159, 228),  # without 16 that lack a value
        ("staff", "webkb", 5_521, 85, 2_761),
        ("alt.atheism", "newsgroups", 11_314, 480, 7_532),
    ],
)
def test_problems_are_what_they_should_be(need, name, data, n_train, n_positive, n_test):
    need(data)
    problem = check.load(name)
    assert (problem.n_train, int(problem.y_train.sum()), len(problem.y_test)) == (n_train, n_positive, n_test)
    assert 0 < problem.y_test.sum() < n_test
    assert issparse(problem.X_train) or np.isfinite(problem.X_train).all()
    assert problem.X_test.shape == (n_test, problem.X_train.shape[1])


def test_a_name_that_is_not_there():
    with pytest.raises(ValueError, match=r"no problem 'letter-A' here.*letter-B"):
        check.load("letter-A")
