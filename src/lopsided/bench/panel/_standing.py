"""Our default beside the plain baselines, data set by data set."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lopsided.bench.panel._regimes import REGIMES, Regime, is_text, measure
from lopsided.bench.panel._sets import HALVES, read_split
from lopsided.compare._method import SplitScores
from lopsided.experiments import seeds
from lopsided.runs import KeptResults, ResultSource, Unit

OURS = "ours"
_WORSE = 0.03  # so far below a baseline, beyond two standard errors, a default must never be


@dataclass(frozen=True)
class Against:
    """Our default beside one other method on one data set."""

    difference: float
    """Mean of ours less the other's, over the same draws."""
    error: float
    """Standard error of that mean."""

    @property
    def result(self) -> str:
        """Whether it is a win, a tie (within two standard errors) or a loss."""
        if abs(self.difference) <= 2 * self.error:
            return "tie"
        return "win" if self.difference > 0 else "loss"

    @property
    def is_worse(self) -> bool:
        """Whether ours is below by more than three points beyond two standard errors."""
        return self.difference + 2 * self.error < -_WORSE


@dataclass(frozen=True)
class Standing:
    """The scores of one regime."""

    name: str
    scores: dict[str, dict[str, list[SplitScores]]]
    """Data set -> method -> its draws; our default is called "ours"."""
    problems: dict[str, str]
    """Key of each unit that has no result -> why."""

    @property
    def regime(self) -> Regime:
        """The regime that was compared."""
        return REGIMES[self.name]

    @property
    def methods(self) -> list[str]:
        """The default, the baselines, and what else was run."""
        also = (*self.regime.also, *self.regime.also_on_tables)
        among = [OURS, *self.regime.baselines, *also, *self.regime.peers]
        return [name for name in among if any(name in found for found in self.scores.values())]

    def sets(self, half: str) -> list[str]:
        """Return the data sets of a half that have results of our default."""
        return [name for name in read_split()[self.name][half] if OURS in self.scores.get(name, {})]

    def values(self, data_set: str, method: str, metric: str | None = None) -> NDArray[np.float64]:
        """Return a number of each draw; empty where there is none."""
        found = self.scores[data_set].get(method, [])
        return np.array([measure(metric or self.regime.metric, draw) for draw in found])

    def mean(self, half: str, method: str, metric: str | None = None) -> float:
        """Return the mean over the data sets of a half; NaN where a data set has none."""
        means = [self.values(name, method, metric) for name in self.sets(half)]
        if not means or any(len(values) == 0 for values in means):
            return float("nan")
        return float(np.mean([values.mean() for values in means]))

    def results(self, half: str, method: str) -> Counter[str]:
        """Count the wins, ties and losses beside another method, on the data sets that have it."""
        return Counter(self.against(name, method).result for name in self._sets_with(half, method))

    def much_worse(self, half: str, method: str) -> list[str]:
        """Return the data sets on which ours is below another method as it must never be."""
        return [name for name in self._sets_with(half, method) if self.against(name, method).is_worse]

    def best_peer(self, half: str) -> str | None:
        """Return the peer with the best mean, of those with results on all data sets; None without one."""
        return self._best(self.regime.peers, half)

    @cached_property
    def best_baseline(self) -> str | None:
        """The baseline with the best mean on the tune half; None before it was run."""
        return self._best(self.regime.baselines, "tune")

    def against(self, data_set: str, method: str) -> Against:
        """Compare our default with another method on one data set."""
        ours, others = (
            {draw.seed: measure(self.regime.metric, draw) for draw in self.scores[data_set].get(name, [])}
            for name in (OURS, method)
        )
        differences = np.array([ours[seed] - others[seed] for seed in ours if seed in others])
        n = len(differences)
        error = float(differences.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
        return Against(float(differences.mean()), error)

    def _sets_with(self, half: str, method: str) -> list[str]:
        return [name for name in self.sets(half) if len(self.values(name, method))]

    def _best(self, methods: Sequence[str], half: str) -> str | None:
        means = {name: self.mean(half, name) for name in methods}
        known = {name: value for name, value in means.items() if not np.isnan(value)}
        return max(known, key=lambda name: known[name]) if known else None


def run_panel(
    name: str,
    source: ResultSource,
    *,
    halves: Sequence[str] = HALVES,
    n_draws: int = 10,
    only: Sequence[str] = (),
) -> Standing:
    """Run one regime, or take its results from a source that has them.

    Parameters
    ----------
    name : str
        One of `REGIMES`.
    source : Source
        A `lopsided.runs.Runner`, or `lopsided.runs.KeptResults`.
    halves : sequence of {"tune", "test"}
    n_draws : int, default=10
    only : sequence of str, optional
        Only these data sets.
    """
    regime = REGIMES[name]
    extra = [*regime.baselines, *regime.also, *regime.peers]
    # Kept results may be those of peers that are not installed here.
    is_kept = isinstance(source, KeptResults)
    installed = [method for method in extra if is_kept or regime.methods[method].is_installed]
    sets = [data_set for half in halves for data_set in read_split()[name][half]]
    unknown = [data_set for data_set in only if data_set not in sets]
    if unknown:
        raise ValueError(f"no data set '{unknown[0]}' in {name}. There are: {', '.join(sets)}.")
    units: dict[Unit, tuple[str, str]] = {}
    for data_set in only or sets:
        on_tables = () if is_text(data_set) else regime.also_on_tables
        for method in [OURS, *installed, *on_tables]:
            called = regime.default(data_set) if method == OURS else method
            for seed in seeds(n_draws):
                unit = Unit("lopsided.bench.panel._regimes", "run", (name, data_set, called, seed))
                units[unit] = (data_set, method)
    answers = source.ask(list(units))
    scores: dict[str, dict[str, list[SplitScores]]] = {}
    for unit, result in zip(answers.units, answers.results, strict=True):
        data_set, method = units[unit]
        scores.setdefault(data_set, {}).setdefault(method, []).append(result)
    return Standing(name, scores, {**answers.failed, **answers.skipped})
