from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot

from lopsided.datasets import make_lopsided
from lopsided.feedback import AppleTasting, OneSidedFilter, run_stream
from lopsided.online import MarginPerceptron
from lopsided.plot import StreamDisplay


def report(show_rate=0.9, n=1000, seed=0):
    """What StreamReport.curve gives: cumulative figures of random decisions, positives at a tenth."""
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.1
    show = rng.random(n) < np.where(positive, show_rate, 0.05)
    explored = show & (rng.random(n) < 0.2)

    def curve(n_points=100):
        ends = np.unique(np.linspace(1, max(n, 1), n_points).astype(int))[: n_points if n else 0]
        tp, shown = np.cumsum(positive & show)[ends - 1], np.cumsum(show)[ends - 1]
        seen = np.cumsum(positive)[ends - 1]
        precision, recall = tp / np.maximum(shown, 1), tp / np.maximum(seen, 1)
        starts = np.maximum(ends - n // 10, 0)
        recent = [
            show[a:b][positive[a:b]].mean() if positive[a:b].any() else 0.0
            for a, b in zip(starts, ends, strict=True)
        ]
        return {
            "n_seen": ends,
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / np.maximum(precision + recall, 1e-9),
            "recent_recall": np.array(recent),
            "n_labels": shown,
            "n_explored": np.cumsum(explored)[ends - 1],
        }

    return SimpleNamespace(curve=curve)


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_one_report():
    one = report()
    display = StreamDisplay.from_reports(one)
    assert [ax.get_ylabel() for ax in display.axes_] == ["precision, recall", "labels"]
    assert [ax.get_xlabel() for ax in display.axes_] == ["", "items seen"]
    curve = one.curve()
    lines = display.lines_["stream"]
    assert list(lines) == ["precision", "recall", "recent_recall", "n_labels", "n_explored"]
    for column, line in lines.items():
        np.testing.assert_array_equal(line.get_xdata(), curve["n_seen"])
        np.testing.assert_array_equal(line.get_ydata(), curve[column])
    top, bottom = (legend_texts(ax) for ax in display.axes_)
    assert top[1] == f"recall ({100 * curve['recall'][-1]:.3g}%)"
    assert top[2] == "recall of the last tenth"
    assert bottom == [f"labels ({curve['n_labels'][-1]})", f"explorations ({curve['n_explored'][-1]})"]
    assert lines["recent_recall"].get_linestyle() == ":"
    assert lines["recent_recall"].get_color() == lines["recall"].get_color() != lines["precision"].get_color()
    assert display.ax_ is display.axes_[0]
    assert display.figure_ is display.ax_.figure


def test_several_reports_are_compared():
    display = StreamDisplay.from_reports({"alone": report(0.3), "exploring": report(0.8, seed=1)})
    assert [ax.get_ylabel() for ax in display.axes_] == ["recall", "F1", "labels"]
    assert legend_texts(display.ax_) == ["alone", "exploring"]
    assert all(ax.get_legend() is None for ax in display.axes_[1:])
    assert list(display.lines_["alone"]) == ["recall", "f1", "n_labels"]
    colors = [[lines[column].get_color() for column in lines] for lines in display.lines_.values()]
    assert len(set(colors[0])) == len(set(colors[1])) == 1  # one for each report
    assert colors[0] != colors[1]


def test_a_dictionary_of_one_keeps_its_name():
    display = StreamDisplay.from_reports({"mail": report()})
    assert list(display.lines_) == ["mail"]
    assert len(display.axes_) == 2


@pytest.mark.parametrize("scores", ["recent_recall", ["f1", "n_explored"]])
def test_panels_can_be_chosen(scores):
    display = StreamDisplay.from_reports({"a": report(), "b": report(0.5)}, scores=scores, n_points=20)
    chosen = [scores] if isinstance(scores, str) else scores
    assert list(display.lines_["a"]) == chosen
    assert len(display.axes_) == len(chosen)
    assert len(display.lines_["a"][chosen[0]].get_xdata()) == 20
    assert legend_texts(display.ax_) == ["a", "b"]
    alone = StreamDisplay.from_reports(report(), scores=scores)
    assert alone.ax_.get_ylabel() == {"recent_recall": "recent recall", "f1": "F1"}[chosen[0]]


def test_into_axes_of_the_caller():
    figure, (left, right) = pyplot.subplots(1, 2, layout="constrained")
    display = StreamDisplay.from_reports(report(), ax=[left, right])
    assert display.figure_ is figure
    assert (left.get_xlabel(), right.get_xlabel()) == ("items seen", "items seen")
    _, ax = pyplot.subplots()
    first = StreamDisplay.from_reports({"a": report()}, scores="recall", ax=ax)
    second = StreamDisplay({"b": report(0.2)}).plot(first.ax_, scores="recall")
    assert second.ax_ is ax
    assert legend_texts(ax) == ["a", "b"]
    assert second.lines_["b"]["recall"].get_color() != first.lines_["a"]["recall"].get_color()


def test_the_unsteady_beginning_leaves_the_picture():
    good = report(0.97, n=3000)
    assert StreamDisplay.from_reports(good, scores="recall").ax_.get_ylim()[0] > 0.8
    assert good.curve()["recall"][0] == 0
    assert StreamDisplay.from_reports(good, scores="recall", zoom=False).ax_.get_ylim()[0] <= 0


def test_an_empty_stream():
    display = StreamDisplay.from_reports(report(n=0))
    assert len(display.lines_["stream"]["recall"].get_xdata()) == 0
    assert legend_texts(display.axes_[1]) == ["labels", "explorations"]


def test_no_positive_in_the_last_tenth():
    one = report()
    curve = one.curve()
    curve["recent_recall"][40:50] = np.nan
    display = StreamDisplay.from_reports(SimpleNamespace(curve=lambda n_points: curve))
    assert len(display.lines_["stream"]["recent_recall"].get_xdata()) == 90
    assert np.isfinite(display.ax_.get_ylim()).all()
    curve["recent_recall"][:] = np.nan
    alone = StreamDisplay.from_reports(SimpleNamespace(curve=lambda n_points: curve), scores="recent_recall")
    assert len(alone.lines_["stream"]["recent_recall"].get_xdata()) == 0


def test_a_real_report():
    X, y = make_lopsided(n_samples=500, positive_rate=0.3, random_state=0)
    explorer = AppleTasting()
    real = run_stream(OneSidedFilter(MarginPerceptron(), explorer=explorer, random_state=0), X, y)
    lines = real.plot().lines_["stream"]
    assert lines["recall"].get_ydata()[-1] == real.recall
    assert lines["n_explored"].get_ydata()[-1] == real.n_explored
    display = StreamDisplay.from_reports(real, scores="cost")
    assert display.lines_["stream"]["cost"].get_ydata()[-1] == real.cost()
    assert display.ax_.get_ylabel() == "cost"


def test_without_matplotlib(no_matplotlib):
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[plot\]'"):
        StreamDisplay.from_reports(report())


def test_bad_input():
    with pytest.raises(ValueError, match="at least one StreamReport; got none"):
        StreamDisplay.from_reports({})
    for wrong in ([report(), report()], None, {"a": 1}):
        with pytest.raises(
            ValueError, match=r"one StreamReport, or several as a dict: \{name: report\}; got"
        ):
            StreamDisplay.from_reports(wrong)
    with pytest.raises(ValueError, match=r"scores must be among precision, recall.*; got auc"):
        StreamDisplay.from_reports(report(), scores=["f1", "auc"])
    with pytest.raises(ValueError, match="; got none"):
        StreamDisplay.from_reports(report(), scores=[])
    with pytest.raises(ValueError, match="draws 2 panels; ax holds 1"):
        StreamDisplay.from_reports(report(), ax=[1])
    assert not pyplot.get_fignums()
