"""What a table or a figure shows, before it is known how: as text, as a page, or drawn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """A number of ours, and the published one where there is one."""

    ours: float | None
    """None or NaN: there is none."""
    printed: float | None = None
    spread: float | None = None
    """Standard deviation over the runs; None where there is one run."""
    note: str = ""
    """Stands behind the number, in brackets."""
    digits: int = 1

    @property
    def difference(self) -> float | None:
        """Ours less the published one."""
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
    """Lines with a name, and cells by columns; text stands for itself."""

    columns: tuple[str, ...]
    lines: Sequence[tuple[str, Sequence[Cell | str]]]
    title: str = ""


@dataclass(frozen=True)
class Series:
    """Points that belong together."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[float] = ()
    """Half the height of a band around the line; empty: none."""
    joined: bool = True
    """By a line; else points by themselves."""


@dataclass(frozen=True)
class Plot:
    """A panel of a figure."""

    series: Sequence[Series]
    x: str
    y: str
    title: str = ""
    log_x: bool = False
    marks: Sequence[tuple[float, str]] = field(default_factory=tuple)
    """Upright lines, with what they say."""


@dataclass(frozen=True)
class Bars:
    """Bars by name, in groups: one bar a method, a group a data set, say."""

    groups: Sequence[str]
    bars: Sequence[tuple[str, Sequence[float]]]
    """Name and one value a group."""
    y: str
    title: str = ""


@dataclass(frozen=True)
class Text:
    """Lines as they are."""

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
