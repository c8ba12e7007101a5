"""The thirteen claims of the paper, and the rules that judge them."""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._weak import LEARNERS
from lopsided.experiments import Claims, Measurements, Needs, listed, words
from lopsided.papers.leskovec_2003.data import FACTS, LARGE, SMALL
from lopsided.papers.leskovec_2003.methods import ADA, ADA_U, BOOSTERS, LP, LP_U, METHODS, SVM, Setting
from lopsided.papers.leskovec_2003.units import RoundCurve, best_on_test, chosen_by_folds, mean_by_method

DISCARDED = ("earn", "acq")
_SLIGHTLY_MORE = 1.5  # times, at most
_AROUND = 2.0  # times more or less, at most
_FEWER = 1 / 3  # of the rounds, at most: far fewer

CLAIMS = Claims.read(__package__)
_claim = CLAIMS.enter


def _of(item: str, *categories: str, min_rows: int = 1) -> Needs:
    only = {"category": categories} if categories else {}
    return Needs(item, index="category", only=only, min_rows=min_rows)


_TABLE1, _TABLE2 = _of("table1"), _of("table2")


def _told(t: Measurements, means: Mapping[str, float]) -> str:
    return f"{_number(t)}: {listed(means)}"


def _number(t: Measurements) -> str:
    n = len(t.labels("category"))
    return f"{n} categor{'y' if n == 1 else 'ies'}"


@_claim("B1", _TABLE1)
def _check_order(table: Measurements) -> tuple[bool, str]:
    means = mean_by_method(best_on_test(table))
    holds = means[LP_U] > max(means[LP], means[ADA_U])
    holds &= min(means[LP], means[ADA_U]) >= max(means[ADA], means[SVM]) + words.FAR
    return holds, _told(table, means)


@_claim("B2", _of("table1", *LARGE), _of("table1", *SMALL))
def _check_sizes(large: Measurements, small: Measurements) -> tuple[bool, str]:
    on_large, on_small = (mean_by_method(best_on_test(part)) for part in (large, small))
    others = (ADA, ADA_U, SVM)
    holds = min(on_large[m] for m in others) > max(on_large[LP], on_large[LP_U])
    holds &= max(on_large[m] for m in others) <= on_large[LP_U] + words.SLIGHTLY
    holds &= on_small[LP_U] > max(on_small[m] for m in others)
    return holds, f"{_told(large, on_large)}; {_told(small, on_small)}"


@_claim("B3", _of("figure3", *SMALL))
def _check_overfit(small: Measurements) -> tuple[bool, str]:
    best = best_on_test(small)
    test, train = mean_by_method(best), mean_by_method(best, "train_f1")
    gap = {m: train[m] - test[m] for m in BOOSTERS}
    adas, lps = (ADA, ADA_U), (LP, LP_U)
    holds = words.FAR <= gap[ADA_U] < gap[ADA]
    holds &= max(train[m] for m in lps) < min(train[m] for m in adas)
    holds &= min(test[m] for m in lps) >= max(test[m] for m in adas) - words.SIMILAR
    shown = ", ".join(f"{m} {train[m]:.1f} / {test[m]:.1f}" for m in BOOSTERS)
    return holds, f"training / test, {_number(small)}: {shown}"


@_claim("B4", _of("table1", *SMALL))
def _check_few_rules(small: Measurements) -> tuple[bool, str]:
    stems: dict[str, tuple[str, ...]] = {}
    for category, runs in small.only(method=LP_U).split("category").items():
        found = [one.result.words for one in runs if one.values["rules"] <= 2 and one.values["f1"] == 1]
        if found:
            stems[category] = min(found, key=len)
    shown = "; ".join(f"{name}: {' and '.join(few)}" for name, few in stems.items())
    return stems.get("platinum") == ("platinum",), f"no error with {shown}" if stems else "nowhere"


@_claim("B5", _of("table1", *LARGE), _of("table1", *SMALL))
def _check_rounds(large: Measurements, small: Measurements) -> tuple[bool, str]:
    about, few = FACTS["rounds_on_large_categories"], FACTS["rounds_on_small_categories"]
    holds, shown = True, []
    for method in (LP, LP_U):
        on_large, on_small = parts = [best_on_test(part.only(method=method)) for part in (large, small)]
        rounds, rules = (
            [float(np.median(part.values(what))) for part in parts] for what in ("rounds", "rules")
        )
        holds &= about / _AROUND <= rounds[0] <= about * _AROUND and rounds[1] <= few
        shown.append(
            f"{method} {rounds[0]:g} rounds ({rules[0]:g} rules) and {rounds[1]:g} ({rules[1]:g}); "
            + ", ".join(
                f"{one.at['category']} {one.values['rounds']} ({one.values['rules']})"
                for one in (*on_large, *on_small)
            )
        )
    return holds, "; ".join(shown)


