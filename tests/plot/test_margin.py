import math

import numpy as np
import pytest
from matplotlib import pyplot
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from lopsided import LASVC
from lopsided.datasets import make_lopsided
from lopsided.plot import MarginImbalance, MarginImbalanceDisplay, margin_imbalance
from lopsided.plot._margin import _edges

SCORES = [-2.5, -1.01, -0.9, 0.2, 1.01, 3.0, -0.4]
LABELS = [0, 0, 0, 1, 1, 1, 0]


@pytest.fixture
def fitted():
    X, y = make_lopsided(n_samples=500, n_features=5, positive_rate=0.1, random_state=0)
    return SVC(kernel="linear").fit(X, y), X, y


def test_counts_by_hand():
    found = MarginImbalanceDisplay(SCORES, np.array(LABELS) == 1).imbalance
    assert found == MarginImbalance(n_positive=3, n_negative=4, n_inside_positive=1, n_inside_negative=2)
    assert found.ratio_all == pytest.approx(4 / 3)
    assert found.ratio_margin == 2
    assert found.n_inside == 3


@pytest.mark.parametrize(("tol", "n_inside"), [(0, 2), (1e-3, 4), (1e-2, 6)])
def test_what_is_on_the_margin_up_to_tol_counts(tol, n_inside):
    scores = [1.0, -1.0, 1.0005, -1.0005, 1.005, -1.005, 1.05]
    found = MarginImbalanceDisplay(scores, [True] * 7, tol=tol).imbalance
    assert found.n_inside == n_inside
    assert MarginImbalanceDisplay.from_predictions([1] * 7, scores, tol=tol).imbalance == found


def test_tol_is_that_of_the_solver(fitted):
    model, X, y = fitted
    assert margin_imbalance(model, X, y) == margin_imbalance(model, X, y, tol=1e-3)
    model.tol = 5.0
    assert margin_imbalance(model, X, y) == margin_imbalance(model, X, y, tol=5.0)
    assert MarginImbalanceDisplay.from_estimator(model, X, y).tol == 5.0
    assert MarginImbalanceDisplay.from_estimator(model, X, y, tol=0.1).tol == 0.1


def test_every_free_support_vector_counts():
    """They stand on the margin; rounding puts half of them a little outside."""
    X, y = make_lopsided(n_samples=300, n_features=5, positive_rate=0.1, random_state=1)
    model = LASVC(kernel="linear", C=1.0, n_epochs="converge", random_state=0).fit(X, y)
    free = model.support_[np.abs(model.dual_coef_[0]) < 1 - 1e-9]
    assert len(free) > 2
    assert margin_imbalance(model, X[free], y[free]).n_inside == len(free)


def test_without_a_class():
    assert math.isnan(MarginImbalance(3, 4, 0, 0).ratio_margin)
    assert MarginImbalance(3, 4, 0, 2).ratio_margin == math.inf
    assert MarginImbalance(3, 4, 2, 0).ratio_margin == 0


def test_numbers_of_a_model(fitted):
    model, X, y = fitted
    found = margin_imbalance(model, X, y)
    f = model.decision_function(X)
    inside = [abs(score) <= 1.001 for score in f]
    assert found.n_inside_positive == sum(i for i, label in zip(inside, y, strict=True) if label == 1)
    assert found.n_inside_negative == sum(i for i, label in zip(inside, y, strict=True) if label == 0)
    assert found.ratio_all == 9
    assert found.ratio_margin < found.ratio_all  # what figure 3 says
    assert found == margin_imbalance(SVC(kernel="linear").fit(csr_array(X), y), csr_array(X), y)


def test_the_second_class_is_the_positive_one(fitted):
    model, X, y = fitted
    words = np.array(["ham", "spam"])[y]
    display = MarginImbalanceDisplay.from_estimator(SVC(kernel="linear").fit(X, words), X, words)
    assert display.imbalance == margin_imbalance(model, X, y)
    legend = display.ax_.get_legend()
    found = display.imbalance
    assert [text.get_text() for text in legend.get_texts()] == [
        f"margin, |f(x)| ≤ 1: {found.n_inside} samples",
        f"negative class ham: {found.n_inside_negative} of 450 within the margin",
        f"positive class spam: {found.n_inside_positive} of 50 within the margin",
    ]
    assert "9:1 in all data" in legend.get_title().get_text()


