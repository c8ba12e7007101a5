"""The thirteen claims of the paper, and the rules that judge them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._weak import LEARNERS
from lopsided.experiments import (
    Answer,
    Claims,
    Measurements,
    Needs,
    estimates,
    every,
    listed,
    words,
)
from lopsided.papers.leskovec_2003.data import FACTS, LARGE, SMALL
from lopsided.papers.leskovec_2003.methods import (
    ADA,
    ADA_U,
    BOOSTERS,
    LP,
    LP_U,
    METHODS,
    N_ROUNDS,
    SVM,
    Setting,
)
from lopsided.papers.leskovec_2003.units import (
    RoundCurve,
    best_on_test,
    by_draw,
    chosen_by_folds,
    mean_by_method,
    models_of_folds,
)

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
def _check_order(table: Measurements) -> tuple[bool, str, dict[str, float]]:
    best = best_on_test(table)
    means = mean_by_method(best)
    holds = means[LP_U] > max(means[LP], means[ADA_U])
    holds &= min(means[LP], means[ADA_U]) >= max(means[ADA], means[SVM]) + words.FAR
    lost = sum(f1 == 0 for f1 in best.values("f1", method=LP))
    figures = {"behind": means[ADA_U] - means[LP_U], "lost": lost, "n": len(best.labels("category"))}
    return holds, _told(table, means), figures


@_claim("B2", _of("table1", *LARGE), _of("table1", *SMALL))
def _check_sizes(large: Measurements, small: Measurements) -> tuple[bool, str, dict[str, float]]:
    on_large, on_small = (mean_by_method(best_on_test(part)) for part in (large, small))
    others = (ADA, ADA_U, SVM)
    holds = min(on_large[m] for m in others) > max(on_large[LP], on_large[LP_U])
    holds &= max(on_large[m] for m in others) <= on_large[LP_U] + words.SLIGHTLY
    holds &= on_small[LP_U] > max(on_small[m] for m in others)
    figures = {"large": on_large[ADA] - on_large[LP_U], "small": on_small[ADA_U] - on_small[LP_U]}
    return holds, f"{_told(large, on_large)}; {_told(small, on_small)}", figures


@_claim("B3", _of("figure3", *LARGE), _of("figure3", *SMALL))
def _check_overfit(large: Measurements, small: Measurements) -> tuple[bool, str, dict[str, float]]:
    best = best_on_test(large), best_on_test(small)
    (large_test, test), (large_train, train) = (
        [mean_by_method(part, metric) for part in best] for metric in ("f1", "train_f1")
    )
    gap = {m: train[m] - test[m] for m in BOOSTERS}
    fall = {m: large_test[m] - test[m] for m in (LP, LP_U)}
    holds = words.FAR <= gap[ADA_U] < gap[ADA]
    holds &= all(train[m] < large_train[m] and abs(lost) <= words.SIMILAR for m, lost in fall.items())
    shown = ", ".join(f"{m} {train[m]:.1f} / {test[m]:.1f}" for m in BOOSTERS)
    shown += f"; {_number(large)}: "
    shown += ", ".join(f"{m} {large_train[m]:.1f} / {large_test[m]:.1f}" for m in fall)
    return holds, f"training / test, {_number(small)}: {shown}", {"lp": fall[LP], "lpu": fall[LP_U]}


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
def _check_rounds(large: Measurements, small: Measurements) -> tuple[bool, str, dict[str, float]]:
    about, few = FACTS["rounds_on_large_categories"], FACTS["rounds_on_small_categories"]
    holds, shown = True, []
    figures: dict[str, float] = {"limit": N_ROUNDS}
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
        at_limit = sum(n >= N_ROUNDS for n in on_large.values("rounds"))
        figures |= {"rounds": rounds[0], "at_limit": at_limit, "n": len(on_large.labels("category"))}
    return holds, "; ".join(shown), figures


_OWN_LEARNERS = {ADA: "", ADA_U: "u", LP: "lp", LP_U: "lp u"}  # those that were made for a booster


@_claim("B6", Needs("table1", index="category", only={"method": BOOSTERS}))
def _check_learners(table: Measurements) -> tuple[bool, str, dict[str, object]]:
    holds, shown = True, [_tell_learners("all boosters", table)]
    figures: dict[str, object] = {}
    for booster, kinds in _OWN_LEARNERS.items():
        runs = table.only(method=booster)
        won, means = _won(runs), _learner_means(runs)
        is_so = won["real.mh"] > words.MAJORITY * len(runs.labels("category"))
        is_so &= means["real.mh"] > max(means["disc.mh"], means["real.lp"])
        is_so &= min(means["disc.mh"], means["real.lp"]) > max(means["real.u"], means["disc.u"])
        usual = max(means["real.mh"], means["disc.mh"])
        is_so &= all(max(means[f"real.{k}"], means[f"disc.{k}"]) <= usual for k in kinds.split())
        if holds and not is_so:
            best = max(means, key=means.__getitem__)
            figures = {"booster": booster, "best": best, "f1": means[best], "mh": means["real.mh"]}
            figures |= {"won": won["real.mh"], "n": len(runs.labels("category"))}
        holds &= is_so
        shown.append(_tell_learners(booster + ("" if is_so else " (not so)"), runs))
    return holds, "; ".join(shown), figures


def _won(t: Measurements) -> dict[str, int]:
    """Return on how many categories each weak learner has the highest F1; equals count for each."""
    best = {name: _best_f1(part) for name, part in _by_learner(t).items()}
    highest = {c: max(scores[c] for scores in best.values()) for c in t.labels("category")}
    return {name: sum(scores[c] >= highest[c] for c in highest) for name, scores in best.items()}


def _learner_means(t: Measurements) -> dict[str, float]:
    return {name: _average(_best_f1(part)) for name, part in _by_learner(t).items()}


def _by_learner(t: Measurements) -> dict[str, Measurements]:
    return {name: part for name in LEARNERS if len(part := t.only(learner=name))}


def _tell_learners(name: str, t: Measurements) -> str:
    won, means = _won(t), _learner_means(t)
    return f"{name} " + ", ".join(f"{k} {means[k]:.1f} (best on {won[k]})" for k in means)


def _best_f1(t: Measurements) -> dict[str, float]:
    """Return the best F1 on test documents of each category."""
    return {category: max(row.values("f1")) for category, row in t.split("category").items()}


def _average(scores: Mapping[str, float]) -> float:
    return 100 * float(np.mean(list(scores.values())))


@_claim("B7", _TABLE1, _TABLE2)
def _check_gaps(upper: Measurements, honest: Measurements) -> tuple[Answer, str, dict[str, float]]:
    def gaps(bounds: Measurements, models: Measurements) -> dict[str, float]:
        upper, honest = mean_by_method(bounds), mean_by_method(models)
        found = {m: upper[m] - honest[m] for m in upper}
        return found | {"LPBoost's beyond AdaUBoost's": found[LP] - found[ADA_U]}

    upper, honest = _in_both(upper, honest)
    bounds = best_on_test(upper)
    gap = estimates(gaps, bounds, models_of_folds(honest), run="part")
    *_, beyond = gap.values()
    holds = every(gap[m].at_most(words.SIMILAR) for m in (ADA, SVM)) & gap[ADA_U].at_least(words.FAR)
    values = {m: gap[m].value for m in METHODS if m in gap}
    figures = {"ada": values[ADA], "lp": values[LP], "bound": mean_by_method(bounds)[LP]}
    return holds & beyond.above(0), f"gaps, {_told(upper, values)}", figures


def _in_both(upper: Measurements, honest: Measurements) -> tuple[Measurements, Measurements]:
    both = {*upper.labels("category")} & {*honest.labels("category")}
    return upper.only(category=both), honest.only(category=both)


@_claim("B8", _of("table2", *LARGE), _of("table2", *SMALL))
def _check_svm(large: Measurements, small: Measurements) -> tuple[Answer, str]:
    def leads(large: Measurements, small: Measurements) -> dict[str, float]:
        on_large, on_small = mean_by_method(large), mean_by_method(small)
        ahead = on_large[SVM] - max(f1 for method, f1 in on_large.items() if method != SVM)
        return {"ahead on large": ahead, "behind on small": max(on_small.values()) - on_small[SVM]}

    models = models_of_folds(large), models_of_folds(small)
    ahead, behind = estimates(leads, *models, run="part").values()
    told = (_told(part, mean_by_method(m)) for part, m in zip((large, small), models, strict=True))
    return ahead.above(0) & behind.at_least(words.FAR), "; ".join(told)


@_claim("B9", _TABLE1, _TABLE2, _of("table2", *LARGE), _of("table2", *SMALL))
def _check_stable(
    upper: Measurements, honest: Measurements, large: Measurements, small: Measurements
) -> tuple[Answer, str, dict[str, float]]:
    def numbers(all_sizes: Measurements, large: Measurements, small: Measurements) -> dict[str, float]:
        means = mean_by_method(all_sizes)
        best_other = max(f1 for method, f1 in means.items() if method != LP_U)
        by_size = [mean_by_method(part)[LP_U] for part in (large, small)]
        return {"ahead": means[LP_U] - best_other, "large less small": by_size[0] - by_size[1]}

    upper, honest = _in_both(upper, honest)
    chosen, best = chosen_by_folds(honest), best_on_test(upper)
    ahead, fall = estimates(numbers, *map(models_of_folds, (honest, large, small)), run="part").values()
    n_differ = sum(
        f1 < best.mean("f1", category=one.at["category"], method=LP_U)
        for one in chosen.only(method=LP_U)
        for f1 in upper.values("f1", category=one.at["category"], setting=one.at["setting"])
    )
    n = len(chosen.labels("category"))
    means = mean_by_method(chosen)
    spread = {m: 100 * float(np.std(chosen.values("f1", method=m))) for m in means}
    by_size = [mean_by_method(chosen_by_folds(part))[LP_U] for part in (large, small)]
    return (
        ahead.above(0)
        & replace(fall, value=abs(fall.value)).below(words.FAR)
        & (n_differ > words.MAJORITY * n),
        f"means: {listed(means)}; LPUBoost on large {by_size[0]:.1f}, on small {by_size[1]:.1f}; standard "
        f"deviations over the categories: {listed(spread)}; settings differ on {n_differ} of {n}",
        {"ahead": ahead.value, "fall": fall.value, "differ": n_differ, "n": n},
    )


@_claim("B10", _of("figure4"))
def _check_curves(figure_4: Measurements) -> tuple[bool, str, dict[str, float]]:
    curves = figure_4.results(RoundCurve)

    def average(method: str, measure: Callable[[NDArray[np.float64]], float], learner: str = "") -> float:
        values = [
            measure(np.abs(np.diff(c.test, prepend=0.0)))
            for c in curves
            if c.setting.method == method and learner in ("", c.setting.learner)
        ]
        return 100 * float(np.mean(values))

    def quarter(steps: NDArray[np.float64]) -> int:
        return math.ceil(len(steps) / 4)

    def late(steps: NDArray[np.float64]) -> float:
        return float(steps[len(steps) // 2 :].mean())

    steps = {m: average(m, late) for m in (ADA, ADA_U)}
    early = {m: average(m, lambda s: s[1 : max(2, quarter(s))].max(initial=0.0)) for m in (LP, LP_U)}
    end = {m: average(m, lambda s: s[1:][-quarter(s) :].max(initial=0.0)) for m in (LP, LP_U)}
    holds = steps[ADA_U] >= 2 * steps[ADA]
    holds &= min(early.values()) >= words.FAR and max(end.values()) <= words.SIMILAR
    learners = dict.fromkeys(c.setting.learner for c in curves)
    by_learner = (f"{k} {average(ADA_U, late, k):.2f} against {average(ADA, late, k):.2f}" for k in learners)
    return (
        holds,
        f"points a round {steps[ADA_U]:.2f} against {steps[ADA]:.2f} ({', '.join(by_learner)}); "
        f"largest early steps {listed(early)}; largest late ones {listed(end)}",
        {"uneven": steps[ADA_U], "even": steps[ADA]},
    )


@_claim("B11", _of("figure5", *DISCARDED, min_rows=len(DISCARDED)))
def _check_discarding(figure_5: Measurements) -> tuple[Answer, str, dict[str, float]]:
    def means(t: Measurements, category: str) -> dict[int, dict[str, float]]:
        parts = t.only(category=category).split("positives")
        return {n: mean_by_method(parts[n]) for n in sorted(parts)}

    limit = FACTS["positives_below_which_F1_of_AdaBoost_and_LPBoost_on_acq_is_poor"]
    drawn = by_draw(best_on_test(figure_5))

    def losses(t: Measurements) -> dict[str, float]:
        sizes = means(t, "earn")
        return {m: sizes[max(sizes)][m] - sizes[min(sizes)][m] for m in BOOSTERS}

    def behind(t: Measurements) -> dict[str, float]:
        return {f"acq, {n} positives": f1[ADA_U] - f1[LP_U] for n, f1 in means(t, "acq").items()}

    def poor(t: Measurements) -> dict[tuple[str, str], float]:
        few = {n: f1 for n, f1 in means(t, "acq").items() if n < limit}
        return {(m, f"{n} positives"): f1[m] for n, f1 in few.items() for m in (ADA, LP)}

    loss, gaps, low = (estimates(numbers, drawn, run="draw") for numbers in (losses, behind, poor))
    holds = loss[ADA_U].at_most(words.SIMILAR)
    holds &= every(loss[m].at_least(max(words.FAR, 2 * loss[ADA_U].value)) for m in (LP, LP_U))
    holds &= every(gap.at_most(words.SIMILAR) for gap in gaps.values())
    holds &= every(one.below(100 * FACTS["poor_F1_on_acq"]) for one in low.values())
    told = (
        f"{category}: " + "; ".join(f"{n} {listed(f1, BOOSTERS)}" for n, f1 in means(drawn, category).items())
        for category in DISCARDED
    )
    figures = {"loss": loss[ADA_U].value, "gap": max(gap.value for gap in gaps.values())}
    return (
        holds,
        "; ".join(told),
        figures | {"poor": max((one.value for one in low.values()), default=math.nan)},
    )


@_claim("B12", _TABLE1)
def _check_cost(table: Measurements) -> tuple[bool, str, dict[str, float]]:
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
    holds = median <= _SLIGHTLY_MORE and share <= _FEWER
    return holds, f"median {median:.2f} times: {', '.join(shown)}", {"median": median, "share": 100 * share}


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
