"""The report as one page that needs no other file, and runs nothing."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lopsided._progress import say_time
from lopsided.report import Bars, Block, Cell, Plot, Table, Text, compares, deviates
from lopsided.report._figures import HOW_TO_DRAW, draw_all
from lopsided.report._page import safe, show_facts, whole_page
from lopsided.report._text import write_blocks, write_number
from lopsided.reproduce._claims import Verdict
from lopsided.reproduce._page_style import STYLE
from lopsided.reproduce._paper import Paper
from lopsided.reproduce._reproduction import PAPERS, UNTESTED, ItemResult, Reproduction
from lopsided.reproduce._summary import Report, missing_of, without

TITLE = "Five papers, run again"
Figures = Mapping[tuple[str, str], Mapping[str, str]]
"""Paper and item -> the pictures by their names; empty text where they cannot be drawn."""

FOOTER = (
    "A verdict is computed from the numbers by a rule; nothing is judged by hand. A rule that was changed "
    "after a first look at numbers says so."
)
_KIND = {"holds": "yes", "does not hold": "no", UNTESTED: "open"}
_MOST_LINES = 4  # of a text that are shown before the rest is folded away
_LONG = 400  # characters of figures behind a verdict


def render_report(report: Report, figures: Figures) -> str:
    """The whole page; whatever comes out of data, code or a message is escaped."""
    parts = [*_summary(report)]
    for paper in report.papers:
        parts += _paper(paper, figures)
    return whole_page(TITLE, parts, notes=[FOOTER], style=STYLE, searched=False)


# ---- the first screen


def _summary(report: Report) -> Iterator[str]:
    quick = report.facts.quick
    yield f'<p class="lead">{safe(report.head)}</p>'
    if report.unfinished:
        yield f'<p class="caveat">{safe(report.unfinished)}</p>'
    if quick:
        yield (
            '<p class="caveat">A quick run: fewer runs, data sets and settings than the papers, so a verdict '
            "here says less than one of a full run.</p>"
        )
    counts = report.counts
    yield show_facts(
        [
            ("Hold", str(counts["holds"]), f"of {report.n_claims} claims"),
            ("Do not hold", str(counts["does not hold"]), "on this data, by the same words"),
            ("Not tested", str(counts[UNTESTED]), "cannot be tested here"),
            ("Extent", "quick" if quick else "full", f"{say_time(report.seconds)} of computing"),
        ]
    )
    yield '<div class="scroll"><table class="papers"><tbody>'
    ran = {paper.paper.id: paper for paper in report.papers}
    for id_ in [*PAPERS, *(id_ for id_ in ran if id_ not in PAPERS)]:
        yield _paper_row(id_, ran.get(id_))
    yield "</tbody></table></div>"
    yield from _origin(report)


def _origin(report: Report) -> Iterator[str]:
    """Where the numbers come from."""
    facts = report.facts
    versions = ", ".join(f"{name} {number}" for name, number in facts.versions.items())
    yield (
        f'<p class="how"><code>{safe(facts.command)}</code><br>{safe(facts.date)}, on {safe(facts.machine)}. '
        f"{safe(versions)}.</p>"
    )
    left_out = [
        f"<p>{safe(paper.paper.id)} {safe(name)}: {safe(item.item.left_out)}</p>"
        for paper in report.papers
        for name, item in paper.items.items()
        if facts.quick and item.item.left_out
    ]
    if left_out:
        summary = "<summary>What this quick run left out</summary>"
        yield f'<details class="plain">{summary}{"".join(left_out)}</details>'


def _paper_row(id_: str, paper: Reproduction | None) -> str:
    if paper is None:
        return f'<tr class="none"><th scope="row">{safe(id_)}</th><td colspan="2">not run</td></tr>'
    counts = Counter(verdict.verdict for verdict in paper.verdicts)
    chips = "".join(
        f'<a class="chip {_KIND[v.verdict]}" href="#{safe(_anchor(id_, v.id))}" '
        f'title="{safe(v.verdict)}: {safe(paper.paper.claims[v.id].text)}">{safe(v.id)}</a>'
        for v in paper.verdicts
    )
    told = (
        f"{counts['holds']} of {len(paper.verdicts)} hold" if paper.verdicts else "no claim was asked about"
    )
    return (
        f'<tr><th scope="row"><a href="#{safe(id_)}">{safe(id_)}</a></th><td>{told}</td>'
        f'<td class="chips">{chips}</td></tr>'
    )


# ---- a paper


def _paper(paper: Reproduction, figures: Figures) -> Iterator[str]:
    about = paper.paper
    yield f'<section id="{safe(about.id)}"><h2>{safe(about.title)}</h2>'
    n = len(paper.extent.seeds)
    runs = f"{n} run{'s' if n > 1 else ''} of what draws at random"
    extent = f"{'Quick' if paper.extent.quick else 'Full'}, {runs}."
    yield f'<p class="by">{safe(about.authors)}, {safe(about.venue)}. <span>{safe(extent)}</span></p>'
    for item in paper.items.values():
        yield from _item(about, item, paper.extent.quick, figures.get((about.id, item.name), {}))
    if about.general_deviations:
        yield "<h3>Where all of this differs from the paper</h3>"
        yield _deviations(about.general_deviations)
    if paper.verdicts:
        yield "<h3>Claims</h3>"
        yield from (_claim(paper, verdict) for verdict in paper.verdicts)
    yield "</section>"


def _deviations(texts: Sequence[str]) -> str:
    return f'<div class="deviations">{"".join(f"<p>{safe(text)}</p>" for text in texts)}</div>'


def _claim(paper: Reproduction, verdict: Verdict) -> str:
    kind = _KIND[verdict.verdict]
    claim = paper.paper.claims[verdict.id]
    measured = f'<p class="measured">{safe(verdict.measured)}</p>' if verdict.measured else ""
    if len(verdict.measured) > _LONG:
        measured = f"<details><summary>The numbers</summary>{measured}</details>"
    missing = missing_of(paper, verdict.id)
    told = f"{without(verdict)} {missing}.".capitalize()
    lost = f'<p class="without">{safe(told)}</p>' if missing else ""
    asked = "Asked" if verdict.verdict != UNTESTED else "Why"
    return (
        f'<article class="claim {kind}" id="{safe(_anchor(paper.paper.id, verdict.id))}"><header>'
        f"<b>{safe(verdict.id)}</b><span>{safe(claim.text)}</span>"
        f'<span class="verdict {kind}">{safe(verdict.verdict)}</span></header>'
        f'{measured}{lost}<p class="asked">{asked}: {safe(verdict.why)}.</p></article>'
    )


def _anchor(id_: str, claim: str) -> str:
    return f"{id_}-{claim}"


# ---- a table or a figure


def _item(about: Paper, item: ItemResult, quick: bool, pictures: Mapping[str, str]) -> Iterator[str]:
    done = f"{item.n_units:,} units, {say_time(item.seconds)}."
    yield (
        f'<h3 id="{safe(f"{about.id}-{item.name}")}">{safe(say_name(item.name))} '
        f"<small>{safe(item.item.caption)}</small></h3>"
    )
    if item.summary is not None or not (item.failed or item.skipped):  # else the reason follows
        yield from _blocks(item.blocks, list(pictures.values()))
    if any(compares(block) for block in item.blocks):
        yield (
            '<p class="key">Below each number of ours: the published one, and ours less that; '
            '<span class="far">coloured</span> where it is more than two standard deviations (±) of our runs,'
            " or any where no ± is given.</p>"
        )
    if item.item.tried and any(deviates(block) for block in item.blocks):
        yield f'<p class="tried">Where they differ: {safe(item.item.tried)}</p>'
    if own := about.deviations_of(item.name):
        yield f'<p class="key">Differs from the paper:</p>{_deviations(own)}'
    left_out = f" This quick run left out: {item.item.left_out}." if quick and item.item.left_out else ""
    yield f'<p class="key">{safe(done + left_out)}</p>'
    yield from _losses(item)


def say_name(name: str) -> str:
    """How a table or a figure is called: "table1" is Table 1.

    Examples
    --------
    >>> say_name("figure12"), say_name("priors")
    ('Figure 12', 'Priors')
    """
    match = re.fullmatch(r"(table|figure)(\w+)", name)
    return f"{match[1].capitalize()} {match[2]}" if match else name[:1].upper() + name[1:]


def show_blocks(blocks: Sequence[Block], name: str) -> Iterator[str]:
    """Tables, text and pictures, drawn here, for any page with the look of `STYLE`."""
    return _blocks(blocks, list(draw_all(blocks, name).values()))


def _blocks(blocks: Iterable[Block], pictures: list[str]) -> Iterator[str]:
    """Pictures that follow each other stand side by side where there is room."""
    is_open = False
    for block in blocks:
        is_panel = isinstance(block, Plot | Bars)
        if is_panel != is_open:
            yield '<div class="plots">' if is_panel else "</div>"
            is_open = is_panel
        yield _block(block, pictures)
    if is_open:
        yield "</div>"


def _block(block: Block, pictures: list[str]) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Text):
        return _text(block)
    picture = pictures.pop(0) if pictures else ""
    if picture:
        return f"<figure>{picture}</figure>"
    return (
        f'<figure class="undrawn"><pre>{safe(write_blocks([block]))}</pre><p>{safe(HOW_TO_DRAW)}</p></figure>'
    )


def _text(text: Text) -> str:
    lines = [f"<p>{safe(line)}</p>" for line in text.lines]
    if len(lines) <= _MOST_LINES:
        return f'<div class="plain">{"".join(lines)}</div>'
    return f'<details class="plain"><summary>{safe(text.lines[0])}</summary>{"".join(lines[1:])}</details>'


def _table(table: Table) -> str:
    title = f'<p class="title">{safe(table.title)}</p>' if table.title else ""
    heads = "".join(f'<th scope="col">{safe(name)}</th>' for name in table.columns)
    lines = "".join(
        f'<tr><th scope="row">{safe(name)}</th>{"".join(map(_cell, cells))}</tr>'
        for name, cells in table.lines
    )
    return (
        f'{title}<div class="scroll" tabindex="0"><table class="numbers">'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _cell(cell: Cell | str) -> str:
    if isinstance(cell, str):
        return f'<td class="word">{safe(cell)}</td>'
    ours = "" if cell.ours is None or math.isnan(cell.ours) else write_number(cell.ours, cell.digits)
    if not ours:
        ours = "–" if cell.printed is not None else ""
    spread = f"<small> ±{write_number(cell.spread, cell.digits)}</small>" if ours and cell.spread else ""
    note = f"<small> [{safe(cell.note)}]</small>" if cell.note else ""
    published = ""
    if cell.printed is not None:
        difference = "" if cell.difference is None else f" <i>{cell.difference:+.{cell.digits}f}</i>"
        published = f'<small class="published">{write_number(cell.printed, cell.digits)}{difference}</small>'
    return f"<td{' class=far' if cell.deviates else ''}>{ours}{spread}{note}{published}</td>"


def _losses(item: ItemResult) -> Iterator[str]:
    for text, keys in group(item.skipped).items():
        n = len(keys)
        yield f'<p class="caveat">{n:,} unit{"s" if n > 1 else ""} skipped: {safe(text)}</p>'
    if item.failed:
        n = len(item.failed)
        last = next(iter(item.failed.values())).strip().splitlines()[-1]
        told = f"{n:,} failure{'s' if n > 1 else ''}, such as {last}"
        yield f'<details class="failed"><summary>{safe(told)}</summary>'
        for text, keys in group(item.failed).items():
            more = f" and {len(keys) - 1:,} more" if len(keys) > 1 else ""
            yield f"<p><code>{safe(keys[0])}</code>{more}</p><pre>{safe(text)}</pre>"
        yield "</details>"


def group(failed: Mapping[str, str]) -> dict[str, list[str]]:
    """What went wrong -> the units, each text once.

    Addresses in memory, which differ each time, are left out, and files of the library are named from its
    folder on.
    """
    groups: dict[str, list[str]] = {}
    for key, text in failed.items():
        text = re.sub(r'File "[^"]*[/\\](?=lopsided[/\\])', 'File "', text)
        groups.setdefault(re.sub(r" at 0x[0-9a-fA-F]+", "", text).strip(), []).append(key)
    return groups
