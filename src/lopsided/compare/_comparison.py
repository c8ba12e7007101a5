"""The same runner as for papers, on the user's own rows."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from lopsided.compare._data import Rows, find_source, find_wanted, load
from lopsided.compare._method import Outcome, absent, fitting
from lopsided.ranked._page import safe, whole_page
from lopsided.reproduce._blocks import Bars, Block, Cell, Table, Text
from lopsided.reproduce._claims import seeds
from lopsided.reproduce._page import show_blocks
from lopsided.reproduce._page_style import STYLE
from lopsided.runs import Runner, Unit

REGIMES = {
    "rare": "a rare class, with labels",
    "pu": "positives and a heap",
    "one-sided": "a stream with feedback only on what is shown",
    "unexpected": "classes nobody expected",
}
_IN_PLACE = ("one-sided", "unexpected")  # where runs differ in more than the seed
COLUMNS = ("F1", "precision", "recall", "average precision", "AUC", "labels", "seconds")


@dataclass(frozen=True)
class Comparison:
    """How all methods did on the same splits."""

    regime: str
    about: list[str]
    """What was compared on what, a sentence a line."""
    outcomes: dict[str, list[Outcome]]
    """Method -> its runs; the best F1 first."""
    ours: dict[str, bool]
    failed: dict[str, str]
    """Method -> why it could not be run."""
    absent: list[str]
    """Methods whose package is not installed."""

    def blocks(self) -> list[Block]:
        """A table, a picture, and what could not be run."""
        lines: list[tuple[str, Sequence[Cell | str]]] = [
            (f"{name}{'' if self.ours[name] else ' *'}", _cells(runs)) for name, runs in self.outcomes.items()
        ]
        notes = ["* a peer; the others are ours."]
        notes += [f"Not run: {name}: {why}" for name, why in self.failed.items()]
        if self.absent:
            notes.append(f"Not installed: {', '.join(self.absent)}. Run: pip install 'lopsided[peers]'")
        f1 = [float(np.mean([run.counts.f() for run in runs])) for runs in self.outcomes.values()]
        bars = Bars(["F1"], [(name, [value]) for name, value in zip(self.outcomes, f1, strict=True)], "F1")
        return [Table(COLUMNS, lines), Text(notes), bars]

    def to_html(self, title: str) -> str:
        """One page that needs no other file."""
        lead = f'<p class="lead">{safe(" ".join(self.about))}</p>'
        note = "All methods have seen the same splits, with the parameters they come with."
        return whole_page(
            title, [lead, *show_blocks(self.blocks(), "compare")], notes=[note], style=STYLE, searched=False
        )

    def plain(self) -> dict[str, Any]:
        """As values for JSON."""
        return {
            "regime": self.regime,
            "about": self.about,
            "methods": [
                {
                    "method": name,
                    "ours": self.ours[name],
                    **{column: cell.ours for column, cell in zip(COLUMNS, _cells(runs), strict=True)},
                    "runs": len(runs),
                }
                for name, runs in self.outcomes.items()
            ],
            "failed": self.failed,
            "not_installed": self.absent,
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
        Only these.
    n_runs : int, default=5
        Splits.
    """
    if regime not in REGIMES:
        raise ValueError(f"no regime {regime!r}. Choose one of {', '.join(REGIMES)}.")
    source = find_source(path, label=label, text=text, format=format)
    rows = load(source)
    module = f"lopsided.compare._{regime.replace('-', '_')}"
    known = import_module(module)
    chosen = fitting(known.METHODS, rows.is_text)
    for name in methods or ():
        if name not in known.METHODS:
            raise ValueError(f"no method {name!r} for this regime. There are: {'; '.join(known.METHODS)}.")
        if name not in chosen:
            raise ValueError(f"{name!r} cannot be run on these rows, or its package is not installed.")
    chosen = [name for name in chosen if methods is None or name in methods]
    about = _about(rows, regime, positive, n_runs, known.ABOUT)
    units = {
        (name, k): Unit(module, "run", (source, positive, name, seed, *((k,) if regime in _IN_PLACE else ())))
        for k, seed in enumerate(seeds(n_runs))
        for name in chosen
    }
    answers = runner.ask(list(units.values()))
    outcomes: dict[str, list[Outcome]] = {}
    for outcome in answers.results:
        outcomes.setdefault(outcome.method, []).append(outcome)
    best = sorted(outcomes, key=lambda name: -np.mean([run.counts.f() for run in outcomes[name]]))
    problems = {**answers.failed, **answers.skipped}
    failed = {
        name: problems[unit.key].strip().splitlines()[-1]
        for (name, _), unit in units.items()
        if unit.key in problems
    }
    return Comparison(
        regime,
        about,
        {name: outcomes[name] for name in best},
        {name: known.METHODS[name].ours for name in best},
        failed,
        list(absent(known.METHODS)) if methods is None else [],
    )


def _about(rows: Rows, regime: str, positive: str | None, n_runs: int, protocol: str) -> list[str]:
    counts = Counter(rows.labels.tolist())
    n, form = len(rows.labels), "words" if rows.is_text else "columns"
    said = [f"{n:,} rows, {rows.X.shape[1]:,} {form}, {len(counts):,} classes; {n_runs} runs."]
    if regime != "unexpected":
        wanted = find_wanted(rows.labels, positive)
        if counts[wanted] < 4:
            raise ValueError(f"{wanted!r} has {counts[wanted]} rows; at least 4 are needed to compare.")
        said.append(f"Looked for: {wanted}, {counts[wanted]:,} rows, {100 * counts[wanted] / n:.2g} %.")
    return [*said, protocol]


def _cells(runs: Sequence[Outcome]) -> list[Cell]:
    columns = (
        ([run.counts.f() for run in runs], 3),
        ([run.counts.precision() for run in runs], 3),
        ([run.counts.recall() for run in runs], 3),
        ([run.average_precision for run in runs], 3),
        ([run.auc for run in runs], 3),
        ([run.n_labels for run in runs], 0),
        ([run.seconds for run in runs], 2),
    )
    return [
        Cell(
            float(np.mean(values)),
            spread=float(np.std(values, ddof=1)) if len(values) > 1 and digits else None,
            digits=digits,
        )
        for values, digits in columns
    ]
