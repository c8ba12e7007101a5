"""A finding: small tables of numbers and messages of the library, each cell or message a unit of work."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lopsided.report import Cell

Values = NDArray[np.float64]
"""A number of each draw."""
Measured = dict[str, float]
"""Name of a number -> its value in one draw; NaN where there is none."""


@dataclass(frozen=True)
class FoundColumn:
    """A column of a table: a number of each draw, and how the draws are shown."""

    name: str
    number: str
    """The name under which it is measured."""
    show: Callable[[Values], Cell | str]


@dataclass(frozen=True)
class FoundTable:
    """A table with a line for each method or data set."""

    caption: str
    rows: tuple[str, ...]
    columns: tuple[FoundColumn, ...]
    measure: Callable[[str, int], Measured]
    """Row and seed -> the numbers of one draw."""
    n_draws: int = 10
    call: Callable[[str], str] = str
    """Row -> what readers call it."""


@dataclass(frozen=True)
class Finding:
    """A group of defects, and what is measured of them today."""

    title: str
    found: str
    """What was seen when it was found."""
    tables: Mapping[str, FoundTable]
    """By the name that the units have."""
    messages: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """What the library says today, by the name of the situation."""


def mean(digits: int = 3) -> Callable[[Values], Cell | str]:
    """Show the mean of the draws that have the number, ± their standard deviation."""

    def show(values: Values) -> Cell | str:
        known = values[~np.isnan(values)]
        if not len(known):
            return "none"
        spread = float(known.std(ddof=1)) if len(known) > 1 else None
        return Cell(float(known.mean()), spread=spread, digits=digits)

    return show


def total_mean(values: Values) -> Cell:
    """Show the mean of all draws; one without the number counts as 0."""
    return Cell(float(np.nan_to_num(values).mean()), digits=2)


def median(digits: int = 0) -> Callable[[Values], Cell | str]:
    """Show the median of the draws."""
    return lambda values: Cell(float(np.median(values)), digits=digits)


def least(digits: int = 3) -> Callable[[Values], Cell | str]:
    """Show the smallest of the draws."""
    return lambda values: Cell(float(values.min()), digits=digits)


def extremes(digits: int = 2) -> Callable[[Values], Cell | str]:
    """Show the smallest and the largest of the draws that have the number."""

    def show(values: Values) -> Cell | str:
        known = values[~np.isnan(values)]
        return f"{known.min():.{digits}f} to {known.max():.{digits}f}" if len(known) else "none"

    return show


def count(values: Values) -> str:
    """Show in how many of the draws that have the number it is 1 and not 0."""
    known = values[~np.isnan(values)]
    return f"{int(known.sum())} of {len(known)}" if len(known) else "none"
