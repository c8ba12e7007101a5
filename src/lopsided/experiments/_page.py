"""The report as one page that needs no other file, and runs nothing."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lopsided._wording import format_duration
from lopsided.experiments._claims import FAILS, HOLDS, NOISE, UNTESTED, ClaimVerdict
from lopsided.experiments._paper import Paper
from lopsided.experiments._reproduction import ItemResult, Reproduction
from lopsided.experiments._summary import ON_OWN, UNCHANGED, RunReport, count, missing_of, say_basis, without
from lopsided.report import compares, deviates
from lopsided.report._templates import group_blocks, render_page
from lopsided.runs import reason_of

TITLE = "Five papers, run again"
Figures = Mapping[tuple[str, str], Mapping[str, str]]
"""Paper and item -> the pictures by their names; empty text where they cannot be drawn."""

FOOTER = (
    "A verdict is computed from the numbers by a rule; nothing is judged by hand. It is within noise where "
    "the number that decides is no farther from what is asked than its standard deviation over the runs, on "
    "either side; what was run once has none. A rule that was changed after numbers were seen says what was "
    "asked first. Own data are those of the paper; where others stand in, the claim is judged again without "
    "them."
)
_KIND = {HOLDS: "yes", FAILS: "no", NOISE: "noise", UNTESTED: "open"}  # the classes of the style sheet


def render_report(report: RunReport, figures: Figures) -> str:
    """Return the whole page."""
    ran = {paper.paper.id: paper for paper in report.papers}
    left_out = [
        f"{paper.paper.id} {name}: {item.item.left_out}"
        for paper in report.papers
        for name, item in paper.items.items()
        if report.facts.quick and item.item.left_out
    ]
    return render_page(
        "papers",
        title=TITLE,
        notes=[FOOTER],
        report=report,
        facts=_facts(report),
        overview=[_overview(id_, ran.get(id_)) for id_ in dict.fromkeys([*report.collection, *ran])],
        left_out=left_out,
        papers=[_paper(paper, figures) for paper in report.papers],
    )


def _facts(report: RunReport) -> list[tuple[str, str, str]]:
    counts, extent = report.counts, "quick" if report.facts.quick else "full"
    own, unchanged = report.bases[ON_OWN], report.bases[UNCHANGED]
    return [
        ("Hold", str(counts[HOLDS]), f"of {report.n_claims} claims"),
        ("Do not hold", str(counts[FAILS]), "on this data, by the same words"),
        ("Within noise", str(counts[NOISE]), "as close as the runs are to each other"),
        ("Not tested", str(counts[UNTESTED]), "cannot be tested here"),
        ("Hold on own data", str(own[HOLDS]), f"of {sum(own.values())} that the papers' own data can test"),
        ("Unchanged rules", str(unchanged[HOLDS]), f"of {sum(unchanged.values())} hold"),
        ("Extent", extent, f"{format_duration(report.seconds)} of computing"),
    ]


def _overview(id_: str, paper: Reproduction | None) -> dict[str, Any]:
    """Return the line of a paper in the table of all papers; one that was not run has nothing to tell."""
    if paper is None:
        return {"id": id_, "told": ""}
    told = f"{count([paper])[HOLDS]} of {len(paper.verdicts)} hold"
    claims = [_claim(paper, verdict) for verdict in paper.verdicts]
    return {"id": id_, "told": told if claims else "no claim was asked about", "claims": claims}


def _paper(paper: Reproduction, figures: Figures) -> dict[str, Any]:
    about, n = paper.paper, len(paper.extent.seeds)
    extent = "Quick" if paper.extent.quick else "Full"
    return {
        "about": about,
        "extent": f"{extent}, {n} run{'s' if n > 1 else ''} of what draws at random.",
        "parts": [
            _item(about, item, paper.extent.quick, figures.get((about.id, item.name), {}))
            for item in paper.items.values()
        ],
        "claims": [_claim(paper, verdict) for verdict in paper.verdicts],
    }


def _claim(paper: Reproduction, verdict: ClaimVerdict) -> dict[str, Any]:
    missing = missing_of(paper, verdict.id)
    return {
        "id": verdict.id,
        "anchor": f"{paper.paper.id}-{verdict.id}",
        "kind": _KIND[verdict.verdict],
        "verdict": verdict.verdict,
        "text": paper.paper.claims[verdict.id].text,
        "details": [
            (name[:1].upper() + name[1:], text if text.endswith(".") else f"{text}.")
            for name, text in details(paper, verdict)
        ],
        "missing": f"{without(verdict)} {missing}.".capitalize() if missing else "",
    }


def details(paper: Reproduction, verdict: ClaimVerdict) -> Iterator[tuple[str, str]]:
    """Yield what a reader is told of a verdict: its place, rule, figures, reason, data and changes."""
    claim = paper.paper.claims[verdict.id]
    yield "where", claim.where
    if verdict.verdict == UNTESTED:
        yield "why", verdict.asked
        return
    yield "rule", verdict.asked
    yield "measured", verdict.measured
    if verdict.why:
        yield "why", verdict.why
    yield "basis", say_basis(paper.paper, verdict)
    for change in claim.changed:
        yield "rule changed after numbers were seen", f"asked first: {change.first} ({change.why})"


def _item(about: Paper, item: ItemResult, quick: bool, pictures: Mapping[str, str]) -> dict[str, Any]:
    left_out = f" This quick run left out: {item.item.left_out}." if quick and item.item.left_out else ""
    is_explained = item.summary is None and (item.failed or item.skipped)  # below, with all that was lost
    told = ""
    if n := len(item.failed):
        told = f"{n:,} failure{'s' if n > 1 else ''}, such as {reason_of(next(iter(item.failed.values())))}"
    return {
        "anchor": f"{about.id}-{item.name}",
        "name": say_name(item.name),
        "caption": item.item.caption,
        "blocks": [] if is_explained else group_blocks(item.blocks, pictures=pictures.values()),
        "is_compared": any(map(compares, item.blocks)),
        "tried": item.item.tried if any(map(deviates, item.blocks)) else "",
        "deviations": about.deviations_of(item.name),
        "done": f"{item.n_units:,} units, {format_duration(item.seconds)}.{left_out}",
        "skipped": group(item.skipped),
        "failed": group(item.failed),
        "told": told,
    }


def say_name(name: str) -> str:
    """Return how a table or a figure is called: "table1" is Table 1.

    Examples
    --------
    >>> say_name("figure12"), say_name("priors")
    ('Figure 12', 'Priors')
    """
    match = re.fullmatch(r"(table|figure)(\w+)", name)
    return f"{match[1].capitalize()} {match[2]}" if match else name[:1].upper() + name[1:]


def group(failed: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what went wrong, each text once, with the keys of its units.

    Addresses in memory, which differ each time, are left out, and files of the library are named from its
    folder on.
    """
    groups: dict[str, list[str]] = {}
    for key, text in failed.items():
        text = re.sub(r'File "[^"]*[/\\](?=lopsided[/\\])', 'File "', text)
        groups.setdefault(re.sub(r" at 0x[0-9a-fA-F]+", "", text).strip(), []).append(key)
    return groups
