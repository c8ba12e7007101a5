"""The fourteen claims of the paper, and the rules that judge them."""

import math
from collections.abc import Iterable

import numpy as np

from lopsided.experiments import Claims, Measurement, Measurements, Needs, listed, ranged, words
from lopsided.metrics import WilcoxonResult, competition_ranks, wilcoxon_signed_rank
from lopsided.papers.ertekin_2007.data import TABLE1
from lopsided.papers.ertekin_2007.methods import BOTH, COMPARED
from lopsided.papers.ertekin_2007.units import STOP, Trace, support_ratio, traces_of
from lopsided.plot import LabelCurve, mean_label_curve

# Words of this paper's claims that no other's have, as numbers.
_FAR_BELOW = 0.5  # a ratio that is far below another is at most half of it
_FIRST_STEPS = 0.05  # share of the labels
_NEARLY_ALL = 0.8  # share of the training examples
_LEAST_ROWS = 9  # with fewer the signed rank test cannot reject at 1 %
_SHORT = {"batch": "batch", "undersampling": "us", "smote": "smote", "costs": "dc", "active": "al"}

CLAIMS = Claims.read(__package__)
_claim = CLAIMS.enter
_BOTH, _THREE, _FIVE = ({"method": names} for names in (BOTH, (*BOTH, "random-stopped"), COMPARED))
_TABLE1, _TABLE4 = Needs("table1", "problem", every=_BOTH), Needs("table4", "problem", every=_FIVE)


@_claim("E1", Needs("figure2", "problem", only={"part": (STOP,)}, every={"method": ("exhaustive", "active")}))
def _check_pool(stops: Measurements) -> tuple[bool, str]:
    speed, gaps = {}, []
    for name, row in stops.split("problem").items():
        full, pool = (row.only(method=method) for method in ("exhaustive", "active"))
        speed[name] = full.mean("seconds") / pool.mean("seconds")
        gaps += [abs(full.mean(score) - pool.mean(score)) for score in ("gmeans", "prbep")]
    holds = min(speed.values()) >= 4 and max(gaps) <= words.SIMILAR
    return holds, f"times faster: {listed(speed)}; scores at most {max(gaps):.2f} points apart"


@_claim("E2", _TABLE1)
def _check_scores_at_the_stop(table_1: Measurements) -> tuple[bool, str]:
    gains = {
        (name, score): row.mean(score, method="active") - row.mean(score, method="batch")
        for name, row in table_1.split("problem").items()
        for score in ("gmeans", "auc")
    }
    (name, score), worst = min(gains.items(), key=lambda gain: gain[1])
    below = {problem for (problem, _), gain in gains.items() if gain < -words.SIMILAR}
    shown = f"worst {worst:+.2f} points ({score} of {name})"
    return not below, f"{shown}; below on {len(below)} of {len(gains) // 2}"


@_claim("E3", _TABLE1)
def _check_labels(table_1: Measurements) -> tuple[bool, str]:
    shares = table_1.means("labels", "problem", method="active")
    above = {name: share for name, share in shares.items() if share > 42 + words.AS_PRINTED}
    return not above, f"{ranged(shares, '{:.1f} %')}; above 47 %: {listed(above) or 'none'}"


@_claim("E4", _TABLE1, Needs("figure8", "problem", every=_BOTH))
def _check_support_ratio(table_1: Measurements, figure_8: Measurements) -> tuple[bool, str]:
    stops = table_1.only(method="active").split("problem").values()
    parts = np.array([stop.mean("sv_ratio") / stop.mean("class_ratio") for stop in stops])
    early, ends = [], []
    for methods in traces_of(figure_8).values():
        active, random = (_mean(methods[method]) for method in ("active", "batch"))
        started = active.n_labels >= _FIRST_STEPS * active.n_labels[-1]
        early.append(float(support_ratio(active)[started].max() / methods["active"][0].class_ratio))
        ends.append(float(support_ratio(active)[-1] / support_ratio(random)[-1]))
    holds = (
        bool((parts < 1).all())
        and float(np.mean(parts <= _FAR_BELOW)) >= words.WIDE_MAJORITY
        and max(early) <= _FAR_BELOW
        and all(0.9 <= end <= 1.1 for end in ends)
    )
    return (
        holds,
        f"share of the class ratio: {parts.min():.2f} to {parts.max():.2f} at the stop, at most "
        f"{max(early):.2f} on the way; at the end {max(ends, key=lambda end: abs(end - 1)):.2f} times "
        "that of random sampling",
    )


