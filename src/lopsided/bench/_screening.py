"""T11, T11b, T11c: labels to 95 % recall, the time of a question, and the page with 100,000 records.

ASReview's default stands beside ours. It runs in an environment of its own, whose Python the variable
LOPSIDED_ASREVIEW names. Without one its figures are those of an earlier run of version 3.0.8 on a 2-core
machine (docs/screening.md); those of its page always are. The variable LOPSIDED_BENCH_RECORDS sets the number
of records of the page; ASReview's figures are for 100,000.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lopsided.bench._measure import Quality, Row, Timed
from lopsided.bench._served import ServedFigures, measure_page
from lopsided.datasets import fetch_reuters21578, fetch_screening
from lopsided.screening import simulate
from lopsided.screening._asreview import simulate_asreview
from lopsided.screening._simulate import SimulatedRun
from lopsided.text import Record

_N_SEEDS, _N_PEER_SEEDS = 5, 2
# Labels to 95 % recall that ASReview 3.0.8 needed: one seed a topic, the mean of two a review
_TOPICS = {"ship": 312, "interest": 705, "wheat": 269, "gold": 125, "coffee": 128, "sugar": 156}
_REVIEWS = {
    "adhd": (232.0, 851),
    "beta-blockers": (455.5, 2072),
    "calcium-channel-blockers": (654.0, 1218),
    "estrogens": (212.0, 368),
    "nsaids": (88.0, 393),
    "oral-hypoglycemics": (400.0, 503),
    "triptans": (259.5, 671),
}
_SECONDS_A_LABEL = 0.0675
# Seconds of ASReview's page with 100,000 records, then how many times faster ours must be and should be
_CREATED, _FIRST_MODEL, _NEXT = (30.0, 3, 6), (143.0, 28.6, 143), (0.326, 3.26, 10.9)
_N_RECORDS = 100_000
_PAGE = ("fastapi", "uvicorn", "sqlalchemy", "alembic", "argon2", "python_multipart")


class ScreeningProblem(NamedTuple):
    name: str
    records: list[Record]
    relevant: Any


def rows() -> Iterator[Row]:
    """Yield the rows, which read their data when they are measured."""
    python = os.environ.get("LOPSIDED_ASREVIEW")
    peer = (
        "ASReview's default, a question" if python else "ASReview 3.0.8's default as it was measured earlier"
    )
    yield Row(
        "T11",
        f"a question, six topics of Reuters (9,603 stories) screened to 95 % recall, {_N_SEEDS} seeds",
        peer,
        ours=lambda: _ours(_topics()),
        peer=lambda: _peer(python, _topics(), {name: float(n) for name, n in _TOPICS.items()}),
        must=10,
        aim=50,
        repeats=1,
        quality=_labels,
    )
    recorded = {name: (n - k) / n - 0.05 for name, (k, n) in _REVIEWS.items()}
    yield Row(
        "T11b",
        f"a question, seven drug-class reviews screened to 95 % recall, {_N_SEEDS} seeds",
        peer,
        ours=lambda: _ours(_reviews(), saved=True),
        peer=lambda: _peer(python, _reviews(), recorded, saved=True),
        repeats=1,
        quality=_saved,
    )
    yield from _page_rows(int(os.environ.get("LOPSIDED_BENCH_RECORDS", _N_RECORDS)))


def _page_rows(n: int) -> Iterator[Row]:
    """Yield the rows of the page, whose figures come from one run."""

    @cache
    def figures() -> ServedFigures:
        return measure_page(n)

    def row(
        name: str, work: str, ours: Callable[[ServedFigures], float], peer: tuple[float, float, float]
    ) -> Row:
        seconds, must, aim = peer
        return Row(
            f"T11c {name}",
            work,
            "ASReview 3.0.8's page with 100,000 records as it was measured earlier",
            ours=lambda: Timed(ours(figures()), figures()),
            peer=lambda: Timed(seconds),
            must=must,
            aim=aim,
            repeats=1,
            quality=lambda found, _: Quality(_describe(found), good=True),
            needs=_PAGE,
        )

    yield row("created", f"a table of {n:,} records imported by the page", lambda f: f.created, _CREATED)
    yield row("model", "from then to the first question of a model", lambda f: f.first_model, _FIRST_MODEL)
    work = "the next record after an answer, 95th percentile of 100 over HTTP, against the median"
    yield row("next", work, lambda f: float(np.quantile(f.answers, 0.95)), _NEXT)


def _describe(found: ServedFigures) -> str:
    median, late = 1000 * np.quantile(found.answers, [0.5, 0.95])
    memory = "not known" if found.peak is None else f"{found.peak / 2**30:.2f} GiB"
    cpu = "not known" if found.cpu is None else f"{found.cpu:.0f} s"
    return (
        f"created {found.created:.1f} s, first model {found.first_model:.1f} s, next record {median:.0f} ms "
        f"(95th percentile {late:.0f} ms), screening page {1000 * found.page:.0f} ms, first record after a "
        f"restart {found.restarted:.1f} s, peak memory {memory}, processor time {cpu}, load of the machine "
        f"{found.load:.1f}"
    )


def _topics() -> list[ScreeningProblem]:
    stories = fetch_reuters21578(subset="train")
    parts = [text.partition("\n") for text in stories.data]
    records = [Record(str(i), title, body) for i, (title, _, body) in enumerate(parts)]
    target, names = stories.target.tocsc(), list(stories.target_names)
    return [
        ScreeningProblem(topic, records, target[:, [names.index(topic)]].toarray().ravel() > 0)
        for topic in _TOPICS
    ]


def _reviews() -> list[ScreeningProblem]:
    problems = []
    for name in _REVIEWS:
        review = fetch_screening(name)
        columns = zip(review.ids, review.titles, review.abstracts, review.keywords, strict=True)
        records = [Record(str(id), title, text, {"keywords": words}) for id, title, text, words in columns]
        problems.append(ScreeningProblem(name, records, review.included == 1))
    return problems


def _ours(problems: list[ScreeningProblem], *, saved: bool = False) -> Timed:
    found = {p.name: simulate(p.records, p.relevant, seeds=_N_SEEDS, until="recall").runs for p in problems}
    return _timed(found, saved)


def _peer(
    python: str | None, problems: list[ScreeningProblem], recorded: dict[str, float], *, saved: bool = False
) -> Timed:
    if not python:
        return Timed(_SECONDS_A_LABEL, recorded)
    found = {}
    for p in problems:
        beside = simulate(p.records, p.relevant, seeds=_N_PEER_SEEDS, until="recall", max_labels=2).runs
        found[p.name] = simulate_asreview(Path(python), p.records, p.relevant, beside)[1]
    return _timed(found, saved)


def _timed(found: dict[str, Any], saved: bool) -> Timed:
    """Return the mean time of a question, and the mean labels or work saved of each problem."""
    measure: Callable[[SimulatedRun], Any] = SimulatedRun.work_saved if saved else SimulatedRun.labels_to
    seconds = float(np.mean([run.seconds_a_label for runs in found.values() for run in runs]))
    return Timed(
        seconds, {name: float(np.mean([measure(run) for run in runs])) for name, runs in found.items()}
    )


def _labels(ours: dict[str, float], peer: dict[str, float]) -> Quality:
    figures = ", ".join(f"{name} {ours[name]:.0f} {peer[name]:.0f}" for name in ours)
    means = [float(np.mean(list(side.values()))) for side in (ours, peer)]
    return Quality(
        f"labels, ASReview's behind: {figures}; mean {means[0]:.0f} {means[1]:.0f}", means[0] <= means[1]
    )


def _saved(ours: dict[str, float], peer: dict[str, float]) -> Quality:
    figures = ", ".join(f"{name} {ours[name]:.2f} {peer[name]:.2f}" for name in ours)
    means = [float(np.mean(list(side.values()))) for side in (ours, peer)]
    return Quality(
        f"work saved, ASReview's behind: {figures}; mean {means[0]:.3f} {means[1]:.3f}", means[0] >= means[1]
    )
