"""Blocks as Markdown, and text that Markdown leaves as it is."""

import re
from collections.abc import Iterable, Iterator, Mapping

from lopsided.report._blocks import Block, Cell, Table, Text
from lopsided.report._figures import HOW_TO_DRAW
from lopsided.report._text import write_blocks as write_text
from lopsided.report._text import write_cell


def write_blocks(blocks: Iterable[Block], pictures: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield each block as Markdown.

    Parameters
    ----------
    blocks : iterable of Block
    pictures : mapping of str to str, optional
        The pictures of the plots and bar charts, in their order, by name. One that was drawn is linked as
        ``figures/NAME.svg``; the numbers stand in for one that could not be drawn (empty text).
    """
    pictures = {} if pictures is None else pictures
    names = list(pictures)
    for block in blocks:
        if isinstance(block, Table):
            yield write_table(block)
        elif isinstance(block, Text):
            yield write_list(block.lines) if len(block.lines) > 1 else "".join(map(escape, block.lines))
        else:
            name = names.pop(0) if names else ""
            if pictures.get(name):
                label = f"{block.title}: {block.y}".removeprefix(": ")
                yield f"![{escape(label)}](figures/{name}.svg)"
            else:
                yield f"{fence(write_text([block]))}\n\n{HOW_TO_DRAW}"


def write_table(table: Table) -> str:
    """Return a table with its title; the published number and the difference follow ours in brackets."""
    lines = [
        f"| | {' | '.join(map(escape, table.columns))} |",
        f"|---|{'---:|' * len(table.columns)}",
        *(f"| {escape(name)} | {' | '.join(map(_write_cell, cells))} |" for name, cells in table.lines),
    ]
    title = f"{escape(table.title)}\n\n" if table.title else ""
    return title + "\n".join(lines)


def write_list(lines: Iterable[str]) -> str:
    """Return the lines as a bulleted list."""
    return "\n".join(f"- {escape(line)}" for line in lines)


def _write_cell(cell: Cell | str) -> str:
    text = write_cell(cell)
    if isinstance(cell, str) or cell.difference is None:
        return escape(text)
    text = f"{text[:-1]}; {cell.difference:+.{cell.digits}f})"
    return f"**{escape(text)}**" if cell.deviates else escape(text)


def escape(text: str) -> str:
    """Return text that Markdown leaves as it is, on one line.

    Examples
    --------
    >>> escape("a_b <c>") == "a" + chr(92) + "_b &lt;c>"
    True
    """
    text = re.sub(r"([\\`*_\[\]|#])", r"\\\1", " ".join(text.split()))
    return text.replace("&", "&amp;").replace("<", "&lt;")


def code(text: str) -> str:
    """Return text as code within a line."""
    ticks = "`" * (1 + _most_ticks(text))
    return f"{ticks}{' '.join(text.split()).replace('|', '&#124;')}{ticks}"


def fence(text: str) -> str:
    """Return text as a block of code."""
    ticks = "`" * max(3, 1 + _most_ticks(text))
    return f"{ticks}\n{text}\n{ticks}"


def _most_ticks(text: str) -> int:
    """Return the length of the longest run of backticks in a text."""
    return max(map(len, re.findall("`+", text)), default=0)
