"""The ten claims of the paper, and the rules that judge them. Each is judged in both protocols."""

import math
from collections.abc import Callable

import numpy as np

from lopsided.experiments import Claims, Measurements, Needs, listed, ranged, words
from lopsided.experiments._claims import Check
from lopsided.papers.li_2007.data import SMALL, TABLE1, TEN, TEN_CLASSES
from lopsided.papers.li_2007.methods import BASELINES, COMPARED, LGN_, OSVM, OURS, READINGS, ROC_SVM, S_EM

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


def _claim(
    id_: str, item: str, *axes: str, metric: str = "f", min_rows: int = 1, among: str = "{}"
) -> Callable[[Check], Check]:
    """Enter a check that is given, in each protocol, the means of the methods at each label of the axes."""
    need = Needs(item, axes[0], min_rows=min_rows)

    def enter(check: Check) -> Check:
        def check_means(protocol: Measurements) -> tuple[bool, str]:
            return check({at: mean_by_method(part, metric) for at, part in protocol.split(*axes).items()})

        CLAIMS.enter(id_, need, each="protocol", form="{label}{mark}: {told}", among=among)(check_means)
        return check

    return enter


@_claim("L1", "table1", "data")
def _check_best(rows: dict[str, Means]) -> tuple[bool, str]:
    won = {
        name: sum(means[name] > best_baseline(means) for means in rows.values())
        for name in (*READINGS, OURS)
        if all(name in means for means in rows.values())
    }
    return won[LGN_] == len(rows), f"of {len(rows)} sets best {listed(won, form='d', link=' on ')}"


@_claim("L2", "table1", "data", among="ours, and (printed) for these sets: {}")
def _check_means(rows: dict[str, Means]) -> tuple[bool, str]:
    there = [name for name in COMPARED if name in next(iter(rows.values()))]
    ours = {name: float(np.mean([m[name] for m in rows.values() if name in m])) for name in there}
    published = {
        name: float(np.mean([TABLE1.value("f", data=row, method=name) for row in rows]))
        for name in (*BASELINES, LGN_)
    }
    holds = all(abs(ours[name] - value) <= words.AS_PRINTED for name, value in published.items())
    beside = {name: f" ({value:.1f})" for name, value in published.items()}
    return holds, ", ".join(f"{name} {value:.1f}{beside.get(name, '')}" for name, value in ours.items())


@_claim("L3", "figure4", "share")
def _check_small_shares(shares: dict[int, Means]) -> tuple[bool, str]:
    return _leads(shares, least=0.0)


def _leads(shares: dict[int, Means], least: float) -> tuple[bool, str]:
    """Return whether LGN is ahead by more than ``least`` points up to 60 %, and the figures."""
    best = {share: best_baseline(means) for share, means in shares.items() if share <= MIDDLE}
    holds = all(shares[share][LGN_] > other + least for share, other in best.items())
    return holds, "; ".join(
        f"{share} % {listed(shares[share], READINGS)}, best other {other:.1f}"
        for share, other in best.items()
    )


def _by_share(shares: dict[int, Means], *names: str) -> str:
    return "; ".join(f"{share} % {listed(means, names)}" for share, means in shares.items())


def _large(shares: dict[int, Means]) -> dict[int, Means]:
    return {share: means for share, means in shares.items() if share in LARGE}


@_claim("L4", "figure4", "share")
def _check_large_shares(shares: dict[int, Means]) -> tuple[bool, str]:
    large = _large(shares)
    holds = bool(large) and all(0 < m[ROC_SVM] - m[LGN_] <= words.SLIGHTLY for m in large.values())
    return holds, _by_share(large, ROC_SVM, *READINGS)


@_claim("L5", "figure4", "share")
def _check_pebl(shares: dict[int, Means]) -> tuple[bool, str]:
    own = {share: [m[name] for name in (*BASELINES, LGN_)] for share, m in shares.items()}
    pebl = {share: m["PEBL"] for share, m in shares.items()}
    behind = [max(own[share]) - pebl[share] for share in (max(LARGE), LARGEST)]
    holds = all(pebl[share] <= min(own[share]) for share in shares if share <= max(LARGE))
    holds &= behind[0] >= words.FAR > behind[1]
    return holds, f"F {listed(pebl, link=' % ')}; behind the best by {behind[0]:.1f} and {behind[1]:.1f}"


@_claim("L6", "figure5", "share")
def _check_three(shares: dict[int, Means]) -> tuple[bool, str]:
    (holds, shown), large = _leads(shares, least=words.FAR), _large(shares)
    for m in large.values():
        others = (m[S_EM], m[ROC_SVM])
        holds &= all(abs(m[LGN_] - other) <= words.SIMILAR for other in others)
        holds &= m[OSVM] + words.FAR <= min(m[LGN_], *others)
    return holds, "; ".join([shown, *([_by_share(large, OSVM, S_EM, ROC_SVM, *READINGS)] if large else [])])


@_claim("L7", "ten", "data", "share", min_rows=len(TEN), among="gains, and (printed): {}")
def _check_ten(points: dict[tuple[str, int], Means]) -> tuple[bool, str]:
    holds, shown = True, []
    for (data, share), means in points.items():
        ours, published = gain(means), TEN_CLASSES.value("gain", data=data, share=share) or 0.0
        holds &= ours > max(0.0, published - words.AS_PRINTED)
        shown.append(f"{data}, {share} % {ours:+.1f} ({published:+.1f})")
    return holds, ", ".join(shown)


@_claim("L8", "priors", "ratio")
def _check_priors(ratios: dict[float, Means]) -> tuple[bool, str]:
    equal = ratios[1.0][LGN_]
    shown = (f"prior {ratio:g} {listed(means, READINGS, '.2f')}" for ratio, means in ratios.items())
    return all(abs(means[LGN_] - equal) <= 1 for means in ratios.values()), "; ".join(shown)


_UNEXPECTED = "percent that are unexpected (nan: none extracted): {}"


@_claim("L9", "purity", "share", metric="purity", among=_UNEXPECTED)
def _check_purity(shares: dict[int, Means]) -> tuple[bool, str]:
    some = [value for value in shares[SMALL].values() if not math.isnan(value)]
    return bool(some) and max(some) <= 100 * words.MAJORITY, _by_share(shares, *shares[SMALL])


@_claim("L10", "spies", "line")
def _check_spies(settings: dict[str, Means]) -> tuple[bool, str]:
    values = {line: means[S_EM] for line, means in settings.items()}
    return max(values.values()) - min(values.values()) <= words.SIMILAR, f"from {ranged(values)}"
