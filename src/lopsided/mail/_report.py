"""The report of a mail filter about itself: as text, as plain values, as a page."""

import math
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from textwrap import wrap
from typing import Any, NamedTuple

from lopsided.feedback._missed import MissedEstimate, missed_from_sums
from lopsided.mail._filter import MailFilter
from lopsided.report._templates import render_page
from lopsided.terminal import align

_SPAN = 14  # days in the table of the text
_WEEKS = 12  # in the table of weeks


@dataclass(frozen=True)
class Day:
    """Counts of one day (UTC)."""

    day: str
    shown: int
    """Messages that the learner accepted."""
    hidden: int
    explored: int
    ham: int
    """Shown messages that were labeled ham."""
    spam: int
    """Shown messages that were labeled spam."""
    found: int
    """Explored messages that were labeled ham."""
    rescued: int
    """Hidden messages that were labeled ham."""


@dataclass(frozen=True)
class Week:
    """Seven days, Monday to Sunday: what changes from one to the next is drift."""

    monday: str
    n_messages: int
    hidden: float
    """Share of the messages that was hidden."""
    spam: float | None
    """The part of the shown ones with a label that were spam; None without labels."""
    found: int
    """Explored messages that were labeled ham."""
    rescued: int
    """Hidden messages that were labeled ham."""

    @property
    def cells(self) -> list[str]:
        """Return the counts in the order of the table's columns."""
        spam = "" if self.spam is None else f"{100 * self.spam:.1f} %"
        numbers = (f"{self.n_messages:,}", f"{100 * self.hidden:.1f} %", spam)
        return [self.monday, *numbers, f"{self.found:,}", f"{self.rescued:,}"]


@dataclass(frozen=True)
class MailReport:
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
    weeks: list[Week]
    not_known: str | None = None
    """Why the number of hidden ham cannot be estimated yet; None if it is estimated."""

    def plain(self) -> dict[str, Any]:
        """Return the report as JSON can hold it."""
        values = asdict(self)
        for name in ("value", "high"):
            number = values["missed"][name]
            values["missed"][name] = (
                number if abs(number) < float("inf") else None
            )  # neither NaN nor infinity
        return values

    @property
    def facts(self) -> list[tuple[str, str, str]]:
        """Return for each count its name, its number and a remark."""
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
            self._hidden_ham(),
        ]

    def _hidden_ham(self) -> tuple[str, str, str]:
        name = "ham that was hidden"
        if self.not_known is not None:
            return name, "not known yet", self.not_known
        return name, _short(self.missed), _found(self.counts["rescued"], self.missed)

    def text(self) -> str:
        """Return the report as a few lines of text."""
        lines = [
            f"{self.n_messages:,} messages since {self.since}; {self.learner}, explorer {self.explorer}",
            *(f"  {align([name, number], (-17, 9))}  {more}" for name, number, more in self.facts[:-1]),
        ]
        if self.not_known is None:
            lines.append(f"  ham that was hidden: {self.missed}")
        else:
            told = f"ham that was hidden: not known yet, {self.not_known}"
            lines += wrap(told, 78, initial_indent="  ", subsequent_indent="    ", break_long_words=False)
        examples = self.counts["ham"] + self.counts["spam"]
        if examples:
            lines.append(f"  learned from examples: {self.counts['ham']:,} ham, {self.counts['spam']:,} spam")
        if self.alarmed:
            lines.append("  the guard is alarmed: far less ham comes through than before, so more is shown")
        if self.days:
            names = ("shown", "hidden", "explored", "ham", "spam", "rescued")
            days = [[day.day, *(f"{getattr(day, name):,}" for name in names)] for day in self.days[-_SPAN:]]
            widths = (-12, *(10 for _ in names))
            lines += ["", *(f"  {align(line, widths)}" for line in [["day", *names], *days])]
        if len(self.weeks) > 2:
            weeks = [week.cells for week in self.weeks[-_WEEKS:]]
            widths = (-12, *(13 for _ in _IN_A_WEEK))
            lines += ["", *(f"  {align(line, widths)}" for line in [["week of", *_IN_A_WEEK], *weeks])]
        return "\n".join(lines)

    def page(self) -> str:
        """Return one HTML file that needs no other and loads nothing."""
        lead = f"{self.n_messages:,} messages since {self.since}. Learner {self.learner}, "
        lead += f"explorer {self.explorer}.{' The guard is alarmed.' if self.alarmed else ''}"
        note = f"Ham that was hidden: {self.missed}. The estimate counts what the explorer brought to light, "
        note += "and what somebody found; labels that have not come count as spam."
        if self.not_known is not None:
            note = f"Ham that was hidden: not known yet, {self.not_known}."
        if self.counts["ham"] + self.counts["spam"]:
            note += f" Learned from examples: {self.counts['ham']:,} ham, {self.counts['spam']:,} spam."
        return render_page(
            "mail",
            title="Mail filter",
            notes=[note],
            lead=lead,
            facts=self.facts,
            chart=_chart(self.days),
            columns=["week of", *_IN_A_WEEK],
            weeks=self.weeks[-_WEEKS:] if len(self.weeks) > 1 else [],
        )


