"""Blocks as lines of text."""

from collections.abc import Iterator, Sequence

from lopsided.report._blocks import Bars, Block, Cell, Plot, Table, Text
from lopsided.terminal import align

_MOST_POINTS = 12  # of a series that are written out


def write_blocks(blocks: Sequence[Block]) -> str:
    """Return blocks as text of fixed width, with an empty line between them.

    Examples
    --------
    >>> table = Table(("F1", "data"), [("ours", [Cell(0.5, printed=0.7, spread=0.01, digits=2), "a"])])
    >>> print(write_blocks([table]))
                         F1  data
    ours  0.50 ±0.01 (0.70)     a
    """
    return "\n\n".join("\n".join(_lines(block)) for block in blocks)


def write_cell(cell: Cell | str) -> str:
    """Return our number with its spread and note, and the published number in brackets."""
    if isinstance(cell, str):
        return cell
    text = f"{cell.ours:.{cell.digits}f}" if cell.is_known else ""
    if text and cell.spread:
        text += f" ±{cell.spread:.{cell.digits}f}"
    if text and cell.note:
        text += f" [{cell.note}]"
    return text if cell.printed is None else f"{text} ({cell.printed:.{cell.digits}f})".strip()


def write_number(value: float, digits: int = 0) -> str:
    """Return a number with so many digits behind the point, and a comma behind each thousand."""
    return f"{value:,.{digits}f}"


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Text):
        yield from block.lines
        return
    if block.title:
        yield block.title
    if isinstance(block, Table):
        yield from _columns(
            ["", *block.columns], [[name, *map(write_cell, cells)] for name, cells in block.lines]
        )
    elif isinstance(block, Bars):
        lines = [[name, *(f"{value:.4g}" for value in values)] for name, values in block.bars]
        yield from _columns([block.y, *block.groups], lines)
    else:
        yield from _points(block)


def _columns(heads: list[str], lines: list[list[str]]) -> Iterator[str]:
    widths = [max(len(line[k]) for line in [heads, *lines]) for k in range(len(heads))]
    for line in [heads, *lines]:
        yield align(line, [-widths[0], *(width + 2 for width in widths[1:])]).rstrip()


def _points(plot: Plot) -> Iterator[str]:
    yield f"{plot.y} by {plot.x}"
    width = max((len(series.name) for series in plot.series), default=0)
    for series in plot.series:
        n = len(series.x)
        if not series.joined and n > _MOST_POINTS:  # some of a cloud say nothing
            yield f"  {series.name:{width}}  {n:,} points"
            continue
        chosen = sorted({round(i * (n - 1) / (_MOST_POINTS - 1)) for i in range(_MOST_POINTS)}) if n else []
        points = "  ".join(f"{series.x[i]:.4g}: {series.y[i]:.3f}" for i in chosen)
        yield f"  {series.name:{width}}  {points}"