@_claim("E5", Needs("figure3", "problem"))
def _check_margin(figure_3: Measurements) -> tuple[bool, str]:
    parts = {}
    for name, part in figure_3.split("problem").items():
        n_negative, n_positive = (sum(part.values(f"n_{sign}_within")) for sign in ("negative", "positive"))
        ratio = n_negative / n_positive if n_positive else math.inf
        parts[name] = ratio / part.values("all")[0]
    worst = max(parts, key=parts.__getitem__)
    shown = f"{min(parts.values()):.3f} to {parts[worst]:.3f} ({worst})"
    return parts[worst] < 1, f"share of the class ratio: {shown}"


@_claim("E6", Needs("figure4", "problem"))
def _check_folds(figure_4: Measurements) -> tuple[bool, str]:
    stops, drifts, growths = [], [], []
    for run in figure_4.results(Trace, method="active"):
        curve, stop = run.curve, _stop(run.curve)
        after = curve.n_labels >= stop
        g, n_support = 100 * curve.g_mean[after], curve.n_support[after]
        stops.append(100 * stop / float(curve.n_labels[-1]))
        drifts.append(float(np.abs(g - g[0]).max()))
        growths.append(float(np.abs(n_support / n_support[0] - 1).max()))
    holds = max(drifts) <= words.SIMILAR and max(growths) <= 0.1
    holds &= max(stops) - min(stops) <= words.AS_PRINTED and max(stops) < 100
    shown = ", ".join(f"{stop:.1f}" for stop in stops)
    return holds, (
        f"stops at {shown} % of the labels; after them g-means change by up to {max(drifts):.2f} points "
        f"and support vectors by up to {100 * max(growths):.0f} %"
    )


@_claim("E7", Needs("figure5", "problem", every=_BOTH))
def _check_sensitivity(figure_5: Measurements) -> tuple[bool, str]:
    problems, ranges = traces_of(figure_5).values(), {}
    for method in ("active", "batch"):
        heights = [_height(_mean(runs[method])) for runs in problems]
        ranges[method] = 100 * (max(heights) - min(heights))
    active, random = ranges["active"], ranges["batch"]
    return active < random, f"range over the ratios: active {active:.1f} points, random {random:.1f}"


@_claim("E8", Needs("figure6", "problem", every=_BOTH))
def _check_early_peak(figure_6: Measurements) -> tuple[bool, str]:
    gains = {
        name: 100 * float(np.mean([_prbep_at_stop(run.curve) for run in methods["active"]]))
        - 100 * float(np.mean([run.curve.prbep[-1] for run in methods["batch"]]))
        for name, methods in traces_of(figure_6).items()
        if methods["active"][0].class_ratio > 9
    }
    holds = bool(gains) and min(gains.values()) > 0
    return holds, f"points above random sampling: {listed(gains, form='+.2f') or 'no such ratio'}"


@_claim("E9", Needs("figure7", "problem", every=_THREE), each="problem", among="AUC: {}")
def _check_roc(roc: Measurements) -> tuple[bool, str]:
    auc = roc.means("auc", "method")
    active, random, batch = auc["active"], auc["random-stopped"], auc["batch"]
    holds = active > random and active >= batch - words.SIMILAR
    return holds, f"active {active:.2f}, random {random:.2f}, batch {batch:.2f}"


@_claim("E10", _TABLE4)
def _check_ranks(table_4: Measurements) -> tuple[bool, str]:
    table = ranks(table_4)
    means, n_rows = table.means("rank", "method"), len(table.labels("problem"))
    best = means["active"] < min(rank for method, rank in means.items() if method != "active")
    shown = f"average ranks: {_say_ranks(table)}; first on {_n_first(table)} of {n_rows}"
    if own := _with_the_papers_data(table):
        shown += f"; on the {len(own.labels('problem'))} rows with the paper's own data {_say_ranks(own)}"
        shown += f"; first on {_n_first(own)}"
    return best and _n_first(table) > words.MAJORITY * n_rows, shown


def ranks(t: Measurements) -> Measurements:
    """Return the ranks of the five methods on each problem, by their PRBEP as published: with two digits."""
    prbep = {name: part.means("prbep", "method") for name, part in t.split("problem").items()}
    table = competition_ranks([[round(means[method], 2) for method in COMPARED] for means in prbep.values()])
    return Measurements(
        [
            Measurement({"problem": problem, "method": method}, {"rank": float(rank)})
            for problem, line in zip(prbep, table, strict=True)
            for method, rank in zip(COMPARED, line, strict=True)
        ]
    )


