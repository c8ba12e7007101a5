"""The tables and figures as a reader sees them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.experiments import Column, Measurements, cell, column_table, columns, read_texts
from lopsided.papers.ertekin_2007.claims import ranks, signed_rank_test
from lopsided.papers.ertekin_2007.data import (
    FIGURE2,
    FIGURE7,
    PRINTED_ABALONE,
    SOURCES,
    TABLE1,
    TABLE2,
    TABLE3,
    TABLE4,
)
from lopsided.papers.ertekin_2007.methods import BOTH, COMPARED
from lopsided.papers.ertekin_2007.units import CURVE, STOP, Roc, Trace, support_ratio, traces_of
from lopsided.plot import LabelCurve
from lopsided.plot._label_curve import common_checkpoints
from lopsided.report import Bars, Block, Cell, Plot, Series, Table, Text

_NAMES = read_texts(__package__, "names.toml")["methods"]
_HEADS = _NAMES | {"batch": "batch", "active": "active"}
_ACTIVE, _FULL_SEARCH, _SMOTE = ({"method": method} for method in ("active", "exhaustive", "smote"))
_TABLE1 = (
    *columns("g-means, {}", "gmeans", BOTH, 2),
    *columns("AUC, {}", "auc", BOTH, 2),
    Column("class ratio", "class_ratio", _ACTIVE),
    Column("SV-/SV+", "sv_ratio", _ACTIVE, 2),
    Column("labels, %", "labels", _ACTIVE),
)
_TABLE2 = (
    Column("features", "n_features", digits=0),
    Column("positives", "n_pos", digits=0),
    Column("negatives", "n_neg", digits=0),
    Column("ratio", "ratio"),
    Column("C", "C", digits=0),
    Column("gamma", "gamma", digits=3),
)
_TABLE3 = (
    *columns("{}", "prbep", COMPARED, 2, _HEADS),
    *columns("seconds, {}", "seconds", ("smote", "active"), names=_HEADS),
    Column("times faster", "seconds", _SMOTE, over=_ACTIVE),
)
_TABLE4 = columns("{}", "rank", COMPARED, 0, _HEADS)
_SEARCHES = {"exhaustive": "full search", "active": "pool"}
_FIGURE2 = (
    Column("seconds, full search", "seconds", _FULL_SEARCH),
    Column("seconds, pool of 59", "seconds", _ACTIVE),
    *columns("g-means, {}", "gmeans", _SEARCHES, 2, _SEARCHES),
    *columns("PRBEP, {}", "prbep", _SEARCHES, 2, _SEARCHES),
    Column("times faster", "seconds", _FULL_SEARCH, over=_ACTIVE),
)
_FIGURE7 = columns("{}", "auc", ("active", "batch", "random-stopped"), 2, _NAMES)
AVERAGE = "Avg. Rank"


def _with_notes(blocks: Sequence[Block], problems: Iterable[str]) -> list[Block]:
    """Return blocks and, under them, what differs from the paper's data."""
    notes: dict[str, list[str]] = {}
    for name in problems:
        if name in SOURCES and SOURCES[name].deviation:
            notes.setdefault(SOURCES[name].deviation, []).append(name)
    lines = [f"{', '.join(names)}: {note}" for note, names in notes.items()]
    return [*blocks, Text(["What differs in the data:", *lines])] if lines else [*blocks]


def show_table1(t: Measurements) -> list[Block]:
    """Show scores, support vectors and labels of batch and of active learning at its stop."""
    table = column_table(t, "problem", _TABLE1, "batch: all labels; active: at its stop", TABLE1)
    return _with_notes([table], dict(table.lines)) if table.lines else []


