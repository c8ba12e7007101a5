"""Comparisons of numbers that differ from run to run: yes, no, or within the noise of the runs."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lopsided.experiments._tidy import Measurements

_NO, _NOISE, _YES = range(3)


@dataclass(frozen=True)
class Answer:
    """The outcome of a comparison; of several joined by ``&`` or ``|``, that of the one that decides.

    Examples
    --------
    >>> clear, close = Estimate(3.0, 0.5).above(2.0), Estimate(2.2, 0.5).above(2.0)
    >>> clear.is_yes, close.is_noise, (clear & close).is_noise, (clear | close).is_yes
    (True, True, True, True)
    >>> (close & False).is_no, close.told
    (True, '2.2 where more than 2 is asked; standard deviation over the runs 0.5')
    """

    level: int
    told: str = ""
    """The number that decides, what is asked of it, and its standard deviation over the runs."""

    @classmethod
    def of(cls, answer: "Answer | bool") -> "Answer":
        """Return an answer, or that of a comparison of numbers that are the same in each run."""
        return answer if isinstance(answer, cls) else cls(_YES if answer else _NO)

    @property
    def is_yes(self) -> bool:
        """Whether the comparison holds by more than the noise."""
        return self.level == _YES

    @property
    def is_noise(self) -> bool:
        """Whether the number is no farther from what is asked than one standard deviation over the runs."""
        return self.level == _NOISE

    @property
    def is_no(self) -> bool:
        """Whether the comparison fails by more than the noise."""
        return self.level == _NO

    def __and__(self, other: "Answer | bool") -> "Answer":
        return min(self, Answer.of(other), key=lambda answer: answer.level)

    def __or__(self, other: "Answer | bool") -> "Answer":
        return max(self, Answer.of(other), key=lambda answer: answer.level)

    __rand__, __ror__ = __and__, __or__


@dataclass(frozen=True)
class Estimate:
    """A number of all runs, and how much it differs between them.

    A comparison is within noise where the number is at most ``spread`` away from what it is compared with, on
    either side. What was run once has no spread, and is never within noise.
    """

    value: float
    spread: float = 0.0
    """Standard deviation of the number over the runs, computed in each run alone."""
    name: str = ""

    def at_least(self, bound: float) -> Answer:
        """Compare: the number is the bound or more."""
        return self._answer(self.value >= bound, bound, "at least")

    def at_most(self, bound: float) -> Answer:
        """Compare: the number is the bound or less."""
        return self._answer(self.value <= bound, bound, "at most")

    def above(self, bound: float) -> Answer:
        """Compare: the number is more than the bound."""
        return self._answer(self.value > bound, bound, "more than")

    def below(self, bound: float) -> Answer:
        """Compare: the number is less than the bound."""
        return self._answer(self.value < bound, bound, "less than")

    def within(self, bound: float) -> Answer:
        """Compare: the number is no farther from zero than the bound."""
        return replace(self, value=abs(self.value)).at_most(bound)

    def _answer(self, is_so: bool, bound: float, words: str) -> Answer:
        is_close = self.spread > 0 and abs(self.value - bound) <= self.spread
        name = f"{self.name}: " if self.name else ""
        told = f"{name}{self.value:.4g} where {words} {bound:.4g} is asked"
        if self.spread:
            told += f"; standard deviation over the runs {self.spread:.3g}"
        return Answer(_NOISE if is_close else _YES if is_so else _NO, told)


def every(answers: Iterable[Answer | bool]) -> Answer:
    """Return the answer to all of several comparisons; yes where there are none.

    Examples
    --------
    >>> every([True, Estimate(1.0).above(0.0)]).is_yes, every([True, False]).is_no
    (True, True)
    """
    found = Answer.of(True)
    for answer in answers:
        found &= answer
    return found


def more_than(share: float, answers: Iterable[Answer | bool], *, or_as_many: bool = False) -> Answer:
    """Return whether more than a share of several comparisons hold, or as many.

    It is within noise where that depends on comparisons which are.

    Examples
    --------
    >>> close = Estimate(1.0, 0.5).above(0.8)
    >>> more_than(0.5, [True, True, close]).is_yes, more_than(0.5, [True, False, close]).is_noise
    (True, True)
    """
    found = [Answer.of(answer) for answer in answers]
    sure, possible = (sum(answer.level >= level for answer in found) for level in (_YES, _NOISE))
    needed = share * len(found)
    yes, maybe = (n >= needed if or_as_many else n > needed for n in (sure, possible))
    if yes or not maybe:
        return Answer.of(yes)
    noise = f"{possible - sure} of {len(found)} comparisons, which are within noise"
    return Answer(_NOISE, f"{noise}; {sure} hold by more than that")


Quantity = Callable[..., Mapping[Any, float]]
"""Computes numbers by name from tables."""


def estimates(quantity: Quantity, *tables: Measurements, run: str = "seed") -> dict[Any, Estimate]:
    """Return numbers computed from all runs, with their standard deviations over the runs.

    Parameters
    ----------
    quantity : callable
        Computes numbers by name from the tables; it is called with all runs, then with each run alone.
    *tables : Measurements
    run : str
        The axis whose labels are the runs. What was run once, as what draws nothing, is in each run.

    Examples
    --------
    >>> from lopsided.experiments import Measurement
    >>> t = Measurements([
    ...     Measurement({"method": method, "seed": seed}, {"f1": f1})
    ...     for method, values in {"SVM": [0.5], "SMC": [0.6, 0.8]}.items()
    ...     for seed, f1 in enumerate(values)
    ... ])
    >>> def gain(t):
    ...     return {"gain": t.mean("f1", method="SMC") - t.mean("f1", method="SVM")}
    >>> found = estimates(gain, t)["gain"]
    >>> round(found.value, 3), round(found.spread, 3)
    (0.2, 0.141)
    """
    whole = quantity(*tables)
    several = [labels for table in tables if len(labels := table.labels(run)) > 1]
    labels = list(dict.fromkeys(label for found in several for label in found))
    alone = [quantity(*parts) for parts in zip(*(_by_run(t, run, labels) for t in tables), strict=True)]
    return {name: Estimate(float(value), _spread(alone, name), _name(name)) for name, value in whole.items()}


def _name(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def estimate(quantity: Callable[..., float], *tables: Measurements, run: str = "seed") -> Estimate:
    """Return one number computed from all runs, with its standard deviation; see `estimates`."""
    return estimates(lambda *parts: {"": quantity(*parts)}, *tables, run=run)[""]


def _spread(runs: Iterable[Mapping[Any, float]], name: Any) -> float:
    values = [float(values[name]) for values in runs if name in values]
    finite = [value for value in values if np.isfinite(value)]
    return float(np.std(finite, ddof=1)) if len(finite) > 1 else 0.0


def _by_run(table: Measurements, run: str, labels: Iterable[Hashable]) -> list[Measurements]:
    cells: dict[Any, dict[Any, list[Any]]] = {}
    for one in table:
        cell = tuple((axis, label) for axis, label in one.at.items() if axis != run)
        cells.setdefault(cell, {}).setdefault(one.at.get(run), []).append(one)
    return [
        Measurements(
            [
                one
                for of_runs in cells.values()
                for here in ([of_runs[label]] if label in of_runs else of_runs.values())
                for one in here
            ]
        )
        for label in labels
    ]
