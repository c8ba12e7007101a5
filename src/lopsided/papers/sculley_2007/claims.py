"""The claims about mail (S1 to S9), Reuters (to S16) and made streams (to S21), and the rules that judge."""

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial

import numpy as np

from lopsided.experiments import Claims, Measurements, Needs, against, listed, words
from lopsided.papers.sculley_2007 import made_streams as made
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
def _check_best(table_1: Measurements) -> tuple[bool, str]:
    f1, fp, recall = (table_1.only(variant=VARIANTS).means(m, "name") for m in ("f1", "fp", "recall"))
    rest = [name for name in f1 if name not in MARGIN_LEARNERS]
    alive = [name for name in rest if recall[name] >= words.COLLAPSED * recall["PWM"]]
    next_f1 = max(rest, key=f1.__getitem__)
    next_fp = min(alive, key=fp.__getitem__, default=next_f1)
    has_fewest = not alive or max(fp[k] for k in MARGIN_LEARNERS) < fp[next_fp]
    shown = dict.fromkeys((*MARGIN_LEARNERS, next_f1, next_fp))
    return (
        min(f1[k] for k in MARGIN_LEARNERS) > f1[next_f1] and has_fewest,
        "; ".join(f"{k} F1 {f1[k]:.2f}, FP {fp[k]:.0f}" for k in shown) + " (the nearest of the others)",
    )


@_claim_on_mail("S2", _MAIL)
def _check_half(table_1: Measurements) -> tuple[bool, str]:
    holds, shown = True, []
    for learner in MARGIN_LEARNERS:
        plain, tasting = (table_1.only(learner=learner, variant=variant) for variant in (PLAIN, TASTING))
        fp, tasting_fp = plain.mean("fp"), tasting.mean("fp")
        ratio = fp / tasting_fp if tasting_fp else math.inf
        holds &= words.ABOUT_HALF[0] <= ratio <= words.ABOUT_HALF[1]
        holds &= plain.mean("recall") >= tasting.mean("recall") - words.SIMILAR
        shown.append(
            f"{learner} FP {fp:.0f} against {tasting_fp:.0f} (ratio {ratio:.2f}), "
            f"FN {plain.mean('fn'):.0f} against {tasting.mean('fn'):.0f}"
        )
    return holds, "; ".join(shown)


@_claim_on_mail("S3", _MAIL)
def _check_near_full(table_1: Measurements) -> tuple[bool, str]:
    plain, full = (table_1.means("f1", "learner", variant=v, learner=MARGIN_LEARNERS) for v in (PLAIN, FULL))
    return max(full[k] - plain[k] for k in plain) <= words.NOT_FAR, against(plain, full)


@_claim_on_mail("S4", _MAIL)
def _check_defeated(table_1: Measurements) -> tuple[bool, str]:
    perceptron, margin = (table_1.mean("recall", name=name) for name in ("Perceptron", "PWM"))
    return perceptron < words.COLLAPSED * margin, f"recall {perceptron:.2f} against {margin:.2f}"


@_claim_on_mail("S5", _MAIL)
def _check_margins_first(table_1: Measurements) -> tuple[bool, str]:
    f1 = table_1.means("f1", "learner", "variant")
    margin, efficient, tasting = f1["PWM", PLAIN], f1["Perceptron", EFFICIENT], f1["Perceptron", TASTING]
    return (
        margin > max(efficient, tasting),
        f"F1 {margin:.2f}, with label-efficient sampling {efficient:.2f}, with apple tasting {tasting:.2f}",
    )


@_claim_on_mail("S6", _MAIL)
def _check_efficient_first(table_1: Measurements) -> tuple[bool, str]:
    efficient, tasting = (table_1.means("f1", "learner", variant=v) for v in (EFFICIENT, TASTING))
    return all(efficient[k] > tasting[k] for k in LEARNERS), f"F1: {against(efficient, tasting)}"


def _trends(table_1: Measurements, metric: str) -> dict[str, float]:
    """Return the points by which each comparison of S1, S5 and S6 goes the claimed way."""
    values = table_1.only(variant=VARIANTS).means(metric, "name")
    wins = [(best, other) for best in MARGIN_LEARNERS for other in values if other not in MARGIN_LEARNERS]
    wins += zip(names(LEARNERS, [EFFICIENT]), names(LEARNERS, [TASTING]), strict=True)
    return {f"{a} over {b}": values[a] - values[b] for a, b in wins}


@_claim_on_mail("S7", _MAIL)
def _check_more_recall(table_1: Measurements) -> tuple[bool, str]:
    f1, *others = (_trends(table_1, metric) for metric in ("f1", "f2", "f3", "f4"))
    turned = sorted({name for other in others for name, gap in other.items() if gap * f1[name] <= 0})
    n_wider = sum(abs(gap) > abs(f1[name]) for name, gap in others[-1].items())
    return (
        not turned and n_wider > words.MAJORITY * len(f1),
        f"{len(f1) - len(turned)} of {len(f1)} comparisons keep their sign"
        + (f" (not {', '.join(turned)})" if turned else "")
        + f"; the gap in F4 is wider on {n_wider}",
    )