def show_abalone(t: Measurements) -> list[Block]:
    """Show both readings of the row abalone-7, with and without the ring count, beside the printed row."""
    lines, ranked = [], []
    for name, row in t.split("problem").items():
        printed = partial(TABLE1.value, problem=PRINTED_ABALONE)
        cells = [
            cell(row.only(**at), metric, published=printed(metric, **at), digits=digits)
            for _, metric, at, digits, _ in _TABLE1
        ]
        lines.append((name, cells))
        beside = partial(TABLE3.value, "prbep", problem=PRINTED_ABALONE)
        ranked.append(
            (
                name,
                [cell(row.only(method=m), "prbep", published=beside(method=m), digits=2) for m in COMPARED],
            )
        )
    tables = [
        Table(tuple(column.title for column in _TABLE1), lines, "batch: all labels; active: at its stop"),
        Table(tuple(_HEADS[m] for m in COMPARED), ranked, "PRBEP in percent"),
    ]
    told = [_say_perfect(name, row.only(method="active")) for name, row in t.split("problem").items()]
    return _with_notes([*tables, Text(told)], t.labels("problem"))


def _say_perfect(name: str, runs: Measurements) -> str:
    """Return in how many runs active learning makes no error, and what part of the labels these read."""
    perfect = [one.values["labels"] for one in runs if one.values["gmeans"] == 100]
    told = f"{name}: {len(perfect)} of {len(runs)} runs of active learning make no error"
    return (
        f"{told}; they read {min(perfect):.1f} to {max(perfect):.1f} % of the labels."
        if perfect
        else f"{told}."
    )


def show_table2(t: Measurements) -> list[Block]:
    """Show sizes and parameters of the training sets."""
    return _with_notes([column_table(t, "problem", _TABLE2, published=TABLE2)], t.labels("problem"))


def show_table3(t: Measurements) -> list[Block]:
    """Show PRBEP of five methods, times of two, and the test against undersampling."""
    if not (whole := t.with_every("problem", method=COMPARED)):
        return []
    table = column_table(whole, "problem", _TABLE3, "PRBEP in percent, and training times", TABLE3)
    test, published = (signed_rank_test(part) for part in (whole, TABLE3.measurements()))
    text = (
        "Active learning against undersampling, two-sided signed rank test: "
        f"p = {test.pvalue:.4f} on {test.n} rows that differ; "
        f"of the printed table p = {published.pvalue:.4f}."
    )
    return _with_notes([table, Text([text])], whole.labels("problem"))


def show_table4(t: Measurements) -> list[Block]:
    """Show the ranks of the five methods, and their means in the last line."""
    if not (whole := t.with_every("problem", method=COMPARED)):
        return []
    ranked = ranks(whole)
    table = column_table(ranked, "problem", _TABLE4, "1 is best; equals share the smallest", TABLE4)
    means = [
        Cell(mean, TABLE4.value("rank", problem=AVERAGE, method=method), digits=2)
        for method, mean in ranked.means("rank", "method").items()
    ]
    return _with_notes([replace(table, lines=[*table.lines, (AVERAGE, means)])], dict(table.lines))


def show_figure2(t: Measurements) -> list[Block]:
    """Show curves of active learning with and without full search, and scores and times at the stop."""
    curves = t.only(part=CURVE)
    blocks = [*_panels(curves, "prbep", "PRBEP"), *_panels(curves, "g_mean", "g-means")]
    table = column_table(t.only(part=STOP), "problem", _FIGURE2, "at the stop", FIGURE2)
    return _with_notes([*blocks, table] if table.lines else blocks, traces_of(curves))


def show_figure3(t: Measurements) -> list[Block]:
    """Show the class ratio of all training data and within the margin."""
    all_data, within = (t.means(where, "problem") for where in ("all", "within"))
    ratios = {name: (all_data[name], within[name]) for name in all_data}
    finite = {name: pair for name, pair in ratios.items() if np.isfinite(pair).all()}
    without = [name for name in ratios if name not in finite]
    note = [Text([f"No positive within the margin of some run: {', '.join(without)}."])] if without else []
    names = ("all training data", "within the margin")
    bars = [(name, [pair[k] for pair in finite.values()]) for k, name in enumerate(names)]
    return _with_notes([Bars(list(finite), bars, "negatives for each positive"), *note], ratios)


