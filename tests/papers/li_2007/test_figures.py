import math

import numpy as np
import pytest

from lopsided.experiments import Measurement, Measurements
from lopsided.papers.li_2007 import PAPER, SHARES
from lopsided.papers.li_2007.claims import mean_by_method
from lopsided.papers.li_2007.data import TEN_NEWSGROUPS, TEN_REUTERS
from lopsided.papers.li_2007.figures import deviation, deviation_of_gain
from lopsided.papers.li_2007.methods import BASELINES, LGN_, OURS
from lopsided.report import Plot, Table
from papers.li_2007.made_tables import by_share, priors, purity, spies, ten


def scored(data, method, *values, protocol="A", metric="f", auc=None, **at):
    """Return the values of runs, which are numbered from 0."""
    areas = {} if auc is None else {"auc": auc}
    return [
        Measurement(
            {"protocol": protocol, "data": data, "method": method, "seed": seed, **at},
            {} if math.isnan(value) else {metric: value, **areas},
        )
        for seed, value in enumerate(values)
    ]


def test_means_are_of_what_is_known():
    t = Measurements([*scored("x", LGN_, 40, 60), *scored("x", "PEBL", math.nan, 3)])
    assert mean_by_method(t) == {LGN_: 50, "PEBL": 3}
    assert math.isnan(mean_by_method(Measurements(scored("x", "PEBL", math.nan)))["PEBL"])


def test_the_table_has_the_published_figures_beside_ours():
    t = Measurements(
        [
            *scored("os-med", LGN_, 58, 62, auc=95),
            *scored("os-space", LGN_, 50, auc=95),
            *scored("os-med", OURS, 71),
            *scored("os-med", LGN_, 10, protocol="B"),
        ]
    )
    block, other = PAPER.items["table1"].show(t)
    assert (block.title, block.columns) == ("protocol A", (LGN_, OURS))
    lines = dict(block.lines)
    first, second = lines["os-med"]
    assert (first.ours, first.printed, first.spread) == (60, 75.2, pytest.approx(math.sqrt(8)))
    assert (second.ours, second.printed, second.spread) == (71, None, None)
    assert lines["os-space"][0].spread is None
    assert lines["mean"][0].printed == pytest.approx(76.7)
    assert lines["mean"][0].ours == pytest.approx(170 / 3)
    assert lines["mean"][1].printed is None
    assert lines["mean area under ROC"][0].ours == 95
    assert lines["mean area under ROC"][1] == ""
    assert (other.title, dict(other.lines)["os-med"][0].ours) == ("protocol B", 10)


def test_a_mean_has_a_published_one_beside_it_where_all_its_sets_have():
    t = Measurements([*scored("os-med", LGN_, 58), *scored("a set of ours", LGN_, 50)])
    (block,) = PAPER.items["table1"].show(t)
    assert dict(block.lines)["mean"][0].printed is None


def test_the_deviation_of_the_mean_is_that_from_run_to_run():
    runs = [*scored("os-med", LGN_, 50, 60), *scored("os-space", LGN_, 70, 64)]
    (block,) = PAPER.items["table1"].show(Measurements(runs))
    assert dict(block.lines)["mean"][0].spread == pytest.approx(math.sqrt(2))  # of 60 and 62
    assert deviation(Measurements(runs[:-1])) is None


@pytest.mark.parametrize("results", [priors(), purity(), spies(30.0)])
def test_settings_have_no_mean(results):
    ((item, t),) = results.items()
    table_a, table_b = PAPER.items[item].show(t)
    assert "mean" not in dict(table_a.lines)
    assert (table_a.title, table_b.title) == ("protocol A", "protocol B")


def test_settings_and_figures_have_their_deviation_over_the_runs():
    at = {"line": "5 %", "share": 5}
    for item, metric in (("purity", "purity"), ("figure4", "f")):
        t = Measurements(
            [
                *scored("os-med", LGN_, 50, 60, metric=metric, **at),
                *scored("os-space", LGN_, 70, 64, metric=metric, **at),
                *scored("os-med", "S-EM", math.nan, 3.0, metric=metric, **at),
            ]
        )
        (block,) = PAPER.items[item].show(t)
        if item == "purity":
            ((_, (lgn, spies)),) = block.lines
            assert (lgn.ours, lgn.spread) == (61, pytest.approx(math.sqrt(2)))  # of 60 and 62
            assert (spies.ours, spies.spread) == (3, None)
        else:
            assert [series.spread for series in block.series] == [[pytest.approx(math.sqrt(2))], ()]


@pytest.mark.parametrize("item", ["figure4", "figure5"])
def test_figures_are_drawn_over_the_share(item):
    blocks = PAPER.items[item].show(by_share()[item])
    assert [(type(block), block.title) for block in blocks] == [(Plot, "protocol A"), (Plot, "protocol B")]
    lgn = next(series for series in blocks[0].series if series.name == LGN_)
    assert list(lgn.x) == list(SHARES)
    assert lgn.y[0] == 80


def test_gains_of_ten_classes_stand_beside_the_published_ones():
    gains, *plots = PAPER.items["ten"].show(ten(TEN_REUTERS, 5, LGN=70.0)["ten"])
    assert isinstance(gains, Table)
    assert all(isinstance(plot, Plot) for plot in plots)
    assert [plot.title for plot in plots[:2]] == [
        f"{TEN_NEWSGROUPS}, protocol A",
        f"{TEN_REUTERS}, protocol A",
    ]
    assert len(plots) == len(gains.lines) == 4
    cells = dict(gains.lines)
    assert cells[f"{TEN_REUTERS}, A"][0].ours == pytest.approx(cells[f"{TEN_REUTERS}, A"][0].printed)
    assert cells[f"{TEN_REUTERS}, B"][0].difference == pytest.approx(70 - 44 - 32.77)
    assert cells[f"{TEN_NEWSGROUPS}, B"][1].printed == 4.8
    assert cells[f"{TEN_REUTERS}, A"][0].spread is None  # of one run


def test_the_gain_has_its_deviation_over_the_runs():
    scores = dict.fromkeys(BASELINES, (10.0, 20.0)) | {"S-EM": (40.0, 20.0), LGN_: (50.0, 50.0)}
    t = Measurements(
        [one for name, both in scores.items() for one in scored(TEN_REUTERS, name, *both, share=5)]
    )
    gains, _ = PAPER.items["ten"].show(t)
    ((_, (first, *others)),) = gains.lines
    assert first.ours == 20  # the mean of LGN, 50, less that of S-EM, 30
    assert first.spread == pytest.approx(np.std([10, 30], ddof=1))
    assert not any(others)
    without_pebl = Measurements([one for one in t if (one.at["method"], one.at["seed"]) != ("PEBL", 1)])
    assert deviation_of_gain(without_pebl) is None  # one run has all methods
