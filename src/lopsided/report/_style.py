"""How the page of a ranked list looks, and what moves on it."""

STYLE = """
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
figcaption { color: var(--soft); font-size: .8rem; display: flex; justify-content: space-between; gap: 1rem;
  white-space: nowrap; }
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
li header { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; }
.rank { color: var(--soft); font-variant-numeric: tabular-nums; min-width: 1.4em; }
.id { flex: 1 1 9rem; font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
.figures { display: flex; gap: .75rem; align-items: center; margin-left: auto; white-space: nowrap;
  font-variant-numeric: tabular-nums; color: var(--soft); }
.badge { padding: 0 .5rem; border-radius: 1rem; font-size: .75rem; font-weight: 600;
  background: var(--accent); color: var(--card); }
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
SCRIPT = """
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
