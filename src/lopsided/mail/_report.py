"""What a filter did and knows about itself: as text, as plain values, as a page."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from lopsided.feedback._missed import MissedEstimate, missed_from_sums
from lopsided.mail._filter import MailFilter
from lopsided.ranked._style import STYLE

_SPAN = 14  # days in a line of the text


@dataclass(frozen=True)
class Day:
    """What happened on one day (UTC)."""

    day: str
    shown: int
    """By the learner's own judgement."""
    hidden: int
    explored: int
    ham: int
    """Of all that was shown, said to be ham."""
    spam: int
    """Of all that was shown, said to be spam."""
    rescued: int
    """Ham that somebody found among what was hidden."""


@dataclass(frozen=True)
class Report:
    """Counts since the beginning, an estimate of what is missed, and every day."""

    learner: str
    explorer: str
    since: str
    counts: dict[str, int]
    n_messages: int
    n_updates: int
    alarmed: bool
    missed: MissedEstimate
    days: list[Day]

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it."""
        values = asdict(self)
        for name in ("value", "high"):
            number = values["missed"][name]
            values["missed"][name] = (
                number if abs(number) < float("inf") else None
            )  # neither NaN nor infinity
        return values

    @property
    def facts(self) -> list[tuple[str, str, str]]:
        """What is counted, how many, and more about it."""
        c = self.counts
        n_ham, n_spam = c["shown ham"] + c["explored ham"], c["shown spam"] + c["explored spam"]
        waiting = c["shown"] + c["explored"] - n_ham - n_spam
        return [
            ("shown", f"{c['shown']:,}", f"{c['shown spam']:,} of them were spam"),
            ("hidden", f"{c['hidden']:,}", f"{c['rescued']:,} were ham that somebody found there"),
            ("explored", f"{c['explored']:,}", f"{c['explored ham']:,} of them were ham"),
            (
                "labels",
                f"{n_ham + n_spam:,}",
                f"{max(waiting, 0):,} still to come, {c['changed mind']:,} changed",
            ),
            ("ham still hidden", _short(self.missed), _found(c["rescued"], self.missed)),
        ]

    def text(self) -> str:
        """A few lines for a terminal."""
        lines = [
            f"{self.n_messages:,} messages since {self.since}; {self.learner}, explorer {self.explorer}",
            *(f"  {name:<17}{number:>9}  {more}" for name, number, more in self.facts[:-1]),
            f"  ham among what is hidden: {self.missed}",
        ]
        examples = self.counts["ham"] + self.counts["spam"]
        if examples:
            lines.append(f"  learned from examples: {self.counts['ham']:,} ham, {self.counts['spam']:,} spam")
        if self.alarmed:
            lines.append("  the guard is alarmed: far less ham comes through than before, so more is shown")
        if self.days:
            names = ("shown", "hidden", "explored", "ham", "spam", "rescued")
            lines += ["", f"  {'day':<12}" + "".join(f"{name:>10}" for name in names)]
            lines += [
                f"  {day.day:<12}" + "".join(f"{getattr(day, name):>10,}" for name in names)
                for day in self.days[-_SPAN:]
            ]
        return "\n".join(lines)

    def page(self) -> str:
        """One HTML file that needs no other and loads nothing."""
        facts = "".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(number)}<small>{escape(more)}</small></dd></div>"
            for name, number, more in self.facts
        )
        policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
        lead = f"{self.n_messages:,} messages since {self.since}. Learner {self.learner}, "
        lead += f"explorer {self.explorer}.{' The guard is alarmed.' if self.alarmed else ''}"
        note = f"Ham among what is hidden: {self.missed}. The estimate counts what the explorer brought to "
        note += "light; labels that have not come count as spam."
        return "\n".join(
            [
                '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
                f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
                '<meta name="viewport" content="width=device-width, initial-scale=1">',
                f"<title>Mail filter</title>\n<style>{STYLE}{_STYLE}</style>\n</head>\n<body>\n<main>",
                "<h1>What the mail filter did</h1>",
                f'<p class="lead">{escape(lead)}</p>',
                f'<dl class="facts">{facts}</dl>',
                _picture(self.days),
                f"<footer>{escape(note)}</footer>",
                "</main>\n</body>\n</html>\n",
            ]
        )


def report_of(filter: MailFilter, confidence: float = 0.95) -> Report:
    """Read the report off a state."""
    with filter.turn():
        by_day = filter.counted()
        gate = filter.engine.gate
        total, variance, n_found, largest, n_hidden = gate.sums
        missed = missed_from_sums(
            total, variance, largest, n_found, gate.n_unreachable, confidence, n_hidden=n_hidden
        )
        n_messages, n_updates, alarmed = gate.n_rounds, filter.engine.n_updates, gate.is_alarmed
    counts = dict.fromkeys(_KINDS, 0)
    for of_day in by_day.values():
        for what, n in of_day.items():
            counts[what] = counts.get(what, 0) + n
    return Report(
        learner=filter.settings.learner,
        explorer=filter.settings.explorer_in_words,
        since=_date(filter.state.created // 86_400),
        counts=counts,
        n_messages=n_messages,
        n_updates=n_updates,
        alarmed=alarmed,
        missed=missed,
        days=[_day(day, dict.fromkeys(_KINDS, 0) | n) for day, n in by_day.items()],
    )


_KINDS = (
    "shown",
    "hidden",
    "explored",
    "shown ham",
    "shown spam",
    "explored ham",
    "explored spam",
    "rescued",
    "hidden spam",
    "changed mind",
    "ham",
    "spam",
)
_STYLE = """
figure svg { height: 12rem; } .spam { fill: #d55e00; } .scale { font-size: .8rem; color: var(--soft); }
"""


def _day(day: int, n: dict[str, int]) -> Day:
    return Day(
        _date(day),
        n["shown"],
        n["hidden"],
        n["explored"],
        n["shown ham"] + n["explored ham"],
        n["shown spam"] + n["explored spam"],
        n["rescued"],
    )


def _date(day: int) -> str:
    return datetime.fromtimestamp(86_400 * day, UTC).date().isoformat()


def _short(missed: MissedEstimate) -> str:
    high = f"{missed.high:,.0f}" if missed.high < float("inf") else "any number"
    return f"{missed.low:,.0f} to {high}"


def _found(n_rescued: int, missed: MissedEstimate) -> str:
    return f"at {100 * missed.confidence:g} % confidence; {n_rescued:,} of them found since"


def _picture(days: list[Day], most: int = 120) -> str:
    """Bars of the last days: hidden, shown, and what of the shown was spam."""
    days = days[-most:]
    if not days:
        return ""
    tallest = max(day.shown + day.explored + day.hidden for day in days) or 1
    bars = []
    for i, day in enumerate(days):
        below = 0.0
        told = (
            f"{day.day}: {day.shown + day.explored:,} shown, {day.spam:,} of them spam, {day.hidden:,} hidden"
        )
        parts = (("spam", day.spam), ("over", day.shown + day.explored - day.spam), ("under", day.hidden))
        for kind, n in parts:
            height = 100 * max(n, 0) / tallest
            bars.append(
                f'<rect class="{kind}" x="{10 * i}" y="{100 - below - height:.2f}" width="8" '
                f'height="{height:.2f}"><title>{told}</title></rect>'
            )
            below += height
    return (
        f'<figure><svg preserveAspectRatio="none" role="img" viewBox="0 0 {10 * len(days)} 100" '
        f'aria-label="Messages a day">{"".join(bars)}</svg>'
        f"<figcaption><span>{days[0].day}</span><span>messages a day: green shown, orange found to be "
        f"spam that day, grey hidden; tallest {tallest:,}</span><span>{days[-1].day}</span>"
        "</figcaption></figure>"
    )