def show_figure4(t: Measurements) -> list[Block]:
    """Show support vectors and g-means of active learning, a line a fold."""
    folds = {name: methods["active"] for name, methods in traces_of(t, ["active"]).items()}
    short = {name: name.removeprefix("citeseer-db-") for name in folds}
    marks = [(stop, f"stop of {short[name]}") for name, runs in folds.items() for stop in _stops(runs)]
    panels = []
    for score, label in (("n_support", "support vectors"), ("g_mean", "g-means")):
        lines = [_series(short[name], runs, score) for name, runs in folds.items()]
        panels.append(Plot(lines, "labels", label, marks=marks))
    return _with_notes(panels, folds)


def show_figure5(t: Measurements) -> list[Block]:
    """Show g-means in a panel a method, a line a class ratio."""
    curves = traces_of(t)
    panels = []
    for method in ("active", "batch"):
        ratios = [methods[method] for methods in curves.values()]
        lines = [_series(f"{runs[0].class_ratio:.0f} to 1", runs, "g_mean") for runs in ratios]
        panels.append(Plot(lines, "labels", "g-means", _NAMES[method]))
    return _with_notes(panels, curves)


def show_figure7(t: Measurements) -> list[Block]:
    """Show ROC curves, a panel a problem, and the areas under them."""
    table = column_table(t, "problem", _FIGURE7, "area under the curve in percent", FIGURE7)
    names = [name for name, _ in table.lines]
    panels = []
    for name in names:
        lines = [_roc(method, runs) for method, runs in t.only(problem=name).split("method").items()]
        panels.append(Plot(lines, "false positive rate", "true positive rate", name))
    return _with_notes([*panels, table], names) if names else []


def show_figure8(t: Measurements) -> list[Block]:
    """Show the class ratio of the support vectors beside that of the training set."""
    panels = []
    for plot in _panels(t, "support ratio", "negative for each positive support vector"):
        run = t.results(Trace, problem=plot.title, method="active")[0]
        ends = [float(run.curve.n_labels[0]), float(run.curve.n_labels[-1])]
        line = Series("all training data", ends, [run.class_ratio] * 2)
        panels.append(replace(plot, series=[*plot.series, line]))
    return _with_notes(panels, traces_of(t))


def show_curves(score: str, label: str) -> Callable[[Measurements], list[Block]]:
    """Return a function that shows a panel a problem, a line a method."""
    return lambda t: _with_notes(_panels(t, score, label), traces_of(t))


def _panels(t: Measurements, score: str, label: str) -> list[Plot]:
    return [
        Plot(
            [_series(_NAMES[method], runs, score) for method, runs in methods.items()],
            "labels",
            label,
            name,
            marks=[(stop, "active learning stops") for stop in _stops(methods["active"])],
        )
        for name, methods in traces_of(t).items()
    ]


def _series(name: str, runs: Sequence[Trace], score: str) -> Series:
    """Return mean and standard deviation over the runs, where all of them have a value."""
    curves = [run.curve for run in runs]
    n_labels = common_checkpoints(curves)
    with np.errstate(invalid="ignore"):
        values = np.array([np.interp(n_labels, curve.n_labels, _values(curve, score)) for curve in curves])
    known = np.isfinite(values).all(axis=0)
    return _mean_line(name, n_labels[known], values[:, known])


def _mean_line(name: str, x: NDArray[Any], runs: NDArray[Any]) -> Series:
    spread = runs.std(axis=0, ddof=1).tolist() if len(runs) > 1 else ()
    return Series(name, x.tolist(), runs.mean(axis=0).tolist(), spread)


def _values(curve: LabelCurve, score: str) -> NDArray[np.float64]:
    return support_ratio(curve) if score == "support ratio" else getattr(curve, score)


def _stops(runs: Sequence[Trace]) -> list[float]:
    """Return the mean of the labels at which the runs stopped, if any did."""
    stops = [run.curve.stopped_at for run in runs if run.curve.stopped_at is not None]
    return [float(np.mean(stops))] if stops else []


def _roc(method: str, t: Measurements) -> Series:
    runs = t.results(Roc)
    return _mean_line(_NAMES[method], runs[0].fpr, np.array([roc.tpr for roc in runs]))
