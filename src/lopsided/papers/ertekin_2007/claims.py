"""The fourteen claims of the paper, and the rules that judge them."""

import math
from collections.abc import Iterable

import numpy as np

from lopsided.experiments import (
    Answer,
    Claims,
    Estimate,
    Measurement,
    Measurements,
    Needs,
    estimate,
    estimates,
    every,
    listed,
    more_than,
    ranged,
    words,
)
from lopsided.metrics import WilcoxonResult, competition_ranks, wilcoxon_signed_rank
from lopsided.papers.ertekin_2007.methods import BOTH, COMPARED
from lopsided.papers.ertekin_2007.units import STOP, RunScores, Trace, support_ratio, traces_of
from lopsided.plot import LabelCurve, mean_label_curve
from lopsided.svm import LASVC

# Words of this paper's claims that no other's have, as numbers.
_FASTER = 4.0  # times, at least: the lower end of the published range
_FAR_BELOW = 0.5  # a ratio that is far below another is at most half of it
_FIRST_STEPS = 0.05  # share of the labels
_NEARLY_ALL = 0.8  # share of the training examples
_MOST_LABELS = 42 + words.AS_PRINTED  # percent
_TOLERANCES = (words.SIMILAR, 1.0, 0.5)  # points of g-means: E14 is judged by the first
_LEAST_ROWS = 9  # with fewer the signed rank test cannot reject at 1 %
_SHORT = {"batch": "batch", "undersampling": "us", "smote": "smote", "costs": "dc", "active": "al"}

CLAIMS = Claims.read(
    __package__,
    FASTER=_FASTER,
    FIRST_STEPS=100 * _FIRST_STEPS,
    MOST=100 * words.WIDE_MAJORITY,
    NEARLY_ALL=100 * _NEARLY_ALL,
    TOLERANCES=_TOLERANCES,
)
_claim = CLAIMS.enter
_BOTH, _THREE, _FIVE = ({"method": names} for names in (BOTH, (*BOTH, "random-stopped"), COMPARED))
_TABLE1, _TABLE4 = Needs("table1", "problem", every=_BOTH), Needs("table4", "problem", every=_FIVE)


def _values(found: dict[str, Estimate]) -> dict[str, float]:
    return {name: one.value for name, one in found.items()}


@_claim("E1", Needs("figure2", "problem", only={"part": (STOP,)}, every={"method": ("exhaustive", "active")}))
def _check_pool(stops: Measurements) -> tuple[Answer, str]:
    def gaps(row: Measurements) -> dict[str, float]:
        full, pool = (row.only(method=method) for method in ("exhaustive", "active"))
        scores = {score: full.mean(score) - pool.mean(score) for score in ("gmeans", "prbep")}
        return scores | {"speed": full.mean("seconds") / pool.mean("seconds")}

    rows = {name: estimates(gaps, row) for name, row in stops.split("problem").items()}
    speed = {name: row["speed"] for name, row in rows.items()}
    apart = [row[score] for row in rows.values() for score in ("gmeans", "prbep")]
    most = max(abs(gap.value) for gap in apart)
    shown = f"times faster: {listed(_values(speed))}; scores at most {most:.2f} points apart"
    holds = every(one.at_least(_FASTER) for one in speed.values()) & every(
        gap.within(words.SIMILAR) for gap in apart
    )
    return holds, shown


@_claim("E2", _TABLE1)
def _check_scores_at_the_stop(table_1: Measurements) -> tuple[Answer, str]:
    def gains(table: Measurements) -> dict[tuple[str, str], float]:
        return {
            (name, score): row.mean(score, method="active") - row.mean(score, method="batch")
            for name, row in table.split("problem").items()
            for score in ("gmeans", "auc")
        }

    found = estimates(gains, table_1)
    (name, score), worst = min(found.items(), key=lambda gain: gain[1].value)
    below = {problem for (problem, _), gain in found.items() if gain.value < -words.SIMILAR}
    shown = f"worst {worst.value:+.2f} points ({score} of {name})"
    holds = every(gain.at_least(-words.SIMILAR) for gain in found.values())
    return holds, f"{shown}; below on {len(below)} of {len(found) // 2}"


