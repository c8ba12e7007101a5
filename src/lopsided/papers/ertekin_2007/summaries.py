"""What both the claims and the figures are made of: ranks, a test, and curves by problem and method."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from lopsided.experiments import Measurement, Measurements
from lopsided.metrics import WilcoxonResult, competition_ranks, wilcoxon_signed_rank
from lopsided.papers.ertekin_2007.methods import COMPARED
from lopsided.papers.ertekin_2007.units import Trace
from lopsided.plot import LabelCurve

BOTH = ("batch", "active")
Traces = dict[str, dict[str, list[Trace]]]
"""Problem -> method -> its runs."""


def traces_of(t: Measurements, methods: Iterable[str] = BOTH) -> Traces:
    """Return the runs of the problems that have some of each of these methods, and of other methods there."""
    return {
        problem: {method: runs.results(Trace) for method, runs in part.split("method").items()}
        for problem, part in t.with_every("problem", method=methods).split("problem").items()
    }


def support_ratio(curve: LabelCurve) -> NDArray[np.float64]:
    """Return the negative support vectors for each positive one; infinity where there is none of these."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(curve.n_support_negative / curve.n_support_positive, dtype=np.float64)


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


def compare_with_undersampling(t: Measurements) -> WilcoxonResult:
    """Do the signed rank test of Section 6: PRBEP of active learning against undersampling."""
    active, fewer = (t.means("prbep", "problem", method=method) for method in ("active", "undersampling"))
    return wilcoxon_signed_rank(list(active.values()), [fewer[name] for name in active])
