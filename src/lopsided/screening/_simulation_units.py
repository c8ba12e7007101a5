"""The runs of a simulation as units of work, so that workers can share them and results can be kept."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from lopsided.runs import Unit, Work
from lopsided.screening._asreview import NAME, simulate_asreview
from lopsided.screening._labeled_table import LabeledTable, read_labeled
from lopsided.screening._simulate import Checkpoint, LabeledSession, SimulatedRun, Start, Stop, choose_start

_RECORDS = (LabeledTable, SimulatedRun, Stop, Checkpoint)
WORK = Work("screening.simulate", {record.__name__: record for record in _RECORDS})


def units_of(
    table: LabeledTable,
    strategies: Sequence[str],
    n_seeds: int,
    start: Start,
    asreview: tuple[Path, str] | None = None,
) -> list[Unit]:
    """Return a unit for each run: of each strategy and seed, and of ASReview beside them.

    Parameters
    ----------
    table : LabeledTable
    strategies : sequence of str
    n_seeds : int
    start : str
        What is known at first, as in `simulate`.
    asreview : tuple of path and str, optional
        A Python with ASReview, and the version there.
    """
    ours = [
        Unit(__name__, "run_ours", (table, name, seed, start))
        for name in strategies
        for seed in range(n_seeds)
    ]
    if asreview is None:
        return ours
    python, version = asreview
    return ours + [
        Unit(__name__, "run_asreview", (table, str(python), version, seed)) for seed in range(n_seeds)
    ]


def run_ours(table: LabeledTable, strategy: str, seed: int, start: Start) -> SimulatedRun:
    """Return one run of a strategy."""
    return _session(table).run(strategy, seed, start=start)


def run_asreview(table: LabeledTable, python: str, version: str, seed: int) -> SimulatedRun:
    """Return one run of ASReview's default, from the start that our run of this seed has."""
    found = read_labeled(table)
    truth = np.array(found.relevant)
    rows = choose_start(truth, np.arange(len(truth)), seed, "both")
    start = SimulatedRun(NAME, seed, rows, truth[rows], len(truth), int(truth.sum()))
    _, runs = simulate_asreview(Path(python), found.records, found.relevant, [start])
    return runs[0]


@lru_cache(maxsize=1)
def _session(table: LabeledTable) -> LabeledSession:
    """Read a table and count its words: once a process, for all its runs."""
    found = read_labeled(table)
    return LabeledSession(found.records, found.relevant)