@_claim("E3", _TABLE1)
def _check_labels(table_1: Measurements) -> tuple[Answer, str, dict[str, float]]:
    active = table_1.only(method="active")
    shares = estimates(lambda t: t.means("labels", "problem"), active)
    above = {name: one.value for name, one in shares.items() if one.value > _MOST_LABELS}
    told = f"{ranged(_values(shares), '{:.1f} %')}; above {_MOST_LABELS:g} %: {listed(above) or 'none'}"
    low, high = (
        _support_share(active.only(problem=[name for name in shares if (name in above) is is_above]))
        for is_above in (False, True)
    )
    return (
        every(share.at_most(_MOST_LABELS) for share in shares.values()),
        told,
        {"n": len(above), "rows": len(shares), "low": low, "high": high},
    )


def _support_share(t: Measurements) -> float:
    """Return the percentage of the training examples that are support vectors at the end, the median run."""
    runs = t.results(RunScores)
    return 100 * float(np.median([(r.n_support_pos + r.n_support_neg) / r.n_train for r in runs] or [0]))


@_claim("E4", _TABLE1, Needs("figure8", "problem", every=_BOTH))
def _check_support_ratio(table_1: Measurements, figure_8: Measurements) -> tuple[Answer, str]:
    def parts(t: Measurements) -> dict[str, float]:
        stops = t.only(method="active").split("problem").items()
        return {name: stop.mean("sv_ratio") / stop.mean("class_ratio") for name, stop in stops}

    def on_the_way(t: Measurements) -> dict[tuple[str, str], float]:
        found = {}
        for name, methods in traces_of(t).items():
            active, random = (_mean(methods[method]) for method in ("active", "batch"))
            started = active.n_labels >= _FIRST_STEPS * active.n_labels[-1]
            found["early", name] = float(
                support_ratio(active)[started].max() / methods["active"][0].class_ratio
            )
            found["end", name] = float(support_ratio(active)[-1] / support_ratio(random)[-1])
        return found

    part, way = estimates(parts, table_1), estimates(on_the_way, figure_8)
    early, ends = ([one for (when, _), one in way.items() if when == name] for name in ("early", "end"))
    far = (one.at_most(_FAR_BELOW) for one in part.values())
    holds = every(one.below(1) for one in part.values()) & more_than(
        words.WIDE_MAJORITY, far, or_as_many=True
    )
    holds &= every(one.at_most(_FAR_BELOW) for one in early)
    holds &= every(end.at_least(0.9) & end.at_most(1.1) for end in ends)
    low, high = (choose(_values(part).values()) for choose in (min, max))
    return holds, (
        f"share of the class ratio: {low:.2f} to {high:.2f} at the stop, at most "
        f"{max(one.value for one in early):.2f} on the way; at the end "
        f"{max((end.value for end in ends), key=lambda end: abs(end - 1)):.2f} times that of random sampling"
    )


@_claim("E5", Needs("figure3", "problem"))
def _check_margin(figure_3: Measurements) -> tuple[Answer, str]:
    def parts(t: Measurements) -> dict[str, float]:
        found = {}
        for name, part in t.split("problem").items():
            n_negative, n_positive = (
                sum(part.values(f"n_{sign}_within")) for sign in ("negative", "positive")
            )
            ratio = n_negative / n_positive if n_positive else math.inf
            found[name] = ratio / part.values("all")[0]
        return found

    part = estimates(parts, figure_3)
    values = _values(part)
    worst = max(values, key=values.__getitem__)
    shown = f"share of the class ratio: {min(values.values()):.3f} to {values[worst]:.3f} ({worst})"
    return every(one.below(1) for one in part.values()), shown


