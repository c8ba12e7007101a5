"""The tables and figures as a reader sees them."""

from collections.abc import Callable, Sequence

import numpy as np

from lopsided.experiments import Measurement, Measurements
from lopsided.papers.leskovec_2003.data import CATEGORIES, LARGE, SMALL
from lopsided.papers.leskovec_2003.methods import BOOSTERS, METHODS, SVM
from lopsided.papers.leskovec_2003.units import RoundCurve, best_on_test, chosen_by_folds, mean_by_method
from lopsided.report import Block, Cell, Plot, Series, Table, Text


def show_upper(t: Measurements) -> list[Block]:
    """Show the highest F1 on the test documents, the number of rules, and the settings."""
    best = best_on_test(t)
    title = "F1 on the test documents; in brackets the number of rules"
    table = _f1_table(best, title, lambda one: "" if one.at["method"] == SVM else str(one.values["rules"]))
    return [table, Text(["Settings:", *_settings(best, lambda one: str(one.at["setting"]))])]


def show_honest(t: Measurements) -> list[Block]:
    """Show F1 of the settings that cross validation chose, and which these are."""

    def say(one: Measurement) -> str:
        words = f" [{' '.join(one.result)}]" if one.result else ""
        return f"{one.at['setting']} ({one.values['validation_f1']:.3f}){words}"

    chosen = chosen_by_folds(t)
    note = "Settings, F1 on held-out documents, and [stems that all five models ask for]:"
    return [_f1_table(chosen, "mean F1 of five models"), Text([note, *_settings(chosen, say)])]


def _settings(t: Measurements, say: Callable[[Measurement], str]) -> list[str]:
    return [
        f"{name}: " + "; ".join(f"{one.at['method']} {say(one)}" for one in row if one.at["method"] != SVM)
        for name, row in t.split("category").items()
    ]


def _f1_table(t: Measurements, title: str, note: Callable[[Measurement], str] = lambda one: "") -> Table:
    """Return a table with a line for each category, then the means."""
    lines: list[tuple[str, Sequence[Cell | str]]] = []
    for name, row in t.split("category").items():
        (first, *_), (positives, *_) = row, row.labels("positives")
        cells = {one.at["method"]: Cell(one.values["f1"], note=note(one), digits=3) for one in row}
        n = [f"{size:.0f}" for size in (positives, first.values["test_positives"])]
        lines.append((name, [*n, *(cells.get(m, "") for m in METHODS)]))
    for label, some in (("large", LARGE), ("small", SMALL), ("all", CATEGORIES)):
        if part := t.only(category=some):
            cells = {m: Cell(mean / 100, digits=3) for m, mean in mean_by_method(part).items()}
            name = f"mean of {len(part.labels('category'))}, {label}"
            lines.append((name, ["", "", *(cells.get(m, "") for m in METHODS)]))
    return Table(("positives", "in test", *METHODS), lines, title)


def show_overfitting(t: Measurements) -> list[Block]:
    """Show F1 on training and on test documents by the number of positives."""
    runs = best_on_test(t).split("method")
    positives = {m: [one.at["positives"] for one in runs[m]] for m in METHODS if m in runs}
    return [
        Plot(
            [Series(m, sizes, runs[m].values(metric)) for m, sizes in positives.items()],
            "positives among the training documents",
            "F1",
            where,
            log_x=True,
        )
        for metric, where in (("train_f1", "training documents"), ("f1", "test documents"))
    ]


def show_rounds(t: Measurements) -> list[Block]:
    """Show F1 after each round."""
    panels: dict[str, list[Series]] = {}
    for curve in t.results(RoundCurve):
        series = Series(curve.setting.method, range(1, len(curve.test) + 1), curve.test)
        panels.setdefault(f"{curve.category}, {curve.setting.learner}", []).append(series)
    return [Plot(series, "round", "F1 on the test documents", name) for name, series in panels.items()]


def show_discarding(t: Measurements) -> list[Block]:
    """Show F1 by the positives kept, with its deviation over the draws; all can be kept in one way only."""
    panels: list[Block] = []
    for category, best in best_on_test(t).split("category").items():
        kept = sorted(best.labels("positives"))
        series = []
        for m in BOOSTERS:
            # By way of percent: committed results have the last digits of that.
            scores = [100 * np.array(best.values("f1", method=m, positives=n)) / 100 for n in kept]
            spread = [float(f1.std(ddof=1)) if len(f1) > 1 else 0.0 for f1 in scores]
            series.append(Series(m, kept, [float(f1.mean()) for f1 in scores], spread))
        panels.append(Plot(series, "positives kept", "F1 on the test documents", category, log_x=True))
    return panels
