"""The page of a rule list: the rules with their scores, and rows that show them at work."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lopsided.boosting._wanted import shorten
from lopsided.report._templates import render_page

if TYPE_CHECKING:
    from lopsided.boosting._report import CaseKind, RuleReport

_HEADINGS: dict["CaseKind", tuple[str, str]] = {
    "found": ("Found, rightly", "the rules say so, and so does the label"),
    "missed": ("Missed", "the label says so, the rules do not"),
    "false alarm": ("False alarms", "the rules say so, the label does not"),
}


def render_rules(report: "RuleReport", n: int | None, *, title: str, notes: Iterable[str]) -> str:
    """Return the page of a report, with at most ``n`` rows of each outcome."""
    sections = [_section(report, outcome, n) for outcome in _HEADINGS]
    return render_page(
        "rules",
        title=title,
        notes=notes,
        report=report,
        about=" ".join(report.about()[: 2 if report.held_out else 1]),
        facts=_facts(report),
        positive=shorten(report.positive),
        most_points=max((rule.points for rule in report.rules), default=0.0) or 1.0,
        decision=report.rule_list.decision(),
        sections=sections,
        n_shown=sum(len(section["cases"]) for section in sections),
    )


def _facts(report: "RuleReport") -> list[tuple[str, str, str]]:
    counts = report.counts
    right, where = f"{counts.tp:,.0f}", "held out" if report.held_out else "NOT held out"
    cv = "no cross validation" if report.cv_f1 is None else f"{report.cv_f1:.2f} in cross validation"
    return [
        ("Wanted", f"{report.n_positives:,}", f"of {report.n_rows:,} rows"),
        ("Precision", f"{counts.precision():.2f}", f"{right} of {counts.tp + counts.fp:,.0f} found; {where}"),
        ("Recall", f"{counts.recall():.2f}", f"{right} of {report.n_judged_positives:,} wanted; {where}"),
        ("F1", f"{counts.f():.2f}", cv),
    ]


def _section(report: "RuleReport", outcome: "CaseKind", n: int | None) -> dict[str, Any]:
    counts, cases = report.counts, report.cases(outcome, n)
    total = int({"found": counts.tp, "missed": counts.fn, "false alarm": counts.fp}[outcome])
    extent = f"{total:,}" if len(cases) == total else f"the first {len(cases):,} of {total:,}"
    heading, meaning = _HEADINGS[outcome]
    return {"heading": heading, "extent": extent, "meaning": meaning, "cases": cases}
