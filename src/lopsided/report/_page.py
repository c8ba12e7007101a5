"""The page of a ranked list: one file that needs no other, and runs nothing that a text says."""

import math
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided.report._reasons import Snippet
from lopsided.report._style import SCRIPT, STYLE


class RankedText(Protocol):
    """One text of a ranked list."""

    @property
    def rank(self) -> int:
        """Its place, from 1."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def row(self) -> int:
        """Its place among the texts as given, from 0."""

    @property
    def score(self) -> float:
        """What it is ranked by."""

    @property
    def words(self) -> tuple[str, ...]:
        """That speak for it."""

    @property
    def snippet(self) -> Snippet:
        """A piece of it."""

    @property
    def over(self) -> bool | None:
        """Whether it is over the line; None where there is none."""

    def figures(self) -> dict[str, str]:
        """What a list shows of its numbers, by their names."""

    def plain(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""


class RankedPage(NamedTuple):
    """What a page says beside its list."""

    lead: str
    facts: list[tuple[str, str, str]]  # what is counted, the number, and more about it
    line: str | None  # stands where the texts over the line end; None where there is no line
    badge: str | None = None  # stands beside each text over the line


def render_page(
    face: RankedPage,
    scores: NDArray[np.float64],
    records: Sequence[RankedText],
    *,
    title: str,
    notes: Iterable[str],
) -> str:
    """The whole page.

    Whatever comes out of a text or a file name is escaped, and the page itself says that nothing may be
    loaded and no script may run but its own.
    """
    parts = [
        f'<p class="lead">{safe(face.lead)}</p>',
        show_facts(face.facts),
        _picture(scores, face.line is not None),
        search_field(_extent(len(records), len(scores))),
        "<ol>",
        *_rows(face, scores, records),
        "</ol>",
    ]
    return whole_page(title, parts, notes=notes)


def whole_page(
    title: str, parts: Iterable[str], *, notes: Iterable[str], style: str = "", searched: bool = True
) -> str:
    """A page around its parts, which are escaped already; a style may be added to that of all pages.

    Where it is not searched, it has no `search_field` and no script.
    """
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    source = f"'sha256-{digest}'" if searched else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {source}; base-uri 'none'"
    whole = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{safe(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n<main>",
        f"<h1><bdi>{safe(title)}</bdi></h1>",
        *parts,
        f"<footer>{'<br>'.join(map(safe, notes))}</footer>",
        f"</main>\n{f'<script>{SCRIPT}</script>' if searched else ''}\n</body>\n</html>\n",
    ]
    return "\n".join(whole)


def search_field(extent: str) -> str:
    """Where words can be typed that texts must hold; beside it how many are shown."""
    return (
        '<div class="tools" hidden><input type="search" placeholder="Show only texts with these words" '
        f'aria-label="Words to look for"><output>{extent}</output></div>'
    )


def show_facts(facts: Iterable[tuple[str, str, str]]) -> str:
    """A card for each number."""
    cells = "".join(
        f"<div><dt>{safe(name)}</dt><dd>{safe(number)}<small>{safe(more)}</small></dd></div>"
        for name, number, more in facts
    )
    return f'<dl class="facts">{cells}</dl>'


def _picture(scores: NDArray[np.float64], has_line: bool, n_bars: int = 100) -> str:
    """How many texts there are at each score, as a row of bars; heights are roots, so that few are seen."""
    lowest, highest = _ends(scores)
    if not highest > lowest:
        return ""
    width = (highest - lowest) / n_bars
    places = np.floor(np.maximum(scores, lowest) / width).astype(int)  # 0 parts two bars
    counts = np.bincount(places - places[-1])
    tallest = math.sqrt(counts.max())
    bars = []
    for i in np.flatnonzero(counts):
        height = max(1.0, 60 * math.sqrt(counts[i]) / tallest)
        side = "over" if has_line and i + places[-1] >= 0 else "under"
        bars.append(
            f'<rect class="{side}" x="{i * 10}" y="{60 - height:.1f}" width="8" height="{height:.1f}"/>'
        )
    at_most = "≤ " if lowest > scores[-1] else ""
    coloured = "; coloured: over 0" if has_line else ""
    return (
        '<figure><svg preserveAspectRatio="none" role="img" '
        f'viewBox="0 0 {10 * len(counts)} 60" '
        f'aria-label="How many texts have which score">{"".join(bars)}</svg>'
        f"<figcaption><span>{at_most}{lowest:.2f}</span><span>texts by score{coloured}</span>"
        f"<span>{highest:.2f}</span></figcaption></figure>"
    )


def _ends(scores: NDArray[np.float64]) -> tuple[float, float]:
    """From where to where scores are drawn: all, but for a few that are far below the others."""
    low, high = np.quantile(scores, [0.02, 0.98])
    return max(float(scores[-1]), float(low - (high - low))), float(scores[0])


def _extent(n_listed: int, n: int) -> str:
    return f"all {n:,}" if n_listed == n else f"the first {n_listed:,} of {n:,}"


def _rows(face: RankedPage, scores: NDArray[np.float64], records: Sequence[RankedText]) -> Iterator[str]:
    lowest, highest = _ends(scores)
    was_over = face.line is not None and bool(records) and records[0].over
    for record in records:
        if was_over and not record.over:
            yield f'<li class="border">{safe(face.line or "")}</li>'
            was_over = False
        height = max(0.0, record.score - lowest) / ((highest - lowest) or 1.0)
        yield _row(record, face.badge if record.over else None, height)


def _row(record: RankedText, badge: str | None, height: float) -> str:
    words = "".join(f"<span>{safe(word)}</span>" for word in record.words)
    text = "".join(f"<mark>{safe(p)}</mark>" if marked else safe(p) for p, marked in record.snippet.pieces())
    return (
        f'<li data-rank="{record.rank}"{" class=no" if record.over is False else ""}><header>'
        f'<span class="rank">{record.rank:,}</span><bdi class="id">{safe(record.id)}</bdi>'
        f'<span class="figures">{_figures(record, badge)}</span></header>'
        f'<span class="meter"><i style="width:{100 * height:.0f}%"></i></span>'
        + (f'<p class="words">{words}</p>' if words else "")
        + f'<p class="text">{text}</p></li>'
    )


def _figures(record: RankedText, badge: str | None) -> str:
    """The numbers of a text; the score needs no name, it is what the list goes by."""
    figures = record.figures()
    parts = [f'<span class="badge">{safe(badge)}</span>'] if badge else []
    parts += [f"<span>{name} {safe(value)}</span>" for name, value in figures.items() if name != "score"]
    return "".join(parts) + f'<span class="score">{safe(figures["score"])}</span>'


def safe(text: str) -> str:
    """Text as text: nothing of it is a tag, and a character that pages may not hold is a sign for itself."""
    text = (
        "".join(c if c.isprintable() or c in "\n\t" else _sign(c) for c in text)
        if not text.isprintable()
        else text
    )
    return escape(text, quote=True)


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{REPLACEMENT CHARACTER}" if code < 0xA0 or 0xD800 <= code < 0xE000 else character
