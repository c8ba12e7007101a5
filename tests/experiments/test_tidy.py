import math

import pytest

from lopsided.experiments import (
    Measurement,
    Measurements,
    Needs,
    Published,
    ShownMetric,
    compare_table,
    curve,
    metric_table,
)
from lopsided.experiments._tidy import tidy
from lopsided.report import Cell
from lopsided.runs import Unit


def measured(*rows):
    return Measurements([Measurement({"row": r, "method": m, "seed": s}, {"f1": f1}) for r, m, s, f1 in rows])


T = measured(("a", "SVM", 1, 0.5), ("a", "SVM", 2, 0.7), ("a", "kNN", 1, 0.2), ("b", "SVM", 1, 0.9))


def test_labels_values_means():
    assert T.labels("row") == ["a", "b"]
    assert T.labels("method", row="b") == ["SVM"]
    assert T.values("f1", row="a", method="SVM") == [0.5, 0.7]
    assert T.mean("f1", row="a", method="SVM") == pytest.approx(0.6)
    assert T.std("f1", row="a", method="SVM") == pytest.approx(math.sqrt(0.02))
    assert T.std("f1", row="b") == 0
    assert math.isnan(T.mean("f1", row="c"))
    assert T.values("auc") == []
    assert T.values("f1", row=("a", "b"), seed=1) == [0.5, 0.2, 0.9]


def test_a_value_that_is_not_finite_has_no_deviation():
    assert measured(("a", "SVM", 1, math.inf), ("a", "SVM", 2, 1.0)).std("f1") == 0


def test_parts():
    assert {name: len(part) for name, part in T.split("row").items()} == {"a": 3, "b": 1}
    assert T.with_every("row", method=("SVM", "kNN")).labels("row") == ["a"]
    assert len(T.only(method="kNN")) == 1
    assert not T.only(method="none")


def test_results_are_measured_by_their_units():
    units = [Unit("math", "f", (name,)) for name in "xyz"]
    results = [{"f1": 1.0}, [({"part": 1}, {"f1": 2.0}), ({"part": 2}, {"f1": 3.0})], []]
    t = tidy(lambda unit: {"name": unit.arguments[0]}, units, results, lambda result: result)
    assert t.values("f1", name="x") == [1.0]
    assert t.values("f1", part=2) == [3.0]
    assert t.labels("name") == ["x", "y", "z"]  # one without numbers is kept for its result
    assert t.results(list) == [results[1], results[2]]
    assert t.results(dict, name="y") == []


def test_needs():
    results = {"table1": T}
    assert Needs("table1").find(results) is not None
    assert Needs("table2").find(results) is None
    assert Needs("table1", min_rows=3).find(results) is None
    assert Needs("table1", every={"method": ("SVM", "kNN")}).find(results).labels("row") == ["a"]
    assert Needs("table1", every={"method": ("none",)}).find(results) is None
    assert Needs("table1", only={"row": ("b",)}).find(results).labels("row") == ["b"]
    assert Needs("table1", index="colour").find(results) is None


def test_published_values():
    lines = [
        {"row": "a", "method": "SVM", "metric": "f1", "value": "0.9"},
        {"row": "a", "method": "", "metric": "n", "value": "12"},
    ]
    table = Published(lines)
    assert table.labels("row") == ("a",)
    assert table.labels("method") == ("SVM",)
    assert table.value("f1", row="a", method="SVM") == 0.9
    assert table.value("n", row="a") == 12
    assert table.value("n", row="a", method="SVM") is None


def test_a_table_has_a_line_for_each_label_and_published_values_beside_ours():
    published = Published([{"row": "a", "method": "SVM", "metric": "f1", "value": "0.9"}])
    show = compare_table(
        "row", "method", (ShownMetric("f1", "F1", 2), ShownMetric("auc", "AUC")), published, ("kNN", "SVM")
    )
    (table,) = show(T)  # and no table of what was not measured
    assert table.columns == ("kNN", "SVM")
    assert table.lines[0] == (
        "a",
        [
            Cell(0.2, digits=2),
            Cell(T.mean("f1", row="a", method="SVM"), 0.9, T.std("f1", row="a", method="SVM"), digits=2),
        ],
    )
    assert table.lines[1] == ("b", ["", Cell(0.9, digits=2)])


def test_a_table_of_metrics_and_a_curve():
    t = Measurements(
        [
            Measurement({"setting": "far"}, {"x": 2.0, "f1": 0.5, "n_support": 3}),
            Measurement({"setting": "near"}, {"x": 1.0, "f1": 0.7, "n_support": 5}),
        ]
    )
    table = metric_table(t, "setting", digits={"n_support": 0}, hidden=("x",))
    assert table.columns == ("f1", "n support")
    assert table.lines[0] == ("far", [Cell(0.5, digits=3), Cell(3.0, digits=0)])
    line = curve("a", t, "setting", "x", "f1")
    assert (line.x, line.y, line.spread) == ([1.0, 2.0], [0.7, 0.5], ())
