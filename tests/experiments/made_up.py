"""A paper that nobody wrote, with everything that can happen to one."""

import numpy as np

from lopsided.datasets import DataUnavailable
from lopsided.experiments import SEEDS, Claims, Deviation, Grid, Item, Needs, Paper, StandIn, seeds
from lopsided.report import Bars, Cell, Plot, Series, Table, Text

EVIL = "<script>alert(1)</script> & \"x\" 'y' $\\frac$ | `z` [a](b)"


def square(seed):
    return float(seed % 7) ** 2


def fail(seed):
    raise ZeroDivisionError(f"seed {seed} {EVIL}")


def miss(seed):
    raise DataUnavailable("moon-rocks is not here. Put it into the folder LOPSIDED_DATA.")


def value(result):
    return {"value": result}


def show_table(t):
    values = t.values("value")
    mean, spread = float(np.mean(values)), float(np.std(values))
    lines = [
        ("near", [Cell(mean, mean + spread, spread, "12", 2), "a word"]),
        ("far", [Cell(mean, mean + 3 * spread + 1, spread, digits=2), EVIL]),
        (EVIL, [Cell(None, 1234.5), Cell(float("nan"))]),
    ]
    return [Table(("score", "remark"), lines, "scores"), Text([f"line {i}" for i in range(7)])]


def _show_figure(t):
    values = t.values("value")
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


def _impossible_to_show(t):
    return 1 / 0


_TEXTS = {
    "X1": {"text": f"Squares are positive. {EVIL}", "criterion": "the mean is above zero"},
    "X2": {"text": "Squares are negative.", "criterion": "the sum is below zero"},
    "X3": {"text": "Rocks are grey.", "criterion": "grey"},
    "X4": {"text": "A check that cannot be made.", "criterion": "anything"},
}
_TEXTS["X1"]["changed"] = [{"first": f"above one {EVIL}", "why": "one was too much"}]
_TEXTS["X2"]["why"] = "The sum is {total:.1f}."
CLAIMS = Claims(
    {id_: {"where": f"Section {id_} {EVIL}", **texts} for id_, texts in _TEXTS.items()},
    [StandIn("seed", f"seeds of the moon {EVIL}", (str(seeds(1)[0]),))],
)
_TABLE, _FIGURE, _ROCKS = (Needs(item, index="seed") for item in ("table1", "figure2", "rocks"))


@CLAIMS.enter("X1", _TABLE)
def _positive(t):
    total = sum(t.values("value"))
    return total > 0, f"sum {total}; {'many numbers, ' * 40}"


@CLAIMS.enter("X2", _TABLE, _FIGURE)
def _negative(t, again):
    total = sum(t.values("value"))
    return total + sum(again.values("value")) < 0, f"sum {total}", {"total": total}


@CLAIMS.enter("X3", _ROCKS)
def _grey(t):
    return True, "grey"


@CLAIMS.enter("X4", _TABLE)
def _impossible(t):
    return t.values("value")[999] > 0, ""


def _item(function, show, caption, **texts):
    return Item(Grid(function, seed=SEEDS), show, value, caption, **texts)


PAPER = Paper(
    id="made-up-1999",
    title=f"On Nothing {EVIL}",
    authors="N. Body",
    venue="Nowhere 1999",
    items={
        "table1": _item(
            square, show_table, f"squares {EVIL}", tried="we looked twice", left_out="most of it"
        ),
        "figure2": _item(square, _show_figure, "a figure"),
        "rocks": _item(miss, show_table, "what needs data"),
        "broken": _item(fail, show_table, "what fails"),
        "hollow": _item(square, _impossible_to_show, "cannot be shown"),
    },
    claims=CLAIMS,
    deviations=(Deviation("The moon stands in for the earth.", ("table1",)), Deviation(EVIL)),
    n_runs=5,
    n_quick_runs=3,
    conditional=f"on the moon {EVIL}",
)
