import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.exceptions import NotFittedError

from lopsided import LASVC
from lopsided.plot import SupportRatioDisplay
from lopsided.plot._support_ratio import support_ratio

HISTORY = {
    "n_labels": [1, 2, 3, 4, 5],
    "n_support_positive": [0, 1, 1, 2, 2],
    "n_support_negative": [1, 0, 2, 2, 1],
}


def legend_texts(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def tick_texts(display):
    display.figure_.canvas.draw()
    low, high = display.ax_.get_ylim()
    ticks = zip(display.ax_.get_yticks(), display.ax_.get_yticklabels(), strict=True)
    return [label.get_text() for value, label in ticks if low <= value <= high]


def test_ratio_by_hand():
    n_labels, ratio = support_ratio(HISTORY)
    np.testing.assert_array_equal(n_labels, [1, 2, 3, 4, 5])
    np.testing.assert_array_equal(ratio, [np.nan, np.nan, 2.0, 1.0, 0.5])  # no ratio while a class has none


def test_several_methods_and_the_ratio_of_the_data():
    histories = {"active": HISTORY, "random": {**HISTORY, "n_support_negative": [1, 1, 5, 9, 40]}}
    display = SupportRatioDisplay.from_histories(histories, 19, stopped_at={"active": 4, "random": None})
    assert legend_texts(display) == ["active (stops at 4 labels)", "random", "classes in the data (19:1)"]
    np.testing.assert_array_equal(display.lines_["random"].get_ydata(), [np.nan, 1.0, 5.0, 4.5, 20.0])
    np.testing.assert_array_equal(display.stops_["active"].get_xdata(), [4, 4])
    assert list(display.stops_) == ["active"]
    np.testing.assert_array_equal(display.class_ratio_line_.get_ydata(), [19, 19])
    assert display.class_ratio_line_.is_dashed()
    assert display.ax_.get_xlabel() == "labels spent"
    assert display.ax_.get_ylabel() == "negative : positive support vectors"
    assert display.ax_.get_yscale() == "log"
    assert tick_texts(display) == ["0.5:1", "1:1", "2:1", "5:1", "10:1", "20:1"]


@pytest.mark.parametrize("low", [1.1, 2.1, 3.2, 5.1, 7.1, 21])
def test_a_narrow_range_has_ticks_too(low):
    n_labels = np.arange(1, 100)
    ratio = np.linspace(low, 2 * low, 99)
    history = {"n_labels": n_labels, "n_support_positive": n_labels, "n_support_negative": ratio * n_labels}
    assert len(tick_texts(SupportRatioDisplay.from_histories({"a": history}))) >= 2


def test_from_estimator(fake, four_parts):
    X, y, *_ = four_parts
    model = fake(selection="active", stopping="saturation", random_state=0).fit(X, y)
    display = SupportRatioDisplay.from_estimator(model, y=y)
    ratio = np.sum(y == 0) / np.sum(y == 1)
    assert display.class_ratio == pytest.approx(ratio)
    assert legend_texts(display)[0] == "FakeLearner, active (stops at 100 labels)"
    line = display.lines_["FakeLearner, active"]
    np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 101))
    asked = np.bincount(y[model.queried_])
    assert line.get_ydata()[-1] == pytest.approx(asked[0] / asked[1])

    other = fake(random_state=0).fit(X, y)
    second = SupportRatioDisplay.from_estimator(other, name="random", ax=display.ax_)
    assert second.figure_ is display.figure_
    assert second.class_ratio_line_ is None
    assert not second.stops_  # it read everything
    assert second.lines_["random"].get_color() != line.get_color()
    assert display.ax_.get_xlim()[1] >= 300
    assert len(legend_texts(second)) == 3


def test_with_the_online_svm(four_parts):
    X, y, *_ = four_parts
    model = LASVC(kernel="linear", selection="active", max_labels=60, random_state=0).fit(X, y)
    display = SupportRatioDisplay.from_estimator(model, y=y)
    line = display.lines_["LASVC, active"]
    np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 61))
    assert np.isfinite(line.get_ydata()[-1])
    np.testing.assert_array_equal(display.stops_["LASVC, active"].get_xdata(), [60, 60])


def test_the_classes_of_the_model_say_which_is_positive(fake, four_parts):
    X, y, *_ = four_parts
    words = np.array(["ham", "spam"])[y]
    model = fake(random_state=0).fit(X, words)
    assert SupportRatioDisplay.from_estimator(model, y=words).class_ratio > 1
    assert SupportRatioDisplay.from_estimator(model, class_ratio=9.5).class_ratio == 9.5


def test_without_matplotlib(no_matplotlib):
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[plot\]'"):
        SupportRatioDisplay.from_histories({"a": HISTORY})


def test_bad_input(fake, four_parts):
    X, y, *_ = four_parts
    with pytest.raises(NotFittedError):
        SupportRatioDisplay.from_estimator(fake())
    with pytest.raises(ValueError, match="Pass one of them"):
        SupportRatioDisplay.from_estimator(fake().fit(X, y), y=y, class_ratio=3)
    with pytest.raises(ValueError, match="at least one history"):
        SupportRatioDisplay.from_histories({})
    with pytest.raises(ValueError, match="n_support_negative is missing"):
        SupportRatioDisplay.from_histories({"a": {"n_labels": [1], "n_support_positive": [1]}})
    with pytest.raises(ValueError, match="n_labels 1, n_support_positive 5"):
        SupportRatioDisplay.from_histories({"a": {**HISTORY, "n_labels": [1]}})
    with pytest.raises(ValueError, match="draws 1 panels; ax holds 2"):
        SupportRatioDisplay.from_histories({"a": HISTORY}, ax=[1, 2])
    assert not pyplot.get_fignums()