@_claim_on_mail("S8", _MAIL, Needs("others", "stream", every={"name": names(LEARNERS, OTHERS)}))
def _check_others(table_1: Measurements, others: Measurements) -> tuple[bool, str]:
    best = max(table_1.mean("f1", name=name) for name in MARGIN_LEARNERS)
    gaps = {key: best - f1 for key, f1 in others.means("f1", "learner", "variant").items()}
    told = (listed({k: gaps[k, variant] for k in LEARNERS}, form=".2f") for variant in OTHERS)
    shown = "; ".join(f"{variant} {gap}" for variant, gap in zip(OTHERS, told, strict=True))
    return min(gaps.values()) >= words.COMPETITIVE, f"points of F1 below {best:.2f}: {shown}"


@_claim_on_mail("S9", _MAIL)
def _check_areas(table_1: Measurements) -> tuple[bool, str]:
    f1, auc = _trends(table_1, "f1"), _trends(table_1, "auc")
    worst = max((abs(gap) for name, gap in auc.items() if gap * f1[name] < 0), default=0.0)
    n_same = sum(gap * f1[name] > 0 for name, gap in auc.items())
    return (
        worst <= words.SIMILAR and n_same >= words.WIDE_MAJORITY * len(auc),
        f"{n_same} of {len(auc)} comparisons go the same way, the others by at most {worst:.2f} points",
    )


_METHODS = names(MARGIN_LEARNERS, VARIANTS)
_REUTERS = [
    Needs(table, "stream", every={"name": _METHODS}, min_rows=len(TOPICS)) for table in ("table2", "table3")
]


@_claim("S10", *_REUTERS)
def _check_no_winner(*tables: Measurements) -> tuple[bool, str]:
    holds, shown = True, []
    for number, table in enumerate(tables, 2):
        topics = [part.means("f1", "name") for part in best_of_grid(table).split("stream").values()]
        first = [[name for name in f1 if f1[name] == max(f1.values())] for f1 in topics]
        wins = Counter(best for best, *equals in first if not equals)
        holds &= max(wins.values(), default=0) < len(topics)
        shown.append(f"Table {number}: {listed(dict(wins.most_common()), form='d')}")
    return holds, "classes won in " + "; ".join(shown)


@_claim("S11", *_REUTERS)
def _check_sizes(*tables: Measurements) -> tuple[bool, str]:
    holds, shown = True, []
    for number, table in enumerate(tables, 2):
        means = {topic: _mean_f1(part) for topic, part in best_of_grid(table).split("stream").items()}
        order = sorted(means, key=means.__getitem__)
        holds &= set(order[-2:]) == set(TOPICS[:2])
        holds &= set(order[:_SEVERAL]) <= set(TOPICS[-SMALLEST:])
        high, low = (listed(means, part) for part in (order[:-3:-1], order[:_SEVERAL]))
        shown.append(f"Table {number}: highest {high}; lowest {low}")
    return holds, "; ".join(shown)


def _mean_f1(t: Measurements) -> float:
    """Return the mean over classes and methods, each of which counts once whatever its number of runs."""
    return float(np.mean(list(t.means("f1", "stream", "name").values())))


def _wins(tables: Sequence[Measurements], better: str, than: Sequence[str]) -> tuple[int, int]:
    """Return on how many of all cells (class, learner, table) one variant beats others, and their number."""
    won = [
        all(f1[better] > f1[other] for other in than)
        for table in tables
        for part in best_of_grid(table).split("stream", "learner").values()
        for f1 in [part.means("f1", "variant")]
    ]
    return sum(won), len(won)


@_claim("S12", *_REUTERS)
def _check_above_tasting(*tables: Measurements) -> tuple[bool, str]:
    plain, n_cells = _wins(tables, PLAIN, (TASTING,))
    efficient, _ = _wins(tables, EFFICIENT, (TASTING,))
    return (
        min(plain, efficient) >= words.WIDE_MAJORITY * n_cells,
        f"unmodified on {plain}, label efficient on {efficient} of {n_cells} cells",
    )


@_claim("S13", *_REUTERS)
def _check_above_both(*tables: Measurements) -> tuple[bool, str]:
    n_won, n_cells = _wins(tables, PLAIN, (EFFICIENT, TASTING))
    return n_won > words.MAJORITY * n_cells, f"on {n_won} of {n_cells} cells"


def _smaller_than(share: float, table: Measurements) -> Measurements:
    """Return the classes with a smaller share of positives."""
    rates = table.means("positive_rate", "stream")
    return table.only(stream=[topic for topic, rate in rates.items() if rate < share])


@_claim("S14", *_REUTERS)
def _check_ratchets(*tables: Measurements) -> tuple[bool, str]:
    by_bias, by_cost = (
        best_of_grid(_smaller_than(_EXTREME, table)).only(name="PWM").means("recall", "stream")
        for table in tables
    )
    ratcheted = [topic for topic, recall in by_bias.items() if recall < words.COLLAPSED * by_cost[topic]]
    shown = against(by_bias, by_cost, ".1f", ", ")
    return len(ratcheted) >= 2, f"ratcheted: {', '.join(ratcheted) or 'none'}; recall {shown}"


