"""The claims about mail (S1 to S9) and Reuters (S10 to S16), and the rules that judge them."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from lopsided.experiments import (
    Answer,
    Claims,
    Estimate,
    Measurements,
    Needs,
    against,
    estimate,
    estimates,
    every,
    listed,
    more_than,
    words,
)
from lopsided.papers.sculley_2007.data import TOPICS
from lopsided.papers.sculley_2007.methods import (
    EFFICIENT,
    FULL,
    LEARNERS,
    MARGIN_LEARNERS,
    OTHERS,
    PLAIN,
    TASTING,
    VARIANTS,
    names,
)
from lopsided.papers.sculley_2007.units import best_of_grid

_EXTREME = 0.05  # share of positives under which a class is an extreme minority
_MINORITY = 0.1  # and under which it is far from even: all but earn and acq
_SEVERAL = 3
SMALLEST = 5  # classes

CLAIMS = Claims.read(__package__)
_claim = CLAIMS.enter


_MAIL = Needs("table1", "stream", every={"name": names(LEARNERS, (*VARIANTS, FULL))})


# A claim on mail must hold on every corpus; the only one there is goes without its name.
_claim_on_mail = partial(_claim, each="stream", form="{label}{mark}: {told}", alone="{told}")


@_claim_on_mail("S1", _MAIL)
def _check_best(table_1: Measurements) -> tuple[Answer, str, dict[str, Any]]:
    table = table_1.only(variant=VARIANTS)
    f1, fp, recall = (table.means(m, "name") for m in ("f1", "fp", "recall"))
    rest = [name for name in f1 if name not in MARGIN_LEARNERS]
    alive = [name for name in rest if recall[name] >= words.COLLAPSED * recall["PWM"]]

    def leads(t: Measurements) -> dict[str, float]:
        f1, fp = (t.means(m, "name") for m in ("f1", "fp"))
        ahead = min(f1[k] for k in MARGIN_LEARNERS) - max(f1[k] for k in rest)
        fewer = min((fp[k] for k in alive), default=math.inf) - max(fp[k] for k in MARGIN_LEARNERS)
        return {"F1": ahead, "false positives": fewer}

    next_f1 = max(rest, key=f1.__getitem__)
    next_fp = min(alive, key=fp.__getitem__, default=next_f1)
    shown = dict.fromkeys((*MARGIN_LEARNERS, next_f1, next_fp))
    gap, explored = f1[next_f1] - min(f1[k] for k in MARGIN_LEARNERS), table.mean("explored", name=next_f1)
    return (
        every(lead.above(0) for lead in estimates(leads, table).values()),
        "; ".join(f"{k} F1 {f1[k]:.2f}, FP {fp[k]:.0f}" for k in shown) + " (the nearest of the others)",
        {"next": next_f1, "gap": gap, "explored": explored},
    )


@_claim_on_mail("S2", _MAIL)
def _check_half(table_1: Measurements) -> tuple[Answer, str]:
    holds, shown = Answer.of(True), []
    for learner in MARGIN_LEARNERS:
        own = table_1.only(learner=learner)
        fp, fn = (own.means(m, "variant") for m in ("fp", "fn"))
        ratio, recall = estimates(_beside_tasting, own).values()
        holds &= ratio.at_most(words.ABOUT_HALF[1]) & recall.at_least(-words.SIMILAR)
        shown.append(
            f"{learner} FP {fp[PLAIN]:.0f} against {fp[TASTING]:.0f} (ratio {ratio.value:.2f}), "
            f"FN {fn[PLAIN]:.0f} against {fn[TASTING]:.0f}"
        )
    return holds, "; ".join(shown)


def _beside_tasting(t: Measurements) -> dict[str, float]:
    fp, recall = (t.means(m, "variant") for m in ("fp", "recall"))
    ratio = fp[PLAIN] / fp[TASTING] if fp[TASTING] else math.inf
    return {"share of the spam": ratio, "recall": recall[PLAIN] - recall[TASTING]}


def _f1_of(t: Measurements, variant: str, learners: Sequence[str] = LEARNERS) -> dict[str, float]:
    return t.means("f1", "learner", variant=variant, learner=learners)


def _ahead(t: Measurements, variant: str, other: str, learners: Sequence[str]) -> dict[str, float]:
    """Return by how much one variant is ahead of another in F1, for some learners."""
    better, worse = (_f1_of(t, v, learners) for v in (variant, other))
    return {k: better[k] - worse[k] for k in learners}


@_claim_on_mail("S3", _MAIL)
def _check_near_full(table_1: Measurements) -> tuple[Answer, str]:
    gaps = estimates(lambda t: _ahead(t, FULL, PLAIN, MARGIN_LEARNERS), table_1)
    plain, full = (_f1_of(table_1, variant, MARGIN_LEARNERS) for variant in (PLAIN, FULL))
    return every(gap.at_most(words.NOT_FAR) for gap in gaps.values()), against(plain, full)


@_claim_on_mail("S4", _MAIL)
def _check_defeated(table_1: Measurements) -> tuple[Answer, str]:
    perceptron, margin = (table_1.mean("recall", name=name) for name in ("Perceptron", "PWM"))
    part = estimate(lambda t: t.mean("recall", name="Perceptron") / t.mean("recall", name="PWM"), table_1)
    return part.below(words.COLLAPSED), f"recall {perceptron:.2f} against {margin:.2f}"


@_claim_on_mail("S5", _MAIL)
def _check_margins_first(table_1: Measurements) -> tuple[Answer, str]:
    def f1(t: Measurements) -> list[float]:
        f1 = t.means("f1", "learner", "variant")
        return [f1["PWM", PLAIN], f1["Perceptron", EFFICIENT], f1["Perceptron", TASTING]]

    lead = estimate(lambda t: f1(t)[0] - max(f1(t)[1:]), table_1)
    told = "F1 {:.2f}, with label-efficient sampling {:.2f}, with apple tasting {:.2f}"
    return lead.above(0), told.format(*f1(table_1))


@_claim_on_mail("S6", _MAIL)
def _check_efficient_first(table_1: Measurements) -> tuple[Answer, str, dict[str, Any]]:
    gain = estimates(lambda t: _ahead(t, EFFICIENT, TASTING, LEARNERS), table_1)
    efficient, tasting = (_f1_of(table_1, variant) for variant in (EFFICIENT, TASTING))
    worst = min(gain, key=lambda k: gain[k].value)
    spent, found = (
        [table_1.mean(what, learner=worst, variant=v) for v in (EFFICIENT, TASTING)]
        for what in ("explored", "found")
    )
    (method, *_) = table_1.labels("method", learner=worst, variant=EFFICIENT)
    figures = {"learner": worst, "gap": -gain[worst].value, "beta": method.parameter or math.nan}
    holds = every(one.above(0) for one in gain.values())
    return holds, f"F1: {against(efficient, tasting)}", figures | {"spent": spent, "found": found}


def _trends(table_1: Measurements, metric: str) -> dict[str, float]:
    """Return the points by which each comparison of S1, S5 and S6 goes the claimed way."""
    values = table_1.only(variant=VARIANTS).means(metric, "name")
    wins = [(best, other) for best in MARGIN_LEARNERS for other in values if other not in MARGIN_LEARNERS]
    wins += zip(names(LEARNERS, [EFFICIENT]), names(LEARNERS, [TASTING]), strict=True)
    return {f"{a} over {b}": values[a] - values[b] for a, b in wins}


def _same_way(metric: str, t: Measurements) -> dict[str, float]:
    """Return for each comparison a number that is above zero where it goes the same way as in F1."""
    f1, gaps = _trends(t, "f1"), _trends(t, metric)
    return {name: gap * f1[name] for name, gap in gaps.items()}


@_claim_on_mail("S7", _MAIL)
def _check_more_recall(table_1: Measurements) -> tuple[Answer, str, dict[str, Any]]:
    def widening(t: Measurements) -> dict[str, float]:
        f1, f4 = _trends(t, "f1"), _trends(t, "f4")
        return {name: abs(f4[name]) - abs(gap) for name, gap in f1.items()}

    same = {m: estimates(partial(_same_way, m), table_1) for m in ("f2", "f3", "f4")}
    wider, f1 = estimates(widening, table_1), _trends(table_1, "f1")
    turned = sorted({name for found in same.values() for name, one in found.items() if one.value <= 0})
    n_wider = sum(one.value > 0 for one in wider.values())
    holds = every(one.above(0) for found in same.values() for one in found.values())
    holds &= more_than(words.MAJORITY, (one.above(0) for one in wider.values()))
    return (
        holds,
        f"{len(f1) - len(turned)} of {len(f1)} comparisons keep their sign"
        + (f" (not {', '.join(turned)})" if turned else "")
        + f"; the gap in F4 is wider on {n_wider}",
        {"all": len(f1), "wider": n_wider},
    )


@_claim_on_mail("S8", _MAIL, Needs("others", "stream", every={"name": names(LEARNERS, OTHERS)}))
def _check_others(table_1: Measurements, others: Measurements) -> tuple[Answer, str, dict[str, Any]]:
    def best(t: Measurements) -> float:
        return max(_f1_of(t, PLAIN, MARGIN_LEARNERS).values())

    def behind(t: Measurements, others: Measurements) -> dict[tuple[str, str], float]:
        return {key: best(t) - f1 for key, f1 in others.means("f1", "learner", "variant").items()}

    gaps = estimates(behind, table_1, others)
    told = (listed({k: gaps[k, v].value for k in LEARNERS}, form=".2f") for v in OTHERS)
    shown = "; ".join(f"{variant} {gap}" for variant, gap in zip(OTHERS, told, strict=True))
    near = [key for key, gap in gaps.items() if gap.value < words.COMPETITIVE]
    explored = [others.mean("explored", learner=k, variant=v) for k, v in near]
    holds = every(gap.at_least(words.COMPETITIVE) for gap in gaps.values())
    figures = {"near": len(near), "all": len(gaps), "explored": max(explored, default=math.nan)}
    return holds, f"points of F1 below {best(table_1):.2f}: {shown}", figures


@_claim_on_mail("S9", _MAIL)
def _check_areas(table_1: Measurements) -> tuple[Answer, str]:
    def opposite(t: Measurements) -> float:
        auc = _trends(t, "auc")
        return max((abs(auc[name]) for name, same in _same_way("auc", t).items() if same < 0), default=0.0)

    same, worst = estimates(partial(_same_way, "auc"), table_1), estimate(opposite, table_1)
    n_same = sum(one.value > 0 for one in same.values())
    holds = worst.at_most(words.SIMILAR) & more_than(words.MAJORITY, (one.above(0) for one in same.values()))
    shown = (
        f"{n_same} of {len(same)} comparisons go the same way, the others by at most {worst.value:.2f} points"
    )
    return holds, shown


_METHODS = names(MARGIN_LEARNERS, VARIANTS)
_REUTERS = [
    Needs(table, "stream", every={"name": _METHODS}, min_rows=len(TOPICS)) for table in ("table2", "table3")
]


@_claim("S10", *_REUTERS)
def _check_no_winner(*tables: Measurements) -> tuple[Answer, str]:
    def wins(table: Measurements) -> Counter[str]:
        topics = [part.means("f1", "name") for part in table.split("stream").values()]
        first = [[name for name in f1 if f1[name] == max(f1.values())] for f1 in topics]
        return Counter(best for best, *equals in first if not equals)

    def most(table: Measurements) -> float:
        return max(wins(table).values(), default=0)

    best = [best_of_grid(table) for table in tables]
    holds = every(estimate(most, table).below(len(table.labels("stream"))) for table in best)
    told = (listed(dict(wins(table).most_common()), form="d") for table in best)
    return holds, "classes won in " + "; ".join(f"Table {n}: {one}" for n, one in enumerate(told, 2))


@_claim("S11", *_REUTERS)
def _check_sizes(*tables: Measurements) -> tuple[Answer, str]:
    def means(table: Measurements) -> dict[str, float]:
        return {topic: _mean_f1(part) for topic, part in table.split("stream").items()}

    def leads(table: Measurements) -> dict[str, float]:
        f1 = means(table)
        large, medium, small = (
            sorted(f1[topic] for topic in part)
            for part in (TOPICS[:2], TOPICS[2:-SMALLEST], TOPICS[-SMALLEST:])
        )
        return {
            "earn and acq ahead": large[0] - max(medium + small),
            "three of the smallest behind": min(large + medium) - small[_SEVERAL - 1],
        }

    holds, shown = Answer.of(True), []
    for number, table in enumerate(map(best_of_grid, tables), 2):
        holds &= every(lead.above(0) for lead in estimates(leads, table).values())
        f1 = means(table)
        order = sorted(f1, key=f1.__getitem__)
        high, low = (listed(f1, part) for part in (order[:-3:-1], order[:_SEVERAL]))
        shown.append(f"Table {number}: highest {high}; lowest {low}")
    return holds, "; ".join(shown)


def _mean_f1(t: Measurements) -> float:
    """Return the mean over classes and methods, each of which counts once whatever its number of runs."""
    return float(np.mean(list(t.means("f1", "stream", "name").values())))


def _wins(tables: Sequence[Measurements], better: str, than: Sequence[str]) -> list[Estimate]:
    """Return by how much one variant is ahead of others, on all cells (class, learner, table)."""

    def ahead(t: Measurements) -> dict[tuple[str, str], float]:
        cells = {at: part.means("f1", "variant") for at, part in t.split("stream", "learner").items()}
        return {at: f1[better] - max(f1[other] for other in than) for at, f1 in cells.items()}

    return [gap for table in tables for gap in estimates(ahead, best_of_grid(table)).values()]


@_claim("S12", *_REUTERS)
def _check_above_tasting(*tables: Measurements) -> tuple[Answer, str]:
    gaps = [_wins(tables, better, (TASTING,)) for better in (PLAIN, EFFICIENT)]
    answers = ([gap.above(0) for gap in cells] for cells in gaps)
    plain, efficient = (sum(gap.value > 0 for gap in cells) for cells in gaps)
    return (
        every(more_than(words.WIDE_MAJORITY, cells, or_as_many=True) for cells in answers),
        f"unmodified on {plain}, label efficient on {efficient} of {len(gaps[0])} cells",
    )


@_claim("S13", *_REUTERS)
def _check_above_both(*tables: Measurements) -> tuple[Answer, str]:
    gaps = _wins(tables, PLAIN, (EFFICIENT, TASTING))
    n_won = sum(gap.value > 0 for gap in gaps)
    return more_than(words.MAJORITY, (g.above(0) for g in gaps)), f"on {n_won} of {len(gaps)} cells"


def _smaller_than(share: float, table: Measurements) -> Measurements:
    """Return the classes with a smaller share of positives."""
    rates = table.means("positive_rate", "stream")
    return table.only(stream=[topic for topic, rate in rates.items() if rate < share])


@_claim("S14", *_REUTERS)
def _check_ratchets(*tables: Measurements) -> tuple[Answer, str]:
    small = [best_of_grid(_smaller_than(_EXTREME, table)).only(name="PWM") for table in tables]

    def parts(*tables: Measurements) -> dict[str, float]:
        by_bias, by_cost = (table.means("recall", "stream") for table in tables)
        return {topic: recall / by_cost[topic] for topic, recall in by_bias.items()}

    part = estimates(parts, *small)
    ratcheted = [topic for topic, one in part.items() if one.value < words.COLLAPSED]
    by_bias, by_cost = (table.means("recall", "stream") for table in small)
    shown = against(by_bias, by_cost, ".1f", ", ")
    answers = [one.below(words.COLLAPSED) for one in part.values()]
    holds = more_than(2 / max(2, len(answers)), answers, or_as_many=True) & (len(answers) >= 2)
    return holds, f"ratcheted: {', '.join(ratcheted) or 'none'}; recall {shown}"


@_claim("S15", *_REUTERS)
def _check_cost_methods(*tables: Measurements) -> tuple[Answer, str]:
    def means(*tables: Measurements) -> dict[str, list[float]]:
        return {k: [_mean_f1(table.only(learner=k)) for table in tables] for k in MARGIN_LEARNERS}

    def leads(*tables: Measurements) -> dict[str, float]:
        (svm_bias, svm_weights), (pwm_bias, pwm_weights) = (means(*tables)[k] for k in ("ROSVM", "PWM"))
        return {"ROSVM": svm_bias - svm_weights, "PWM": pwm_weights - pwm_bias}

    best = [best_of_grid(table) for table in tables]
    shown = "; ".join(f"{k} bias {a:.2f}, weights {b:.2f}" for k, (a, b) in means(*best).items())
    return every(lead.above(0) for lead in estimates(leads, *best).values()), f"mean F1: {shown}"


@_claim("S16", *_REUTERS)
def _check_costs_needed(*tables: Measurements) -> tuple[Answer, str]:
    by_bias, by_cost = (_smaller_than(_MINORITY, table) for table in tables)
    unbiased = by_bias.only(method=[method for method in by_bias.labels("method") if method.bias == 0])
    parts = unbiased, best_of_grid(by_bias), best_of_grid(by_cost)

    def both(name: str, *parts: Measurements) -> tuple[float, float]:
        plain, bias, cost = (_mean_f1(part.only(name=name)) for part in parts)
        return plain, max(bias, cost)

    def gains(*parts: Measurements) -> dict[str, float]:
        pairs = {name: both(name, *parts) for name in parts[0].labels("name")}
        return {name: best - plain for name, (plain, best) in pairs.items()}

    told = {name: both(name, *parts) for name in by_bias.labels("name")}
    shown = "; ".join(f"{name} {plain:.1f} to {best:.1f}" for name, (plain, best) in told.items())
    holds = every(gain.at_least(words.FAR) for gain in estimates(gains, *parts).values()) & bool(told)
    return holds, f"mean F1 without and with: {shown}"
