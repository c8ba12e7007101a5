from lopsided.experiments import Grid, Item
from lopsided.experiments._paper import _with_texts
from runs.work import draw


def test_a_grid_of_which_a_quick_run_does_nothing():
    grid = Grid(draw, n=(1, 2), seed=(1, 2, 3), quick={"seed": (1,), "n": ()})
    assert grid.left_out(n_runs=1, n_quick_runs=1) == "draw with n 1, 2"


def test_an_axis_that_a_quick_run_has_whole():
    grid = Grid(draw, n=(1, 2), seed=(1, 2, 3), quick={"n": tuple(range(1, 3)), "seed": (1, 2)})
    assert grid.left_out(n_runs=1, n_quick_runs=1) == "seed 3"


def test_grids_of_an_item_that_leave_out_the_same_say_it_once():
    whole = Grid(draw, n=(1, 2, 3), seed=(1, 2), quick={"n": (1,), "seed": (2,)})
    part = Grid(draw, n=(1, 2, 3), quick={"n": (1,)})
    item = _with_texts(Item([whole, part], show=lambda t: []), {"caption": "a"}, 1, 1)
    assert item.left_out == "every n but 1; seed 1"