def _with_the_papers_data(t: Measurements) -> Measurements:
    """Return the rows without the collection that stands in; none where there is nothing to leave out."""
    own = t.only(problem=TABLE1.labels("problem"))
    return own if len(own) < len(t) else Measurements()


def _say_ranks(table: Measurements, methods: Iterable[str] = COMPARED) -> str:
    means = table.means("rank", "method")
    return listed({_SHORT[method]: means[method] for method in methods}, form=".2f")


def _n_first(table: Measurements) -> int:
    return table.values("rank", method="active").count(1)


@_claim("E11", Needs("table3", "problem", every=_FIVE, min_rows=_LEAST_ROWS))
def _check_undersampling(table_3: Measurements) -> tuple[bool, str]:
    test, gain, shown = _against_undersampling(table_3, " points on average")
    if own := _with_the_papers_data(table_3):
        shown += f"; on the rows with the paper's own data {_against_undersampling(own)[2]}"
    return gain > 0 and test.pvalue < 0.01, shown


def _against_undersampling(t: Measurements, unit: str = "") -> tuple[WilcoxonResult, float, str]:
    """Return the test of active learning against undersampling, the mean gain, and both in words."""
    test, by_row = signed_rank_test(t), t.means("prbep", "problem", "method")
    rows = t.labels("problem")
    gain = float(np.mean([by_row[name, "active"] - by_row[name, "undersampling"] for name in rows]))
    return test, gain, f"{gain:+.2f}{unit}, p = {test.pvalue:.4f}, n = {test.n}"


def signed_rank_test(t: Measurements) -> WilcoxonResult:
    """Do the signed rank test of Section 6: PRBEP of active learning against undersampling."""
    active, fewer = (t.means("prbep", "problem", method=method) for method in ("active", "undersampling"))
    return wilcoxon_signed_rank(list(active.values()), [fewer[name] for name in active])


@_claim("E12", _TABLE4)
def _check_above_batch(table_4: Measurements) -> tuple[bool, str]:
    table = ranks(table_4)
    means, shown = table.means("rank", "method"), _say_ranks(table, _READ_ALL)
    if own := _with_the_papers_data(table):
        shown += f"; on the rows with the paper's own data {_say_ranks(own, _READ_ALL)}"
    return max(means["smote"], means["costs"]) < means["batch"], shown


_READ_ALL = ("batch", "smote", "costs")  # methods that read all labels


@_claim("E13", Needs("table3", "problem", every=_FIVE))
def _check_time(table_3: Measurements) -> tuple[bool, str]:
    smote, active = (table_3.means("seconds", "problem", method=method) for method in ("smote", "active"))
    speed = {name: smote[name] / active[name] for name in smote}
    return min(speed.values()) > 1, f"{ranged(speed)} times as fast as SMOTE"


@_claim("E14", Needs("figure9", "problem", every=_BOTH))
def _check_late_level(figure_9: Measurements) -> tuple[bool, str]:
    late: list[float] = []
    active: list[float] = []
    for methods in traces_of(figure_9).values():
        for method, runs in methods.items():
            (active if method == "active" else late).append(_level_from(_mean(runs)))
    n_late = sum(share >= _NEARLY_ALL for share in late)
    return (
        n_late > words.MAJORITY * len(late),
        f"{n_late} of {len(late)} curves; the median one is level from {100 * np.median(late):.0f} % on, "
        f"active learning from {100 * np.median(active):.0f} %",
    )


def _mean(runs: Iterable[Trace]) -> LabelCurve:
    return mean_label_curve([run.curve for run in runs])


def _stop(curve: LabelCurve) -> float:
    """Return the labels at which a run stopped, or all of them."""
    return float(curve.n_labels[-1] if curve.stopped_at is None else curve.stopped_at)


def _prbep_at_stop(curve: LabelCurve) -> float:
    return float(np.interp(_stop(curve), curve.n_labels, curve.prbep))


def _height(curve: LabelCurve) -> float:
    """Return the mean g-means over the range of labels."""
    return float(np.trapezoid(curve.g_mean, curve.n_labels) / (curve.n_labels[-1] - curve.n_labels[0]))


def _level_from(curve: LabelCurve) -> float:
    """Return the share of the examples from which on g-means stay similar to where they end."""
    away = np.flatnonzero(np.abs(curve.g_mean - curve.g_mean[-1]) > words.SIMILAR / 100)
    first = 0 if len(away) == 0 else away[-1] + 1
    return float(curve.n_labels[first] / curve.n_labels[-1])
