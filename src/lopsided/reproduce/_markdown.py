"""The report as Markdown."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from lopsided._progress import say_time
from lopsided.experiments import UNTESTED, Paper
from lopsided.report import Block, Cell, Table, Text
from lopsided.reproduce._figures import HOW_TO_DRAW
from lopsided.reproduce._page import FOOTER, TITLE, Figures, deviates, group, is_compared, say_name
from lopsided.reproduce._reproduction import PAPERS, ItemResult, Reproduction
from lopsided.reproduce._summary import Report, missing_of, without
from lopsided.reproduce._text import write_blocks, write_cell


def render_markdown(report: Report, figures: Figures) -> str:
    """The whole report; pictures are links into the folder ``figures`` beside it."""
    parts = [*_summary(report)]
    for paper in report.papers:
        parts += _paper(paper, figures)
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(report: Report) -> Iterator[str]:
    facts = report.facts
    yield f"# {TITLE}"
    yield f"**{plain(report.head)}**"
    yield plain(report.unfinished)
    if facts.quick:
        yield (
            "A quick run: fewer runs, data sets and settings than the papers, so a verdict here says less "
            "than one of a full run. What was left out stands at each table."
        )
    lines = ["| paper | holds | does not hold | cannot be tested here |", "|---|---:|---:|---:|"]
    ran = {paper.paper.id: paper for paper in report.papers}
    for id_ in [*PAPERS, *(id_ for id_ in ran if id_ not in PAPERS)]:
        counts = Counter(v.verdict for v in ran[id_].verdicts) if id_ in ran else None
        cells = ["not run", "", ""]
        if counts is not None:
            cells = [_with_ids(ran[id_], name) for name in ("holds", "does not hold", UNTESTED)]
        lines.append(f"| {id_} | {' | '.join(cells)} |")
    yield "\n".join(lines)
    versions = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    yield (
        f"- command: {_code(facts.command)}\n- date: {facts.date}\n- machine: {plain(facts.machine)}\n"
        f"- versions: {plain(versions)}"
    )
    yield plain(FOOTER)


def _with_ids(paper: Reproduction, name: str) -> str:
    ids = [verdict.id for verdict in paper.verdicts if verdict.verdict == name]
    return f"{len(ids)}" + (f" ({plain(', '.join(ids))})" if ids else "")


def _paper(paper: Reproduction, figures: Figures) -> Iterator[str]:
    about = paper.paper
    n = len(paper.extent.seeds)
    yield f"## {plain(about.title)}"
    yield (
        f"{plain(about.authors)}, {plain(about.venue)}. {'Quick' if paper.extent.quick else 'Full'}, {n} "
        f"run{'s' if n > 1 else ''} of what draws at random."
    )
    for item in paper.items.values():
        yield from _item(about, item, paper.extent.quick, figures.get((about.id, item.name), {}))
    if about.general_deviations:
        yield "### Where all of this differs from the paper"
        yield "\n".join(f"- {plain(text)}" for text in about.general_deviations)
    if paper.verdicts:
        yield "### Claims"
        yield "\n".join(_claims(paper))


def _claims(paper: Reproduction) -> Iterator[str]:
    for verdict in paper.verdicts:
        yield f"- **{plain(verdict.id)} {verdict.verdict}.** {plain(paper.paper.claims[verdict.id].text)}"
        if verdict.measured:
            yield f"  - measured: {plain(verdict.measured)}"
        if missing := missing_of(paper, verdict.id):
            yield f"  - {without(verdict)} {plain(missing)}"
        yield f"  - {'asked' if verdict.verdict != UNTESTED else 'why'}: {plain(verdict.why)}"


def _item(about: Paper, item: ItemResult, quick: bool, pictures: Mapping[str, str]) -> Iterator[str]:
    yield f"### {plain(say_name(item.name))}: {plain(item.item.caption)}"
    names = list(pictures)
    for block in item.blocks:
        yield _block(block, names, pictures)
    if any(is_compared(block) for block in item.blocks):
        yield (
            "In round brackets the published number, and ours less that; **bold** where this is more than "
            "two standard deviations (±) of our runs, or any where no ± is given."
        )
    if item.item.tried and any(deviates(block) for block in item.blocks):
        yield f"Where they differ: {plain(item.item.tried)}"
    if own := about.deviations_of(item.name):
        yield "Differs from the paper:\n\n" + "\n".join(f"- {plain(text)}" for text in own)
    if quick and item.item.left_out:
        yield f"This quick run left out: {plain(item.item.left_out)}."
    yield f"{item.n_units:,} units, {say_time(item.seconds)}."
    for text, keys in group(item.skipped).items():
        yield f"{len(keys):,} skipped: {plain(text)}"
    for text, keys in group(item.failed).items():
        yield f"{len(keys):,} failed, such as {_code(keys[0])}:\n\n" + _fenced(text)


def _block(block: Block, names: list[str], pictures: Mapping[str, str]) -> str:
    if isinstance(block, Table):
        return write_table(block)
    if isinstance(block, Text):
        return "\n".join(f"- {plain(line)}" for line in block.lines) if len(block.lines) > 1 else (
            plain(block.lines[0]) if block.lines else ""
        )  # fmt: skip
    name = names.pop(0) if names else ""
    if pictures.get(name):
        return f"![{plain(f'{block.title}: {block.y}'.removeprefix(': '))}](figures/{name}.svg)"
    return f"{_fenced(write_blocks([block]))}\n\n{HOW_TO_DRAW}"


def write_table(table: Table) -> str:
    """A table of a report."""
    lines = [
        f"| | {' | '.join(map(plain, table.columns))} |",
        f"|---|{'---:|' * len(table.columns)}",
        *(f"| {plain(name)} | {' | '.join(map(_cell, cells))} |" for name, cells in table.lines),
    ]
    title = f"{plain(table.title)}\n\n" if table.title else ""
    return title + "\n".join(lines)


def _cell(cell: Cell | str) -> str:
    text = write_cell(cell)
    if isinstance(cell, str) or cell.difference is None:
        return plain(text)
    text = f"{text[:-1]}; {cell.difference:+.{cell.digits}f})"
    return f"**{plain(text)}**" if cell.deviates else plain(text)


def plain(text: str) -> str:
    """Text that Markdown leaves as it is, on one line.

    Examples
    --------
    >>> plain("a_b <c>") == "a" + chr(92) + "_b &lt;c>"
    True
    """
    text = re.sub(r"([\\`*_\[\]|#])", r"\\\1", " ".join(text.split()))
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _code(text: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{ticks}{' '.join(text.split()).replace('|', '&#124;')}{ticks}"


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}\n{text}\n{fence}"
