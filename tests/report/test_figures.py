import re
from xml.etree import ElementTree

import pytest

from lopsided.report import Bars, Plot, Series
from lopsided.report._figures import draw_all

OURS = Series("LASVM", [1, 2], [0.1, 0.2])
SIMILAR = Series("LASVM printed", [1, 2], [0.2, 0.3])


def test_small_numbers_at_the_axes_stay_what_they_are():
    powers = [10.0**k for k in range(-4, 2)]
    (picture,) = draw_all([Plot([Series("ours", powers, powers)], "x", "y", log_x=True)], "n").values()
    ticks = re.findall(r"<text[^>]*>([^<]+)</text>", picture)
    assert {"0.0001", "0.001", "0.01", "0.1", "1", "10"} <= set(ticks)


def test_a_method_has_one_colour_in_all_panels():
    other = Series("SVM", [1, 2], [0.3, 0.3])
    pictures = draw_all([Plot([other, OURS], "x", "y"), Plot([OURS, SIMILAR], "x", "y")], "n")
    first, second = pictures.values()
    used = [set(re.findall(r"var\(--c(\d)", picture)) for picture in (first, second)]
    assert used == [{"0", "1"}, {"1", "2"}]


def test_twelve_methods_have_twelve_colours():
    bars = Bars(["F1"], [(f"method {k}", [1.0]) for k in range(12)], "F1", "bars")
    (picture,) = draw_all([bars], "n").values()
    assert {f"{k}" for k in range(12)} == set(re.findall(r"var\(--c(\d+)", picture))


def test_marks_that_are_close_together_have_their_words_at_different_heights():
    (picture,) = draw_all([Plot([OURS], "x", "y", marks=[(1.5, "one"), (1.51, "two")])], "n").values()
    heights = [
        re.search(rf"translate\([\d.]+ ([\d.]+)\)[^>]*>{word}<", picture)[1] for word in ("one", "two")
    ]
    assert float(heights[1]) > float(heights[0]) + 20


def test_a_long_title_and_a_long_label_have_lines_enough():
    words = "right of its plane in the end are some of the positives"
    panel = Plot([OURS], "x", "positives that would be shown, in percent", f"gap, margin: {words} {words}")
    (svg,) = draw_all([panel], "n").values()
    written = re.findall(r"<text[^>]*>([^<]*)</text>", svg) + re.findall(r"<tspan[^>]*>([^<]*)</tspan>", svg)
    assert any("gap, margin" in line for line in written)
    assert max(map(len, written)) <= 54
    assert "positives that would be shown, in" in written


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "panel",
    [
        Plot([], "x", "y"),
        Plot([Series("a", [], [])], "x", "y", log_x=True),
        Plot([Series("a", [0.0, 0.0], [1.0, 1.0])], "x", "y", log_x=True),
        Plot([Series("a", [1.0], [float("nan")], [0.1])], "x", "y"),
        Plot([Series(f"s{k}", [1, 2], [k, k]) for k in range(20)], "x", "y"),
        Plot([OURS, OURS], "x", "y"),
        Bars([], [], "y"),
        Bars([f"a long name {k}" for k in range(20)], [("a", [1.0] * 20)], "y"),
    ],
)
def test_any_panel_can_be_drawn(panel):
    ((name, svg),) = draw_all([panel], "n").items()
    assert name == "n-1"
    ElementTree.fromstring(svg)
