import math

import numpy as np
import pytest

from experiments.unit_laws import units_of
from lopsided.experiments import Extent, Measurement, Measurements, seeds
from lopsided.papers.sculley_2007 import PAPER, figures
from lopsided.papers.sculley_2007.made_streams import (
    N_FOLLOWED,
    N_ITEMS,
    Exploration,
    Reduction,
    Simulation,
    follow,
    make_case,
)
from lopsided.papers.sculley_2007.methods import EFFICIENT, FULL, PLAIN, TASTING, Method
from lopsided.papers.sculley_2007.units import StreamSize
from lopsided.report import Cell
from lopsided.report._text import write_blocks


def of_results(*results):
    """Return measurements of nothing but results."""
    return Measurements([Measurement({}, {}, result) for result in results])


def at(stream, method, **values):
    labels = {"learner": method.learner, "variant": method.variant, "name": method.name}
    return Measurement({"stream": stream, "method": method, **labels}, values)


def test_streams_stand_beside_what_is_published():
    sizes = of_results(StreamSize("trec06p", 37822, 0.3413), StreamSize("trec07p", 9, 0.3))
    (table,) = figures.show_streams(sizes)
    assert table.lines[0] == ("trec06p", [Cell(37822, 37822, digits=0), Cell(0.3413, 0.34, digits=3)])
    assert [cell.printed for cell in table.lines[1][1]] == [None, None]


def test_the_curve_of_beta_is_shown_on_both_streams_with_what_the_tuned_one_costs():
    f1 = {"spamassassin": {1e-3: 90.0, 1e-2: 94.0}, "trec07p": {1e-3: 96.0, 1e-2: 85.0}}
    t = Measurements(
        [
            at(stream, Method("Perceptron", EFFICIENT, beta), f1=value, explored=1000 * beta)
            for stream, values in f1.items()
            for beta, value in values.items()
        ]
    )
    plot, scores, explored, told = figures.show_betas(t)
    assert [(series.name, list(series.x), list(series.y)) for series in plot.series] == [
        ("spamassassin", [1e-3, 1e-2], [90.0, 94.0]),
        ("trec07p", [1e-3, 1e-2], [96.0, 85.0]),
    ]
    assert scores.columns == ("Perceptron, spamassassin", "Perceptron, trec07p")
    assert [cell.ours for cell in dict(scores.lines)["0.01"]] == [94.0, 85.0]
    assert [cell.ours for cell in dict(explored.lines)["0.001"]] == [1.0, 1.0]
    assert told.lines == [
        "Perceptron: beta = 0.01 is best on spamassassin and has 85.0 on trec07p, "
        "where 0.001 is best and has 96.0."
    ]


def test_methods_as_a_reader_sees_them():
    efficient = Method("PWM", EFFICIENT, 1e-5)
    t = Measurements(
        [
            at("trec07p", Method("PWM"), f1=99.44, fp=231.0, auc=99.12345),
            at("trec07p", efficient, f1=99.42, fp=230.0, auc=math.nan),
            at("trec07p", efficient, f1=99.44, fp=232.0, auc=math.nan),
            at("trec06p", Method("PWM", "threshold bias", bias=0.25), f1=50.0, fp=1.0),
        ]
    )
    first, second = figures.show_others(t)
    assert (first.title, second.title) == ("trec07p", "trec06p")
    assert [name for name, _ in first.lines] == ["PWM", "PWM + label efficient"]
    text = write_blocks([first])
    assert "99.43 ±0.01" in text
    assert "99.1235" in text
    assert "231" in text
    assert "1e-05" in text
    assert "nan" not in text
    assert second.lines[0][1][-2:] == ["", "0.25"]  # no parameter, but a bias


def test_parameters_that_were_tried():
    beta, bias = Method("PWM", EFFICIENT, 0.1), Method("ROSVM", "threshold bias", bias=0.25)
    t = Measurements([at("s", beta, f1=50.0), at("s", beta, f1=60.0), at("s", bias, f1=70.0)])
    efficient, biased = figures.show_tuning(t)
    assert (efficient.title, biased.title) == (EFFICIENT, "threshold bias")
    assert [(line.name, line.x, line.y) for line in efficient.series][1] == ("PWM", [0.1], [55.0])
    assert next((line.name, line.x, line.y) for line in biased.series) == ("ROSVM", [0.25], [70.0])


def test_topics_show_the_best_and_where_it_is():
    t = Measurements(
        [
            at("earn", Method("PWM", cost=2.0), f1=90.0, recall=80.0),
            at("earn", Method("PWM", cost=4.0), f1=91.0, recall=70.0),
            at("corn", Method("PWM", cost=2.0), f1=50.0, recall=40.0),
            at("corn", Method("PWM", TASTING, bias=0.5), f1=51.0, recall=41.0),
        ]
    )
    f1, recall = figures.show_topics(t)
    assert f1.columns == recall.columns == ("PWM", "PWM + apple tasting")
    assert f1.lines == [
        ("earn", [Cell(91.0, note="4"), ""]),
        ("corn", [Cell(50.0, note="2"), Cell(51.0, note="0.5")]),
    ]
    assert recall.lines[0] == ("earn", [Cell(70.0, note="4"), ""])


