"""The page of `FindReport.to_html`: one file that needs no other, and runs nothing that a text says."""

import math
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lopsided.pu._find_report import FindRecord, FindReport

_STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf8; --card: #fff; --ink: #1d2430; --soft: #5d6675;
  --line: #dfe2e7; --accent: #0b6b5b; --mark: #ffe9a8; --mark-ink: #3a2c00; --bar: #9ed3c6; --off: #c9ced6; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171c; --card: #1c2027; --ink: #e4e7ec; --soft: #9aa4b2; --line: #2e343e; --accent: #62c9b4;
  --mark: #5a4710; --mark-ink: #ffedb5; --bar: #2f7d6e; --off: #454d59; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere; }
.lead { color: var(--soft); margin: 0 0 1.5rem; max-width: 46rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem;
  margin: 0 0 1.25rem; }
.facts div { padding: .7rem .9rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; font-size: 1.5rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.facts small { display: block; font-size: .8rem; font-weight: 400; color: var(--soft); }
figure { margin: 0 0 1.5rem; }
figure svg { display: block; width: 100%; height: 4.5rem; }
figcaption { color: var(--soft); font-size: .8rem; display: flex; justify-content: space-between; gap: 1rem; }
.over { fill: var(--bar); } .under { fill: var(--off); }
.tools { position: sticky; top: 0; background: var(--paper); padding: .5rem 0; display: flex; gap: .75rem;
  align-items: center; flex-wrap: wrap; z-index: 1; }
.tools input { flex: 1 1 14rem; min-width: 0; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem; padding: .45rem .7rem; }
.tools output { color: var(--soft); font-size: .85rem; font-variant-numeric: tabular-nums; }
ol { list-style: none; margin: 0; padding: 0; }
li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .75rem .9rem;
  margin: 0 0 .6rem; content-visibility: auto; contain-intrinsic-size: auto 8.5rem; }