def test_picture(fitted):
    model, X, y = fitted
    display = MarginImbalanceDisplay.from_estimator(model, X, y)
    assert display.ax_.get_xlabel().startswith("f(x)")
    assert display.ax_.get_ylabel() == "samples in a bar"
    assert display.ax_.get_yscale() == "log"
    assert (display.margin_.get_x(), display.margin_.get_width()) == (-1, 2)
    for bars, total, inside in zip(
        display.bars_,
        (450, 50),
        (display.imbalance.n_inside_negative, display.imbalance.n_inside_positive),
        strict=True,
    ):
        counts, edges, _ = bars.get_data()
        assert counts.sum() == total  # nobody falls outside the picture
        assert counts[(edges[:-1] > -1.002) & (edges[1:] < 1.002)].sum() == inside
    assert 0.5 < display.ax_.get_ylim()[0] < 1 < counts.max() < display.ax_.get_ylim()[1]
    display.figure_.canvas.draw()


def test_with_the_online_svm(fitted):
    model, X, y = fitted
    online = LASVC(kernel="linear", n_epochs="converge", random_state=0).fit(X, y)
    found, batch = margin_imbalance(online, X, y), margin_imbalance(model, X, y)
    assert found.ratio_all == 9
    assert abs(found.n_inside - batch.n_inside) <= 2
    assert found.ratio_margin < 3


def test_scores_that_are_known_already():
    words = np.where(np.array(LABELS) == 1, "yes", "no")
    _, ax = pyplot.subplots()
    display = MarginImbalanceDisplay.from_predictions(words, SCORES, pos_label="yes", ax=ax)
    assert display.ax_ is ax
    assert display.imbalance.n_inside_positive == 1


@pytest.mark.parametrize("scale", [0, 1e-3, 0.3, 1, 7, 40, 1e3, 1e7])
@pytest.mark.parametrize("n_bins", [1, 10, 60])
def test_borders_of_bars(scale, n_bins):
    scores = scale * np.random.default_rng(0).standard_normal(200)
    edges = _edges(scores, n_bins, 1.25)
    assert (np.diff(edges) > 0).all()
    assert edges[0] <= min(scores.min(), -1.25)
    assert edges[-1] >= max(scores.max(), 1.25)
    assert len(edges) <= 2 * n_bins + 5
    for border in (-1.25, 1.25):
        assert np.abs(edges - border).min() < 1e-12


def test_an_empty_class_is_drawn_too():
    display = MarginImbalanceDisplay.from_predictions([0, 0], [-0.5, -2.0])
    assert "no positive within the margin, no positive in all data" in (
        display.ax_.get_legend().get_title().get_text()
    )
    display.figure_.canvas.draw()


def test_without_matplotlib(no_matplotlib):
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[plot\]'"):
        MarginImbalanceDisplay.from_predictions(LABELS, SCORES)


def test_bad_input(fitted):
    model, X, y = fitted
    with pytest.raises(NotFittedError):
        margin_imbalance(SVC(), X, y)
    three = SVC().fit(X, np.arange(500) % 3)
    with pytest.raises(ValueError, match=r"this SVC has 3\. Compare y with one label"):
        margin_imbalance(three, X, y)
    with pytest.raises(ValueError, match="X 500, y 499"):
        margin_imbalance(model, X, y[1:])
    with pytest.raises(ValueError, match="scores 2, is_positive 1"):
        MarginImbalanceDisplay([0.1, 0.2], [True])
    with pytest.raises(ValueError, match=r"tol must be 0 or more; got -0\.1"):
        margin_imbalance(model, X, y, tol=-0.1)
    with pytest.raises(ValueError, match="n_bins must be 1 or more; got 0"):
        MarginImbalanceDisplay.from_predictions(LABELS, SCORES, n_bins=0)
    with pytest.raises(ValueError, match="draws 1 panels; ax holds 3"):
        MarginImbalanceDisplay.from_predictions(LABELS, SCORES, ax=[1, 2, 3])
    assert not pyplot.get_fignums()