@_claim("B6", _TABLE1)
def _check_learners(table: Measurements) -> tuple[bool, str]:
    there, categories = table.labels("learner"), table.labels("category")
    best = {name: _best_f1(table.only(learner=name)) for name in LEARNERS if name in there}
    highest = {c: max(scores[c] for scores in best.values()) for c in categories}
    won = {name: sum(scores[c] >= highest[c] for c in categories) for name, scores in best.items()}
    means = {name: _average(scores) for name, scores in best.items()}
    holds = won["real.mh"] > words.MAJORITY * len(categories)
    holds &= means["real.mh"] > max(means["disc.mh"], means["real.lp"])
    holds &= min(means["disc.mh"], means["real.lp"]) > max(means["real.u"], means["disc.u"])
    own = []
    for booster, kind in ((LP, "lp"), (LP_U, "lp"), (ADA_U, "u"), (LP_U, "u")):
        runs = table.only(method=booster)
        usual, special = (
            max(_average(_best_f1(runs.only(learner=f"{form}.{k}"))) for form in ("real", "disc"))
            for k in ("mh", kind)
        )
        holds &= special <= usual
        own.append(f"{booster} {special:.1f} with {kind.upper()}, {usual:.1f} with MH")
    shown = ", ".join(f"{name} {means[name]:.1f} (best on {won[name]})" for name in best)
    return holds, f"{len(categories)} categories: {shown}; {'; '.join(own)}"


def _best_f1(t: Measurements) -> dict[str, float]:
    """Return the best F1 on test documents of each category."""
    return {category: max(row.values("f1")) for category, row in t.split("category").items()}


def _average(scores: Mapping[str, float]) -> float:
    return 100 * float(np.mean(list(scores.values())))


@_claim("B7", _TABLE1, _TABLE2)
def _check_gaps(upper: Measurements, honest: Measurements) -> tuple[bool, str]:
    upper, honest = _in_both(upper, honest)
    bounds, means = mean_by_method(best_on_test(upper)), mean_by_method(chosen_by_folds(honest))
    gap = {m: bounds[m] - means[m] for m in bounds}
    holds = max(gap[ADA], gap[SVM]) <= words.SIMILAR and words.FAR <= gap[ADA_U] < gap[LP]
    return holds, f"gaps, {_told(upper, gap)}"


def _in_both(upper: Measurements, honest: Measurements) -> tuple[Measurements, Measurements]:
    both = {*upper.labels("category")} & {*honest.labels("category")}
    return upper.only(category=both), honest.only(category=both)


@_claim("B8", _of("table2", *LARGE), _of("table2", *SMALL))
def _check_svm(large: Measurements, small: Measurements) -> tuple[bool, str]:
    on_large, on_small = (mean_by_method(chosen_by_folds(part)) for part in (large, small))
    holds = on_large[SVM] > max(f1 for method, f1 in on_large.items() if method != SVM)
    holds &= on_small[SVM] <= max(on_small.values()) - words.FAR
    return holds, f"{_told(large, on_large)}; {_told(small, on_small)}"


@_claim("B9", _TABLE1, _TABLE2)
def _check_stable(upper: Measurements, honest: Measurements) -> tuple[bool, str]:
    upper, honest = _in_both(upper, honest)
    chosen, best = chosen_by_folds(honest), best_on_test(upper)
    means = mean_by_method(chosen)
    spread = {m: 100 * float(np.std(chosen.values("f1", method=m))) for m in means}
    n_differ = sum(
        f1 < best.mean("f1", category=one.at["category"], method=LP_U)
        for one in chosen.only(method=LP_U)
        for f1 in upper.values("f1", category=one.at["category"], setting=one.at["setting"])
    )
    n_categories = len(chosen.labels("category"))
    holds = max(means, key=lambda m: means[m]) == LP_U == min(spread, key=lambda m: spread[m])
    holds &= n_differ > words.MAJORITY * n_categories
    return holds, (
        f"means: {listed(means)}; standard deviations: {listed(spread)}; settings differ on {n_differ} of "
        f"{n_categories}"
    )


