"""The ten claims of the paper, and the rules that judge them. Each is judged in both protocols."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lopsided.experiments import (
    Answer,
    Check,
    Claims,
    Estimate,
    Measurements,
    Needs,
    estimates,
    every,
    listed,
    ranged,
    words,
)
from lopsided.papers.li_2007.data import SMALL, TABLE1, TEN, TEN_CLASSES
from lopsided.papers.li_2007.methods import BASELINES, COMPARED, LGN_, OSVM, OURS, READINGS, ROC_SVM, S_EM
from lopsided.pu import SpyEM

MIDDLE, LARGE, LARGEST = 60, (80, 100), 200  # percent of unexpected documents

CLAIMS = Claims.read(__package__)
Means = dict[str, float]
"""Of each method."""


def mean_by_method(t: Measurements, metric: str = "f") -> Means:
    """Return the mean of each method over sets and runs; NaN where it has no value."""
    return {method: part.mean(metric) for method, part in t.split("method").items()}


def best_baseline(means: Means) -> float:
    """Return the highest mean of the four methods that LGN is compared with."""
    return max(means[name] for name in BASELINES)


def gain(means: Means) -> float:
    """Return how far LGN is above the best of the four."""
    return means[LGN_] - best_baseline(means)


Rows = Mapping[Any, Means]
Estimated = Callable[[Callable[[Rows], Mapping[Any, float]]], dict[Any, Estimate]]
"""Computes numbers from the means of the methods, and how much they differ between the runs."""


def _claim(
    id_: str, item: str, *axes: str, metric: str = "f", min_rows: int = 1, among: str = "{}"
) -> Callable[[Check], Check]:
    """Enter a check that is given, in each protocol, the means of the methods at each label of the axes."""
    need = Needs(item, axes[0], min_rows=min_rows)

    def enter(check: Check) -> Check:
        def means(t: Measurements) -> Rows:
            return {at: mean_by_method(part, metric) for at, part in t.split(*axes).items()}

        def check_means(protocol: Measurements) -> tuple[Any, ...]:
            return check(means(protocol), lambda number: estimates(lambda t: number(means(t)), protocol))

        CLAIMS.enter(id_, need, each="protocol", form="{label}{mark}: {told}", among=among)(check_means)
        return check

    return enter


@_claim("L1", "table1", "data")
def _check_best(rows: Rows, estimated: Estimated) -> tuple[Answer, str]:
    won = {
        name: sum(means[name] > best_baseline(means) for means in rows.values())
        for name in (*READINGS, OURS)
        if all(name in means for means in rows.values())
    }
    gains = estimated(lambda rows: {name: gain(means) for name, means in rows.items()})
    shown = f"of {len(rows)} sets best {listed(won, form='d', link=' on ')}"
    return every(one.above(0) for one in gains.values()), shown


@_claim("L2", "table1", "data", among="ours, and (printed) for these sets: {}")
def _check_means(rows: Rows, estimated: Estimated) -> tuple[Answer, str, dict[str, object]]:
    def ours(rows: Rows) -> dict[str, float]:
        there = [name for name in COMPARED if name in next(iter(rows.values()))]
        return {name: float(np.mean([m[name] for m in rows.values() if name in m])) for name in there}

    published = {
        name: float(np.mean([TABLE1.value("f", data=row, method=name) for row in rows]))
        for name in (*BASELINES, LGN_)
    }
    gaps = estimated(lambda rows: {name: ours(rows)[name] - value for name, value in published.items()})
    holds = every(gap.within(words.AS_PRINTED) for gap in gaps.values())
    beside = {name: f" ({value:.1f})" for name, value in published.items()}
    shown = ", ".join(f"{name} {value:.1f}{beside.get(name, '')}" for name, value in ours(rows).items())
    far = {name: gap.value for name, gap in gaps.items() if abs(gap.value) > words.AS_PRINTED}
    readings = [ours(rows).get(name, math.nan) for name in READINGS]
    return holds, shown, {"far": listed(far, form="+.1f"), "low": min(readings), "high": max(readings)}


@_claim("L3", "figure4", "share")
def _check_small_shares(shares: Rows, estimated: Estimated) -> tuple[Answer, str, dict[str, object]]:
    return _leads(shares, estimated, least=0.0)


def _leads(shares: Rows, estimated: Estimated, least: float) -> tuple[Answer, str, dict[str, object]]:
    """Return whether LGN is ahead by more than ``least`` points up to 60 %, and the figures."""
    best = {share: best_baseline(means) for share, means in shares.items() if share <= MIDDLE}
    gains = estimated(lambda shares: {f"{share} %": gain(shares[share]) for share in best})
    shown = "; ".join(
        f"{share} % {listed(shares[share], READINGS)}, best other {other:.1f}"
        for share, other in best.items()
    )
    return every(one.above(least) for one in gains.values()), shown, _turn(shares)


def _turn(shares: Rows) -> dict[str, object]:
    """Return F of LGN and of the best other at the smallest share and at the largest one up to 60 %."""
    ends = {"few": min(shares), "many": max(share for share in shares if share <= MIDDLE)}
    lgn = [shares[share][LGN_] for share in ends.values()]
    return ends | {"lgn": lgn, "other": [best_baseline(shares[share]) for share in ends.values()]}


def _by_share(shares: Rows, *names: str) -> str:
    return "; ".join(f"{share} % {listed(means, names)}" for share, means in shares.items())


def _large(shares: Rows) -> Rows:
    return {share: means for share, means in shares.items() if share in LARGE}


@_claim("L4", "figure4", "share")
def _check_large_shares(shares: Rows, estimated: Estimated) -> tuple[Answer, str, dict[str, object]]:
    large = _large(shares)
    ahead = estimated(
        lambda shares: {f"{share} %": shares[share][ROC_SVM] - shares[share][LGN_] for share in large}
    )
    holds = every(one.above(0) & one.at_most(words.SLIGHTLY) for one in ahead.values()) & bool(large)
    told = [one.value for one in ahead.values()]
    return holds, _by_share(large, ROC_SVM, *READINGS), _turn(shares) | {"ahead": told}


@_claim("L5", "figure4", "share")
def _check_pebl(shares: Rows, estimated: Estimated) -> tuple[Answer, str, dict[str, float]]:
    def numbers(shares: Rows) -> dict[str, float]:
        others = {
            share: [m[name] for name in (*BASELINES, LGN_) if name != "PEBL"] for share, m in shares.items()
        }
        found = {f"last at {s} %": min(others[s]) - shares[s]["PEBL"] for s in shares if s <= max(LARGE)}
        return found | {f"behind at {s} %": max(others[s]) - shares[s]["PEBL"] for s in (max(LARGE), LARGEST)}

    found, pebl = estimated(numbers), {share: m["PEBL"] for share, m in shares.items()}
    *last, at_100, at_200 = found.values()
    holds = every(one.at_least(0) for one in last)
    holds &= at_100.at_least(words.FAR) & at_200.below(words.FAR)
    shown = f"F {listed(pebl, link=' % ')}; behind the best by {at_100.value:.1f} and {at_200.value:.1f}"
    return holds, shown, {"pebl": pebl[LARGEST], "behind": at_200.value}


@_claim("L6", "figure5", "share")
def _check_three(shares: Rows, estimated: Estimated) -> tuple[Answer, str, dict[str, object]]:
    (holds, shown, figures), large = _leads(shares, estimated, least=words.FAR), _large(shares)

    def numbers(shares: Rows) -> dict[tuple[int, str], float]:
        found: dict[tuple[int, str], float] = {}
        for share in large:
            m = shares[share]
            found |= {(share, f"LGN and {other}"): m[LGN_] - m[other] for other in (S_EM, ROC_SVM)}
            found[share, OSVM] = min(m[LGN_], m[S_EM], m[ROC_SVM]) - m[OSVM]
        return found

    for (_, name), one in estimated(numbers).items():
        holds &= one.at_least(words.FAR) if name == OSVM else one.within(words.SIMILAR)
    told = [shown, *([_by_share(large, OSVM, S_EM, ROC_SVM, *READINGS)] if large else [])]
    return holds, "; ".join(told), figures


@_claim("L7", "ten", "data", "share", min_rows=len(TEN), among="gains, and (printed): {}")
def _check_ten(points: Rows, estimated: Estimated) -> tuple[Answer, str, dict[str, object]]:
    printed = {at: TEN_CLASSES.value("gain", data=at[0], share=at[1]) or 0.0 for at in points}
    gains = estimated(lambda points: {at: gain(means) for at, means in points.items()})
    holds = every(one.above(max(0.0, printed[at] - words.AS_PRINTED)) for at, one in gains.items())
    shown = (f"{at[0]}, {at[1]} % {one.value:+.1f} ({printed[at]:+.1f})" for at, one in gains.items())
    ahead = sum(one.value > 0 for one in gains.values())
    return (
        holds,
        ", ".join(shown),
        {"ahead": ahead, "all": len(gains), "worst": min(g.value for g in gains.values())},
    )


@_claim("L8", "priors", "ratio")
def _check_priors(ratios: Rows, estimated: Estimated) -> tuple[Answer, str]:
    moves = estimated(lambda ratios: {f"prior {r:g}": m[LGN_] - ratios[1.0][LGN_] for r, m in ratios.items()})
    shown = (f"prior {ratio:g} {listed(means, READINGS, '.2f')}" for ratio, means in ratios.items())
    return every(move.within(1) for move in moves.values()), "; ".join(shown)


_UNEXPECTED = "percent that are unexpected (nan: none extracted): {}"


@_claim("L9", "purity", "share", metric="purity", among=_UNEXPECTED)
def _check_purity(shares: Rows, estimated: Estimated) -> tuple[Answer, str]:
    found = {
        k: one for k, one in estimated(lambda shares: shares[SMALL]).items() if not math.isnan(one.value)
    }
    holds = every(one.at_most(100 * words.MAJORITY) for one in found.values()) & bool(found)
    return holds, _by_share(shares, *shares[SMALL])


@_claim("L10", "spies", "noise", "spy_share")
def _check_spies(settings: Rows, estimated: Estimated) -> tuple[Answer, str, dict[str, list[float]]]:
    usual = SpyEM()

    def lines(settings: Rows, noise: float | None = None, spies: float | None = None) -> dict[str, float]:
        return {
            f"noise {n:g}, spies {s:g}": means[S_EM]
            for (n, s), means in settings.items()
            if noise in (None, n) and spies in (None, s)
        }

    def ranges(settings: Rows) -> dict[str, float]:
        parts = {"spies": lines(settings, noise=usual.noise), "noise": lines(settings, spies=usual.spy_share)}
        return {f"range over {name}": max(part.values()) - min(part.values()) for name, part in parts.items()}

    found, spies = estimated(ranges), lines(settings, noise=usual.noise)
    shown = (
        f"with {len(spies)} shares of spies {ranged(spies)}; with other noise levels "
        f"{ranged(lines(settings, spies=usual.spy_share))}; in all {ranged(lines(settings))}"
    )
    return (
        found["range over spies"].at_most(words.SIMILAR),
        shown,
        {"ranges": [one.value for one in found.values()]},
    )
