"""The report as Markdown."""

from collections.abc import Iterator, Mapping

from lopsided._wording import format_duration
from lopsided.experiments._claims import HOLDS, VERDICTS
from lopsided.experiments._page import FOOTER, TITLE, Figures, details, group, say_name
from lopsided.experiments._paper import Paper
from lopsided.experiments._reproduction import ItemResult, Reproduction
from lopsided.experiments._summary import Report, count_on_own, count_unchanged, missing_of, without
from lopsided.report import compares, deviates
from lopsided.report._markdown import code, escape, fence, write_blocks, write_list


def render_markdown(report: Report, figures: Figures) -> str:
    """Return the whole report; pictures are links into the folder ``figures`` beside it."""
    parts = [*_summary(report)]
    for paper in report.papers:
        parts += _paper(paper, figures)
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(report: Report) -> Iterator[str]:
    facts = report.facts
    yield f"# {TITLE}"
    yield f"**{escape(report.head)}**"
    yield "\n\n".join(map(escape, report.other_heads))
    yield escape(report.unfinished)
    if facts.quick:
        yield (
            "A quick run: fewer runs, data sets and settings than the papers, so a verdict here says less "
            "than one of a full run. What was left out stands at each table."
        )
    lines = [f"| paper | {' | '.join(VERDICTS)} | own data | unchanged rules |", "|---|" + "---:|" * 6]
    ran = {paper.paper.id: paper for paper in report.papers}
    for id_ in dict.fromkeys([*report.collection, *ran]):
        cells = ["not run", *[""] * 5]
        if id_ in ran:
            paper = ran[id_]
            cells = [_with_ids(paper, name) for name in VERDICTS]
            for counts in (count_on_own([paper]), count_unchanged([paper])):
                cells.append(f"{counts[HOLDS]} of {sum(counts.values())}")
        lines.append(f"| {id_} | {' | '.join(cells)} |")
    yield "\n".join(lines)
    for id_, paper in ran.items():
        if paper.paper.conditional:
            yield f"The count of {id_} is conditional: {escape(paper.paper.conditional)}."
    versions = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    yield (
        f"- command: {code(facts.command)}\n- date: {facts.date}\n- machine: {escape(facts.machine)}\n"
        f"- versions: {escape(versions)}"
    )
    yield "Results:\n\n" + write_list(report.origins)
    yield escape(FOOTER)


def _with_ids(paper: Reproduction, name: str) -> str:
    ids = [verdict.id for verdict in paper.verdicts if verdict.verdict == name]
    return f"{len(ids)}" + (f" ({escape(', '.join(ids))})" if ids else "")


def _paper(paper: Reproduction, figures: Figures) -> Iterator[str]:
    about = paper.paper
    n = len(paper.extent.seeds)
    yield f"## {escape(about.title)}"
    yield (
        f"{escape(about.authors)}, {escape(about.venue)}. {'Quick' if paper.extent.quick else 'Full'}, {n} "
        f"run{'s' if n > 1 else ''} of what draws at random."
    )
    for item in paper.items.values():
        yield from _item(about, item, paper.extent.quick, figures.get((about.id, item.name), {}))
    if about.general_deviations:
        yield "### Where all of this differs from the paper"
        yield write_list(about.general_deviations)
    if paper.verdicts:
        yield "### Claims"
        yield "\n".join(_claims(paper))


def _claims(paper: Reproduction) -> Iterator[str]:
    for verdict in paper.verdicts:
        yield f"- **{escape(verdict.id)} {verdict.verdict}.** {escape(paper.paper.claims[verdict.id].text)}"
        for name, text in details(paper, verdict):
            yield f"  - {name}: {escape(text)}"
        if missing := missing_of(paper, verdict.id):
            yield f"  - {without(verdict)} {escape(missing)}"


def _item(about: Paper, item: ItemResult, quick: bool, pictures: Mapping[str, str]) -> Iterator[str]:
    yield f"### {escape(say_name(item.name))}: {escape(item.item.caption)}"
    yield from write_blocks(item.blocks, pictures)
    if any(compares(block) for block in item.blocks):
        yield (
            "In round brackets the published number, and ours less that; **bold** where this is more than "
            "two standard deviations (±) of our runs, or any where no ± is given."
        )
    if item.item.tried and any(deviates(block) for block in item.blocks):
        yield f"Where they differ: {escape(item.item.tried)}"
    if own := about.deviations_of(item.name):
        yield "Differs from the paper:\n\n" + write_list(own)
    if quick and item.item.left_out:
        yield f"This quick run left out: {escape(item.item.left_out)}."
    yield f"{item.n_units:,} units, {format_duration(item.seconds)}."
    for text, keys in group(item.skipped).items():
        yield f"{len(keys):,} skipped: {escape(text)}"
    for text, keys in group(item.failed).items():
        yield f"{len(keys):,} failed, such as {code(keys[0])}:\n\n" + fence(text)
