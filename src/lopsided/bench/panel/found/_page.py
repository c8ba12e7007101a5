"""The part of the panel's page on what was found."""

from collections.abc import Iterator

from lopsided.bench.panel.found._run import FINDINGS, FindingResults
from lopsided.report import Block, Table, Text
from lopsided.report._markdown import write_blocks

TITLE = "What was found, and how it stands now"
_INTRODUCTION = (
    "Defects of earlier versions, as users of other data reported them, and the same kind of work measured "
    "today. The reported figures come from other draws, and in part from data that were not kept. The "
    "tables use the tune half of the panel or generated data. Means of the draws, ± their standard "
    "deviation."
)


def write_section(found: FindingResults) -> list[str]:
    """Return the parts of the section in Markdown; none where nothing was measured."""
    parts = []
    for title, blocks in list_blocks(found):
        parts += [f"### {title}", *write_blocks(blocks)]
    return [f"## {TITLE}", _INTRODUCTION, *parts] if parts else []


def list_blocks(found: FindingResults) -> Iterator[tuple[str, list[Block]]]:
    """Yield the title of each finding that was measured, and its blocks."""
    for place, (name, finding) in enumerate(FINDINGS.items(), start=1):
        blocks = list(_measured(found, name))
        if blocks:
            yield f"{place}. {finding.title}", [Text([f"Reported: {finding.found}"]), *blocks]


def _measured(found: FindingResults, name: str) -> Iterator[Block]:
    """Yield the tables of a finding, and what the library says."""
    finding = FINDINGS[name]
    for key, table in finding.tables.items():
        rows = found.rows(name, key)
        if rows:
            lines = [
                (
                    table.call(row),
                    [one.show(found.values(name, key, row, one.number)) for one in table.columns],
                )
                for row in rows
            ]
            n = max(len(found.draws[name, key, row]) for row in rows)
            yield Table(tuple(one.name for one in table.columns), lines, f"{table.caption}; {n} draws")
    for situation in finding.messages:
        if (name, situation) in found.said:
            yield Text([f"{situation}: {found.said[name, situation]}"])
