from lopsided.experiments import Grid
from runs.work import draw


def test_a_grid_of_which_a_quick_run_does_nothing():
    grid = Grid(draw, n=(1, 2), seed=(1, 2, 3), quick={"seed": (1,), "n": ()})
    assert grid.left_out(n_runs=1, n_quick_runs=1) == "draw with n 1, 2"


def test_an_axis_that_a_quick_run_has_whole():
    grid = Grid(draw, n=(1, 2), seed=(1, 2, 3), quick={"n": tuple(range(1, 3)), "seed": (1, 2)})
    assert grid.left_out(n_runs=1, n_quick_runs=1) == "seed 3"