li[hidden] { display: none; }
li.no { border-style: dashed; background: transparent; }
li header { display: flex; gap: .75rem; align-items: baseline; }
.rank { color: var(--soft); font-variant-numeric: tabular-nums; min-width: 1.4em; }
.id { flex: 1; font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
.score { font-variant-numeric: tabular-nums; color: var(--soft); white-space: nowrap; }
li:not(.no) .score { color: var(--accent); font-weight: 600; }
.meter { display: block; height: .25rem; margin: .4rem 0 .5rem; border-radius: .2rem;
  background: var(--line); }
.meter i { display: block; height: 100%; border-radius: .2rem; background: var(--bar); }
li.no .meter i { background: var(--off); }
.words { margin: 0 0 .35rem; display: flex; flex-wrap: wrap; gap: .3rem; font-size: .85rem; }
.words span { padding: 0 .55rem; border: 1px solid var(--line); border-radius: 1rem;
  overflow-wrap: anywhere; }
.text { margin: 0; color: var(--soft); font-size: .93rem; overflow-wrap: anywhere; unicode-bidi: isolate; }
mark { background: var(--mark); color: var(--mark-ink); border-radius: .2rem; padding: 0 .1em; }
.border { padding: .4rem; border: 0; background: none; color: var(--soft); font-size: .85rem;
  text-align: center; content-visibility: visible; }
footer { color: var(--soft); font-size: .85rem; margin-top: 1.5rem; overflow-wrap: anywhere; }
@media (max-width: 36rem) { main { padding: 1.25rem .8rem 3rem; } h1 { font-size: 1.35rem; }
  .facts { grid-template-columns: 1fr 1fr; gap: .5rem; } .facts dd { font-size: 1.25rem; }
  .facts div:last-child { grid-column: 1 / -1; } }
@media print { .tools { display: none; } li { break-inside: avoid; content-visibility: visible; } }
"""

# Everything is there without it; it only hides what does not hold the words that are typed.
_SCRIPT = """
const field = document.querySelector(".tools input"), told = document.querySelector(".tools output");
const rows = [...document.querySelectorAll("li[data-rank]")], all = told.textContent;
const texts = rows.map(row => row.textContent.toLowerCase());
let waiting = 0;
document.querySelector(".tools").hidden = false;
field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let n = 0;
  rows.forEach((row, i) => {
    row.hidden = !words.every(word => texts[i].includes(word));
    n += !row.hidden;
  });
  told.textContent = words.length ? `${n.toLocaleString("en")} with these words` : all;
}, 120); });
"""


def render_page(
    report: "FindReport", records: Sequence["FindRecord"], *, title: str, notes: Iterable[str]
) -> str:
    """The whole page.

    Whatever comes out of a text or a file name is escaped, and the page itself says that nothing may be
    loaded and no script may run but its own.
    """
    digest = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_safe(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>",
        f"<h1><bdi>{_safe(title)}</bdi></h1>",
        f'<p class="lead">{_lead(report)}</p>',
        _facts(report),
        _picture(report.scores),
        f'<div class="tools" hidden><input type="search" placeholder="Show only texts with these words" '
        f'aria-label="Words to look for"><output>{_extent(report, records)}</output></div>',
        "<ol>",
        *_rows(report, records),
        "</ol>",
        f"<footer>{_footer(report, notes)}</footer>",
        f"</main>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _lead(report: "FindReport") -> str:
    return (
        "The texts most like the known positives come first; marked are the words that speak for them. "
        "Score 0 is the line: over it are as many texts as there should be positives among them."
    )


def _facts(report: "FindReport") -> str:
    share = report.share
    interval = f"{share.n_hidden_low:,} to {share.n_hidden_high:,} at {100 * share.confidence:g} % confidence"
    facts = [
        ("Known positives", f"{report.n_positives:,}", "copies counted once"),
        ("Texts searched", f"{len(report):,}", "known ones left out"),
        ("Estimated positives among them", f"about {share.n_hidden:,}", interval),
    ]
    cells = "".join(f"<div><dt>{a}</dt><dd>{b}<small>{c}</small></dd></div>" for a, b, c in facts)
    return f'<dl class="facts">{cells}</dl>'


def _picture(scores: Any, n_bars: int = 100) -> str:
    """How many texts there are at each score, as a row of bars; heights are roots, so that few are seen."""
    lowest, highest = float(scores[-1]), float(scores[0])
    if not highest > lowest:
        return ""
    width = (highest - lowest) / n_bars
    counts = [0] * n_bars
    for score in scores:
        counts[min(n_bars - 1, int((score - lowest) / width))] += 1
    tallest = math.sqrt(max(counts))
    bars = []
    for i, count in enumerate(counts):
        if count:
            height = max(1.0, 60 * math.sqrt(count) / tallest)
            side = "over" if lowest + (i + 0.5) * width >= 0 else "under"
            bars.append(
                f'<rect class="{side}" x="{i * 10}" y="{60 - height:.1f}" width="8" height="{height:.1f}"/>'
            )
    return (
        '<figure><svg viewBox="0 0 1000 60" preserveAspectRatio="none" role="img" '
        f'aria-label="How many texts have which score">{"".join(bars)}</svg>'
        f"<figcaption><span>{lowest:.2f}</span><span>texts by score; coloured: over the line</span>"
        f"<span>{highest:.2f}</span></figcaption></figure>"
    )


def _extent(report: "FindReport", records: Sequence["FindRecord"]) -> str:
    n = len(report)
    return f"all {n:,}" if len(records) == n else f"the first {len(records):,} of {n:,}"


def _rows(report: "FindReport", records: Sequence["FindRecord"]) -> Iterator[str]:
    lowest, highest = float(report.scores[-1]), float(report.scores[0])
    was_found = True
    for record in records:
        if was_found and not record.found:
            yield '<li class="border">The line: so many should be positive, those below are less likely.</li>'
        was_found = record.found
        yield _row(record, (record.score - lowest) / ((highest - lowest) or 1.0))


def _row(record: "FindRecord", height: float) -> str:
    words = "".join(f"<span>{_safe(word)}</span>" for word in record.words)
    text = "".join(
        f"<mark>{_safe(p)}</mark>" if marked else _safe(p) for p, marked in record.snippet.pieces()
    )
    return (
        f'<li data-rank="{record.rank}"{"" if record.found else " class=no"}><header>'
        f'<span class="rank">{record.rank:,}</span><bdi class="id">{_safe(record.id)}</bdi>'
        f'<span class="score">{record.score:+.2f}</span></header>'
        f'<span class="meter"><i style="width:{100 * height:.0f}%"></i></span>'
        + (f'<p class="words">{words}</p>' if words else "")
        + f'<p class="text">{text}</p></li>'
    )


def _footer(report: "FindReport", notes: Iterable[str]) -> str:
    return "<br>".join(_safe(note) for note in (*report.left_out(), *notes))


def _safe(text: str) -> str:
    """Text as text: nothing of it is a tag, and a character that pages may not hold is a sign for itself."""
    text = (
        "".join(c if c.isprintable() or c in "\n\t" else _sign(c) for c in text)
        if not text.isprintable()
        else text
    )
    return escape(text, quote=True)


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{REPLACEMENT CHARACTER}" if code < 0xA0 or 0xD800 <= code < 0xE000 else character
