import pytest

from lopsided.experiments import SEEDS, Extent, Grid, seeds
from runs.work import draw

QUICK, FULL = Extent(seeds(1), quick=True), Extent(seeds(3), quick=False)


def cells(grid, extent=FULL, ask=lambda units: []):
    return [unit.arguments for unit in grid.units(extent, ask)]


def test_the_last_axis_runs_fastest_and_arguments_keep_their_order():
    grid = Grid(draw, n=(1, 2), seed=(7, 8))
    assert cells(grid) == [(7, 1), (8, 1), (7, 2), (8, 2)]
    (unit, *_) = grid.units(FULL, lambda units: [])
    assert unit[:2] == ("runs.work", "draw")
    assert unit in grid
    assert grid.at(unit) == {"seed": 7, "n": 1}


def test_seeds_are_those_of_the_extent():
    assert cells(Grid(draw, seed=SEEDS, n=(1,))) == [(seed, 1) for seed in seeds(3)]
    assert cells(Grid(draw, seed=SEEDS.first(2), n=(1,))) == [(seed, 1) for seed in seeds(2)]


def test_a_quick_run_has_shorter_axes():
    grid = Grid(draw, seed=SEEDS, n=(1, 2, 3), quick={"n": (2,)})
    assert cells(grid, QUICK) == [(seeds(1)[0], 2)]
    assert len(cells(grid)) == 9


def test_cells_that_do_not_fit_are_left_out():
    assert cells(Grid(draw, seed=(1, 2), n=(1, 2), where=lambda seed, n: seed <= n)) == [
        (1, 1),
        (1, 2),
        (2, 2),
    ]


def test_arguments_may_follow_from_others():
    assert cells(Grid(draw, seed=(1, 2), given={"n": lambda seed: 10 * seed})) == [(1, 10), (2, 20)]


def test_an_axis_may_depend_on_results_of_other_units():
    asked = Grid(draw, seed=(1,), n=(5,))
    grid = Grid(draw, seed=lambda extent, ask: ask(asked.units(extent, ask)), n=(1,))
    assert cells(grid, ask=lambda units: [unit.arguments[1] for unit in units]) == [(5, 1)]


@pytest.mark.parametrize(
    ("axes", "quick", "left_out"),
    [
        ({"n": (1, 2, 3)}, {}, ""),
        ({"n": (1, 2, 3)}, {"n": (1,)}, "every n but 1"),
        ({"n": (1, 2, 3)}, {"n": (1, 2)}, "n 3"),
        ({"n": (1.5, 2.0)}, {"n": (2.0,)}, "n 1.5"),
        ({"n": (30,)}, {"n": (12,)}, "n 30 (12 instead)"),
        ({"seed": SEEDS}, {}, "runs after the first"),
        ({"seed": SEEDS.first(1)}, {}, ""),
        ({"seed": SEEDS, "n": (1, 2)}, {"n": (2,)}, "runs after the first; n 1"),
    ],
)
def test_a_grid_says_what_a_quick_run_leaves_out(axes, quick, left_out):
    assert Grid(draw, quick=quick, **axes).left_out(n_runs=10, n_quick_runs=1) == left_out


def test_a_quick_run_may_have_several_runs():
    assert Grid(draw, seed=SEEDS).left_out(n_runs=10, n_quick_runs=5) == "runs after the first 5"
    assert Grid(draw, seed=SEEDS.first(3)).left_out(n_runs=10, n_quick_runs=5) == ""


@pytest.mark.parametrize("arguments", [{"m": (1,)}, {"n": (1,), "quick": {"seed": (1,)}}])
def test_an_axis_that_is_no_argument_is_named(arguments):
    with pytest.raises(ValueError, match=r"draw has no argument '(m|seed)'"):
        Grid(draw, **arguments)
