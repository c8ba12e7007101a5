import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from lopsided.plot import LabelCurve, LabelCurveDisplay
from lopsided.plot._canvas import COLORS


def make_curve(name, shift=0.0, stopped_at=None):
    g_mean = np.array([0.1, 0.5, 0.8]) + shift
    return LabelCurve(name, [10, 20, 40], g_mean, g_mean / 2, [6, 9, 12], [2, 4, 6], [4, 5, 6], stopped_at)


def shaded(panel):
    return [patch for patch in panel.patches if patch.get_gid() == "lopsided shade"]


def legend_texts(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_three_panels_that_can_be_read_alone():
    display = LabelCurveDisplay.from_curves([make_curve("active", stopped_at=20), make_curve("random", -0.1)])
    assert [ax.get_ylabel() for ax in display.axes_] == ["g-means", "PRBEP", "support vectors"]
    assert [ax.get_xlabel() for ax in display.axes_] == ["", "", "labels spent"]
    assert legend_texts(display) == ["active (stops at 20 labels)", "random"]
    assert display.ax_ is display.axes_[0]
    assert display.figure_ is display.ax_.figure
    for lines, divisor in zip(display.lines_[:2], (1, 2), strict=True):
        np.testing.assert_array_equal(lines[0].get_xdata(), [10, 20, 40])
        np.testing.assert_allclose(lines[0].get_ydata(), np.array([0.1, 0.5, 0.8]) / divisor)
    np.testing.assert_array_equal(display.lines_[2][1].get_ydata(), [6, 9, 12])
    display.figure_.canvas.draw()
    assert display.ax_.get_yticklabels()[1].get_text().endswith("%")
    assert all(ax.get_xlim()[0] == 0 and ax.get_xlim()[1] >= 40 for ax in display.axes_)


def test_legend_stands_above_the_curves():
    display = LabelCurveDisplay.from_curves([make_curve("active", stopped_at=20)])
    display.figure_.canvas.draw()
    legend, panel = display.ax_.get_legend().get_window_extent(), display.ax_.get_window_extent()
    assert legend.y0 >= panel.y1
    assert display.figure_.bbox.y1 >= legend.y1


def test_the_stop_is_marked_and_what_was_spent_is_shaded():
    display = LabelCurveDisplay.from_curves([make_curve("active", stopped_at=20), make_curve("random")])
    for panel, (stop,) in zip(display.axes_, display.stops_, strict=True):
        np.testing.assert_array_equal(stop.get_xdata(), [20, 20])
        (area,) = shaded(panel)
        assert (area.get_x(), area.get_width()) == (0, 20)
    assert not shaded(LabelCurveDisplay([make_curve("a", stopped_at=20)]).plot(shade=False).ax_)


def test_two_stops_are_two_lines_without_shade():
    curves = [make_curve("active", stopped_at=20), make_curve("exhaustive", stopped_at=15)]
    display = LabelCurveDisplay.from_curves(curves)
    assert len(display.stops_[0]) == 2
    assert not shaded(display.ax_)


def test_several_runs_are_a_mean_in_a_band():
    runs = [make_curve("active", shift, stopped_at=20 + 100 * shift) for shift in (-0.1, 0.0, 0.1)]
    display = LabelCurveDisplay.from_curves([*runs, make_curve("random")])
    assert len(display.lines_[0]) == 2
    np.testing.assert_allclose(display.lines_[0][0].get_ydata(), [0.1, 0.5, 0.8])
    assert legend_texts(display)[0] == "active (3 runs, stops at 20 labels)"
    (band,) = display.ax_.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(0.0)
    assert heights.max() == pytest.approx(0.9)
    assert "standard deviation" in display.ax_.get_legend().get_title().get_text()


def test_a_band_of_scores_stays_between_0_and_1():
    display = LabelCurveDisplay.from_curves([make_curve("active", shift) for shift in (-0.4, 0.0, 0.2)])
    heights = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0, 1)


