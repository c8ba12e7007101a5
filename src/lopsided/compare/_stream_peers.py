"""Learners of other packages that filter a stream by what they show."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.linear_model import SGDClassifier


class StreamTask(NamedTuple):
    """A stream of rows, and the seed of what a method draws."""

    X: Any
    y: NDArray[np.int64]
    is_text: bool
    seed: int


class Shown(NamedTuple):
    """Scores by which rows were ranked, and which were shown."""

    scores: Any
    show: NDArray[np.bool_]
    n_labels: int


class RowLearner(Protocol):
    """A learner of another package, as a stream uses it: it scores one row, then learns it."""

    def read(self, row: Any) -> Any:
        """Return a row in the form that the package takes."""
        ...

    def score(self, row: Any) -> float:
        """Return a number above 0 where the row, as `read` returned it, is to be shown."""
        ...

    def learn(self, row: Any, label: int) -> None:
        """Learn one row, as `read` returned it, whose label is 1 or 0."""
        ...


def filter_by(learner: RowLearner, task: StreamTask) -> Shown:
    """Filter a stream by a learner; until the first positive everything is shown, and nothing is learned."""
    scores, show, started = np.zeros(len(task.y)), np.zeros(len(task.y), dtype=bool), False
    for i in range(len(task.y)):
        row = learner.read(task.X[i : i + 1])
        scores[i] = learner.score(row) if started else 0.0
        show[i] = not started or scores[i] > 0
        if show[i] and (started or task.y[i] == 1):
            learner.learn(row, int(task.y[i]))
            started = True
    return Shown(scores, show, int(show.sum()))


class SGD:
    """Scikit-learn's linear model."""

    def __init__(self, seed: int, settings: Mapping[str, Any]) -> None:
        self._model = SGDClassifier(shuffle=False, random_state=seed, **settings)

    def read(self, row: Any) -> Any:
        """Return the row."""
        return row

    def score(self, row: Any) -> float:
        """Return its decision."""
        return float(self._model.decision_function(row)[0])

    def learn(self, row: Any, label: int) -> None:
        """Learn the row."""
        self._model.partial_fit(row, [label], classes=[0, 1])


class River:
    """A linear model of river."""

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        self._model = getattr(import_module("river.linear_model"), name)(**settings)

    def read(self, row: Any) -> dict[int, float]:
        """Return the cells by column."""
        return _cells(row)

    def score(self, row: dict[int, float]) -> float:
        """Return its probability less one half."""
        return float(self._model.predict_proba_one(row).get(True, 0.5)) - 0.5

    def learn(self, row: dict[int, float], label: int) -> None:
        """Learn the row."""
        self._model.learn_one(row, bool(label))


class VowpalWabbit:
    """A linear model of Vowpal Wabbit with the hinge loss."""

    def __init__(self, settings: str = "") -> None:
        self._machine = import_module("vowpalwabbit").Workspace(
            f"--loss_function hinge --bit_precision 20 --quiet {settings}"
        )

    def read(self, row: Any) -> str:
        """Return the cells as text."""
        return "| " + " ".join(f"{column}:{value:.6g}" for column, value in _cells(row).items())

    def score(self, row: str) -> float:
        """Return its margin."""
        return float(self._machine.predict(row))

    def learn(self, row: str, label: int) -> None:
        """Learn the row."""
        self._machine.learn(f"{1 if label else -1} {row}")


VW_STEPS_OF_1 = "--sgd --learning_rate 1 --power_t 0 --noconstant"


def build_river(name: str, **settings: Any) -> Callable[[StreamTask], Shown]:
    """Return a method that filters by a linear model of river."""
    return lambda task: filter_by(River(name, settings), task)


def build_vw(settings: str = "") -> Callable[[StreamTask], Shown]:
    """Return a method that filters by Vowpal Wabbit."""
    return lambda task: filter_by(VowpalWabbit(settings), task)


def build_sgd(**settings: Any) -> Callable[[StreamTask], Shown]:
    """Return a method that filters by scikit-learn's linear model."""
    return lambda task: filter_by(SGD(task.seed, settings), task)


def _cells(row: Any) -> dict[int, float]:
    """Return the cells of one row by column; of a sparse row, those that are not zero."""
    if issparse(row):
        return dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
    return dict(enumerate(np.ravel(row).tolist()))
