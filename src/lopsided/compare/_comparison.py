"""The same runner as for papers, on the user's own rows."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from lopsided._wording import pluralize
from lopsided.boosting._wanted import count_labels
from lopsided.compare._data import ComparedRows, check_size, find_source, find_wanted, load
from lopsided.compare._method import SplitScores, absent, choose, versions_of
from lopsided.compare._unexpected import find_strangers
from lopsided.experiments import seeds
from lopsided.report import Bars, Block, Cell, Table, Text
from lopsided.report._markdown import escape, write_list, write_table
from lopsided.report._templates import group_blocks, render_page
from lopsided.runs import Runner, Unit, reason_of, was_too_slow

REGIMES = {
    "rare": "a rare class, with labels",
    "pu": "positives and unlabeled rows",
    "one-sided": "a stream with feedback only on what is shown",
    "unexpected": "classes nobody expected",
}
_IN_PLACE = ("one-sided", "unexpected")  # where runs differ in more than the seed
COLUMNS = ("F1", "precision", "recall", "average precision", "AUC", "labels", "seconds")
_DRAWN = ("F1", "average precision", "AUC")
_ABOUT_COST = ("labels", "seconds")  # whose spread says nothing
_MOST_OF_A_REASON = 200  # characters


@dataclass(frozen=True)
class Comparison:
    """The scores of all methods on the same splits."""

    regime: str
    about: list[str]
    """Sentences that say what was compared, one a line."""
    outcomes: dict[str, list[SplitScores]]
    """Method -> its runs; the best F1 first."""
    ours: dict[str, bool]
    failed: dict[str, str]
    """Method -> why it could not be run, or in how many of the runs not, and why."""
    absent: list[str]
    """Methods whose package is not installed."""
    n_runs: int
    versions: dict[str, str]
    """Versions of the packages whose methods were run."""

    def blocks(self) -> list[Block]:
        """Return a table, a picture, and the methods that could not be run."""
        lines = [
            (f"{name}{'' if self.ours[name] else ' *'}", _cells(runs)) for name, runs in self.outcomes.items()
        ]
        if not lines:
            return [Text(["No method could be run.", *self._notes()])]
        drawn = [COLUMNS.index(name) for name in _DRAWN]
        heights = [(name, [_height(cells[k]) for k in drawn]) for name, cells in lines]
        bars = Bars(_DRAWN, heights, "mean of the runs")
        return [Table(COLUMNS, lines), Text(["* a peer; the others are ours.", *self._notes()]), bars]

    def _notes(self) -> list[str]:
        notes = []
        for name, why in self.failed.items():
            n = self.n_runs - len(self.outcomes.get(name, ()))
            often = "" if n == self.n_runs else f" in {n} of {pluralize(self.n_runs, 'run')}"
            notes.append(f"Not run{often}: {name}: {why}")
        if self.absent:
            notes.append(f"Not installed: {'; '.join(self.absent)}. Run: pip install 'lopsided[peers]'")
        return notes

    def _origin(self) -> str:
        versions = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"All methods have seen the same splits, with the parameters they come with. With {versions}."

    def to_html(self, title: str) -> str:
        """Return a page that needs no other file."""
        blocks = group_blocks(self.blocks(), "compare")
        return render_page(
            "compare", title=title, notes=[self._origin()], lead=" ".join(self.about), blocks=blocks
        )

    def to_markdown(self, title: str) -> str:
        """Return the text of the page, without its picture."""
        parts = [f"# {escape(title)}", *map(escape, self.about)]
        for block in self.blocks():
            if isinstance(block, Table):
                parts.append(write_table(block))
            elif isinstance(block, Text):
                parts.append(write_list(block.lines))
        return "\n\n".join([*parts, self._origin()]) + "\n"

    def plain(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "regime": self.regime,
            "about": self.about,
            "methods": [
                {
                    "method": name,
                    "ours": self.ours[name],
                    **{column: _number(cell) for column, cell in zip(COLUMNS, _cells(runs), strict=True)},
                    "runs": len(runs),
                }
                for name, runs in self.outcomes.items()
            ],
            "failed": self.failed,
            "not_installed": self.absent,
            "versions": self.versions,
        }


def compare(
    path: str | os.PathLike[str],
    regime: str,
    runner: Runner,
    *,
    label: str | None = None,
    text: str | None = None,
    positive: str | None = None,
    format: str | None = None,
    methods: Sequence[str] | None = None,
    n_runs: int = 5,
    begin: Callable[[str], None] = lambda name: None,
) -> Comparison:
    """Run every method that fits on the same splits of a table or folder.

    Parameters
    ----------
    path : str or path-like
        A table, or a folder whose sub-folders are the classes.
    regime : {"rare", "pu", "one-sided", "unexpected"}
    runner : Runner
        What does the work.
    label : str, optional
        Column of the classes of a table.
    text : str, optional
        Learn from the words of this column; None: from all columns.
    positive : str, optional
        The class that is looked for; None: the rarest. For "unexpected": the class that is not known; None:
        each in turn, the rarest first.
    format : str, optional
        Of the table, where its name does not say.
    methods : sequence of str, optional
        Only these; a part of a name stands for all that contain it.
    n_runs : int, default=5
        Splits.
    begin : callable, optional
        Called with the name of each run as it begins.
    """
    if regime not in REGIMES:
        raise ValueError(f"no regime {regime!r}. Choose one of {', '.join(REGIMES)}.")
    source = find_source(path, label=label, text=text, format=format)
    rows = load(source)
    module = f"lopsided.compare._{regime.replace('-', '_')}"
    known = import_module(module)
    chosen = choose(known.METHODS, rows.is_text, methods)
    about = _about(rows, regime, positive, n_runs, known.ABOUT)
    outcomes: dict[str, list[SplitScores]] = {}
    failed: dict[str, str] = {}
    slow: set[str] = set()
    for k, seed in enumerate(seeds(n_runs)):
        begin(f"run {k + 1} of {n_runs}")
        place = (k,) if regime in _IN_PLACE else ()
        units = {
            Unit(module, "run", (source, positive, name, seed, *place)): name
            for name in chosen
            if name not in slow  # once is enough
        }
        answers = runner.ask(list(units))
        for outcome in answers.results:
            outcomes.setdefault(outcome.method, []).append(outcome)
        problems = {**answers.failed, **answers.skipped}
        for unit, name in units.items():
            if unit.key in problems:
                failed[name] = _reason(problems[unit.key])
                if was_too_slow(problems[unit.key]):
                    slow.add(name)
    best = sorted(outcomes, key=lambda name: -np.mean([run.counts.f() for run in outcomes[name]]))
    return Comparison(
        regime,
        about,
        {name: outcomes[name] for name in best},
        {name: known.METHODS[name].ours for name in best},
        failed,
        list(absent(known.METHODS)) if methods is None else [],
        n_runs,
        versions_of(known.METHODS[name] for name in outcomes),
    )


def _reason(problem: str) -> str:
    """Return what went wrong in one line that is not too long for a page."""
    reason = reason_of(problem)
    return reason if len(reason) <= _MOST_OF_A_REASON else f"{reason[: _MOST_OF_A_REASON - 3]}..."


def _about(rows: ComparedRows, regime: str, positive: str | None, n_runs: int, protocol: str) -> list[str]:
    counts = count_labels(rows.labels.tolist())
    n, n_columns = len(rows.labels), rows.X.shape[1]
    form = pluralize(n_columns, "word" if rows.is_text else "column")
    size = f"{pluralize(n, 'row')}, {form}, {len(counts):,} classes"
    said = [f"{size}; {pluralize(n_runs, 'run')}.", *rows.notes]
    if regime == "unexpected":
        strangers = find_strangers(rows.labels, positive)
        said.append(f"Left out, one in each run: {', '.join(strangers[:n_runs])}.")
    else:
        wanted = find_wanted(rows.labels, positive)
        check_size(wanted)
        n_wanted = int(wanted.positive.sum())
        said.append(f"Looked for: {wanted.name}, {pluralize(n_wanted, 'row')}, {100 * n_wanted / n:.2g} %.")
        said += [f"{wanted.remark[0].upper()}{wanted.remark[1:]}."] if wanted.remark else []
    return [*said, protocol]


def _height(cell: Cell) -> float:
    return _number(cell) or 0.0


def _number(cell: Cell) -> float | None:
    """Return the number of a cell; None in place of NaN, which JSON lacks."""
    return cell.ours if cell.is_known else None


def _cells(runs: Sequence[SplitScores]) -> list[Cell]:
    columns: tuple[tuple[list[float], int], ...] = (
        ([run.counts.f() for run in runs], 3),
        ([run.counts.precision() for run in runs], 3),
        ([run.counts.recall() for run in runs], 3),
        ([run.average_precision for run in runs], 3),
        ([run.auc for run in runs], 3),
        ([run.n_labels for run in runs], 0),
        ([run.seconds for run in runs], 2),
    )
    cells = []
    for name, (values, digits) in zip(COLUMNS, columns, strict=True):
        spread = float(np.std(values, ddof=1)) if len(values) > 1 and name not in _ABOUT_COST else None
        cells.append(Cell(float(np.mean(values)), spread=spread, digits=digits))
    return cells
