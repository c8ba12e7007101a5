"""The page of a ranked list of texts."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided.report._reasons import Snippet
from lopsided.report._templates import render_page
from lopsided.terminal import abbreviate

_N_BARS = 100  # of the histogram, more or less
_HEIGHT = 60  # of its tallest bar


class RankedText(Protocol):
    """One text of a ranked list."""

    @property
    def rank(self) -> int:
        """Rank, from 1."""

    @property
    def id(self) -> str:
        """Name of the text."""

    @property
    def row(self) -> int:
        """Index of the text among the texts as given, from 0."""

    @property
    def score(self) -> float:
        """Score by which the texts are ranked."""

    @property
    def words(self) -> tuple[str, ...]:
        """Words that raise the score most."""

    @property
    def snippet(self) -> Snippet:
        """Piece of the text that holds most of these words."""

    @property
    def over(self) -> bool | None:
        """Whether the score is over the threshold; None where there is no threshold."""

    def figures(self) -> dict[str, str]:
        """Return the numbers that a list shows, by name."""

    def plain(self) -> dict[str, Any]:
        """Return all fields as values that JSON can hold."""


class RankedPage(NamedTuple):
    """The texts on the page of a ranked list, beside the list."""

    lead: str
    facts: list[tuple[str, str, str]]  # what is counted, the number, and more about it
    threshold: str | None  # shown below the last text over the threshold; None where there is no threshold
    badge: str | None = None  # shown beside each text over the threshold
    items: str = "texts"  # what is ranked
    advice: str | None = None  # what to try where nothing is over the threshold


def render_ranked(
    page: RankedPage,
    scores: NDArray[np.float64],
    records: Sequence[RankedText],
    *,
    title: str,
    notes: Iterable[str],
    titles: Mapping[int, str] | None = None,
) -> str:
    """Return the page of the first records of a list; ``scores`` are those of the whole list, falling."""
    n, n_listed = len(scores), len(records)
    extent = f"all {n:,}" if n_listed == n else f"the first {n_listed:,} of {n:,}"
    return render_page(
        "ranked",
        title=title,
        notes=notes,
        page=page,
        histogram=_histogram(scores, page.threshold is not None),
        extent=extent,
        rows=_rows(page, scores, records, titles),
    )


class _ScoreBar(NamedTuple):
    x: int
    height: float
    over: bool


class _Histogram(NamedTuple):
    """Histogram of the scores of texts."""

    bars: list[_ScoreBar]
    width: int
    lowest: float
    highest: float
    is_cut: bool
    """Whether some scores are below the lowest one shown, and counted there."""


def _histogram(scores: NDArray[np.float64], has_threshold: bool) -> _Histogram | None:
    """Return bars whose heights are roots of counts, so that few texts are seen; None for one score alone."""
    lowest, highest = _limits(scores)
    if not highest > lowest:
        return None
    width = (highest - lowest) / _N_BARS
    places = np.floor(np.maximum(scores, lowest) / width).astype(int)  # a score of 0 begins a bar
    counts = np.bincount(places - places[-1])
    tallest = math.sqrt(counts.max())
    bars = [
        _ScoreBar(
            x=10 * int(i),
            height=max(1.0, _HEIGHT * math.sqrt(counts[i]) / tallest),
            over=has_threshold and bool(i + places[-1] >= 0),
        )
        for i in np.flatnonzero(counts)
    ]
    return _Histogram(bars, 10 * len(counts), lowest, highest, lowest > scores[-1])


def _limits(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return the lowest and the highest score to draw; a few that are far below the others are left out."""
    low, high = np.quantile(scores, [0.02, 0.98])
    return max(float(scores[-1]), float(low - (high - low))), float(scores[0])


class _PageRow(NamedTuple):
    record: RankedText
    percent: str
    """Width of the bar that shows the score."""
    is_first_below: bool
    """Whether the threshold is between this text and the one before."""
    title: str


def _rows(
    page: RankedPage,
    scores: NDArray[np.float64],
    records: Sequence[RankedText],
    titles: Mapping[int, str] | None,
) -> Iterator[_PageRow]:
    lowest, highest = _limits(scores)
    was_over = page.threshold is not None and bool(records) and bool(records[0].over)
    for record in records:
        is_first_below = was_over and not record.over
        was_over = was_over and not is_first_below
        share = max(0.0, record.score - lowest) / ((highest - lowest) or 1.0)
        name = "" if titles is None or titles[record.row] == record.id else abbreviate(titles[record.row])
        yield _PageRow(record, f"{100 * share:.0f}", is_first_below, name)
