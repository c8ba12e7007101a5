"""Tables, plots and text as values, whatever form they are shown in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A number of ours, with the published number where there is one."""

    ours: float | None
    """None or NaN where there is no number of ours."""
    printed: float | None = None
    spread: float | None = None
    """Standard deviation over the runs; None where there is one run."""
    note: str = ""
    """Shown behind the number, in brackets."""
    digits: int = 1

    @property
    def is_known(self) -> bool:
        """Whether there is a number of ours."""
        return self.ours is not None and self.ours == self.ours

    @property
    def difference(self) -> float | None:
        """Ours less the published number; None where one of them is missing."""
        if self.ours is None or self.printed is None or self.ours != self.ours:
            return None
        return self.ours - self.printed

    @property
    def deviates(self) -> bool:
        """Whether the difference is more than two spreads and shows in the digits that are printed."""
        if self.difference is None:
            return False
        shown = abs(round(self.difference, self.digits)) > 0
        return shown and abs(self.difference) > 2 * (self.spread or 0.0)


@dataclass(frozen=True)
class Table:
    """A table: each line has a name and a cell for each column, which is a number or text."""

    columns: tuple[str, ...]
    lines: Sequence[tuple[str, Sequence[Cell | str]]]
    title: str = ""


@dataclass(frozen=True)
class Series:
    """The points of one line, or of one cloud."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] = ()
    """Half the height of a band around the line; empty for no band."""
    joined: bool = True
    """Whether a line joins the points."""

    @classmethod
    def cloud(cls, name: str, x: Any, y: Any) -> "Series":
        """Return points that no line joins, from arrays of their coordinates."""
        return cls(name, x.tolist(), y.tolist(), joined=False)


@dataclass(frozen=True)
class Plot:
    """A panel of a figure: lines and points over two axes."""

    series: Sequence[Series]
    x: str
    y: str
    title: str = ""
    log_x: bool = False
    marks: Sequence[tuple[float, str]] = field(default_factory=tuple)
    """Vertical lines, each with its text."""


@dataclass(frozen=True)
class Bars:
    """A panel of bars in groups: one bar a method, say, and one group a data set."""

    groups: Sequence[str]
    bars: Sequence[tuple[str, Sequence[float]]]
    """Name of each series of bars, with a value for each group."""
    y: str
    title: str = ""


@dataclass(frozen=True)
class Text:
    """Lines of text."""

    lines: Sequence[str]


Block = Table | Plot | Bars | Text


def compares(block: Block) -> bool:
    """Return whether a block has published numbers beside ours."""
    return any(cell.difference is not None for cell in _cells(block))


def deviates(block: Block) -> bool:
    """Return whether some number of a block is further from the published one than its spread explains."""
    return any(cell.deviates for cell in _cells(block))


def _cells(block: Block) -> Iterator[Cell]:
    if isinstance(block, Table):
        yield from (cell for _, cells in block.lines for cell in cells if isinstance(cell, Cell))
