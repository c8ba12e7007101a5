"""Wins, ties and losses beside the best plain baseline."""

import numpy as np
import pytest

from lopsided.bench.panel import REGIMES, Standing, run_panel, write_page
from lopsided.bench.panel._page import judge_half
from lopsided.bench.panel._regimes import measure
from lopsided.bench.panel._sets import call_set, read_split
from lopsided.bench.panel._standing import OURS, Against
from lopsided.compare._method import SplitScores
from lopsided.metrics import Counts
from lopsided.runs import Answers, Results, Runner

FIRST, SECOND = REGIMES["rules"].baselines


def scores(*values):
    """Return draws with these values of F1, in hundredths."""
    found = []
    for k, value in enumerate(values):
        counts = Counts(tp=value, fp=100 - value, fn=100 - value, tn=1000)
        found.append(SplitScores("any", k, counts, 0.5, 0.5, 0, 0.0))
    return found


def standing(**on_test):
    tune, test = (read_split()["rules"][half] for half in ("tune", "test"))
    tuned = {OURS: scores(50, 50), FIRST: scores(40, 40), SECOND: scores(60, 60)}
    return Standing("rules", {**dict.fromkeys(tune, tuned), test[0]: on_test}, {})


@pytest.mark.parametrize(
    ("difference", "error", "result", "is_worse"),
    [
        (0.05, 0.02, "win", False),
        (0.03, 0.02, "tie", False),
        (-0.03, 0.02, "tie", False),
        (-0.03, 0.001, "loss", False),
        (-0.05, 0.001, "loss", True),
        (-0.10, 0.04, "loss", False),
    ],
)
def test_against(difference, error, result, is_worse):
    found = Against(difference, error)
    assert (found.result, found.is_worse) == (result, is_worse)


def test_the_best_baseline_is_chosen_on_the_tune_half():
    found = standing(**{OURS: scores(50, 60), FIRST: scores(90, 90), SECOND: scores(10, 20)})
    assert found.best_baseline == SECOND
    assert found.mean("test", OURS) == pytest.approx(0.55)


def test_a_default_that_is_much_worse_is_named():
    found = standing(**{OURS: scores(50, 50), SECOND: scores(60, 60)})
    lines = "\n".join(judge_half(found, "test"))
    assert "Wins / ties / losses: 0 / 0 / 1." in lines
    named = call_set(read_split()["rules"]["test"][0])
    assert f"more than 3 points beyond two standard errors on {named}." in lines


def test_the_difference_is_over_the_same_draws():
    found = standing(**{OURS: scores(50, 70), SECOND: scores(40, 60)})
    one = found.against(read_split()["rules"]["test"][0], SECOND)
    assert one.difference == pytest.approx(0.1)
    assert one.error == pytest.approx(0.0)


def test_draws_are_paired_by_their_seed():
    """A draw without a result must not shift the others."""
    ours, theirs = scores(50, 70, 90), scores(40, 60, 80)
    one = standing(**{OURS: ours, SECOND: theirs[1:]}).against(read_split()["rules"]["test"][0], SECOND)
    assert one.difference == pytest.approx(0.1)
    assert one.error == pytest.approx(0.0)


def test_a_baseline_without_results_on_a_set_is_no_win():
    found = standing(**{OURS: scores(50, 50), FIRST: scores(40, 40)})
    assert sum(found.results("test", SECOND).values()) == 0
    assert found.much_worse("test", SECOND) == []


def test_the_summary_has_the_must_and_the_best_peer():
    tuned = {OURS: scores(50, 50), "LinearSVC, balanced": scores(40, 40)}
    peers = {"SMOTE + LinearSVC": scores(45, 45), "undersampling + LinearSVC": scores(60, 60)}
    names = read_split()["rare"]
    found = Standing("rare", dict.fromkeys(names["tune"], tuned) | {names["test"][0]: tuned | peers}, {})
    summary = write_page([found], "lopsided bench panel", "lopsided 0").partition("\n## A rare class")[0]
    (line,) = (line for line in summary.splitlines() if line.startswith("| A rare class, all labels"))
    cells = [cell.strip() for cell in line.split("|")[2:-1]]
    assert cells[:2] == ["g-mean", f"{found.mean('test', OURS):.3f}"]
    assert cells[2].endswith(r"\[LinearSVC, balanced\]")
    assert cells[3:6] == ["1 / 0 / 0", "0", "yes"]
    assert cells[6].endswith(r"\[undersampling + LinearSVC\]")
    assert cells[7] == "no"


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("covtype:Cottonwood/Willow", "covtype: Cottonwood/Willow"),
        ("reuters/earn@40", "Reuters: earn, 40 % wanted"),
        ("mail/trec07p", "mail: trec07p"),
        ("glass, 2 known", "glass, 2 known"),
    ],
)
def test_names_of_data_sets(name, called):
    assert call_set(name) == called


def test_every_data_set_has_a_name():
    for halves in read_split().values():
        assert all(call_set(name) for half in halves.values() for name in half)


def test_false_discovery_rate_of_nothing_is_zero():
    nothing = SplitScores("any", 0, Counts(tp=0, fp=0, fn=5, tn=5), 0.5, 0.5, 0, 0.0)
    assert measure("false discovery rate", nothing) == 0


@pytest.mark.parametrize("name", REGIMES)
def test_every_method_of_a_regime_is_there(name):
    regime = REGIMES[name]
    defaults = {regime.default(data_set) for half in read_split()[name].values() for data_set in half}
    also = (*regime.also, *regime.also_on_tables)
    assert {*defaults, *regime.baselines, *also, *regime.peers} <= regime.methods.keys()


def test_some_methods_are_shown_for_tables_alone():
    """SVMC takes numbers; our default for tables and texts is what the documentation advises."""

    class Asked:
        def ask(self, units):
            self.methods = {unit[2][1:3] for unit in units}
            return Answers(units, [None] * len(units), {}, {}, {})

    asked = Asked()
    run_panel("positives", asked, halves=["tune"], n_draws=1, only=["tables/glass:7", "reuters/ship"])
    for data_set, there in (("tables/glass:7", True), ("reuters/ship", False)):
        assert (data_set, "find_more") in asked.methods
        assert ((data_set, "SVMC") in asked.methods) == there


@pytest.mark.parametrize("name", ["rare", "positives", "rules"])
def test_a_regime_runs_on_a_table_and_resumes(need, name, tmp_path):
    need("glass")
    results = Results(tmp_path / "results.sqlite")
    runs = [
        run_panel(name, Runner(results), halves=["tune"], n_draws=2, only=["tables/glass:7"])
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert not runs[0].problems
    values = [runs[0].values("tables/glass:7", method) for method in runs[0].methods]
    assert np.shape(values) == (len(runs[0].methods), 2)
    page = write_page(runs[:1], "lopsided bench panel", "lopsided 0")
    assert "glass: 7" in page


def test_unexpected_runs_on_a_table(need):
    need("glass")
    found = run_panel("unexpected", Runner(Results()), halves=["tune"], n_draws=1, only=["glass, 2 known"])
    assert not found.problems
    assert found.sets("tune") == ["glass, 2 known"]


def test_active_and_one_sided_run_on_texts(need):
    need("reuters21578")
    for name, data_set in (("active", "reuters/corn"), ("one-sided", "reuters/trade@5")):
        found = run_panel(name, Runner(Results()), halves=["tune"], n_draws=1, only=[data_set])
        assert not found.problems
        assert found.sets("tune") == [data_set]


def test_a_data_set_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"no data set 'iris' in rules\. There are: tables/caravan:Yes"):
        run_panel("rules", Runner(Results()), only=["iris"])
