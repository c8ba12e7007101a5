import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.exceptions import NotFittedError
from sklearn.svm import OneClassSVM

from histories import steps
from lopsided.datasets import make_islands
from lopsided.plot._boundary import BoundaryDisplay
from lopsided.pu import SMC, SVMC


@pytest.fixture(scope="module")
def islands():
    X, y, _ = make_islands(random_state=4)
    return X, y


@pytest.fixture(scope="module")
def model(islands):
    return SVMC(kappa=4).fit(*islands)


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def points_inside(display, name):
    """Which points of the heap lie on the positive side of what was drawn, read off the grid."""
    columns, rows = (
        np.abs(axis[:, None] - display.X[:, j]).argmin(axis=0) for j, axis in enumerate(display.grid)
    )
    return display.scores[name][rows, columns] >= 0


def test_all_boundaries(model, islands):
    X, y = islands
    display = BoundaryDisplay.from_estimator(model, X, y)
    names = ["mapping", *(f"iteration {k}" for k in range(1, model.n_iter_ + 1))]
    assert list(display.lines_) == list(display.scores) == names
    assert legend_texts(display.ax_) == ["unlabeled: 600", "labeled positives: 60", *names]
    assert all(line is not None for line in display.lines_.values())
    assert display.figure_ is display.ax_.figure
    colors = [tuple(line.get_edgecolor()[0]) for line in display.lines_.values()]
    lightness = [sum(color[:3]) for color in colors]
    assert lightness == sorted(lightness, reverse=True)
    unlabeled, labeled = display.ax_.get_lines()[:2]
    np.testing.assert_array_equal(labeled.get_xydata(), X[y == 1])
    np.testing.assert_array_equal(unlabeled.get_xydata(), X[y == 0])


def test_each_boundary_is_that_of_its_iteration(model, islands):
    """The heap that is left inside is what the history counts, but for points on the line."""
    display = BoundaryDisplay.from_estimator(model, *islands, n_grid=400)
    heap = islands[1] == 0
    inside = [points_inside(display, name)[heap].sum() for name in display.scores]
    remaining = model.history_["n_remaining"]
    assert np.abs(np.subtract(inside, remaining)).max() <= 12
    assert inside[0] > 2 * inside[-1]


def test_the_last_boundary_is_the_model_s_own(model, islands, monkeypatch):
    monkeypatch.setattr(SVMC, "fit", None)  # nothing is fitted again for it
    display = BoundaryDisplay.from_estimator(model, *islands, iterations=[model.n_iter_], n_grid=30)
    square = np.column_stack([part.ravel() for part in np.meshgrid(*display.grid)])
    np.testing.assert_array_equal(
        display.scores[f"iteration {model.n_iter_}"].ravel(), model.decision_function(square)
    )


def test_a_mapping_that_was_helped_is_drawn_where_it_rejects(model, islands):
    assert "fallback" in model.history_["notes"][0]
    display = BoundaryDisplay.from_estimator(model, *islands, iterations=[0], n_grid=400)
    outside = np.flatnonzero(~points_inside(display, "mapping"))
    assert len(set(model.strong_negatives_) ^ set(outside)) <= 6  # those on the line


def test_the_model_stays_as_it_was(model, islands):
    before = model.get_params(), steps(model), model.n_iter_
    BoundaryDisplay.from_estimator(model, *islands, n_grid=10)
    assert (model.get_params(), steps(model), model.n_iter_) == before


def test_many_iterations_are_thinned(islands):
    slow = SMC(kappa=4, gamma=0.05, max_reject=None).fit(*islands)
    assert slow.n_iter_ >= 7
    names = list(BoundaryDisplay.from_estimator(slow, *islands, n_grid=10).lines_)
    assert len(names) == 7
    assert (names[0], names[-1]) == ("mapping", f"iteration {slow.n_iter_}")


def test_one_of_several_is_drawn_again(model, islands):
    display = BoundaryDisplay.from_estimator(model, *islands, n_grid=50)
    _, ax = pyplot.subplots()
    display.plot(ax, names=["iteration 2"])
    assert display.ax_ is ax
    assert list(display.lines_) == ["iteration 2"]
    assert len(display.scores) == model.n_iter_ + 1
    inside = display.shade_.get_paths()[0].vertices
    assert np.abs(inside).max() < 2  # the middle island


def test_any_estimator_has_one_boundary(islands):
    X, y = islands
    display = BoundaryDisplay.from_estimator(OneClassSVM(gamma=1.0).fit(X[y == 1]), X, y)
    assert list(display.lines_) == ["OneClassSVM"]
    with pytest.raises(ValueError, match="OneClassSVM has one boundary"):
        BoundaryDisplay.from_estimator(OneClassSVM().fit(X), X, y, iterations=[1])


@pytest.mark.parametrize(("value", "word"), [(1.0, "everything"), (-1.0, "nothing")])
def test_no_line_where_all_is_on_one_side(islands, value, word):
    grid = (np.arange(3), np.arange(4))
    display = BoundaryDisplay(*islands, {"flat": np.full((4, 3), value)}, grid).plot()
    assert display.lines_ == {"flat": None}
    assert (display.shade_ is None) == (value < 0)
    assert legend_texts(display.ax_)[-1] == f"flat: {word}"


def test_other_spellings_of_unlabeled(model, islands):
    X, y = islands
    display = BoundaryDisplay.from_estimator(model, X, np.where(y == 1, 1, -1), iterations=[0], n_grid=5)
    assert display.is_labeled.sum() == 60


def test_without_matplotlib(model, islands, no_matplotlib):
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[plot\]'"):
        BoundaryDisplay.from_estimator(model, *islands, iterations=[0], n_grid=5)


def test_bad_input(model, islands):
    X, y = islands
    with pytest.raises(NotFittedError):
        BoundaryDisplay.from_estimator(SVMC(), X, y)
    with pytest.raises(ValueError, match=r"in the plane.*got \(660, 3\)"):
        BoundaryDisplay.from_estimator(model, np.hstack([X, X[:, :1]]), y)
    with pytest.raises(ValueError, match=r"in the plane.*got \(0, 2\)"):
        BoundaryDisplay.from_estimator(model, X[:0], y[:0])
    with pytest.raises(ValueError, match="X contains NaN in 1 of 1320"):
        BoundaryDisplay.from_estimator(model, np.where(np.arange(1320).reshape(-1, 2) == 7, np.nan, X), y)
    with pytest.raises(ValueError, match="got X 660, y 659"):
        BoundaryDisplay.from_estimator(model, X, y[1:], iterations=[0])
    for iterations in ([-1], [model.n_iter_ + 1], []):
        with pytest.raises(ValueError, match=r"iterations must be from 0 \(the mapping\) to 5"):
            BoundaryDisplay.from_estimator(model, X, y, iterations=iterations)
    with pytest.raises(ValueError, match="n_grid must be 2 or more; got 1"):
        BoundaryDisplay.from_estimator(model, X, y, n_grid=1)
    display = BoundaryDisplay.from_estimator(model, X, y, iterations=[0], n_grid=5)
    with pytest.raises(ValueError, match="names must be among mapping; got last"):
        display.plot(names=["last"])
    with pytest.raises(ValueError, match="got none"):
        display.plot(names=[])
