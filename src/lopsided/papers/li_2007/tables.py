"""Means over sets and runs, and how they vary."""

import math

import numpy as np

from lopsided.experiments import Measurements
from lopsided.papers.li_2007.methods import BASELINES, LGN_

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


def deviation(t: Measurements, metric: str = "f") -> float | None:
    """Return the standard deviation from run to run of the mean over the sets.

    None of one run, and where runs have different sets.
    """
    runs = t.split("seed").values()
    means = [run.mean(metric) for run in runs]
    if len(runs) < 2 or len({len(run) for run in runs}) > 1 or any(map(math.isnan, means)):
        return None
    return float(np.std(means, ddof=1))


def deviation_of_gain(t: Measurements) -> float | None:
    """Return the standard deviation of the gain over the runs that all methods have."""
    runs = [mean_by_method(run) for run in t.split("seed").values()]
    gains = [gain(means) for means in runs if {LGN_, *BASELINES} <= means.keys()]
    return float(np.std(gains, ddof=1)) if len(gains) > 1 else None
