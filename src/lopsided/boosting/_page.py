"""The page of a rule list: the rules with what they are worth, and rows that show them at work."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lopsided.boosting._wanted import shorten
from lopsided.report._page import safe, search_field, show_facts, whole_page

if TYPE_CHECKING:
    from lopsided.boosting._report import Case, FoundRule, Outcome, RuleReport

_STYLE = """
h2 { font-size: 1.15rem; margin: 1.75rem 0 .5rem; } h2 small { font-weight: 400; color: var(--soft); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-size: .85rem; font-weight: 400; color: var(--soft); }
th, td { padding: .55rem .9rem; border-bottom: 1px solid var(--line); vertical-align: middle; }
tr:last-child td { border-bottom: 0; }
td:nth-child(1) { color: var(--soft); } td:nth-child(2) { font-weight: 600; overflow-wrap: anywhere; }
td small { margin-left: .6em; font-weight: 400; color: var(--soft); } li header { margin-bottom: .35rem; }
td.number, th.number { text-align: right; white-space: nowrap; }
.bar { display: inline-block; vertical-align: middle; width: 7rem; height: .55rem; border-radius: .3rem;
  background: var(--off); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--bar); }
.share { white-space: nowrap; } .share b { display: inline-block; min-width: 3.2em; font-weight: 400; }
.bar.none { visibility: hidden; }
.sum { color: var(--soft); margin: .6rem 0 0; max-width: 46rem; }
.caveat { border-left: .25rem solid var(--against); padding: .3rem .8rem; margin: 0 0 1.25rem; }
:root { --against: #b4541a; --against-mark: #fbdcc8; } .words .but { border-style: dashed; }
mark.against { background: var(--against-mark); color: inherit; text-decoration: line-through 1px; }
.outcome { font-size: .75rem; font-weight: 600; padding: 0 .5rem; border-radius: 1rem; }
.outcome.found { background: var(--accent); color: var(--card); }
.outcome.missed, .outcome.false { border: 1px solid var(--against); color: var(--against); }
@media (prefers-color-scheme: dark) { :root { --against: #e79a66; --against-mark: #5b3216; } }
@media (max-width: 36rem) { .bar { display: none; } th, td { padding: .45rem .5rem; }
  td:nth-child(2) { min-width: 9rem; } .facts div:last-child { grid-column: auto; } }
"""
_HEADINGS: dict["Outcome", tuple[str, str]] = {
    "found": ("Found, rightly", "the rules say so, and so does the label"),
    "missed": ("Missed", "the label says so, the rules do not"),
    "false alarm": ("False alarms", "the rules say so, the label does not"),
}


def render_rules(report: "RuleReport", n: int | None, *, title: str, notes: Iterable[str]) -> str:
    """The whole page; whatever comes out of the data is escaped."""
    sections = {outcome: report.cases(outcome, n) for outcome in _HEADINGS}
    n_shown = sum(map(len, sections.values()))
    parts = [
        f'<p class="lead">{safe(" ".join(report.about()[: 2 if report.held_out else 1]))}</p>',
        f'<p class="caveat">{safe(report.caveat())}</p>' if report.caveat() else "",
        show_facts(_facts(report)),
        f"<h2>The rules <small>as judged on {_judges(report)}</small></h2>",
        _table(report),
        _sum(report),
    ]
    if n_shown:
        parts.append("<h2>Rows <small>marked is what the rules look at</small></h2>")
        parts.append(search_field(f"{n_shown:,} of {report.n_judged:,} rows"))
    for outcome, cases in sections.items():
        parts += _section(report, outcome, cases)
    return whole_page(title, parts, notes=notes, style=_STYLE)


def _judges(report: "RuleReport") -> str:
    return f"{report.n_judged:,} rows {'held out' if report.held_out else 'learned from'}"


def _facts(report: "RuleReport") -> list[tuple[str, str, str]]:
    counts = report.counts
    right, where = f"{counts.tp:,.0f}", "held out" if report.held_out else "NOT held out"
    return [
        ("Wanted", f"{report.n_positives:,}", f"of {report.n_rows:,} rows"),
        ("Precision", f"{counts.precision():.2f}", f"{right} of {counts.tp + counts.fp:,.0f} found; {where}"),
        ("Recall", f"{counts.recall():.2f}", f"{right} of {report.n_judged_positives:,} wanted; {where}"),
        ("F1", f"{counts.f():.2f}", _cv(report)),
    ]


def _cv(report: "RuleReport") -> str:
    return "no cross validation" if report.cv_f1 is None else f"{report.cv_f1:.2f} in cross validation"


def _table(report: "RuleReport") -> str:
    if not report.rules:
        return "<p>No rule tells the wanted rows from the others.</p>"
    most = max(rule.points for rule in report.rules) or 1.0
    rows = "".join(_rule(rule, rule.points / most) for rule in report.rules)
    name = safe(shorten(report.positive))
    return (
        '<div class="scroll"><table><thead><tr><th></th><th>rule</th><th>points</th>'
        f'<th class="number">holds for</th><th class="number">of them {name}</th><th>precision</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _rule(rule: "FoundRule", share: float) -> str:
    precision = rule.precision
    also = f"<small>{safe(', '.join(rule.words[1:]))}</small>" if rule.words[1:] else ""
    text = "never" if precision is None else f"{precision:.2f}"
    shown = '<span class="bar none"></span>' if precision is None else _bar(precision)
    return (
        f"<tr><td>{rule.place}</td><td><bdi>{safe(rule.text)}</bdi>{also}</td>"
        f'<td class="share"><b>{rule.points:.2f}</b> {_bar(share)}</td>'
        f'<td class="number">{rule.n_holds:,}</td><td class="number">{rule.n_right:,}</td>'
        f'<td class="share"><b>{text}</b> {shown}</td></tr>'
    )


def _bar(share: float) -> str:
    return f'<span class="bar"><i style="width:{100 * share:.0f}%"></i></span>'


def _sum(report: "RuleReport") -> str:
    if not report.rules:
        return ""
    return (
        f'<p class="sum">A row counts as {safe(shorten(report.positive))} where the points of the rules that '
        f"hold for it come to more than {report.bar + 0.0:.3g}.</p>"
    )


def _section(report: "RuleReport", outcome: "Outcome", cases: list["Case"]) -> Iterator[str]:
    counts = report.counts
    total = int({"found": counts.tp, "missed": counts.fn, "false alarm": counts.fp}[outcome])
    heading, meaning = _HEADINGS[outcome]
    extent = f"{total:,}" if len(cases) == total else f"the first {len(cases):,} of {total:,}"
    yield f"<h2>{heading}: {extent} <small>{meaning}</small></h2>"
    yield "<ol>"
    for place, case in enumerate(cases):
        yield _case(report, case, place + 1)
    yield "</ol>"


def _case(report: "RuleReport", case: "Case", place: int) -> str:
    rules = [rule for rule in report.rules if rule.place in case.holding]
    chips = "".join(f"<span>{safe(rule.text)} <b>+{rule.points:.2f}</b></span>" for rule in rules)
    text = "".join(
        f'<mark class="{speaks}">{safe(piece)}</mark>' if speaks else safe(piece)
        for piece, speaks in case.pieces
    )
    return (
        f'<li data-rank="{place}"{"" if case.outcome != "missed" else " class=no"}><header>'
        f'<span class="rank">{place:,}</span><bdi class="id">{safe(case.id)}</bdi>'
        f'<span class="figures"><span class="outcome {case.outcome.split()[0]}">{case.outcome}</span>'
        f'<span class="score">{case.points:.2f} points</span></span></header>'
        f'<p class="words">{chips or "<span class=but>no rule holds</span>"}</p>'
        f'<p class="text">{text}</p></li>'
    )
