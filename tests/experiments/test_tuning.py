"""Parameters that are chosen by results, and other arguments that are no plain product of axes."""

import pytest

from lopsided.experiments import SEEDS, Extent, Grid, Item, Measurement, Measurements, seeds
from lopsided.runs import Results, Runner
from runs.work import draw

QUICK, FULL = Extent(seeds(1), quick=True), Extent(seeds(3), quick=False)


def cells(grid, extent=FULL):
    return [unit.arguments for unit in grid.units(extent, lambda units: [])]


def measured(*rows):
    return Measurements([Measurement({"row": r, "C": C, "seed": s}, {"f1": f1}) for r, C, s, f1 in rows])


T = measured(("a", 1, 0, 0.3), ("a", 2, 0, 0.9), ("a", 2, 1, 0.1), ("a", 4, 0, 0.6), ("b", 1, 0, 0.8))


def test_arguments_may_belong_together():
    grid = Grid(draw, together={("n", "seed"): [(5, 1), (6, 2)]})
    assert cells(grid) == [(1, 5), (2, 6)]
    assert [grid.at(unit) for unit in grid.units(FULL, None)] == [{"seed": 1, "n": 5}, {"seed": 2, "n": 6}]


def test_axes_run_within_what_belongs_together():
    found = cells(
        Grid(take_three, together={("a", "b"): lambda extent, ask: [(5, 1), (6, 2)]}, c=(7, 8)), FULL
    )
    assert found == [(5, 1, 7), (5, 1, 8), (6, 2, 7), (6, 2, 8)]


def take_three(a, b, c):
    return a + b + c


def test_what_belongs_together_must_be_arguments():
    with pytest.raises(ValueError, match="draw has no argument 'm'"):
        Grid(draw, together={("m", "seed"): [(5, 1)]})


def test_cheap_runs_are_repeated_in_a_quick_run():
    grid = Grid(draw, seed=SEEDS.at_least(5), n=(1,))
    assert [seed for seed, _ in cells(grid, QUICK)] == list(seeds(5))
    assert [seed for seed, _ in cells(grid, Extent(seeds(6), quick=True))] == list(seeds(6))
    assert [seed for seed, _ in cells(grid)] == list(seeds(3))  # as many as were asked for
    assert grid.left_out(n_runs=10, n_quick_runs=1) == "runs after the first 5"


def test_a_limit_is_said():
    grid = Grid(draw, n=(None,), quick={"n": (30,)})
    assert grid.left_out(n_runs=1, n_quick_runs=1) == "n limited to 30"


def test_grids_of_one_function_may_name_different_arguments():
    item = Item([Grid(hypot, x=(3.0,), y=(4.0,)), Grid(hypot, x=(6.0,))], list, lambda r: {"length": r})
    answers = Runner(Results()).ask(item.units(FULL, None))
    t = item.summarise(answers)
    assert [(one.at, one.values) for one in t] == [
        ({"x": 3.0, "y": 4.0}, {"length": 5.0}),
        ({"x": 6.0}, {"length": 10.0}),
    ]


def hypot(x, y=8.0):
    return (x * x + y * y) ** 0.5


def test_a_grid_is_measured_by_what_is_asked():
    def ask(units):
        return [unit.arguments[0] + unit.arguments[1] for unit in units]

    t = Grid(draw, seed=(1, 2), n=(10,)).measure(FULL, ask, lambda result: {"f1": result})
    assert [(one.at, one.values) for one in t] == [
        ({"seed": 1, "n": 10}, {"f1": 11}),
        ({"seed": 2, "n": 10}, {"f1": 12}),
    ]


def test_means_by_labels():
    assert T.means("f1", "row") == {"a": pytest.approx(0.475), "b": 0.8}
    assert T.means("f1", "row", "C") == {("a", 1): 0.3, ("a", 2): 0.5, ("a", 4): 0.6, ("b", 1): 0.8}
    assert T.means("auc", "row") == {}
    assert list(T.split("row", "C")) == list(T.means("f1", "row", "C"))
    assert list(T.split("C", "colour")) == []


def test_the_best_is_that_of_the_means():
    """2 has the best run, 4 the best mean."""
    best = T.best("C", "f1", within=["row"])
    assert best.means("f1", "row", "C") == {("a", 4): 0.6, ("b", 1): 0.8}
    assert T.best("C", "auc", within=["row"]).labels("C") == []


def test_of_equals_the_first_is_best():
    t = measured(("a", 1, 0, 0.1), ("a", 2, 0, 0.5), ("a", 4, 0, 0.5))
    assert t.best("C", "f1", within=["row"]).labels("C") == [2]
