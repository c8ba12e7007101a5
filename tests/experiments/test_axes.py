import pytest

from lopsided.experiments import RUNS, SEEDS, Extent, Grid, Measurement, Measurements, Published, seeds
from runs.work import draw

FULL = Extent(seeds(3), quick=False)


def cells(grid):
    return [unit.arguments for unit in grid.units(FULL, lambda units: [])]


def test_runs_are_numbered_from_0():
    assert cells(Grid(draw, seed=(7,), n=RUNS)) == [(7, 0), (7, 1), (7, 2)]
    assert cells(Grid(draw, seed=(7,), n=RUNS.first(2))) == [(7, 0), (7, 1)]
    assert Grid(draw, n=RUNS).left_out(n_runs=10, n_quick_runs=1) == "runs after the first"
    assert cells(Grid(draw, seed=SEEDS.first(1), n=(0,))) == [(seeds(1)[0], 0)]


def test_axes_that_are_no_arguments_help_to_find_one():
    grid = Grid(
        draw,
        seed=(7,),
        tens=(1, 2),
        ones=RUNS.first(2),
        where=lambda seed, tens, ones: (tens, ones) != (1, 0),
        given={"n": lambda tens, ones, **_: 10 * tens + ones},
        quick={"tens": (2,)},
    )
    assert cells(grid) == [(7, 11), (7, 20), (7, 21)]
    (first, *_) = grid.units(FULL, lambda units: [])
    assert grid.at(first) == {"seed": 7, "n": 11}
    assert grid.left_out(n_runs=3, n_quick_runs=1) == "tens 1; runs after the first"


def test_an_axis_that_helps_nothing_is_named():
    with pytest.raises(ValueError, match="draw has no argument 'tens'"):
        Grid(draw, tens=(1, 2), given={"n": lambda seed, **_: seed})
    with pytest.raises(ValueError, match="draw has no argument 'm'"):
        Grid(draw, seed=(1,), given={"m": lambda seed: seed})


@pytest.mark.parametrize(
    ("n_kept", "left_out"),
    [(2, "every n but 0, 1"), (40, "60 of the 100 values of n"), (98, "n 98, 99")],
)
def test_many_values_are_counted(n_kept, left_out):
    grid = Grid(draw, n=range(100), quick={"n": range(n_kept)})
    assert grid.left_out(n_runs=1, n_quick_runs=1) == left_out


def test_values_that_lie_on_no_axis():
    facts = Published([{"metric": "documents", "value": "12902"}, {"metric": "n", "value": "1", "row": "a"}])
    assert facts["documents"] == 12902
    with pytest.raises(KeyError):
        facts["n"]


def test_measurements_are_split_by_several_axes():
    t = Measurements(
        [
            Measurement({"row": "a", "share": 5, "seed": 1}, {"f1": 0.5}),
            Measurement({"row": "b", "share": 5, "seed": 1}, {"f1": 0.6}),
            Measurement({"row": "a", "share": 5, "seed": 2}, {"f1": 0.7}),
            Measurement({"row": "a", "seed": 2}, {"f1": 0.8}),
        ]
    )
    parts = {labels: part.values("f1") for labels, part in t.split("row", "share").items()}
    assert parts == {("a", 5): [0.5, 0.7], ("b", 5): [0.6]}
