"""The table and the figures as a reader sees them."""

from collections.abc import Mapping, Sequence
from functools import partial

from lopsided.experiments import (
    Column,
    Measurements,
    ShownMetric,
    column_table,
    columns,
    compare_table,
    curves,
    for_each,
    metric_table,
    read_texts,
)
from lopsided.papers.yu_2003 import units
from lopsided.papers.yu_2003.data import ISLANDS, TABLE1
from lopsided.papers.yu_2003.methods import COMPARED, OSVM, OTHERS, OURS, TSVM
from lopsided.papers.yu_2003.units import LAST, Sketch
from lopsided.report import Block, Plot, Series, Text

_SCORES = (ShownMetric("f1", "F1 on U", 4), ShownMetric("acc", "accuracy on U, in percent", 2))
_SCORES_OF_THE_REST = (
    ShownMetric("rest_f1", "F1 on rows in neither P nor U", 4),
    ShownMetric("rest_acc", "accuracy on rows in neither P nor U", 2),
)
_FITS = ("SMC", "SVMC", OURS)
_TRAINING = (
    *columns("{}, s", "seconds", _FITS, 3),
    Column("SVMC is faster, times", "seconds", {"method": "SMC"}, over={"method": "SVMC"}),
    *columns("{}, iterations", "iterations", _FITS),
)
_WHO = Text([read_texts(__package__, "names.toml")["who"]["text"]])


def show_table1(t: Measurements) -> list[Block]:
    """Show the scores with the published ones, the training times, and who is who."""
    by_method = compare_table("row", "method", _SCORES, TABLE1, order=COMPARED)
    of_the_rest = compare_table("row", "method", _SCORES_OF_THE_REST, order=COMPARED)
    times = column_table(t, "row", _TRAINING, "training", TABLE1, whole=False)
    return [*by_method(t), times, *of_the_rest(t), _WHO]


show_others = compare_table("row", "method", (*_SCORES, *_SCORES_OF_THE_REST), order=OTHERS)

_DIGITS = {"f1": 4, "iterations": 1, "strong": 1, "log2_gap": 1, "area": 1}  # 3 where nothing is said
_DIGITS |= dict.fromkeys(("n_support", "unlabeled", "rows"), 0)
_SAID = ("gamma", "share")  # by the name of the setting
show_settings = for_each("data", partial(metric_table, index="setting", digits=_DIGITS, hidden=_SAID))


def show_thinning(t: Measurements) -> list[Block]:
    """Show F1 by the share of U that is kept."""
    series = curves(t, "data", "setting", "share", "f1")
    return [Plot(series, "share of U that is kept", "F1 on all of U", log_x=True), *show_settings(t)]


def show_gap(t: Measurements) -> list[Block]:
    """Show iterations and training rows by the first gap."""
    steps, rows = (curves(t, "data", "setting", "log2_gap", metric) for metric in ("iterations", "rows"))
    gap = "log2 of the first gap over that of the classes"
    return [
        Plot([*steps, Series("one for each halving", steps[0].x, steps[0].x)], gap, "iterations"),
        Plot(rows, gap, "rows that the SVMs are trained on"),
        *show_settings(t),
    ]


def show_width(t: Measurements) -> list[Block]:
    """Show F1 by the width of the kernel."""
    series = curves(t, "method", "setting", "gamma", "f1", names=units.WIDENED)
    return [Plot(series, "gamma", "F1 on U", units.WIDE, log_x=True), *show_settings(t)]


def show_figure1(t: Measurements) -> list[Block]:
    """Show boundaries on the islands, and how one-class SVMs overfit."""
    panels: dict[str, Sequence[str]] = {"the SVM with true negatives": (TSVM,)}
    panels |= {name: (name,) for name in map(units.one_class_of, units.DRAWN_WIDTHS)}
    series = curves(t, "data", "setting", "n_support", "f1")
    title = "one-class SVMs of growing gamma"
    overfit = Plot(series, "support vectors", "F1 on new rows", title, log_x=True)
    return [*_draw(t, panels), overfit, *show_settings(t)]


def show_figure2(t: Measurements) -> list[Block]:
    """Show the one-class boundary and that of SVMC."""
    panels = {
        "the one-class SVM: tight around P": (OSVM,),
        "SVMC: between the class and the rest of U": (LAST,),
    }
    islands = Measurements([one for name in (OSVM, LAST, TSVM) for one in t.only(data=ISLANDS, setting=name)])
    table = metric_table(islands, "setting", "on new points of the islands", digits=_DIGITS)
    return [*_draw(t, panels), *([table] if islands else [])]


def show_figure5(t: Measurements) -> list[Block]:
    """Show the boundary after each iteration."""
    edges = [
        name
        for sketch in t.results(Sketch)
        for name in map(units.after, range(1, len(sketch.edges)))
        if name in sketch.edges
    ]
    panels: dict[str, Sequence[str]] = {"the mapping": (units.MAPPED,), **{name: (name,) for name in edges}}
    panels["the last boundary, and that of the true negatives"] = (LAST, TSVM)
    return [*_draw(t, panels), *show_settings(t)]


def _draw(t: Measurements, panels: Mapping[str, Sequence[str]]) -> list[Block]:
    """Return the islands with some boundaries on each panel, by its title."""
    return [
        Plot(_dots(sketch, boundaries), "x", "y", title)
        for sketch in t.results(Sketch)
        for title, boundaries in panels.items()
    ]


def _dots(sketch: Sketch, boundaries: Sequence[str]) -> list[Series]:
    parts = {"U": sketch.heap, "P": sketch.labeled, **{name: sketch.edges[name] for name in boundaries}}
    return [Series.cloud(name, dots[:, 0], dots[:, 1]) for name, dots in parts.items() if len(dots)]
