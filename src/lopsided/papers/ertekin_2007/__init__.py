"""Ertekin, Huang, Bottou, Giles, "Learning on the Border", CIKM 2007.

``data`` reads the problems, ``methods`` has what is compared, ``units`` the work, ``claims`` the rules that
judge, ``figures`` what a reader sees. Scores of tables are in percent, as in the paper. To add a row to
Tables 1 to 4, add a line to ``sources.toml`` and what the paper reports of it to ``published``.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from lopsided.experiments import SEEDS, Grid, Item, Paper
from lopsided.papers.ertekin_2007 import figures, units
from lopsided.papers.ertekin_2007.claims import CLAIMS
from lopsided.papers.ertekin_2007.data import ABALONES, ADULTS, FOLDS, QUICK_ROWS, ROWS, WAVEFORMS
from lopsided.papers.ertekin_2007.methods import BOTH, COMPARED

_Names = Sequence[str]
_FEW_SEEDS = SEEDS.first(5)  # of a figure whose number of runs the paper does not give
_SEARCHED, _QUICK_SEARCHED = ("grain", "ship", "usps"), ("usps",)


# All methods of one problem and seed follow each other, so that their times can be compared.
def _grid(unit: Callable[..., Any], problems: _Names, quick: _Names, seed: Any, methods: _Names) -> Grid:
    return Grid(unit, problem=problems, seed=seed, method=methods, quick={"problem": quick})


def _of_rows(unit: Callable[..., Any], methods: _Names) -> Grid:
    return _grid(unit, ROWS, QUICK_ROWS, SEEDS, methods)


def _curves(
    problems: _Names, quick: _Names, seed: Any = _FEW_SEEDS, methods: _Names = BOTH, **fewer: Any
) -> Grid:
    fewer |= {"problem": quick, "n_points": (12,)}
    return Grid(units.trace, problem=problems, seed=seed, method=methods, n_points=(30,), quick=fewer)


_SEARCHES = [
    _curves(_SEARCHED, _QUICK_SEARCHED),
    # The curve of full search takes longer than all else that a quick run does.
    _curves(_SEARCHED, _QUICK_SEARCHED, SEEDS.first(1), ("exhaustive",), method=()),
    _grid(units.run, _SEARCHED, _QUICK_SEARCHED, SEEDS.first(1), ("active", "exhaustive")),
    _grid(units.run, _SEARCHED, _QUICK_SEARCHED, lambda extent, ask: extent.seeds[1:], ("active",)),
]
_FOLDS = _curves(tuple(FOLDS), tuple(FOLDS), SEEDS.first(1), ("active",))
_STOPPED = ("active", "batch", "random-stopped")
_RECEIVED = _grid(units.receive, ("interest", "adult-3", "satimage"), ("satimage",), SEEDS, _STOPPED)
_FIVE_METHODS = _curves(("corn", "wheat", "letter-a", "satimage"), ("letter-a", "satimage"), SEEDS, COMPARED)
_SETS = Grid(units.describe, problem=ROWS, quick={"problem": QUICK_ROWS})
_WAVEFORMS = _curves(tuple(WAVEFORMS), ("waveform-2", "waveform-32"))
_ABALONES = _grid(units.run, ABALONES, ABALONES, SEEDS, COMPARED)
_ADULTS = _curves(tuple(ADULTS), ("adult-30",))
PAPER = Paper.declare(
    __name__,
    items={
        "table1": Item(_of_rows(units.run, BOTH), figures.show_table1, units.scores),
        "table2": Item(_SETS, figures.show_table2, attrgetter("ours")),
        "table3": Item(_of_rows(units.run, COMPARED), figures.show_table3, units.scores),
        "table4": Item(_of_rows(units.run, COMPARED), figures.show_table4, units.scores),
        "abalone": Item(_ABALONES, figures.show_abalone, units.scores),
        "figure2": Item(_SEARCHES, figures.show_figure2, units.curve_or_stop),
        "figure3": Item(_of_rows(units.weigh, ("batch",)), figures.show_figure3, units.class_ratios),
        "figure4": Item(_FOLDS, figures.show_figure4),
        "figure5": Item(_WAVEFORMS, figures.show_figure5),
        "figure6": Item(_ADULTS, figures.show_curves("prbep", "PRBEP")),
        "figure7": Item(_RECEIVED, figures.show_figure7, lambda roc: {"auc": 100 * roc.auc}),
        "figure8": Item(_curves(("crude",), ("crude",)), figures.show_figure8),
        "figure9": Item(_FIVE_METHODS, figures.show_curves("g_mean", "g-means")),
    },
    claims=CLAIMS,
)