@_claim("E6", Needs("figure4", "problem"))
def _check_folds(figure_4: Measurements) -> tuple[Answer, str, dict[str, float]]:
    stops: list[float] = []

    def measure(t: Measurements) -> dict[str, float]:
        stops[:], drifts, growths = [], [], []
        for run in t.results(Trace, method="active"):
            curve, stop = run.curve, _stop(run.curve)
            after = curve.n_labels >= stop
            g, n_support = 100 * curve.g_mean[after], curve.n_support[after]
            stops.append(100 * stop / float(curve.n_labels[-1]))
            drifts.append(float(np.abs(g - g[0]).max()))
            growths.append(100 * float(np.abs(n_support / n_support[0] - 1).max()))
        return {
            "change of g-means": max(drifts),
            "growth": max(growths),
            "last": max(stops),
            "apart": max(stops) - min(stops),
        }

    found = estimates(measure, figure_4, run="problem")  # the folds are its runs
    measure(figure_4)
    holds = found["change of g-means"].at_most(words.SIMILAR) & found["growth"].at_most(10)
    holds &= found["apart"].at_most(words.AS_PRINTED) & found["last"].below(100)
    figures = _values(found)
    return (
        holds,
        (
            f"stops at {', '.join(f'{stop:.1f}' for stop in stops)} % of the labels; after them g-means "
            f"change by up to {figures['change of g-means']:.2f} points and support vectors by up to "
            f"{figures['growth']:.0f} %"
        ),
        figures,
    )


@_claim("E7", Needs("figure5", "problem", every=_BOTH))
def _check_sensitivity(figure_5: Measurements) -> tuple[Answer, str]:
    def ranges(t: Measurements) -> dict[str, float]:
        problems, found = traces_of(t).values(), {}
        for method in ("active", "batch"):
            heights = [_height(_mean(runs[method])) for runs in problems]
            found[method] = 100 * (max(heights) - min(heights))
        return found | {"less": found["batch"] - found["active"]}

    found = estimates(ranges, figure_5)
    active, random = found["active"].value, found["batch"].value
    return found["less"].above(0), f"range over the ratios: active {active:.1f} points, random {random:.1f}"


@_claim("E8", Needs("figure6", "problem", every=_BOTH))
def _check_early_peak(figure_6: Measurements) -> tuple[Answer, str]:
    def gains(t: Measurements) -> dict[str, float]:
        return {
            name: 100 * float(np.mean([_prbep_at_stop(run.curve) for run in methods["active"]]))
            - 100 * float(np.mean([run.curve.prbep[-1] for run in methods["batch"]]))
            for name, methods in traces_of(t).items()
            if methods["active"][0].class_ratio > 9
        }

    found = estimates(gains, figure_6)
    shown = f"points above random sampling: {listed(_values(found), form='+.2f') or 'no such ratio'}"
    return every(gain.above(0) for gain in found.values()) & bool(found), shown


@_claim(
    "E9",
    Needs("figure7", "problem", every=_THREE),
    each="problem",
    form="{label}{mark} {told}",
    among="AUC: {}",
)
def _check_roc(roc: Measurements) -> tuple[Answer, str]:
    def above(t: Measurements) -> dict[str, float]:
        auc = t.means("auc", "method")
        return {f"AUC above {other}": auc["active"] - auc[other] for other in ("random-stopped", "batch")}

    gain, auc = estimates(above, roc), roc.means("auc", "method")
    active, random, batch = auc["active"], auc["random-stopped"], auc["batch"]
    above_random, above_batch = gain.values()
    holds = above_random.above(0) & above_batch.at_least(-words.SIMILAR)
    return holds, f"active {active:.2f}, random {random:.2f}, batch {batch:.2f}"


@_claim("E10", _TABLE4)
def _check_ranks(table_4: Measurements) -> tuple[Answer, str]:
    def measure(t: Measurements) -> dict[str, float]:
        table = ranks(t)
        means = table.means("rank", "method")
        others = min(rank for method, rank in means.items() if method != "active")
        return {"ranks ahead": others - means["active"], "rows won": _n_first(table)}

    found, table, n_rows = estimates(measure, table_4), ranks(table_4), len(table_4.labels("problem"))
    shown = f"average ranks: {_say_ranks(table)}; first on {_n_first(table)} of {n_rows}"
    return found["ranks ahead"].above(0) & found["rows won"].above(words.MAJORITY * n_rows), shown


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


def _say_ranks(table: Measurements, methods: Iterable[str] = COMPARED) -> str:
    means = table.means("rank", "method")
    return listed({_SHORT[method]: means[method] for method in methods}, form=".2f")


def _n_first(table: Measurements) -> int:
    return table.values("rank", method="active").count(1)


