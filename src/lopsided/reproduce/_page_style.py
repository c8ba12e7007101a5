"""How the report looks, beyond what all pages of the library share."""

from lopsided.report._figures import DARK, LIGHT

_COLOURS = [" ".join(f"--c{k}: {c};" for k, c in enumerate(colours)) for colours in (LIGHT, DARK)]
STYLE = (
    f"""
:root {{ --against: #b4541a; --open: #717a88; --faint: #8a93a0; {_COLOURS[0]} }}
@media (prefers-color-scheme: dark) {{ :root {{ --against: #e79a66; --open: #8f99a7; {_COLOURS[1]} }} }}
"""
    + """
html { scroll-behavior: smooth; scroll-padding-top: .5rem; }
.lead { font-size: 1.15rem; color: var(--ink); margin-bottom: 1rem; }
section { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: .5rem; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 1rem 0 .2rem; }
h3 { font-size: 1.08rem; line-height: 1.35; margin: 2rem 0 .6rem; }
h3 small { font-weight: 400; color: var(--soft); font-size: .9rem; margin-left: .35em; }
.by, .key { color: var(--soft); font-size: .88rem; margin: .3rem 0; max-width: 52rem; }
.by { margin-bottom: 1rem; } .by span { white-space: nowrap; }
.caveat, .tried { border-left: .25rem solid var(--against); padding: .2rem .8rem; margin: .6rem 0 1rem;
  max-width: 52rem; font-size: .93rem; overflow-wrap: anywhere; }
.tried { border-color: var(--open); }
.how { font-size: .85rem; color: var(--soft); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  margin: 0 0 .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .35rem .8rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; }
tr:last-child > * { border-bottom: 0; } thead th { color: var(--soft); font-weight: 400; }
th[scope=row] { text-align: left; font-weight: 500; }
.title { color: var(--soft); font-size: .88rem; margin: 0 0 .3rem; }
.numbers td { white-space: nowrap; } .numbers th[scope=row] { min-width: 10rem; }
.numbers td small { color: var(--soft); font-size: .8rem; } .published { display: block; }
.published i { font-style: normal; margin-left: .35em; } .far .published i, .key .far { color: var(--against);
  font-weight: 600; }
.papers th, .papers td { text-align: left; white-space: nowrap; } .papers td.chips { white-space: normal;
  width: 100%; } .papers a { color: inherit; } .none { color: var(--soft); }
.chip { display: inline-block; min-width: 2.5em; text-align: center; margin: 0 .25rem .15rem 0;
  padding: 0 .35em; border-radius: .3rem; font-size: .78rem; text-decoration: none;
  border: 1px solid transparent; }
.chip.yes, .verdict.yes { background: var(--accent); color: var(--card); }
.papers .chip.yes { color: var(--card); }
.chip.no, .verdict.no { border: 1px solid var(--against); color: var(--against); }
.papers .chip.no { color: var(--against); }
.chip.open, .verdict.open { border: 1px dashed var(--open); color: var(--open); }
.claim { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; margin: 0 0 .5rem;
  padding: .6rem .9rem; }
.claim header { display: flex; gap: .2rem .7rem; align-items: baseline; flex-wrap: wrap; }
.claim header span:nth-child(2) { flex: 1 1 18rem; min-width: 0; }
.claim:target { outline: 2px solid var(--accent); }
.verdict { padding: 0 .55rem; border-radius: 1rem; font-size: .78rem; font-weight: 600; white-space: nowrap; }
.claim p, .claim details { margin: .3rem 0 0; font-size: .88rem; overflow-wrap: anywhere; }
.asked { color: var(--soft); } .without { color: var(--against); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: .75rem;
  margin: 0 0 .75rem; }
.plots figure { margin: 0; padding: .5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem; min-width: 0; overflow-x: auto; }
.plots svg { display: block; width: 100%; max-width: 34rem; height: auto; margin: 0 auto; }
.undrawn p { color: var(--soft); font-size: .85rem; margin: .4rem 0 0; }
pre { margin: .3rem 0; overflow-x: auto; font-size: .8rem; line-height: 1.4; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
.plain { font-size: .88rem; color: var(--soft); max-width: 56rem; } .plain p { margin: .2rem 0;
  overflow-wrap: anywhere; }
.failed summary { color: var(--against); } .failed code { font-size: .8rem; overflow-wrap: anywhere; }
.deviations p { margin: 0 0 .4rem; padding-left: 1em; text-indent: -1em; font-size: .9rem; max-width: 56rem; }
.deviations p::before { content: "– "; }
@media (max-width: 36rem) { .facts div:last-child { grid-column: auto; } th, td { padding: .3rem .5rem; }
  .papers tr { display: block; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
  .papers tr:last-child { border: 0; }
  .papers th, .papers td { display: inline-block; width: auto; padding: 0 .5rem 0 0; border: 0; }
  .papers td.chips { display: block; margin-top: .2rem; } .lead { font-size: 1.05rem; }
  .numbers th[scope=row] { position: sticky; left: 0; background: var(--card); white-space: normal;
    box-shadow: inset 0 -1px var(--line); border: 0; } }
@media print { .scroll { overflow: visible; } section { break-before: page; } }
"""
)
