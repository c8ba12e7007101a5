"""The simulation page: the labels of the project replayed with several strategies, and with ASReview."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from lopsided.screening import STRATEGIES, simulate
from lopsided.screening._asreview import simulate_asreview
from lopsided.text import Record
from lopsided.web._access import INTENDED, Asks
from lopsided.web._computed import Computer
from lopsided.web._curve import draw_recalls
from lopsided.web._desk import Desk
from lopsided.web._plan import describe_plan, stop_plan
from lopsided.web._templates import render

router = APIRouter()
FEWEST = 10  # labeled items of either kind
_N_SEEDS = 2
_MOST = 3000  # labeled items that are replayed


class StrategyResult(NamedTuple):
    """The cost of a strategy."""

    name: str
    n_labels: int | None
    saved: float
    stops: list[tuple[str, int, float]]


class ReplayedLabels(NamedTuple):
    """The result of a simulation, as the page shows it."""

    n_items: int
    n_relevant: int
    plan: str
    asreview: str
    results: list[StrategyResult]
    picture: Any


@router.get("/simulate")
def show_simulation(request: Request, visitor: Asks) -> Response:
    """Show what each strategy would have cost, once somebody has asked for it."""
    desk: Desk = request.app.state.desk
    meanings = desk.votes.meanings()
    n_relevant = sum(meanings.values())
    return render(
        request,
        "simulate",
        title="Simulate",
        visitor=visitor,
        computed=_computer(request).last(),
        asreview=request.app.state.asreview,
        n_relevant=n_relevant,
        n_others=len(meanings) - n_relevant,
        fewest=FEWEST,
        most=_MOST,
    )


@router.post("/simulate", dependencies=[INTENDED])
def start_simulation(request: Request, visitor: Asks) -> Response:
    """Replay the labels as they are now."""
    desk: Desk = request.app.state.desk
    meanings = desk.votes.meanings()
    n_relevant = sum(meanings.values())
    if min(n_relevant, len(meanings) - n_relevant) >= FEWEST:
        computer = _computer(request)
        computer.get(desk.store.n_events)
        computer.wait(1.0)
    return RedirectResponse("/simulate", 303)


def _computer(request: Request) -> Computer:
    desk: Desk = request.app.state.desk
    asreview = request.app.state.asreview
    return desk.computer("simulate", lambda: _replay(desk, asreview))


def _replay(desk: Desk, asreview: tuple[Path, str] | None) -> ReplayedLabels:
    labeled = list(desk.votes.meanings().items())[:_MOST]
    items = [desk.store.item(item) for item, _ in labeled]
    records = [Record(item.key, item.title, item.text, item.fields) for item in items]
    truth = np.array([relevant for _, relevant in labeled])
    plan = stop_plan(desk.store.project)
    simulation = simulate(records, truth, strategies=list(STRATEGIES), seeds=_N_SEEDS, plan=plan)
    version = ""
    if asreview is not None:
        beside = simulation.of(simulation.strategies[0])
        version, runs = simulate_asreview(asreview[0], records, truth.tolist(), beside)
        simulation = simulation._replace(runs=(*simulation.runs, *runs))
    results = []
    for name in simulation.strategies:
        runs = simulation.of(name)
        needed = [n for run in runs if (n := run.labels_to()) is not None]
        stops = [
            (
                rule,
                round(float(np.mean([stop.n_labels for stop in found]))),
                float(np.mean([stop.recall for stop in found])),
            )
            for rule in dict.fromkeys(stop.rule for run in runs for stop in run.stops)
            if (found := [stop for run in runs for stop in run.stops if stop.rule == rule])
        ]
        saved = float(np.mean([run.work_saved() for run in runs]))  # NaN where a run did not get there
        n_labels = round(float(np.mean(needed))) if needed else None
        results.append(StrategyResult(name, n_labels, saved, stops))
    first = {name: simulation.of(name)[0].recall() for name in simulation.strategies}
    n_relevant = int(truth.sum())
    return ReplayedLabels(
        len(labeled), n_relevant, describe_plan(plan), version, results, draw_recalls(first)
    )
