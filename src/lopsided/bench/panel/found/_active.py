"""Three hundred labels of a rare class in a table, and when asking stops."""

from functools import partial

import numpy as np

from lopsided.bench.panel._active import METHODS, AskingTask
from lopsided.bench.panel.found._table import (
    Finding,
    FoundColumn,
    FoundTable,
    Measured,
    count,
    least,
    mean,
    median,
)
from lopsided.compare._method import judge
from lopsided.datasets import make_lopsided
from lopsided.metrics import Counts
from lopsided.svm import LASVC

_N_RUNS = 20
_N_ROWS, _N_JUDGED = 4000, 4000
_SEPARATIONS = {"apart": 3.0, "overlapping": 2.0}


def _draw(separation: float, seed: int) -> tuple[AskingTask, np.ndarray]:
    """Return six numeric columns with 2 % positives, and which rows of the others are positive."""
    X, y = make_lopsided(_N_ROWS + _N_JUDGED, 6, 0.02, separation=separation, random_state=seed)
    rng = np.random.default_rng(seed)
    first = np.array([rng.choice(np.flatnonzero(y[:_N_ROWS] == label)) for label in (0, 1)])
    task = AskingTask(X[:_N_ROWS], y[:_N_ROWS], first, X[_N_ROWS:], False, seed % 2**32)
    return task, y[_N_ROWS:] == 1


def _ask(separation: float, method: str, seed: int) -> Measured:
    task, truth = _draw(separation, seed)
    counts = judge(method, seed, truth, METHODS[method].learn(task), 300, 0.0).counts
    g = counts.geometric_mean()
    return {"g": g, "low": float(g < 0.5)}


def _stop(stopping: str, row: str, seed: int) -> Measured:
    """Ask until the rule stops it, with positives weighted by their rarity, or not."""
    task, truth = _draw(_SEPARATIONS[row.partition(",")[0]], seed)
    weight = {1: 49.0} if row.endswith("weighted") else None
    model = LASVC(selection="active", stopping=stopping, class_weight=weight, random_state=task.seed)
    model.fit(task.X, task.y, first=task.first)
    counts = Counts.from_predictions(truth.astype(int), model.predict(task.X_test))
    return {
        "labels": float(model.n_labels_),
        "stopped": float(model.stop_reason_ == stopping),
        "g": counts.geometric_mean(),
    }


_ASKED = ("LASVCCV", "LASVC, active", "LogisticRegression, uncertainty")
_STOPPED = tuple(f"{name}{weight}" for name in _SEPARATIONS for weight in ("", ", weighted"))

FINDING = Finding(
    "A rare class, labels asked for",
    "One atypical first positive locked LASVC in: after 300 labels of a table of six numeric columns with 2 "
    "% positives its mean g was .813, and below .5 in one run of twenty; balanced logistic regression with "
    'uncertainty sampling had .875, and no such run. stopping="margin" stopped after 15, 39 and 214 labels '
    'in bad runs. With class weights and overlapping classes stopping="saturation" did not fire in two '
    "runs of three. The table was not kept; these are made of two normal classes, 3 (apart) or 2 "
    "(overlapping) standard deviations from each other, with 2 % positives among 4,000 rows.",
    {
        **{
            name: FoundTable(
                f"g-mean after 300 labels, six numeric columns, classes {name}",
                _ASKED,
                (
                    FoundColumn("g-mean", "g", mean()),
                    FoundColumn("lowest g-mean", "g", least()),
                    FoundColumn("runs below .5", "low", count),
                ),
                partial(_ask, separation),
                _N_RUNS,
            )
            for name, separation in _SEPARATIONS.items()
        },
        **{
            stopping: FoundTable(
                f'LASVC(selection="active", stopping="{stopping}") on the same 4,000 rows; weighted: a '
                "positive weighs 49",
                _STOPPED,
                (
                    FoundColumn("rule fired", "stopped", count),
                    FoundColumn("fewest labels", "labels", least(0)),
                    FoundColumn("median number of labels", "labels", median()),
                    FoundColumn("g-mean", "g", mean()),
                ),
                partial(_stop, stopping),
                _N_RUNS,
            )
            for stopping in ("margin", "saturation")
        },
    },
)
