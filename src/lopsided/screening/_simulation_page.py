"""A simulation as tables and curves, for a terminal, a page or JSON."""

from typing import Any

import numpy as np

from lopsided.report import Block, Cell, Plot, Series, Table
from lopsided.report._json import plain
from lopsided.report._templates import group_blocks, render_page
from lopsided.screening._simulate import SimulatedRun, SimulatedScreening

_MOST_POINTS = 200  # of a curve


def blocks_of(simulation: SimulatedScreening) -> list[Block]:
    """Return what each strategy saved, when each stopping rule fired, and the recall curves."""
    return [_saved(simulation), *_stops(simulation), _curves(simulation)]


def page_of(simulation: SimulatedScreening, *, title: str, lead: str) -> str:
    """Return a page that needs no other file."""
    blocks = group_blocks(blocks_of(simulation), "simulate")
    return render_page("compare", title=title, lead=lead, blocks=blocks)


def plain_simulation(simulation: SimulatedScreening) -> dict[str, Any]:
    """Return plain values for JSON."""
    return {
        "n_items": simulation.n_items,
        "n_relevant": simulation.n_relevant,
        "work_saved_at_95": plain(simulation.work_saved_at_95()),
        "runs": [
            {
                "strategy": run.strategy,
                "seed": run.seed,
                "n_labels": len(run.rows),
                "labels_to_95": run.labels_to(),
                "work_saved_at_95": plain(np.float64(run.work_saved())),
                "seconds_a_label": plain(np.float64(run.seconds_a_label)),
                "stops": [stop._asdict() for stop in run.stops],
                "checkpoints": [checkpoint._asdict() for checkpoint in run.checkpoints],
                "found": np.cumsum(run.relevant).tolist(),
            }
            for run in simulation.runs
        ],
    }


def _saved(simulation: SimulatedScreening) -> Table:
    lines = []
    for name in simulation.strategies:
        runs = simulation.of(name)
        lines.append(
            (
                name,
                [
                    _mean([run.labels_to() for run in runs], 0),
                    _mean([run.work_saved() for run in runs], 3),
                    _mean([1000 * run.seconds_a_label for run in runs], 1),
                ],
            )
        )
    columns = ("labels to 95 % recall", "work saved at 95 %", "ms a question")
    return Table(columns, lines, title="Work saved")


def _stops(simulation: SimulatedScreening) -> list[Table]:
    lines: list[tuple[str, list[Cell | str]]] = []
    for name in simulation.strategies:
        runs = simulation.of(name)
        for rule in dict.fromkeys(stop.rule for run in runs for stop in run.stops):
            fired = [stop for run in runs for stop in run.stops if stop.rule == rule]
            lines.append(
                (
                    f"{name}: {rule}",
                    [
                        f"{len(fired)} of {len(runs)}",
                        _mean([stop.n_labels for stop in fired], 0),
                        _mean([stop.recall for stop in fired], 3),
                    ],
                )
            )
    columns = ("fired in", "labels", "recall there")
    return [Table(columns, lines, title="When each stopping rule fires")] if lines else []


def _curves(simulation: SimulatedScreening) -> Plot:
    marks = [
        (float(np.mean([stop.n_labels for stop in fired])), rule) for rule, fired in _first_stops(simulation)
    ]
    series = [_band(name, simulation.of(name)) for name in simulation.strategies]
    return Plot(series, x="labels", y="recall", title="Recall against labels spent", marks=marks)


def _first_stops(simulation: SimulatedScreening) -> list[tuple[str, list[Any]]]:
    """Return where the rules fired under the first strategy, in all seeds."""
    runs = simulation.of(simulation.strategies[0])
    rules = dict.fromkeys(stop.rule for run in runs for stop in run.stops)
    return [(rule, [stop for run in runs for stop in run.stops if stop.rule == rule]) for rule in rules]


def _band(name: str, runs: list[SimulatedRun]) -> Series:
    """Return the mean recall over the seeds, with its standard deviation."""
    longest = max(len(run.rows) for run in runs)
    x = np.unique(np.linspace(1, longest, min(longest, _MOST_POINTS)).astype(int))
    curves = np.array([run.recall()[np.minimum(x, len(run.rows)) - 1] for run in runs])
    spread = curves.std(axis=0).tolist() if len(runs) > 1 else ()
    return Series(name, x.tolist(), curves.mean(axis=0).tolist(), spread=spread)


def _mean(values: list[Any], digits: int) -> Cell:
    known = [value for value in values if value is not None]
    if not known:
        return Cell(None, digits=digits)
    spread = float(np.std(known)) if len(known) > 1 else None
    return Cell(float(np.mean(known)), spread=spread, digits=digits)