def report_of(filter: MailFilter, confidence: float = 0.95) -> MailReport:
    """Read the report off a state."""
    with filter.turn():
        by_day = filter.counted()
        gate = filter.engine.gate
        total, variance, n_found, largest, n_hidden = gate.sums
        missed = missed_from_sums(
            total, variance, largest, n_found, gate.n_unreachable, confidence, n_hidden=n_hidden
        )
        hidden = int(n_hidden.sum()) + gate.n_unreachable
        n_messages, n_updates, alarmed = gate.n_rounds, filter.engine.n_updates, gate.is_alarmed
    counts = dict.fromkeys(_KINDS, 0)
    for of_day in by_day.values():
        for what, n in of_day.items():
            counts[what] = counts.get(what, 0) + n
    rescued = float(counts["rescued"])  # so many were hidden, whatever exploring brought to light
    low, value, high = (max(number, rescued) for number in (missed.low, missed.value, missed.high))
    missed = replace(missed, low=low, value=value, high=high)
    not_known = _why_not_known(missed, hidden, counts, filter)
    days = [_day(day, dict.fromkeys(_KINDS, 0) | n) for day, n in by_day.items()]
    return MailReport(
        learner=filter.settings.learner,
        explorer=filter.settings.explorer_in_words,
        since=_date(min([filter.state.created // 86_400, *by_day])),
        counts=counts,
        n_messages=n_messages,
        n_updates=n_updates,
        alarmed=alarmed,
        missed=missed,
        days=days,
        weeks=_weeks(by_day),
        not_known=not_known,
    )


def _why_not_known(
    missed: MissedEstimate, n_hidden: int, counts: dict[str, int], filter: MailFilter
) -> str | None:
    """Return why nothing can be said about hidden ham: any number, from none to all, is in the interval."""
    if not n_hidden or missed.low > 0 or missed.high < n_hidden:
        return None
    settings = filter.settings
    hidden = f"{n_hidden:,} message{' was' if n_hidden == 1 else 's were'} hidden"
    if settings.explorer == "none":
        return (
            f"because the explorer is 'none': {hidden}, and none like them are ever shown. Choose one with "
            "'lopsided filter set --explorer epsilon-greedy:0.005'"
        )
    tested = f"{hidden}, and {counts['explored']:,} like them shown to check"
    if settings.explorer != "epsilon-greedy" or not settings.parameter:
        return f"{tested}. It needs more mail"
    needed = math.ceil(math.log(1 / (1 - missed.confidence)) / settings.parameter)
    rate = f"One in {1 / settings.parameter:,.0f} is shown"
    return f"{tested}. {rate}, so it needs about {needed:,} hidden messages"


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
_IN_A_WEEK = ("messages", "hidden", "spam shown", "ham explored", "ham rescued")


def _day(day: int, n: dict[str, int]) -> Day:
    return Day(
        _date(day),
        n["shown"],
        n["hidden"],
        n["explored"],
        n["shown ham"] + n["explored ham"],
        n["shown spam"] + n["explored spam"],
        n["explored ham"],
        n["rescued"],
    )


def _weeks(by_day: dict[int, dict[str, int]]) -> list[Week]:
    sums: dict[int, dict[str, int]] = {}
    for day, counts in by_day.items():
        monday = day - (day + 3) % 7  # the day 0 was a Thursday
        of_week = sums.setdefault(monday, dict.fromkeys(_KINDS, 0))
        for what, more in counts.items():
            of_week[what] = of_week.get(what, 0) + more
    weeks = []
    for monday, n in sums.items():
        n_messages = n["shown"] + n["hidden"] + n["explored"]
        if not n_messages:
            continue  # only examples, or labels of earlier mail
        spam, ham = n["shown spam"] + n["explored spam"], n["shown ham"] + n["explored ham"]
        part = spam / (spam + ham) if spam + ham else None
        hidden = n["hidden"] / n_messages
        weeks.append(Week(_date(monday), n_messages, hidden, part, n["explored ham"], n["rescued"]))
    return weeks


def _date(day: int) -> str:
    return datetime.fromtimestamp(86_400 * day, UTC).date().isoformat()


def _short(missed: MissedEstimate) -> str:
    high = f"{missed.high:,.0f}" if missed.high < float("inf") else "any number"
    return f"{missed.low:,.0f} to {high}"


def _found(n_rescued: int, missed: MissedEstimate) -> str:
    return f"at {100 * missed.confidence:g} % confidence; {n_rescued:,} of them found since"


class _DayBar(NamedTuple):
    kind: str
    x: int
    y: float
    height: float
    told: str


class _Chart(NamedTuple):
    bars: list[_DayBar]
    first: date
    last: date
    n_days: int
    tallest: int


def _chart(days: list[Day], most: int = 120) -> _Chart | None:
    """Return bars of the last days: hidden, shown, and spam among the shown; None where no mail came."""
    days = [day for day in days if day.shown + day.explored + day.hidden]
    if not days:
        return None
    last = date.fromisoformat(days[-1].day)
    first = max(date.fromisoformat(days[0].day), last - timedelta(days=most - 1))
    drawn = [day for day in days if date.fromisoformat(day.day) >= first]
    tallest = max(day.shown + day.explored + day.hidden for day in drawn)
    bars = []
    for day in drawn:
        left = 10 * (date.fromisoformat(day.day) - first).days
        below = 0.0
        shown = day.shown + day.explored
        told = f"{day.day}: {shown:,} shown, {day.spam:,} found to be spam, {day.hidden:,} hidden"
        spam = min(day.spam, shown)  # labels may come for the mail of other days
        for kind, n in (("spam", spam), ("over", shown - spam), ("under", day.hidden)):
            height = 100 * n / tallest
            bars.append(_DayBar(kind, left, 100 - below - height, height, told))
            below += height
    return _Chart(bars, first, last, (last - first).days + 1, tallest)
