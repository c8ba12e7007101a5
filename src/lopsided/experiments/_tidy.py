"""Results of units as a tidy table: where each number belongs, what it measures, and its value."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from lopsided.runs import Unit

T = TypeVar("T")
Measure = Callable[[Any], Mapping[str, float] | Iterable[tuple[Mapping[str, Any], Mapping[str, float]]]]
"""Turns the result of a unit into numbers by metric; or into several such, each with where it belongs."""


@dataclass(frozen=True)
class Measurement:
    """Numbers that belong to one place: a row, a method, a seed."""

    at: Mapping[str, Any]
    """Axis -> label."""
    values: Mapping[str, float]
    """Metric -> value."""
    result: Any = field(default=None, repr=False, compare=False)
    """What the unit returned: curves and the like, which are more than numbers."""


@dataclass(frozen=True)
class Measurements:
    """The measurements of a table or figure.

    Labels of axes keep the order in which they came. Where a method takes conditions as keywords, each is an
    axis and a label or a collection of labels.

    Examples
    --------
    >>> t = Measurements([
    ...     Measurement({"row": "a", "method": "SVM", "seed": 1}, {"f1": 0.5}),
    ...     Measurement({"row": "a", "method": "SVM", "seed": 2}, {"f1": 0.7}),
    ...     Measurement({"row": "b", "method": "SVM", "seed": 1}, {"f1": 0.9}),
    ... ])
    >>> t.labels("row"), t.values("f1", row="a"), round(t.mean("f1", row="a", method="SVM"), 3)
    (['a', 'b'], [0.5, 0.7], 0.6)
    """

    measured: Sequence[Measurement] = ()

    def __len__(self) -> int:
        return len(self.measured)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self.measured)

    def labels(self, axis: str, **where: Any) -> list[Any]:
        """Return the labels of an axis, each once."""
        return list(dict.fromkeys(one.at[axis] for one in self._found(where) if axis in one.at))

    def metrics(self) -> list[str]:
        """Return what is measured."""
        return list(dict.fromkeys(name for one in self.measured for name in one.values))

    def only(self, **where: Any) -> "Measurements":
        """Return the measurements at some labels."""
        return Measurements(list(self._found(where)))

    def split(self, *axes: str) -> dict[Any, "Measurements"]:
        """Return label -> its measurements; the labels of several axes are tuples."""
        parts: dict[Any, list[Measurement]] = {}
        for one in self.measured:
            if all(axis in one.at for axis in axes):
                labels = tuple(one.at[axis] for axis in axes)
                parts.setdefault(labels if len(axes) > 1 else labels[0], []).append(one)
        return {label: Measurements(part) for label, part in parts.items()}

    def with_every(self, axis: str, **labels: Iterable[Any]) -> "Measurements":
        """Return the labels of an axis that have measurements at every one of some other labels."""
        whole = [
            label
            for label, part in self.split(axis).items()
            if all(set(wanted) <= set(part.labels(name)) for name, wanted in labels.items())
        ]
        return self.only(**{axis: whole})

    def values(self, metric: str, **where: Any) -> list[float]:
        """Return the values of a metric, one for each run."""
        return [float(one.values[metric]) for one in self._found(where) if metric in one.values]

    def mean(self, metric: str, **where: Any) -> float:
        """Return the mean over the runs; NaN where there are none."""
        values = self.values(metric, **where)
        return float(np.mean(values)) if values else float("nan")

    def means(self, metric: str, *axes: str, **where: Any) -> dict[Any, float]:
        """Return label -> its mean over the runs, as `split` has them; labels without values are left out."""
        parts = self.only(**where).split(*axes).items()
        return {label: part.mean(metric) for label, part in parts if part.values(metric)}

    def best(self, axis: str, metric: str, within: Sequence[str]) -> "Measurements":
        """Return the measurements at the label of an axis with the highest mean, of equals the first.

        It is chosen for each combination of the labels of the axes ``within``.
        """
        found: list[Measurement] = []
        for part in self.split(*within).values():
            means = part.means(metric, axis)
            found += part.only(**{axis: max(means, key=means.__getitem__)}) if means else []
        return Measurements(found)

    def std(self, metric: str, **where: Any) -> float:
        """Return the standard deviation over the runs; 0 of a single run, and where a value is not finite."""
        values = self.values(metric, **where)
        return float(np.std(values, ddof=1)) if len(values) > 1 and np.isfinite(values).all() else 0.0

    def results(self, kind: type[T], **where: Any) -> list[T]:
        """Return what units returned, of one type, each once."""
        found = {id(one.result): one.result for one in self._found(where) if isinstance(one.result, kind)}
        return list(found.values())

    def _found(self, where: Mapping[str, Any]) -> Iterator[Measurement]:
        wanted = {axis: set(v) if _is_several(v) else {v} for axis, v in where.items()}
        for one in self.measured:
            if all(axis in one.at and one.at[axis] in labels for axis, labels in wanted.items()):
                yield one


def tidy(
    at: Callable[[Unit], Mapping[str, Any]], units: Iterable[Unit], results: Iterable[Any], measure: Measure
) -> Measurements:
    """Measure the results of units.

    Parameters
    ----------
    at : callable
        Gives the arguments of a unit by name.
    units, results : iterables
        Units that were done, and what they returned.
    measure : callable
        See `Measure`. What it returns as labels is added to the arguments of the unit.
    """
    measured = []
    for unit, result in zip(units, results, strict=True):
        found = measure(result)
        parts = [({}, found)] if isinstance(found, Mapping) else list(found) or [({}, {})]
        measured += [Measurement({**at(unit), **more}, values, result) for more, values in parts]
    return Measurements(measured)


def _is_several(value: Any) -> bool:
    # A tuple that is a label, such as a named one, is hashable and has fields of its own.
    return isinstance(value, Collection) and not isinstance(value, str) and not hasattr(value, "_fields")