def test_the_steep_beginning_leaves_the_picture():
    """So that 97 % and 99 % can be told apart; a late rise stays in view."""
    scores = np.array([0.0, 0.97, 0.98])
    curve = LabelCurve("a", [10, 100, 1000], scores, scores, [1, 2, 3], [1, 1, 1], [0, 1, 2])
    later = LabelCurve("b", [10, 100, 1000], scores / 2, scores, [1, 2, 3], [1, 1, 1], [0, 1, 2])
    display = LabelCurveDisplay.from_curves([curve])
    assert 0.95 < display.ax_.get_ylim()[0] < 0.97
    assert 0.98 < display.ax_.get_ylim()[1] < 1
    assert display.axes_[2].get_ylim()[0] == 0
    LabelCurveDisplay.from_curves([later], ax=display.axes_)
    assert 0.4 < display.ax_.get_ylim()[0] < 0.485
    assert LabelCurveDisplay.from_curves([curve], zoom=False).ax_.get_ylim()[0] < 0
    early = LabelCurve("a", [10, 100, 1000], [0.99, 0.5, 0.6], scores, [1, 2, 3], [1, 1, 1], [0, 1, 2])
    assert LabelCurveDisplay.from_curves([early]).ax_.get_ylim()[1] > 0.99  # an early peak stays in view
    other = LabelCurve("a", [10, 100, 1000], [0, 0.5, 0.98], scores, [1, 2, 3], [1, 1, 1], [0, 1, 2])
    assert 0.3 < LabelCurveDisplay.from_curves([curve, other]).ax_.get_ylim()[0] < 0.41  # the band is in view


def test_a_second_display_on_the_same_axes():
    first = LabelCurveDisplay.from_curves([make_curve("active", stopped_at=20)])
    longer = LabelCurve("random", [10, 400], [0, 1], [0, 1], [6, 70], [2, 4], [4, 66], stopped_at=300)
    second = LabelCurveDisplay.from_curves([longer], ax=first.axes_)
    assert second.figure_ is first.figure_
    colors = [
        to_hex(display.lines_[0][0].get_color(), keep_alpha=False).upper() for display in (first, second)
    ]
    assert colors == [COLORS[0], COLORS[1]]
    assert first.lines_[0][0].get_marker() != second.lines_[0][0].get_marker()
    assert legend_texts(second) == ["active (stops at 20 labels)", "random (stops at 300 labels)"]
    assert not shaded(first.ax_)
    assert first.ax_.get_xlim()[1] >= 400
    assert first.axes_[2].get_ylim()[1] >= 70


def test_on_axes_of_ones_own():
    figure, axes = pyplot.subplots(1, 2)
    scores = ["n_support_negative", "n_support_positive"]
    display = LabelCurveDisplay.from_curves([make_curve("a")], ax=axes, scores=scores)
    assert display.figure_ is figure
    assert [ax.get_xlabel() for ax in axes] == ["labels spent"] * 2
    assert [ax.get_ylabel() for ax in axes] == ["negative support vectors", "positive support vectors"]
    np.testing.assert_array_equal(display.lines_[1][0].get_ydata(), [2, 4, 6])
    LabelCurveDisplay.from_curves([make_curve("a")], ax=pyplot.figure().add_subplot(), scores="prbep")


def test_from_estimator(fake, four_parts):
    model = fake(stopping="saturation", random_state=0)
    display = LabelCurveDisplay.from_estimator(model, *four_parts, n_points=4, max_labels=200, name="ours")
    assert legend_texts(display) == ["ours (stops at 100 labels)"]
    (curve,) = display.curves
    assert len(curve.n_labels) == 5
    assert curve.n_labels[-1] == 200


def test_nothing_is_drawn_until_plot():
    display = LabelCurveDisplay([make_curve("a")])
    assert not pyplot.get_fignums()
    assert not hasattr(display, "figure_")
    assert display.plot() is display


def test_without_matplotlib(no_matplotlib):
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[plot\]'"):
        LabelCurveDisplay.from_curves([make_curve("a")])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"curves": []}, "at least one LabelCurve"),
        ({"scores": "auc"}, "scores must be among g_mean, prbep.*; got auc"),
        ({"scores": []}, "got none"),
        ({"ax": "one"}, "draws 3 panels; ax holds 1"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(ValueError, match=words):
        LabelCurveDisplay.from_curves(**{"curves": [make_curve("a")], **arguments})
    assert not pyplot.get_fignums()
