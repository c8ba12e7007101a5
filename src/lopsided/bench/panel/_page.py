"""The page of the panel, and its lines for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from lopsided.bench.panel._sets import HALVES
from lopsided.bench.panel._standing import OURS, Standing
from lopsided.report import Block, Cell, Table, Text
from lopsided.report._markdown import escape, write_blocks
from lopsided.runs import reason_of

_ABOUT = {
    "tune": "Defaults were changed by what they did on these data sets.",
    "test": "No default was changed by what it did on these data sets.",
}


def write_page(standings: Sequence[Standing], command: str, versions: str) -> str:
    """Return the page in Markdown."""
    parts = [
        "# The panel: our defaults beside plain baselines",
        "Every method sees the same draws of each data set, with the parameters it comes with. The data "
        "sets were split into two halves before anything was measured "
        "([sets.toml](../src/lopsided/bench/panel/sets.toml)): defaults were chosen on *tune* and are judged "
        "on *test*. Means of the draws, ± their standard deviation. The best plain baseline of a regime is "
        "the one with the best mean on *tune*. A win or a loss is a mean difference of more than two "
        "standard errors over the same draws.",
        f"Command: `{command}`. With {versions}.",
        *_summarise(standings),
    ]
    for standing in standings:
        parts += [f"## {standing.regime.title}", escape(standing.regime.protocol)]
        for half in HALVES:
            if standing.sets(half):
                parts += [f"### {standing.regime.title}: {half}", _ABOUT[half]]
                parts += list(write_blocks(blocks_of(standing, half)))
    return "\n\n".join(parts) + "\n"


def blocks_of(standing: Standing, half: str) -> list[Block]:
    """Return a table of the metric, one of each metric beside it, and the lines that judge them."""
    regime = standing.regime
    tables: list[Block] = [_table(standing, half, metric) for metric in (regime.metric, *regime.beside)]
    return [*tables, Text(list(judge_half(standing, half)))]


def judge_half(standing: Standing, half: str) -> Iterator[str]:
    """Yield sentences: which method is ours, wins and losses, and where we must not stand."""
    sets, best = standing.sets(half), standing.best_baseline
    used = Counter(standing.regime.default(name) for name in sets)
    yield "ours: " + ", ".join(f"{name} ({n} data sets)" for name, n in used.items()) + "."
    if best is not None:
        ours, theirs = standing.mean(half, OURS), standing.mean(half, best)
        found = [standing.against(name, best) for name in sets if len(standing.values(name, best))]
        results = Counter(one.result for one in found)
        yield (
            f"Best plain baseline: {best}, mean {theirs:.3f}; ours {ours:.3f}. "
            f"{results['win']} wins, {results['tie']} ties, {results['loss']} losses."
        )
        worse = [name for name, one in zip(sets, found, strict=False) if one.is_worse]
        if worse:
            yield f"Below it by more than 3 points beyond two standard errors: {', '.join(worse)}."
        else:
            yield "On no data set below it by more than 3 points beyond two standard errors."
    failed = [key for key in standing.problems if any(f'"{name}"' in key for name in sets)]
    if failed:
        yield f"{len(failed)} draws have no result: {reason_of(standing.problems[failed[0]])}"


def _summarise(standings: Sequence[Standing]) -> list[str]:
    lines: list[tuple[str, list[Cell | str]]] = []
    for standing in standings:
        best = standing.best_baseline
        if best is None or not standing.sets("test"):
            continue
        found = [standing.against(name, best) for name in standing.sets("test")]
        results = Counter(one.result for one in found)
        means = [Cell(standing.mean("test", method), digits=3) for method in (OURS, best)]
        counts = f"{results['win']} / {results['tie']} / {results['loss']}"
        worse = str(sum(one.is_worse for one in found))
        lines.append((standing.regime.title, [standing.regime.metric, *means, best, counts, worse]))
    if not lines:
        return []
    columns = ("metric", "ours", "baseline", "best plain baseline", "wins / ties / losses", "much worse")
    return list(write_blocks([Table(columns, lines, "On the test half")]))


def _table(standing: Standing, half: str, metric: str) -> Table:
    methods = standing.methods
    lines = []
    for name in standing.sets(half):
        lines.append((name, [_cell(standing.values(name, method, metric)) for method in methods]))
    means = [Cell(standing.mean(half, method, metric), digits=3) for method in methods]
    return Table(tuple(methods), [*lines, ("mean", means)], metric)


def _cell(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Cell | str:
    if len(values) == 0:
        return ""
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    return Cell(float(values.mean()), spread=spread, digits=3)
