"""The ten claims of the paper, and the rules that judge them. Each is judged in both protocols."""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np

from lopsided.experiments import Claims, Measurements, Needs
from lopsided.experiments._claims import AS_PRINTED, FAR, MAJORITY, SIMILAR, SLIGHTLY
from lopsided.papers.li_2007.data import SMALL, TABLE1, TEN, TEN_CLASSES
from lopsided.papers.li_2007.methods import (
    BASELINES,
    COMPARED,
    EXTRACTORS,
    LGN_,
    OSVM,
    OURS,
    READINGS,
    ROC_SVM,
    S_EM,
)
from lopsided.papers.li_2007.tables import Means, best_baseline, gain, mean_by_method

MIDDLE, LARGE, LARGEST = 60, (80, 100), 200  # percent of unexpected documents

CLAIMS = Claims.read(__package__)
_claim = CLAIMS.enter
_TABLE1 = Needs("table1", index="data")
_FIGURE4, _FIGURE5 = (Needs(item, index="share") for item in ("figure4", "figure5"))
Check = Callable[[dict[Any, Means]], tuple[bool, str]]


def _in_each(t: Measurements, check: Check, *axes: str, metric: str = "f") -> tuple[bool, str]:
    """Return whether something is so of the means at each label in both protocols, and the figures."""
    holds, shown = True, []
    for protocol, part in t.split("protocol").items():
        is_so, figures = check({at: mean_by_method(own, metric) for at, own in part.split(*axes).items()})
        holds &= is_so
        shown.append(f"{protocol}{'' if is_so else ' (not so)'}: {figures}")
    return holds, "; ".join(shown)


def _average(rows: Mapping[Any, Means], name: str) -> float:
    return float(np.mean([means[name] for means in rows.values() if name in means]))


def _row_of(means: Means, names: Iterable[str], digits: int = 1) -> str:
    return ", ".join(f"{name} {means[name]:.{digits}f}" for name in names if name in means)


@_claim("L1", _TABLE1)
def _check_best(table: Measurements) -> tuple[bool, str]:
    def check(rows: dict[str, Means]) -> tuple[bool, str]:
        won = {
            name: sum(means[name] > best_baseline(means) for means in rows.values())
            for name in (*READINGS, OURS)
            if all(name in means for means in rows.values())
        }
        shown = ", ".join(f"{name} on {n}" for name, n in won.items())
        return won[LGN_] == len(rows), f"of {len(rows)} sets best {shown}"

    return _in_each(table, check, "data")


@_claim("L2", _TABLE1)
def _check_means(table: Measurements) -> tuple[bool, str]:
    def check(rows: dict[str, Means]) -> tuple[bool, str]:
        ours = {name: _average(rows, name) for name in COMPARED if name in next(iter(rows.values()))}
        published = {
            name: float(np.mean([TABLE1.value("f", data=row, method=name) for row in rows]))
            for name in (*BASELINES, LGN_)
        }
        holds = all(abs(ours[name] - value) <= AS_PRINTED for name, value in published.items())
        shown = ", ".join(
            f"{name} {value:.1f}" + (f" ({published[name]:.1f})" if name in published else "")
            for name, value in ours.items()
        )
        return holds, shown

    holds, shown = _in_each(table, check, "data")
    return holds, f"ours, and (printed) for these sets: {shown}"


@_claim("L3", _FIGURE4)
def _check_small_shares(figure_4: Measurements) -> tuple[bool, str]:
    return _in_each(figure_4, partial(_leads, least=0.0), "share")


def _leads(shares: dict[int, Means], least: float) -> tuple[bool, str]:
    """Return whether LGN is ahead by more than ``least`` points up to 60 %, and the figures."""
    holds, shown = True, []
    for share, means in shares.items():
        if share <= MIDDLE:
            best = best_baseline(means)
            holds &= means[LGN_] > best + least
            shown.append(f"{share} % {_row_of(means, READINGS)}, best other {best:.1f}")
    return holds, "; ".join(shown)