@_claim("S15", *_REUTERS)
def _check_cost_methods(*tables: Measurements) -> tuple[bool, str]:
    means = {k: [_mean_f1(best_of_grid(table).only(learner=k)) for table in tables] for k in MARGIN_LEARNERS}
    (svm_bias, svm_weights), (pwm_bias, pwm_weights) = means["ROSVM"], means["PWM"]
    shown = "; ".join(f"{k} bias {a:.2f}, weights {b:.2f}" for k, (a, b) in means.items())
    return svm_bias > svm_weights and pwm_weights > pwm_bias, f"mean F1: {shown}"


@_claim("S16", *_REUTERS)
def _check_costs_needed(*tables: Measurements) -> tuple[bool, str]:
    by_bias, by_cost = (_smaller_than(_MINORITY, table) for table in tables)
    unbiased = by_bias.only(method=[method for method in by_bias.labels("method") if method.bias == 0])
    gains, shown = [], []
    for name in by_bias.labels("name"):
        parts = (unbiased, best_of_grid(by_bias), best_of_grid(by_cost))
        plain, bias, cost = (_mean_f1(part.only(name=name)) for part in parts)
        gains.append(max(bias, cost) - plain)
        shown.append(f"{name} {plain:.1f} to {max(bias, cost):.1f}")
    return bool(gains) and min(gains) >= words.FAR, "mean F1 without and with: " + "; ".join(shown)


def _whole(item: str, cases: made.Cases, *only: str) -> list[Needs]:
    """Return a need for each case of a figure, or for some of them only, with all of its settings."""
    return [
        Needs(item, "case", only={"case": [case]}, every={"setting": cases[case]}) for case in only or cases
    ]


def _recalls(case: Measurements) -> dict[str, float]:
    """Return the recall of each setting in percent."""
    return {setting: 100 * recall for setting, recall in case.means("recall", "setting").items()}


def _stalls(case: Measurements) -> bool:
    recall = _recalls(case)
    return recall[made.MARGIN] < words.COLLAPSED * recall[FULL]


def _is_cured(case: Measurements, setting: str) -> bool:
    recall = _recalls(case)
    return recall[setting] > recall[FULL] - words.FAR


def _tell(cases: Sequence[Measurements], *settings: str) -> str:
    """Return the recalls of the cases, each with those of the settings that it has."""
    return "; ".join(f"{case.labels('case')[0]}: {_tell_one(case, settings)}" for case in cases)


def _tell_one(case: Measurements, settings: Sequence[str]) -> str:
    recalls, shown = _recalls(case), []
    for setting in settings:
        if setting in recalls:
            value = case.labels("value", setting=setting)[0]
            shown.append(f"{setting} {recalls[setting]:.1f}" + ("" if value is None else f" (at {value:g})"))
    return ", ".join(shown)


@_claim("S17", *_whole("figure1", made.FIGURE1))
def _check_noise(*cases: Measurements) -> tuple[bool, str]:
    recalls = map(_recalls, cases)
    holds = all(recall[made.PERCEPTRON] < words.COLLAPSED * recall[made.MARGIN] for recall in recalls)
    return holds, _tell(cases, made.PERCEPTRON, made.MARGIN)


@_claim("S18", *_whole("figure8", made.FIGURE8, "gap"))
def _check_gap(gap: Measurements) -> tuple[bool, str]:
    return _stalls(gap) and _is_cured(gap, made.LARGER_MARGIN), _tell(
        [gap], made.MARGIN, made.LARGER_MARGIN, FULL
    )


@_claim("S19", *_whole("figure8", made.FIGURE8, "stripe"))
def _check_stripe(stripe: Measurements) -> tuple[bool, str]:
    cures = (made.LARGER_MARGIN, made.COSTLY, made.FEATURE_MAP)
    holds = _stalls(stripe) and any(_is_cured(stripe, cure) for cure in cures)
    return holds, _tell([stripe], made.MARGIN, *cures, FULL)


@_claim("S20", *_whole("text", made.TEXT))
def _check_malice(malicious: Measurements, overshoot: Measurements) -> tuple[bool, str]:
    holds = _stalls(malicious) and _stalls(overshoot) and _is_cured(overshoot, made.SMALLER_STEPS)
    return holds, _tell([malicious, overshoot], made.MARGIN, made.SMALLER_STEPS, FULL)


@_claim("S21", *_whole("figure8", made.FIGURE8), *_whole("text", made.TEXT))
def _check_robust(*cases: Measurements) -> tuple[bool, str]:
    recalls = map(_recalls, cases)
    holds = all(
        recall[s] >= words.COLLAPSED * recall[FULL] for recall in recalls for s in (TASTING, EFFICIENT)
    )
    return holds, _tell(cases, made.MARGIN, TASTING, EFFICIENT, FULL)
