"""A paper as data: its tables and figures, what each is made of, and its claims."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lopsided.experiments import Ask, Deviation, Extent
from lopsided.report import Block
from lopsided.reproduce._claims import Claims
from lopsided.runs import Answers, Unit


@dataclass(frozen=True)
class Item:
    """A table or a figure."""

    caption: str
    units: Callable[[Extent, Ask], Sequence[Unit]]
    """The work. It is asked for results of other units where it depends on them."""
    summary: Callable[[list[Any]], Any]
    """What the claims are given, from the results of the units that were done; order as that of the units."""
    show: Callable[[Any], Sequence[Block]]
    """What a reader sees of the summary."""
    left_out: str = ""
    """By a quick run."""
    tried: str = ""
    """Where ours differ from the published numbers by more than the spread: what was tried to explain it."""

    def summarise(self, answers: Answers) -> Any:
        """Return what the claims are given."""
        return self.summary(answers.results)


@dataclass(frozen=True)
class Paper:
    """One file declares one of these, as ``PAPER``."""

    id: str
    """As it is typed, such as "yu-2003"."""
    title: str
    authors: str
    venue: str
    items: Mapping[str, Item]
    """Named "table1", "figure4", or a word."""
    claims: Claims
    deviations: tuple[Deviation, ...]
    n_runs: int
    """Of what draws at random, in a full run."""
    n_quick_runs: int = 1
    derive: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda summaries: summaries
    """Adds to the summaries what claims need beyond them, such as parts of a table."""

    def deviations_of(self, item: str) -> list[str]:
        """Those that a table or figure has to itself or shares with some."""
        return [deviation.text for deviation in self.deviations if item in deviation.items]

    @property
    def general_deviations(self) -> list[str]:
        """Those of all tables and figures."""
        return [deviation.text for deviation in self.deviations if not deviation.items]
