"""What a reader sees of the table and the figures."""

from collections.abc import Sequence

from lopsided.experiments import Measurements, Score, cell, compare_table, curve, metric_table
from lopsided.papers.yu_2003.data import ISLANDS, TABLE1
from lopsided.papers.yu_2003.methods import COMPARED, OSVM, OTHERS, OURS, SVM_NN, TSVM
from lopsided.papers.yu_2003.units import (
    AFTER,
    DRAWN_WIDTHS,
    LAST,
    MAPPED,
    WIDE,
    WIDENED,
    Sketch,
    one_class_of,
)
from lopsided.report import Block, Cell, Plot, Series, Table, Text

_DIGITS = {  # 3 where nothing is said
    "f1": 4,
    "iterations": 1,
    "strong": 1,
    "log2_gap": 1,
    "area": 1,
    "n_support": 0,
    "unlabeled": 0,
    "rows": 0,
}
_SCORES = (Score("f1", "F1 on U", 4), Score("acc", "accuracy on U, in percent", 2))
_SCORES_OF_THE_REST = (
    Score("rest_f1", "F1 on rows in neither P nor U", 4),
    Score("rest_acc", "accuracy on rows in neither P nor U", 2),
)
_WHO = Text(
    [
        f"{TSVM}: SVM with the true negatives of U. SMC, SVMC: the algorithm as printed. {OURS}: ours as it "
        f"comes. {OSVM}: one-class SVM with its best parameters. {SVM_NN}: all of U taken for negative."
    ]
)


def show_table1(t: Measurements) -> list[Block]:
    """Show the scores with the published ones, the training times, and who is who."""
    by_method = compare_table("row", "method", _SCORES, TABLE1, order=COMPARED)
    of_the_rest = compare_table("row", "method", _SCORES_OF_THE_REST, order=COMPARED)
    return [*by_method(t), _times(t), *of_the_rest(t), _WHO]


show_others = compare_table("row", "method", (*_SCORES, *_SCORES_OF_THE_REST), order=OTHERS)


def _times(t: Measurements) -> Table:
    fits = ("SMC", "SVMC", OURS)
    lines = []
    for name, row in t.split("row").items():
        parts = {m: row.only(method=m) for m in fits}
        published = {m: TABLE1.value("seconds", row=name, method=m) for m in fits}
        seconds = [cell(parts[m], "seconds", published=published[m], digits=3) for m in fits]
        iterations = [cell(parts[m], "iterations") for m in fits]
        ratios = [
            times["SMC"] / times["SVMC"] if times["SMC"] and times["SVMC"] else None
            for times in ({m: part.mean("seconds") for m, part in parts.items()}, published)
        ]
        lines.append((name, [*seconds, Cell(ratios[0], ratios[1]), *iterations]))
    heads = (*(f"{m}, s" for m in fits), "SVMC is faster, times", *(f"{m}, iterations" for m in fits))
    return Table(heads, lines, "training")


def show_settings(t: Measurements) -> list[Block]:
    """Show a table for each data set, with a line for each setting."""
    hidden = ("gamma", "share")  # which the name of the setting says
    return [
        metric_table(part, "setting", name, digits=_DIGITS, hidden=hidden)
        for name, part in t.split("data").items()
    ]


def _curves(t: Measurements, x: str, y: str) -> list[Series]:
    return [curve(name, part, "setting", x, y) for name, part in t.split("data").items()]


def show_thinning(t: Measurements) -> list[Block]:
    """Show F1 by the share of U that is kept."""
    plot = Plot(_curves(t, "share", "f1"), "share of U that is kept", "F1 on all of U", log_x=True)
    return [plot, *show_settings(t)]


def show_gap(t: Measurements) -> list[Block]:
    """Show iterations and training rows by the first gap."""
    steps = _curves(t, "log2_gap", "iterations")
    gap = "log2 of the first gap over that of the classes"
    return [
        Plot([*steps, Series("one for each halving", steps[0].x, steps[0].x)], gap, "iterations"),
        Plot(_curves(t, "log2_gap", "rows"), gap, "rows that the SVMs are trained on"),
        *show_settings(t),
    ]


def show_width(t: Measurements) -> list[Block]:
    """Show F1 by the width of the kernel."""
    lines = [curve(method, t.only(method=method), "setting", "gamma", "f1") for method in WIDENED]
    return [Plot(lines, "gamma", "F1 on U", WIDE, log_x=True), *show_settings(t)]


def show_figure1(t: Measurements) -> list[Block]:
    """Show boundaries on the islands, and how one-class SVMs overfit."""
    panels: list[Block] = []
    for sketch in t.results(Sketch):
        panels.append(_panel(sketch, [TSVM], "the SVM with true negatives"))
        panels += [_panel(sketch, [one_class_of(g)], one_class_of(g)) for g in DRAWN_WIDTHS]
    overfit = Plot(
        _curves(t, "n_support", "f1"),
        "support vectors",
        "F1 on new rows",
        "one-class SVMs of growing gamma",
        log_x=True,
    )
    return [*panels, overfit, *show_settings(t)]


def show_figure2(t: Measurements) -> list[Block]:
    """Show the one-class boundary and that of SVMC."""
    panels: list[Block] = []
    for sketch in t.results(Sketch):
        panels.append(_panel(sketch, [OSVM], "the one-class SVM: tight around P"))
        panels.append(_panel(sketch, [LAST], "SVMC: between the class and the rest of U"))
    islands = Measurements([one for name in (OSVM, LAST, TSVM) for one in t.only(data=ISLANDS, setting=name)])
    tables = (
        [metric_table(islands, "setting", "on new points of the islands", digits=_DIGITS)] if islands else []
    )
    return [*panels, *tables]


def show_figure5(t: Measurements) -> list[Block]:
    """Show the boundary after each iteration."""
    panels: list[Block] = []
    for sketch in t.results(Sketch):
        panels.append(_panel(sketch, [MAPPED], "the mapping"))
        panels += [_panel(sketch, [name], name) for name in sketch.edges if name.startswith(AFTER)]
        panels.append(_panel(sketch, [LAST, TSVM], "the last boundary, and that of the true negatives"))
    return [*panels, *show_settings(t)]


def _panel(sketch: Sketch, boundaries: Sequence[str], title: str) -> Plot:
    parts = [("U", sketch.heap), ("P", sketch.labeled), *((name, sketch.edges[name]) for name in boundaries)]
    dots = [Series(name, p[:, 0].tolist(), p[:, 1].tolist(), joined=False) for name, p in parts if len(p)]
    return Plot(dots, "x", "y", title)
