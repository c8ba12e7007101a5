"""A paper that nobody wrote, with everything that can happen to one."""

import numpy as np

from lopsided.datasets import DataUnavailable
from lopsided.experiments import Deviation
from lopsided.report import Bars, Cell, Plot, Series, Table, Text
from lopsided.reproduce._claims import Claims
from lopsided.reproduce._paper import Item, Paper
from lopsided.runs import Unit

EVIL = "<script>alert(1)</script> & \"x\" 'y' $\\frac$ | `z` [a](b)"


def square(seed):
    return float(seed % 7) ** 2


def fail(seed):
    raise ZeroDivisionError(f"seed {seed} {EVIL}")


def miss(seed):
    raise DataUnavailable("moon-rocks is not here. Put it into the folder LOPSIDED_DATA.")


def unit(function, *arguments):
    return Unit("reproduce.made_up", function, arguments)


def _units(function):
    return lambda extent, ask: [unit(function, seed) for seed in extent.seeds]


def _show_table(values):
    mean, spread = float(np.mean(values)), float(np.std(values))
    lines = [
        ("near", [Cell(mean, mean + spread, spread, "12", 2), "a word"]),
        ("far", [Cell(mean, mean + 3 * spread + 1, spread, digits=2), EVIL]),
        (EVIL, [Cell(None, 1234.5), Cell(float("nan"))]),
    ]
    return [Table(("score", "remark"), lines, "scores"), Text([f"line {i}" for i in range(7)])]


def _show_figure(values):
    x = list(range(1, len(values) + 1))
    series = [
        Series("ours", x, values, [0.5] * len(values)),
        Series("ours, printed", x, [value + 1 for value in values]),
        Series(f"points {EVIL}", x, values, joined=False),
        Series("none", [], []),
    ]
    return [
        Plot(series, "size", "F1 $", "left & right", log_x=True, marks=[(2.0, "stop")]),
        Plot([Series("ours", range(5000), np.sin(np.arange(5000) / 99))], "round", "F1"),
        Bars(["one", "two"], [("ours", [1.0, 2.0]), ("SVM", [float("nan"), 3.0])], "F1", "bars"),
    ]


CLAIMS = Claims()


@CLAIMS.enter("X1", f"Squares are positive. {EVIL}", ("table1",), "the mean is above zero")
def _positive(values):
    return sum(values) > 0, f"sum {sum(values)}; {'many numbers, ' * 40}"


@CLAIMS.enter("X2", "Squares are negative.", ("table1", "figure2"), "the sum is below zero")
def _negative(values, again):
    return sum(values) + sum(again) < 0, f"sum {sum(values)}"


@CLAIMS.enter("X3", "Rocks are grey.", ("rocks",), "grey")
def _grey(values):
    return True, "grey"


@CLAIMS.enter("X4", "A check that cannot be made.", ("table1",), "anything")
def _impossible(values):
    return values[999] > 0, ""


PAPER = Paper(
    id="made-up-1999",
    title=f"On Nothing {EVIL}",
    authors="N. Body",
    venue="Nowhere 1999",
    items={
        "table1": Item(
            f"squares {EVIL}", _units("square"), list, _show_table, "most of it", "we looked twice"
        ),
        "figure2": Item("a figure", _units("square"), list, _show_figure),
        "rocks": Item("what needs data", _units("miss"), list, _show_table),
        "broken": Item("what fails", _units("fail"), list, _show_table),
        "hollow": Item("cannot be shown", _units("square"), list, lambda values: 1 / 0),
    },
    claims=CLAIMS,
    deviations=(Deviation("The moon stands in for the earth.", ("table1",)), Deviation(EVIL)),
    n_runs=5,
    n_quick_runs=3,
)