@_claim("L4", _FIGURE4)
def _check_large_shares(figure_4: Measurements) -> tuple[bool, str]:
    def check(shares: dict[int, Means]) -> tuple[bool, str]:
        some = {share: means for share, means in shares.items() if share in LARGE}
        holds = bool(some) and all(0 < m[ROC_SVM] - m[LGN_] <= SLIGHTLY for m in some.values())
        return holds, "; ".join(f"{share} % {_row_of(m, (ROC_SVM, *READINGS))}" for share, m in some.items())

    return _in_each(figure_4, check, "share")


@_claim("L5", _FIGURE4)
def _check_pebl(figure_4: Measurements) -> tuple[bool, str]:
    def check(shares: dict[int, Means]) -> tuple[bool, str]:
        own = {share: [m[name] for name in (*BASELINES, LGN_)] for share, m in shares.items()}
        behind = {share: max(own[share]) - m["PEBL"] for share, m in shares.items()}
        holds = all(m["PEBL"] <= min(own[share]) for share, m in shares.items() if share <= max(LARGE))
        holds &= behind[max(LARGE)] >= FAR > behind[LARGEST]
        shown = ", ".join(f"{share} % {m['PEBL']:.1f}" for share, m in shares.items())
        return holds, f"F {shown}; behind the best by {behind[max(LARGE)]:.1f} and {behind[LARGEST]:.1f}"

    return _in_each(figure_4, check, "share")


@_claim("L6", _FIGURE5)
def _check_three(figure_5: Measurements) -> tuple[bool, str]:
    def check(shares: dict[int, Means]) -> tuple[bool, str]:
        holds, shown = _leads(shares, least=FAR)
        for share, m in shares.items():
            if share in LARGE:
                others = (m[S_EM], m[ROC_SVM])
                holds &= all(abs(m[LGN_] - other) <= SIMILAR for other in others)
                holds &= m[OSVM] + FAR <= min(m[LGN_], *others)
                shown += f"; {share} % {_row_of(m, (OSVM, S_EM, ROC_SVM, *READINGS))}"
        return holds, shown

    return _in_each(figure_5, check, "share")


@_claim("L7", Needs("ten", index="data", min_rows=len(TEN)))
def _check_ten(ten: Measurements) -> tuple[bool, str]:
    def check(points: dict[tuple[str, int], Means]) -> tuple[bool, str]:
        holds, shown = True, []
        for (data, share), means in points.items():
            published = TEN_CLASSES.value("gain", data=data, share=share) or 0.0
            ours = gain(means)
            holds &= ours > max(0.0, published - AS_PRINTED)
            shown.append(f"{data}, {share} % {ours:+.1f} ({published:+.1f})")
        return holds, ", ".join(shown)

    holds, shown = _in_each(ten, check, "data", "share")
    return holds, f"gains, and (printed): {shown}"


@_claim("L8", Needs("priors", index="ratio"))
def _check_priors(priors: Measurements) -> tuple[bool, str]:
    def check(ratios: dict[float, Means]) -> tuple[bool, str]:
        equal = ratios[1.0][LGN_]
        holds = all(abs(means[LGN_] - equal) <= 1 for means in ratios.values())
        shown = "; ".join(f"prior {ratio:g} {_row_of(means, READINGS, 2)}" for ratio, means in ratios.items())
        return holds, shown

    return _in_each(priors, check, "ratio")


@_claim("L9", Needs("purity", index="share"))
def _check_purity(purity: Measurements) -> tuple[bool, str]:
    def check(shares: dict[int, Means]) -> tuple[bool, str]:
        some = [value for value in shares[SMALL].values() if not math.isnan(value)]
        holds = bool(some) and max(some) <= 100 * MAJORITY
        return holds, "; ".join(f"{share} % {_row_of(means, EXTRACTORS)}" for share, means in shares.items())

    holds, shown = _in_each(purity, check, "share", metric="purity")
    return holds, f"percent that are unexpected (nan: none extracted): {shown}"


@_claim("L10", Needs("spies", index="line"))
def _check_spies(spies: Measurements) -> tuple[bool, str]:
    def check(settings: dict[str, Means]) -> tuple[bool, str]:
        values = {line: means[S_EM] for line, means in settings.items()}
        low, high = (choose(values, key=values.__getitem__) for choose in (min, max))
        return (
            values[high] - values[low] <= SIMILAR,
            f"from {values[low]:.1f} ({low}) to {values[high]:.1f} ({high})",
        )

    return _in_each(spies, check, "line")
