import numpy as np
import pytest

from lopsided.experiments import Measurement, Measurements
from lopsided.papers.ertekin_2007 import PAPER
from lopsided.papers.ertekin_2007.data import ADULTS, FOLDS, SOURCES, TABLE3, WAVEFORMS
from lopsided.papers.ertekin_2007.figures import AVERAGE
from lopsided.papers.ertekin_2007.methods import COMPARED
from lopsided.papers.ertekin_2007.units import Roc
from papers.ertekin_2007.made_up import adult, curve, margin, table, table_3, together, traces


def show(item, t):
    return PAPER.items[item].show(t)


def test_tables_have_the_published_values_beside_ours():
    made, test, notes = show("table3", table_3(["ship"]))
    assert made.columns[:3] == ("batch", "undersampling", "SMOTE")
    (name, cells), *_ = made.lines
    assert name == "ship"
    assert [(cell.ours, cell.printed) for cell in cells] == [
        *((80.0, 86.52), (70.0, 86.5), (81.0, 88.76), (81.0, 89.89), (82.0, 89.89)),
        *((2.0, 49.0), (1.0, 32.0), (2.0, pytest.approx(49 / 32))),
    ]
    assert "of the printed table p = 0.0015" in test.lines[0]
    assert notes.lines == ["What differs in the data:", f"ship: {SOURCES['ship'].deviation}"]


def test_both_readings_of_abalone_stand_beside_the_printed_row():
    runs = [
        Measurement(
            {"problem": name, "method": method, "seed": 1},
            {"gmeans": g, "auc": g, "prbep": g, "class_ratio": 9.7, "sv_ratio": 1.1, "labels": 27.0},
        )
        for name, g in (("abalone-7", 0.0), ("abalone-7-rings", 100.0))
        for method in COMPARED
    ]
    scores, ranking, told, notes = show("abalone", Measurements(runs))
    (_, without), (name, with_rings) = scores.lines
    assert name == "abalone-7-rings"
    assert [cell.ours for cell in without[:4]] == 4 * [0.0]
    assert [(cell.ours, cell.printed) for cell in with_rings[:4]] == 4 * [(100.0, 100.0)]
    assert [cell.printed for cell in with_rings[4:]] == [9.7, 1.38, 24.0]
    assert [cell.printed for cell in dict(ranking.lines)["abalone-7-rings"]] == 5 * [100.0]
    assert told.lines == [
        "abalone-7: 0 of 1 runs of active learning make no error.",
        "abalone-7-rings: 1 of 1 runs of active learning make no error; "
        "they read 27.0 to 27.0 % of the labels.",
    ]
    assert any(line.startswith("abalone-7-rings: 9 attributes") for line in notes.lines)


def test_a_row_that_lacks_a_method_is_left_out():
    whole, lacking = table_3(["ship", "corn"]), table_3(["usps"]).only(method=COMPARED[:4])
    for item in ("table3", "table4"):
        made, *_ = show(item, together(whole, lacking))
        assert [name for name, _ in made.lines][:2] == ["ship", "corn"]
        assert "usps" not in dict(made.lines)
        assert show(item, lacking) == []


def test_table_1_has_means_and_deviations_over_the_runs():
    runs = [
        Measurement(
            {"problem": "ship", "method": method, "seed": seed},
            {"gmeans": g, "auc": 90.0, "class_ratio": 10.0, "sv_ratio": 2.0, "labels": 40.0},
        )
        for method in ("batch", "active")
        for seed, g in ((1, 50.0), (2, 70.0))
    ]
    made, notes = show("table1", Measurements(runs))
    cells = dict(zip(made.columns, made.lines[0][1], strict=True))
    g_means = cells["g-means, active"]
    assert (g_means.ours, g_means.printed) == (60, 74.92)
    assert g_means.spread == pytest.approx(14.142, abs=1e-3)
    assert (cells["SV-/SV+"].ours, cells["labels, %"].ours) == (2, 40)
    assert "tf-idf" in notes.lines[1]
    assert show("table1", Measurements(runs[:2])) == []  # batch alone makes no row


def test_average_ranks_have_two_digits():
    made, *_ = show("table4", table_3())
    assert [cell.digits for cell in made.lines[0][1]] == [0] * 5
    assert [cell.ours for cell in made.lines[0][1]] == [4, 5, 2, 2, 1]
    name, cells = made.lines[-1]
    assert (name, cells[-1].ours, cells[-1].printed, cells[-1].digits) == (AVERAGE, 1.0, 1.5, 2)


def test_the_published_table_3_gives_the_published_ranks_line_by_line():
    made, *_ = show("table4", TABLE3.measurements())
    assert all(cell.ours == cell.printed for _, cells in made.lines[:-1] for cell in cells if cell.printed)


