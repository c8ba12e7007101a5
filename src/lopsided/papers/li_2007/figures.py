"""The tables and figures as a reader sees them; each protocol has its own."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from lopsided.experiments import Measurements, Published, cross_table, for_each
from lopsided.papers.li_2007.claims import gain, mean_by_method
from lopsided.papers.li_2007.data import TEN, TEN_CLASSES
from lopsided.papers.li_2007.methods import BASELINES, LGN_
from lopsided.report import Block, Cell, Plot, Series, Table


def show_table(published: Published | None = None) -> Callable[[Measurements], list[Block]]:
    """Return a function that shows a line for each set, the means over the sets, and mean areas."""

    def value(method: str, data: str) -> float | None:
        return published.value("f", data=data, method=method) if published else None

    def mean_cell(t: Measurements, method: str, rows: Sequence[str]) -> Cell:
        values = [value(method, row) for row in rows]
        whole = [one for one in values if one is not None]
        return cell(t, "f", float(np.mean(whole)) if len(whole) == len(values) else None)

    def table(t: Measurements, title: str) -> Table:
        own, rows = t.split("method"), t.split("data")
        lines: list[tuple[str, Sequence[Cell | str]]] = [
            (data, [cell(row.only(method=m), "f", value(m, data)) for m in own]) for data, row in rows.items()
        ]
        lines.append(("mean", [mean_cell(part, m, list(rows)) for m, part in own.items()]))
        lines.append(("mean area under ROC", [_area(part) for part in own.values()]))
        return Table(tuple(own), lines, title)

    return for_each("protocol", table, "protocol {}")


def cell(t: Measurements, metric: str, published: float | None = None) -> Cell:
    """Return the mean of a metric, its standard deviation, and the published value."""
    return Cell(t.mean(metric), published, deviation(t, metric))


def _area(t: Measurements) -> Cell | str:
    return Cell(t.mean("auc")) if t.values("auc") else ""


def deviation(t: Measurements, metric: str = "f") -> float | None:
    """Return the standard deviation from run to run of the mean over the sets.

    None of one run, and where runs have different sets.
    """
    runs = t.split("seed").values()
    means = [run.mean(metric) for run in runs]
    if len(runs) < 2 or len({len(run) for run in runs}) > 1 or any(map(math.isnan, means)):
        return None
    return float(np.std(means, ddof=1))


def show_settings(metric: str) -> Callable[[Measurements], list[Block]]:
    """Return a function that shows a line for each setting: means over sets and runs."""

    def table(t: Measurements, title: str) -> Table:
        return cross_table(
            t, "line", t.labels("method"), lambda own, method: cell(own.only(method=method), metric), title
        )

    return for_each("protocol", table, "protocol {}")


def _plot(t: Measurements, title: str) -> Plot:
    series = []
    for method, own in t.split("method").items():
        shares = own.split("share")
        spread = [deviation(part) or 0.0 for part in shares.values()]
        means = [part.mean("f") for part in shares.values()]
        series.append(Series(method, list(shares), means, spread if any(spread) else ()))
    return Plot(series, "unexpected documents, percent of the expected", "F in percent", title)


show_shares = for_each("protocol", _plot, "protocol {}")


def show_ten(t: Measurements) -> list[Block]:
    """Show what LGN gains over the best of the four beside the published gain, and F by share."""
    plots: list[Block] = []
    gains: list[tuple[str, Sequence[Cell | str]]] = []
    for protocol, part in t.split("protocol").items():
        own = part.split("data")
        for data in TEN:
            if data in own:
                plots.append(_plot(own[data], f"{data}, protocol {protocol}"))
                gains.append((f"{data}, {protocol}", _gains(data, own[data])))
    columns = tuple(f"{share} %" for share in TEN_CLASSES.labels("share"))
    return [Table(columns, gains, "points of F by which LGN is above the best of the other four"), *plots]


def _gains(data: str, t: Measurements) -> list[Cell | str]:
    cells: list[Cell | str] = []
    for share in TEN_CLASSES.labels("share"):
        part = t.only(share=int(share))
        means = mean_by_method(part)
        published = TEN_CLASSES.value("gain", data=data, share=share)
        whole = {LGN_, *BASELINES} <= means.keys()
        cells.append(Cell(gain(means), published, deviation_of_gain(part)) if whole else "")
    return cells


def deviation_of_gain(t: Measurements) -> float | None:
    """Return the standard deviation of the gain over the runs that all methods have."""
    runs = [mean_by_method(run) for run in t.split("seed").values()]
    gains = [gain(means) for means in runs if {LGN_, *BASELINES} <= means.keys()]
    return float(np.std(gains, ddof=1)) if len(gains) > 1 else None
