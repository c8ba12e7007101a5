"""A paper as data: its tables and figures, what each is made of, and its claims."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lopsided.experiments._claims import Claims
from lopsided.experiments._extent import N_RUNS, Ask, Extent
from lopsided.experiments._grid import Grid
from lopsided.experiments._texts import read_texts
from lopsided.experiments._tidy import Measure, Measurements, tidy
from lopsided.report import Block
from lopsided.runs import Answers, Unit


def nothing(result: Any) -> Mapping[str, float]:
    """Measure nothing: a figure is drawn from the results themselves."""
    return {}


@dataclass(frozen=True)
class Item:
    """A table or a figure: its work, what is measured, and what a reader sees of that.

    Examples
    --------
    A table that compares methods, row by row, with the published values::

        Item(
            Grid(run, row=ROWS, seed=SEEDS, method=COMPARED, quick={"row": QUICK_ROWS}),
            measure=scores,
            show=compare_table(index="row", columns="method", scores=("f1", "acc"), published=TABLE1),
        )
    """

    work: Grid | Sequence[Grid]
    show: Callable[[Measurements], Sequence[Block]]
    measure: Measure = nothing
    caption: str = ""
    tried: str = ""
    """Where ours differ from the published values by more than the spread: what was tried to explain it."""
    left_out: str = ""
    """What a quick run leaves out, in words."""

    @property
    def grids(self) -> Sequence[Grid]:
        """Return the grids that the item is made of."""
        return [self.work] if isinstance(self.work, Grid) else self.work

    def units(self, extent: Extent, ask: Ask) -> list[Unit]:
        """Return the units of a run of this extent."""
        return [unit for grid in self.grids for unit in grid.units(extent, ask)]

    def summarise(self, answers: Answers) -> Measurements:
        """Measure the results of its units."""
        return tidy(self._at, answers.units, answers.results, self.measure)

    def _at(self, unit: Unit) -> dict[str, Any]:
        return next(grid.at(unit) for grid in self.grids if unit in grid)


class Deviation(NamedTuple):
    """A difference of data or protocol from the paper."""

    text: str
    items: tuple[str, ...] = ()
    """The tables and figures that it is about; none: all of the paper."""


@dataclass(frozen=True)
class Paper:
    """A paper, declared in a package of its own as ``PAPER``."""

    id: str
    """Name on the command line, such as "yu-2003"."""
    title: str
    authors: str
    venue: str
    items: Mapping[str, Item]
    """Named "table1", "figure4", or a word."""
    claims: Claims
    deviations: tuple[Deviation, ...] = ()
    n_runs: int = N_RUNS
    """Number of runs of what draws at random, in a full run."""
    n_quick_runs: int = 1
    conditional: str = ""
    """What the verdicts rest on that the text of the paper does not give; "" where there is nothing."""

    @classmethod
    def declare(cls, package: str, items: Mapping[str, Item], claims: Claims) -> "Paper":
        """Return the paper of a package, which holds its texts as ``paper.toml``."""
        about = read_texts(package)
        texts: dict[str, dict[str, str]] = about.pop("items")
        if texts.keys() != items.keys() or claims.unchecked:
            raise ValueError(
                f"paper.toml of {package} and its code differ in their items or claims: "
                f"{sorted(texts.keys() ^ items.keys()) + claims.unchecked}"
            )
        del about["claims"]
        about.pop("stand_ins", None)
        deviations = tuple(Deviation(d["text"], tuple(d.get("items", ()))) for d in about.pop("deviations"))
        n_runs, n_quick_runs = about.get("n_runs", N_RUNS), about.get("n_quick_runs", 1)
        told = {name: _with_texts(item, texts[name], n_runs, n_quick_runs) for name, item in items.items()}
        return cls(items=told, claims=claims, deviations=deviations, **about)

    def deviations_of(self, item: str) -> list[str]:
        """Return the deviations that concern a table or figure in particular."""
        return [deviation.text for deviation in self.deviations if item in deviation.items]

    @property
    def general_deviations(self) -> list[str]:
        """Return the deviations that concern all tables and figures."""
        return [deviation.text for deviation in self.deviations if not deviation.items]


def _with_texts(item: Item, texts: Mapping[str, str], n_runs: int, n_quick_runs: int) -> Item:
    left_out = [part for grid in item.grids for part in grid.parts_left_out(n_runs, n_quick_runs)]
    return Item(
        item.work,
        item.show,
        item.measure,
        caption=texts["caption"],
        tried=texts.get("tried", ""),
        left_out="; ".join(dict.fromkeys(left_out)),  # grids may share an axis
    )


def check_name(kind: str, name: str, known: Iterable[str]) -> None:
    """Raise ValueError for a name that a paper does not have.

    Examples
    --------
    >>> check_name("method", "SVM", ["SMC", "SVMC"])
    Traceback (most recent call last):
    ValueError: no method 'SVM' in this paper. Choose one of SMC, SVMC.
    """
    names = list(known)
    if name not in names:
        raise ValueError(f"no {kind} {name!r} in this paper. Choose one of {', '.join(names)}.")