def test_scores_at_the_stop_stand_under_the_curves_of_full_search():
    methods = {"exhaustive": {"seconds": 10.0}, "active": {"seconds": 2.0}}
    ends = table({"usps": {m: {"gmeans": 90.0, "prbep": 80.0} | own for m, own in methods.items()}})
    for one in ends:
        one.at["part"] = "stop"
    curves = traces("usps", batch=curve(), active=curve(stop=50), exhaustive=curve())
    *plots, at_the_stop, notes = show("figure2", together(curves, ends))
    assert [(plot.title, plot.y) for plot in plots] == [("usps", "PRBEP"), ("usps", "g-means")]
    assert [line.name for line in plots[0].series] == [
        "random sampling",
        "active learning",
        "active, full search",
    ]
    (_, cells), *_ = at_the_stop.lines
    assert (cells[0].printed, cells[1].printed) == (126, 13)
    assert (cells[-1].ours, cells[-1].printed) == (5.0, pytest.approx(126 / 13))
    assert notes.lines[1].startswith("usps: ")
    assert len(show("figure2", curves)) == 3  # a quick run may lack the table


def test_what_differs_in_the_data_of_a_figure_stands_under_it():
    for item, names in {
        "figure4": FOLDS,
        "figure5": WAVEFORMS,
        "figure6": ADULTS,
        "figure8": ["crude"],
        "figure9": ["corn", "wheat", "letter-a", "satimage"],
    }.items():
        *_, notes = show(item, together(*(traces(name, active=curve(), batch=curve()) for name in names)))
        for name in names:
            assert any(name in line and SOURCES[name].deviation in line for line in notes.lines)


def test_a_margin_without_positives_is_said():
    bars, note = show("figure3", together(margin("a", (0, 10)), margin("b", (10, 20))))
    assert bars.groups == ["b"]
    assert bars.bars == [("all training data", [10.0]), ("within the margin", [2.0])]
    assert note.lines == ["No positive within the margin of some run: a."]


def test_the_stop_is_marked():
    (plot,) = show("figure6", adult(0.6, 0.5))
    assert plot.marks == [(50.0, "active learning stops")]
    assert [line.name for line in plot.series] == ["active learning", "random sampling"]
    assert plot.series[0].y == [0.6, 0.5]


def test_a_fold_is_a_line_and_its_stop_a_mark():
    runs = [traces(f"citeseer-db-fold-{k}", active=curve(stop=50 + k)) for k in (1, 2)]
    n_support, g_means, _ = show("figure4", together(*runs))
    assert (n_support.y, g_means.y) == ("support vectors", "g-means")
    assert [line.name for line in g_means.series] == ["fold-1", "fold-2"]
    assert g_means.marks == n_support.marks == [(51.0, "stop of fold-1"), (52.0, "stop of fold-2")]


def test_a_class_ratio_is_a_line():
    runs = [traces(f"p{r}", float(r), active=curve(), batch=curve(g=(0.1, 0.2))) for r in (2, 32)]
    active, random = show("figure5", together(*runs))
    assert (active.title, random.title) == ("active learning", "random sampling")
    assert [line.name for line in active.series] == ["2 to 1", "32 to 1"]
    assert random.series[1].y == [0.1, 0.2]


def test_a_problem_without_one_of_the_two_has_no_panel():
    lone = traces("lone", active=curve())
    assert [plot.title for plot in show("figure9", together(lone, adult(0.6, 0.5)))] == ["adult"]


def test_roc_curves_are_means_over_the_runs():
    fpr = np.array([0.0, 1.0])

    def runs(name, *methods):
        return Measurements(
            [
                Measurement(
                    {"problem": name, "method": method, "seed": seed},
                    {"auc": 80.0},
                    Roc(name, method, seed, fpr, np.array([y, 1.0]), 0.8),
                )
                for method in methods
                for seed, y in enumerate((0.2, 0.4))
            ]
        )

    lone, whole = runs("lone", "active"), runs("adult-3", "active", "batch", "random-stopped")
    plot, made, notes = show("figure7", together(lone, whole))
    assert plot.title == "adult-3"
    assert plot.series[0].y == [pytest.approx(0.3), 1.0]
    assert plot.series[0].spread == [pytest.approx(0.1414, abs=1e-4), 0.0]
    assert [cell.printed for cell in made.lines[0][1]] == [89.8, 89.1, 87.25]
    assert notes.lines[1].startswith("adult-3: ")
    assert show("figure7", lone) == []


def test_support_vectors_of_one_class_have_no_ratio():
    runs = traces("crude", active=curve(pos=(0, 10), neg=(10, 20)), batch=curve(pos=(5, 10), neg=(10, 20)))
    plot, _ = show("figure8", runs)
    assert [line.x for line in plot.series] == [[100], [50, 100], [50.0, 100.0]]
    assert plot.series[-1].y == [10.0, 10.0]