@_claim("E11", Needs("table3", "problem", every=_FIVE, min_rows=_LEAST_ROWS))
def _check_undersampling(table_3: Measurements) -> tuple[Answer, str]:
    def gain_of(t: Measurements) -> float:
        by_row = t.means("prbep", "problem", "method")
        return float(np.mean([by_row[n, "active"] - by_row[n, "undersampling"] for n in t.labels("problem")]))

    test, gain = signed_rank_test(table_3), estimate(gain_of, table_3)
    shown = f"{gain.value:+.2f} points on average, p = {test.pvalue:.4f}, n = {test.n}"
    return gain.above(0) & (test.pvalue < 0.01), shown  # the test has its own account of chance


def signed_rank_test(t: Measurements) -> WilcoxonResult:
    """Return the signed rank test of Section 6: PRBEP of active learning against undersampling."""
    active, fewer = (t.means("prbep", "problem", method=method) for method in ("active", "undersampling"))
    return wilcoxon_signed_rank(list(active.values()), [fewer[name] for name in active])


@_claim("E12", _TABLE4)
def _check_above_batch(table_4: Measurements) -> tuple[Answer, str]:
    def ahead(t: Measurements) -> dict[str, float]:
        means = ranks(t).means("rank", "method")
        return {f"ranks of {m} ahead of batch": means["batch"] - means[m] for m in ("smote", "costs")}

    found = estimates(ahead, table_4)
    shown = _say_ranks(ranks(table_4), ("batch", "smote", "costs"))
    return every(one.above(0) for one in found.values()), shown


@_claim("E13", Needs("table3", "problem", every=_FIVE))
def _check_time(table_3: Measurements) -> tuple[Answer, str, dict[str, float]]:
    def speeds(t: Measurements) -> dict[str, float]:
        smote, active = (t.means("seconds", "problem", method=method) for method in ("smote", "active"))
        return {name: smote[name] / active[name] for name in smote}

    speed, weighed = estimates(speeds, table_3), []
    for row in table_3.split("problem").values():
        active, smote = (row.results(RunScores, method=method) for method in ("active", "smote"))
        if active and smote:
            labels, rows = (float(np.mean([run.n_labels for run in runs])) for runs in (active, smote))
            weighed.append(LASVC().pool_size * labels / rows)
    figures = {"pool": LASVC().pool_size, "weighed": float(np.median(weighed or [0]))}
    shown = f"{ranged(_values(speed))} times as fast as SMOTE"
    return every(one.above(1) for one in speed.values()), shown, figures


@_claim("E14", Needs("figure9", "problem", every=_BOTH))
def _check_late_level(figure_9: Measurements) -> tuple[Answer, str, dict[str, float]]:
    def levels(t: Measurements, tolerance: float) -> tuple[list[float], list[float]]:
        late: list[float] = []
        active: list[float] = []
        for methods in traces_of(t).values():
            for method, runs in methods.items():
                (active if method == "active" else late).append(_level_from(_mean(runs), tolerance))
        return late, active

    def n_late(t: Measurements) -> dict[float, float]:
        return {limit: sum(share >= _NEARLY_ALL for share in levels(t, limit)[0]) for limit in _TOLERANCES}

    found, shown = estimates(n_late, figure_9), []
    for tolerance, n in found.items():
        late, active = levels(figure_9, tolerance)
        shown.append(
            f"within {tolerance:g} points {n.value:.0f} of {len(late)} curves; the median one is level from "
            f"{100 * np.median(late):.0f} % on, active learning from {100 * np.median(active):.0f} %"
        )
    judged, *_, tightest = found.values()
    figures = {
        "late": judged.value,
        "curves": len(late),
        "tight": tightest.value,
        "tolerance": _TOLERANCES[-1],
    }
    return judged.above(words.MAJORITY * len(late)), "; ".join(shown), figures


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


def _level_from(curve: LabelCurve, tolerance: float) -> float:
    """Return the share of the examples from which on g-means stay within so many points of where they end."""
    away = np.flatnonzero(np.abs(curve.g_mean - curve.g_mean[-1]) > tolerance / 100)
    first = 0 if len(away) == 0 else away[-1] + 1
    return float(curve.n_labels[first] / curve.n_labels[-1])