@_claim("B10", _of("figure4"))
def _check_curves(figure_4: Measurements) -> tuple[bool, str]:
    curves = figure_4.results(RoundCurve)

    def average(method: str, measure: Callable[[NDArray[np.float64]], float]) -> float:
        values = [measure(np.abs(np.diff(c.test, prepend=0.0))) for c in curves if c.setting.method == method]
        return 100 * float(np.mean(values))

    def quarter(steps: NDArray[np.float64]) -> int:
        return math.ceil(len(steps) / 4)

    steps = {m: average(m, lambda s: s[len(s) // 2 :].mean()) for m in (ADA, ADA_U)}
    early = {m: average(m, lambda s: s[1 : max(2, quarter(s))].max(initial=0.0)) for m in (LP, LP_U)}
    end = {m: average(m, lambda s: s[1:][-quarter(s) :].max(initial=0.0)) for m in (LP, LP_U)}
    holds = steps[ADA_U] >= 2 * steps[ADA]
    holds &= min(early.values()) >= words.FAR and max(end.values()) <= words.SIMILAR
    return holds, (
        f"points a round {steps[ADA_U]:.2f} against {steps[ADA]:.2f}; largest early steps {listed(early)}; "
        f"largest late ones {listed(end)}"
    )


@_claim("B11", _of("figure5", *DISCARDED, min_rows=len(DISCARDED)))
def _check_discarding(figure_5: Measurements) -> tuple[bool, str]:
    figure = {
        category: {n: mean_by_method(best.only(positives=n)) for n in sorted(best.labels("positives"))}
        for category, best in best_on_test(figure_5).split("category").items()
    }
    earn, acq = (figure[category] for category in DISCARDED)
    few, full = earn[min(earn)], earn[max(earn)]
    loss = {m: full[m] - few[m] for m in BOOSTERS}
    holds = loss[ADA_U] <= words.SIMILAR and min(loss[LP], loss[LP_U]) >= max(words.FAR, 2 * loss[ADA_U])
    holds &= all(means[LP_U] >= means[ADA_U] - words.SIMILAR for means in acq.values())
    limit = FACTS["positives_below_which_F1_of_AdaBoost_and_LPBoost_on_acq_is_poor"]
    poor = 100 * FACTS["poor_F1_on_acq"]
    holds &= all(max(means[ADA], means[LP]) < poor for n, means in acq.items() if n < limit)
    return holds, "; ".join(
        f"{category}: " + "; ".join(f"{n} {listed(means, BOOSTERS)}" for n, means in sizes.items())
        for category, sizes in figure.items()
    )


@_claim("B12", _TABLE1)
def _check_cost(table: Measurements) -> tuple[bool, str]:
    ratios, rounds, shown = [], [], []
    for category, row in _run_once(table).split("category").items():
        parts = [row.only(method=methods) for methods in ((ADA, ADA_U), (LP, LP_U))]
        ada, lp = (sum(part.values("seconds")) / sum(part.values("rounds")) for part in parts)
        n_ada, n_lp = n_rounds = [part.mean("rounds") for part in parts]
        ratios.append(lp / ada)
        rounds.append(n_rounds)
        shown.append(f"{category} {lp / ada:.1f} times ({n_lp:.0f} rounds against {n_ada:.0f})")
    median = float(np.median(ratios))
    share = sum(lp for _, lp in rounds) / sum(ada for ada, _ in rounds)
    return median <= _SLIGHTLY_MORE and share <= _FEWER, f"median {median:.2f} times: {', '.join(shown)}"


def _run_once(t: Measurements) -> Measurements:
    """Return the measurements without those of settings that another's run stands for."""
    return Measurements([one for one in t if one.at["setting"] == one.result.setting])


@_claim("B13", _TABLE1)
def _check_nu(table: Measurements) -> tuple[bool, str]:
    groups: dict[tuple[str, Setting], list[float]] = {}
    for one in _run_once(table).only(method=(LP, LP_U)):
        alike = (one.at["category"], one.at["setting"]._replace(nu=0.0))
        groups.setdefault(alike, []).append(100 * one.values["f1"])
    apart: dict[str, list[float]] = {}
    for (_, setting), values in groups.items():
        if len(values) > 1:
            apart.setdefault(setting.method, []).append(max(values) - min(values))
    means = {m: float(np.mean(values)) for m, values in apart.items()}
    n_pairs = sum(len(values) for values in apart.values())
    return min(means.values()) >= words.FAR, f"points apart, {n_pairs} pairs: {listed(means, METHODS)}"
