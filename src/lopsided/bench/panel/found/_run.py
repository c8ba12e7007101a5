"""Measuring what was found: a unit of work for each draw of a line of a table, and for each message."""

from dataclasses import dataclass, field

import numpy as np

from lopsided.bench.panel.found import _active, _one_sided, _positives, _rules, _traps, _unexpected
from lopsided.bench.panel.found._table import Finding, Measured, Values
from lopsided.experiments import seeds
from lopsided.runs import ResultSource, Unit, Work

WORK = Work(__name__)

FINDINGS: dict[str, Finding] = {
    "unexpected": _unexpected.FINDING,
    "rules": _rules.FINDING,
    "positives": _positives.FINDING,
    "active": _active.FINDING,
    "one-sided": _one_sided.FINDING,
    "traps": _traps.FINDING,
}
PEERS = _one_sided.PEERS
"""Methods of other packages that the panel itself does not have."""


def measure(finding: str, table: str, row: str, seed: int) -> Measured:
    """Return the numbers of one draw of a line of a table."""
    return FINDINGS[finding].tables[table].measure(row, seed)


def say(finding: str, situation: str) -> str:
    """Return what the library says in a situation."""
    return FINDINGS[finding].messages[situation]()


@dataclass(frozen=True)
class FindingResults:
    """The results of the findings, each measured again."""

    draws: dict[tuple[str, str, str], list[Measured]] = field(default_factory=dict)
    """Finding, table and row -> the draws that have a result."""
    said: dict[tuple[str, str], str] = field(default_factory=dict)
    """Finding and situation -> what the library says."""
    problems: dict[str, str] = field(default_factory=dict)
    """Key of each unit that has no result -> why."""

    def rows(self, finding: str, table: str) -> list[str]:
        """Return the rows of a table that have a result."""
        return [row for row in FINDINGS[finding].tables[table].rows if (finding, table, row) in self.draws]

    def values(self, finding: str, table: str, row: str, number: str) -> Values:
        """Return a number of each draw."""
        return np.array([draw[number] for draw in self.draws[finding, table, row]])


def run_found(source: ResultSource, *, only: str | None = None, n_draws: int | None = None) -> FindingResults:
    """Measure what was found, or take the results from a source that has them.

    Parameters
    ----------
    source : Source
        A `lopsided.runs.Runner`, or `lopsided.runs.KeptResults`.
    only : str, optional
        Only this one of `FINDINGS`.
    n_draws : int, optional
        So many draws of each table; if not given, as many as it asks for.
    """
    rows: dict[Unit, tuple[str, str, str]] = {}
    situations: dict[Unit, tuple[str, str]] = {}
    for name, finding in FINDINGS.items():
        if only not in (None, name):
            continue
        for key, table in finding.tables.items():
            for row in table.rows:
                for seed in seeds(n_draws or table.n_draws):
                    rows[Unit(__name__, "measure", (name, key, row, seed))] = (name, key, row)
        for situation in finding.messages:
            situations[Unit(__name__, "say", (name, situation))] = (name, situation)
    answers = source.ask([*rows, *situations])
    found = FindingResults(problems={**answers.failed, **answers.skipped})
    for unit, result in zip(answers.units, answers.results, strict=True):
        if unit in rows:
            found.draws.setdefault(rows[unit], []).append(result)
        else:
            found.said[situations[unit]] = result
    return found
