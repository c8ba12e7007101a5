"""The picture of progress: its line goes up, its band holds it, and stops stand where rules said so."""

import numpy as np

from lopsided.screening import Curve, StopReason
from lopsided.web._curve import draw_curve, draw_recalls


def points(text):
    return np.array([[float(part) for part in point.split(",")] for point in text.split()])


def make_curve(n, knows=True):
    n_found = np.minimum(np.arange(1, n + 1), 20)
    recall = n_found / 25 if knows else np.full(n, np.nan)
    return Curve(np.arange(1, n + 1), n_found, recall, recall * 0.8, np.minimum(recall * 1.2, 1), 3.0)


def test_nothing_is_drawn_before_the_first_label():
    none = np.zeros(0)
    assert draw_curve(Curve(none, none, none, none, none, None), []) is None


def test_the_band_holds_the_line():
    picture = draw_curve(make_curve(1000), [])
    line, band = points(picture.line), points(picture.band)
    assert len(line) <= 300
    assert (np.diff(line[:, 0]) > 0).all()
    assert (np.diff(line[:, 1]) <= 0).all()  # up, in a picture
    upper, lower = band[: len(line)], band[len(line) :][::-1]
    assert (upper[:, 1] <= line[:, 1]).all()
    assert (lower[:, 1] >= line[:, 1]).all()
    assert picture.is_recall
    assert picture.y_ticks[-1].text == "100 %"


def test_without_an_estimate_it_counts():
    picture = draw_curve(make_curve(30, knows=False), [])
    assert not picture.is_recall
    assert picture.band == ""
    assert [tick.text for tick in picture.y_ticks] == ["0", "5", "10", "15", "20"]


def test_stops_stand_where_they_first_fired():
    rules = [StopReason("saturation", True, 500, ""), StopReason("target recall", False, None, "")]
    picture = draw_curve(make_curve(1000), rules)
    assert [stop.name for stop in picture.stops] == ["saturation"]
    assert picture.stops[0].at == (picture.left + picture.right) / 2


def test_recalls_side_by_side():
    picture = draw_recalls({"mixed": np.linspace(0, 1, 50), "random": np.linspace(0, 0.5, 100)})
    (_, first), (_, second) = picture.lines
    assert points(first)[-1].tolist() == [picture.left + (picture.right - picture.left) / 2, 12.0]
    assert points(second)[-1][0] == picture.right
