"""Units of work on the paper's streams: each is a function of names, a method and a seed."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lopsided.experiments import SEEDS, Ask, Extent, Grid, Measurements, seeds
from lopsided.feedback import run_stream
from lopsided.metrics import Counts, roc_auc_score
from lopsided.papers.sculley_2007.data import TUNING, load
from lopsided.papers.sculley_2007.methods import GRIDS, LEARNERS, Method, candidates, feedback_on, make_filter
from lopsided.runs import Work

N_TUNING = 2  # runs with each parameter on the tuning stream


@dataclass(frozen=True)
class StreamSize:
    """The number of items of a stream, and the share of positives among them."""

    stream: str
    n: int
    positive_rate: float


def measure(stream: str, n_items: int | None = None) -> StreamSize:
    """Count the items of a stream, or of its beginning."""
    y = load(stream, n_items).y
    return StreamSize(stream, len(y), float(y.mean()))


@dataclass(frozen=True)
class Replay:
    """The result of one replay of a stream."""

    stream: str
    method: Method
    seed: int
    counts: Counts
    auc: float
    n_labels: int
    n_explored: int
    n_found: int
    """Explored items that were positive."""
    n_updates: int
    silent_counts: Counts
    """The counts among items whose label was never revealed."""
    silent_auc: float


def run(stream: str, method: Method, seed: int, n_items: int | None = None) -> Replay:
    """Replay a stream, or its beginning, through a method."""
    items = load(stream, n_items)
    feedback = feedback_on(items, method.variant)
    report = run_stream(make_filter(method, seed), items.X, items.y, feedback=feedback)
    silent = ~report.revealed
    y, show = report.y[silent], report.show[silent]
    return Replay(
        stream=stream,
        method=method,
        seed=seed,
        counts=Counts(report.tp, report.fp, report.fn, report.tn),
        auc=report.roc_auc,
        n_labels=report.n_labels,
        n_explored=report.n_explored,
        n_found=report.n_explored_positive,
        n_updates=report.n_updates,
        silent_counts=Counts.from_predictions(y, show) if len(y) else Counts(),
        silent_auc=roc_auc_score(y, report.score[silent]) if 0 < y.sum() < len(y) else math.nan,
    )


def scores(replay: Replay) -> list[tuple[dict[str, str], dict[str, float]]]:
    """Return scores in percent and counts; ``silent_`` are items whose label was never revealed."""
    counts, method = replay.counts, replay.method
    at = {"learner": method.learner, "variant": method.variant, "name": method.name}
    values = {
        **{f"f{beta}": 100 * counts.f(beta) for beta in (1, 2, 3, 4)},
        "recall": 100 * counts.recall(),
        "precision": 100 * counts.precision(),
        "fn": counts.fn,
        "fp": counts.fp,
        "positive_rate": counts.n_positive / counts.n,
        "auc": 100 * replay.auc,
        "labels": replay.n_labels,
        "explored": replay.n_explored,
        "found": replay.n_found,
        "silent_f1": 100 * replay.silent_counts.f(),
        "silent_auc": 100 * replay.silent_auc,
    }
    return [(at, values)]


def best_of_grid(t: Measurements) -> Measurements:
    """Return, for each stream, learner and variant, the bias or cost with the highest mean F1."""
    return t.best("method", "f1", within=("stream", "learner", "variant"))


def is_needed(method: Method, seed: int, **_: object) -> bool:
    """Return whether a run tells anything new: what does not draw is run once."""
    return method.draws or seed == seeds(1)[0]


def tuning(variants: Iterable[str] = tuple(GRIDS)) -> Grid:
    """Return the runs on the tuning stream of those of the variants that have a parameter."""
    methods = [
        method
        for variant in variants
        if variant in GRIDS
        for learner in LEARNERS
        for method in candidates(learner, variant)
    ]
    return Grid(run, stream=(TUNING,), method=methods, seed=SEEDS.first(N_TUNING), where=is_needed)


def tuned(variants: Iterable[str]) -> Callable[[Extent, Ask], list[Method]]:
    """Return an axis of all learners with the variants, each at its best on the tuning stream."""

    def choose(extent: Extent, ask: Ask) -> list[Method]:
        tried = tuning(variants).measure(extent, ask, scores)
        best = tried.best("method", "f1", within=("learner", "variant")).labels("method")
        found = {(method.learner, method.variant): method for method in best}
        return [
            found.get((learner, variant), Method(learner, variant))
            for learner in LEARNERS
            for variant in variants
        ]

    return choose


WORK = Work(
    "lopsided.reproduce.sculley_2007",
    {"Counts": Counts, "Method": Method, "Outcome": Replay, "Size": StreamSize},
)
