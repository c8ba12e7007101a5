"""The page of the panel, and its lines for a terminal."""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from lopsided.bench.panel._sets import HALVES, call_set
from lopsided.bench.panel._standing import OURS, Standing
from lopsided.bench.panel.found import FindingResults, write_section
from lopsided.report import Block, Cell, Table, Text
from lopsided.report._markdown import escape, write_blocks
from lopsided.runs import reason_of

_ABOUT = {
    "tune": "Defaults were changed by what they did on these data sets.",
    "test": "No default was changed by what it did on these data sets.",
}
_INTRODUCTION = (
    "The panel compares our defaults with what a user of scikit-learn would try first. Every method sees "
    "the same draws of each data set, with the parameters it comes with; its name says what else was set. "
    "The data sets were split by name into two halves, *tune* and *test*, before anything was measured "
    "([sets.toml](../src/lopsided/bench/panel/sets.toml)). Defaults were chosen on *tune* and are judged on "
    "*test*.",
    "The test half was looked at when results were written down: for rules and for 300 labels once, then for "
    "all regimes together. No default was changed after its regime was looked at; what was changed later are "
    "messages, bounds and names, which change no prediction and no score. In the one-sided regime stronger "
    "peers and a stronger baseline were added later (those without an intercept, and Vowpal Wabbit), our "
    "default being as it was.",
    "The *best plain baseline* of a regime is the plain method with the best mean on *tune*. A win or a "
    "loss is a mean difference of more than two standard errors over the same draws; everything else is a "
    "tie. The *must* of a regime is met if the mean of our default on *test* is not below that of the best "
    "plain baseline, and on no data set below it by more than 3 points beyond two standard errors. The "
    "*aim* is a mean above that of every peer: methods of other packages that are installed. In the tables "
    "a number is the mean of the draws of a data set, ± their standard deviation; the last line is the mean "
    "over the data sets.",
)


def write_page(
    standings: Sequence[Standing], command: str, versions: str, found: FindingResults | None = None
) -> str:
    """Return the page in Markdown."""
    parts = [
        "# The panel: our defaults beside plain baselines",
        *_INTRODUCTION,
        f"Command: `{command}`. With {versions}.",
        *_summarise(standings),
    ]
    for standing in standings:
        parts += [f"## {standing.regime.title}", escape(standing.regime.protocol)]
        for half in HALVES:
            if standing.sets(half):
                parts += [f"### {standing.regime.title}: {half}", _ABOUT[half]]
                parts += list(write_blocks(blocks_of(standing, half)))
    parts += [] if found is None else write_section(found)
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
    if len(used) == 1:
        yield f"Ours is {next(iter(used))}."
    else:
        yield "Ours is " + ", ".join(f"{name} on {n} data sets" for name, n in used.items()) + "."
    if best is not None:
        ours, theirs = standing.mean(half, OURS), standing.mean(half, best)
        results = standing.results(half, best)
        yield (
            f"Best plain baseline: {best}, mean {theirs:.3f}; ours {ours:.3f}. "
            f"Wins / ties / losses: {results['win']} / {results['tie']} / {results['loss']}."
        )
        worse = standing.much_worse(half, best)
        if worse:
            named = ", ".join(map(call_set, worse))
            yield f"Ours is below it by more than 3 points beyond two standard errors on {named}."
        else:
            yield "On no data set is ours below it by more than 3 points beyond two standard errors."
    peer = standing.best_peer(half)
    if peer is not None:
        yield f"Best peer: {peer}, mean {standing.mean(half, peer):.3f}."
    failed = [key for key in standing.problems if any(f'"{name}"' in key for name in sets)]
    if failed:
        yield f"{len(failed)} draws have no result: {reason_of(standing.problems[failed[0]])}"


def _summarise(standings: Sequence[Standing]) -> list[str]:
    lines: list[tuple[str, list[Cell | str]]] = []
    for standing in standings:
        best, peer = standing.best_baseline, standing.best_peer("test")
        if best is None or not standing.sets("test"):
            continue
        ours, theirs = standing.mean("test", OURS), standing.mean("test", best)
        results = standing.results("test", best)
        worse = len(standing.much_worse("test", best))
        cells: list[Cell | str] = [
            standing.regime.metric,
            Cell(ours, digits=3),
            Cell(theirs, note=best, digits=3),
            f"{results['win']} / {results['tie']} / {results['loss']}",
            str(worse),
            _say(ours >= theirs and not worse),
        ]
        if peer is None:
            cells += ["no peer", ""]
        else:
            mean = standing.mean("test", peer)
            cells += [Cell(mean, note=peer, digits=3), _say(ours > mean)]
        lines.append((standing.regime.title, cells))
    if not lines:
        return []
    columns = (
        "metric",
        "ours",
        "best plain baseline",
        "wins / ties / losses",
        "below by more than 3 points",
        "must met",
        "best peer",
        "aim met",
    )
    return ["## Summary: the test half", *write_blocks([Table(columns, lines)])]


def _say(is_met: bool) -> str:
    return "yes" if is_met else "no"


def _table(standing: Standing, half: str, metric: str) -> Table:
    methods = standing.methods
    lines = []
    for name in standing.sets(half):
        lines.append((call_set(name), [_cell(standing.values(name, method, metric)) for method in methods]))
    means = [Cell(standing.mean(half, method, metric), digits=3) for method in methods]
    title = f"{metric[0].upper()}{metric[1:]}, {_count_draws(standing, half)} draws of each data set"
    return Table(tuple(methods), [*lines, ("mean", means)], title)


def _count_draws(standing: Standing, half: str) -> int:
    return max(len(standing.values(name, OURS)) for name in standing.sets(half))


def _cell(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Cell | str:
    if len(values) == 0:
        return ""
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    return Cell(float(values.mean()), spread=spread, digits=3)