def test_cases_as_a_reader_sees_them():
    def simulated(case, setting, value, recall, shown):
        result = Simulation(case, setting, value, 0, recall, 0.5, 10, shown)
        return Measurement({"case": case, "setting": setting, "value": value}, {"recall": recall}, result)

    path = follow("gap", "margin", None, 0)
    t = Measurements(
        [
            simulated("gap", "larger margin", 32.0, 0.9, (0.5,) * 20),
            simulated("gap", "margin", None, 0.2, (0.1,) * 20),
            simulated("gap", "margin", None, 0.4, (0.3,) * 20),
            simulated("stripe", "margin", None, 0.6, (0.6,) * 20),
            Measurement({"case": "gap", "setting": "margin", "value": None}, {}, path),
        ]
    )
    gap, stripe, picture, table = figures.show_cases(t)
    assert (gap.title, stripe.title) == ("gap", "stripe")
    assert [line.name for line in gap.series] == ["larger margin", "margin"]
    assert gap.series[1].y == pytest.approx([20.0] * 20)
    assert gap.series[1].x[-1] == N_ITEMS
    assert picture.title.startswith("gap, margin: ")
    assert table.columns == ("margin", "larger margin")
    (_, (plain, larger)), (_, (_, nothing)) = table.lines
    assert (plain.ours, plain.note) == (pytest.approx(30.0), "")
    assert (larger.ours, larger.note) == (pytest.approx(90.0), "at 32")
    assert nothing == ""


def test_pictures_show_what_was_drawn():
    perceptron = follow("separable", "perceptron", None, seeds(1)[0])
    plot = figures._picture(perceptron)
    _, y = make_case("separable", seeds(1)[0], N_FOLLOWED)
    assert [series.name for series in plot.series[:2]] == ["positive", "negative"]
    assert len(plot.series[0].x) == y.sum()
    _, _, plane = plot.series  # it never moved again
    assert np.mean(plane.x) == pytest.approx(perceptron.place[-1])
    moved = figures._picture(follow("separable", "margin", None, 0)).series[2:]
    assert 2 <= len(moved) <= 6
    assert len({series.name for series in moved}) == len(moved)


def test_a_picture_of_a_long_stream_has_its_first_items():
    plot = figures._picture(follow("noise", "perceptron", None, seeds(2, 2)[1], N_ITEMS))
    assert sum(len(series.x) for series in plot.series[:2]) == N_FOLLOWED
    ratchet = [np.mean(series.x) for series in plot.series[2:]]
    assert ratchet == sorted(ratchet)  # the plane goes one way
    assert len(ratchet) > 1


def test_a_plane_that_left_the_items_is_not_drawn():
    path = follow("malicious", "margin", None, 0)
    plot = figures._picture(path)
    assert path.accepted[-1] == 0
    assert plot.title.endswith("0 % of the positives")
    ends = [place for series in plot.series[2:] for place in series.x]
    assert all(-6 < place < 6 for place in ends)


def test_figure_4_tells_how_planes_moved():
    paths = [unit.do() for unit in units_of(PAPER, "figure4", Extent(seeds(1), quick=False))]
    accepted, *pictures, text = figures.show_figure4(of_results(*paths))
    assert [line.name for line in accepted.series] == ["perceptron", "margin"]
    assert accepted.series[1].y[-1] == pytest.approx(100 * paths[1].accepted[-1])
    assert len(pictures) == len(text.lines) == 2
    assert text.lines[0].startswith(f"perceptron: plane at u = {paths[0].place[-1]:.2f}, moved up ")


def test_figure_6_has_the_planes_of_one_run_and_all_counts():
    scores = np.array([-0.5, 0.2, 0.7, 1.4, 0.6])
    t = of_results(*(Reduction(seed, 5, 5, 4, 2, 2.0, scores) for seed in range(3)))
    plot, table = figures.show_figure6(t)
    points = [list(zip(series.x, series.y, strict=True)) for series in plot.series if not series.joined]
    assert points == [[(1, -0.5)], [(2, 0.2)], [(3, 0.7), (4, 1.4), (5, 0.6)]]
    assert [series.y[0] for series in plot.series if series.joined] == [0, 0.5, 1]  # h, h', m+ of margin 2
    assert [name for name, _ in table.lines] == ["draw 1", "draw 2", "draw 3"]
    assert [cell.ours for cell in table.lines[0][1]] == [5, 5, 4, 2]


def test_figure_7_has_a_line_for_each_draw():
    (plot,) = figures.show_figure7(of_results(Exploration(0, 0.5, (0.2, 0.5)), Exploration(1, 0.3, (0.3,))))
    assert [series.name for series in plot.series] == ["draw 1", "draw 2", "m-"]
    assert list(plot.series[-1].x) == [1, 2]
    assert list(plot.series[0].y) == [0.2, 0.5]


def test_trec_tasks_show_what_happens_without_feedback():
    t = Measurements([at("trec07p", Method("PWM", "delay"), f1=90.0, silent_f1=80.0, silent_auc=99.0)])
    (table,) = figures.show_masked(t)
    assert table.columns[-2:] == ("F1 without feedback", "AUC without feedback")
    assert table.lines[0][1][-2:] == [Cell(80.0, digits=2), Cell(99.0, digits=4)]


def test_table_1_has_all_that_is_asked():
    (table,) = figures.show_table1(
        Measurements([at("trec07p", Method("PWM", v), f1=1.0) for v in (PLAIN, FULL)])
    )
    assert table.columns[3:5] == ("ham lost", "spam shown")
    assert table.columns[-4:] == ("labels", "explored", "found", "parameter")
