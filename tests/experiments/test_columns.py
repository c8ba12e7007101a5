import pytest

from lopsided.experiments import Column, Measurement, Measurements, Published, column_table
from lopsided.report import Cell

SVM, KNN = {"method": "SVM"}, {"method": "kNN"}


def measured(row, method, seed, f1, seconds):
    return Measurement({"row": row, "method": method, "seed": seed}, {"f1": f1, "seconds": seconds})


T = Measurements(
    [
        measured("a", "SVM", 1, 0.5, 6.0),
        measured("a", "SVM", 2, 0.75, 10.0),
        measured("a", "kNN", 1, 0.2, 2.0),
        measured("b", "SVM", 1, 0.9, 1.0),
    ]
)
COLUMNS = (
    Column("F1, SVM", "f1", SVM, 2),
    Column("seconds, kNN", "seconds", KNN),
    Column("kNN is faster, times", "seconds", SVM, over=KNN),
)


def published(**seconds):
    lines = [{"row": "a", "method": m, "metric": "seconds", "value": str(s)} for m, s in seconds.items()]
    return Published([{"row": "a", "method": "SVM", "metric": "f1", "value": "0.7"}, *lines])


def test_a_column_is_a_metric_at_some_labels():
    table = column_table(T, "row", COLUMNS, "scores", published(SVM=90, kNN=30))
    assert (table.title, table.columns) == ("scores", ("F1, SVM", "seconds, kNN", "kNN is faster, times"))
    (line,) = table.lines  # of b, which kNN did not learn, there is none
    assert line == (
        "a",
        [Cell(0.625, 0.7, T.std("f1", row="a", **SVM), digits=2), Cell(2.0, 30.0), Cell(4.0, 3.0)],
    )


@pytest.mark.parametrize("seconds", [{}, {"SVM": 90}, {"kNN": 30}])
def test_a_ratio_of_which_a_part_was_not_published(seconds):
    (_, cells), *_ = column_table(T, "row", COLUMNS, published=published(**seconds)).lines
    assert cells[2] == Cell(4.0)


def test_a_ratio_of_which_a_part_was_not_measured():
    assert column_table(T.only(row="b"), "row", COLUMNS[2:]).lines == []
    assert column_table(T.only(method="kNN"), "row", COLUMNS[2:]).lines == []


def test_means_by_label():
    assert T.means("f1", "row", **SVM) == {"a": 0.625, "b": 0.9}
    assert T.means("f1", "method", row="b") == {"SVM": 0.9}
    assert T.means("auc", "row") == {}


def test_published_values_can_stand_where_measured_ones_do():
    t = published(SVM=90, kNN=30).measurements()
    assert t.labels("method") == ["SVM", "kNN"]
    assert t.mean("seconds", row="a", method="kNN") == 30
    assert t.mean("f1", row="a", method="SVM") == 0.7
