"""Units of work over named axes, and the sentence that says what a quick run leaves out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

from lopsided.experiments._extent import Ask, Extent, seeds
from lopsided.experiments._tidy import Measure, Measurements, tidy
from lopsided.runs import Unit


@dataclass(frozen=True)
class Seeds:
    """An axis that holds the seeds of the runs that were asked for, or of the first few of them."""

    most: int | None = None
    least: int = 1
    numbered: bool = False
    """Whether it holds the numbers of the runs, from 0, in place of their seeds."""

    def first(self, n: int) -> "Seeds":
        """Return the axis of the first n runs."""
        return replace(self, most=n)

    def at_least(self, n: int) -> "Seeds":
        """Return an axis that holds n seeds or more in a quick run, too: for runs that take little time."""
        return replace(self, least=n)

    def of(self, extent: Extent) -> tuple[int, ...]:
        """Return the seeds of a run of this extent, or their numbers."""
        held = extent.seeds[: self.most]
        if extent.quick and len(held) < self.least:
            held = seeds(self.least)
        return tuple(range(len(held))) if self.numbered else held


SEEDS = Seeds()
RUNS = Seeds(numbered=True)
Values = Sequence[Any] | Seeds | Callable[[Extent, Ask], Sequence[Any]]
"""What an axis holds: values, seeds, or a function that returns values once it knows the extent."""


class Grid:
    """All calls of a function whose arguments lie on the given axes.

    Parameters
    ----------
    function : callable
        A function of a module that declares its `lopsided.runs.Work`.
    quick : mapping, optional
        Axes that are shorter in a quick run, and what they then hold.
    where : callable, optional
        Called with the arguments by name; cells for which it is false are left out.
    given : mapping of str to callable, optional
        Arguments that follow from the others, by functions of these as keywords.
    together : mapping, optional
        Axes of several arguments, which run slowest: their names and the tuples that they run over, such as
        each setting with the value that is best for it.
    **axes : sequence, `SEEDS`, `RUNS` or callable
        A name of an argument and what it runs over. The last axis runs fastest, so that units which share
        the first ones follow each other. An axis that is no argument helps ``given``.

    Examples
    --------
    >>> from math import pow
    >>> from lopsided.experiments import SEEDS, Extent, Grid
    >>> grid = Grid(pow, x=(2, 3, 4), y=(1, 2), quick={"x": (2,)})
    >>> [unit.arguments for unit in grid.units(Extent((7,), quick=True), lambda units: [])]
    [(2, 1), (2, 2)]
    >>> grid.left_out(n_runs=10, n_quick_runs=1)
    'every x but 2'
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        quick: Mapping[str, Values] | None = None,
        where: Callable[..., bool] | None = None,
        given: Mapping[str, Callable[..., Any]] | None = None,
        together: Mapping[tuple[str, ...], Values] | None = None,
        **axes: Values,
    ) -> None:
        self.function, self.axes, self._together = function, axes, together or {}
        self._quick, self._where, self._given = quick or {}, where, given or {}
        parameters = list(signature(function).parameters)
        named = {*axes, *self._given, *(name for names in self._together for name in names)}
        self.arguments = [name for name in parameters if name in named]
        helping = {name for of in self._given.values() for name in signature(of).parameters}
        unknown = [
            *(name for name in named if name not in parameters and name not in helping),
            *self._quick.keys() - axes.keys(),
        ]
        if unknown:
            raise ValueError(f"{function.__name__} has no argument {unknown[0]!r}, or the grid no such axis.")

    def units(self, extent: Extent, ask: Ask) -> list[Unit]:
        """Return the units of a run of this extent."""
        axes = {**self.axes, **self._quick} if extent.quick else self.axes
        held = {names: _held(values, extent, ask) for names, values in self._together.items()}
        for name, values in axes.items():
            held[name,] = [(value,) for value in _held(values, extent, ask)]
        module, function = self.function.__module__, self.function.__name__
        return [
            Unit(module, function, tuple(cell[name] for name in self.arguments)) for cell in self._cells(held)
        ]

    def measure(self, extent: Extent, ask: Ask, measure: Measure) -> Measurements:
        """Return the measurements of all units of a run of this extent, to choose parameters by them."""
        units = self.units(extent, ask)
        return tidy(self.at, units, ask(units), measure)

    def left_out(self, n_runs: int, n_quick_runs: int) -> str:
        """Return what a quick run leaves out, or an empty text where it leaves out nothing."""
        return "; ".join(self.parts_left_out(n_runs, n_quick_runs))

    def parts_left_out(self, n_runs: int, n_quick_runs: int) -> list[str]:
        """Return what a quick run leaves out, axis by axis."""
        parts = []
        for name, values in self.axes.items():
            kept = self._quick.get(name, values)
            if isinstance(values, Seeds):
                most, few = (min(n, values.most or n) for n in (n_runs, max(n_quick_runs, values.least)))
                if few < most:
                    parts.append("runs after the first" + ("" if few == 1 else f" {few}"))
            elif kept != values and not callable(values) and not callable(kept):
                if not kept:  # then no cell of the grid is left
                    return [f"{self.function.__name__} with {name} {', '.join(map(_say, values))}"]
                parts.append(_say_left_out(name, list(values), list(kept)))  # type: ignore[arg-type]
        return parts

    def at(self, unit: Unit) -> dict[str, Any]:
        """Return the arguments of one of its units by name."""
        return dict(zip(self.arguments, unit.arguments, strict=True))

    def __contains__(self, unit: Unit) -> bool:
        is_of_function = unit[:2] == (self.function.__module__, self.function.__name__)
        return is_of_function and len(unit.arguments) == len(self.arguments)

    def _cells(self, held: Mapping[tuple[str, ...], Sequence[Any]]) -> Iterator[dict[str, Any]]:
        def walk(cell: dict[str, Any], axes: list[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
            if not axes:
                if self._where is None or self._where(**cell):
                    yield cell | {name: of(**cell) for name, of in self._given.items()}
                return
            for values in held[axes[0]]:
                yield from walk(cell | dict(zip(axes[0], values, strict=True)), axes[1:])

        return walk({}, list(held))


def _held(values: Values, extent: Extent, ask: Ask) -> Sequence[Any]:
    if isinstance(values, Seeds):
        return values.of(extent)
    return values(extent, ask) if callable(values) else values


_ONE_OF = {"data": "data set"}  # one label of an axis that has no singular
_MOST_NAMED = 12  # values: of more, a reader is told how many there are


def _say_left_out(name: str, values: list[Any], kept: list[Any]) -> str:
    """Return the values left out or, where those are more, the values kept; their number where both are many.

    Examples
    --------
    >>> _say_left_out("gamma", [14.0, 8.0, 4.0, 1.0], [14.0])
    'every gamma but 14'
    >>> _say_left_out("data", ["corn", "wheat", "ship"], ["ship"])
    'every data set but ship'
    >>> _say_left_out("n_points", [30], [12])
    'n_points 30 (12 instead)'
    >>> _say_left_out("n_messages", [None], [30_000])  # None: all there are
    'n_messages limited to 30000'
    >>> _say_left_out("setting", list(range(100)), list(range(20)))
    '80 of the 100 values of setting'
    """
    lost = [value for value in values if value not in kept]
    said = ", ".join(map(_say, kept))
    if values == [None]:
        return f"{name} limited to {said}"
    if not set(map(repr, kept)) <= set(map(repr, values)):
        return f"{name} {', '.join(map(_say, values))} ({said} instead)"
    if min(len(kept), len(lost)) > _MOST_NAMED:
        return f"{len(lost)} of the {len(values)} values of {name}"
    if len(kept) < len(lost):
        return f"every {_ONE_OF.get(name, name)} but {said}"
    return f"{name} {', '.join(map(_say, lost))}"


def _say(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
