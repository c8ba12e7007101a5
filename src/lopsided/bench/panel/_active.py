"""Three hundred labels of a rare class, asked for one by one."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from lopsided.bench.panel._sets import read_wanted
from lopsided.compare._method import ComparedMethod, SplitScores, split, time_and_judge
from lopsided.svm import LASVC, LASVCCV

N_LABELS = 300
_BATCH = 10  # labels that logistic regression asks for between two fits


class AskingTask(NamedTuple):
    """Rows that can be asked about, the two whose labels are known, and rows to judge."""

    X: Any
    y: NDArray[np.int64]
    first: NDArray[np.intp]
    """One row of either class."""
    X_test: Any
    is_text: bool
    seed: int


def evaluate(data_set: str, method: str, seed: int) -> SplitScores:
    """Ask for labels of one draw and return the scores of a method."""
    data = read_wanted(data_set)
    train, test = split(data.is_wanted, seed)
    y = data.is_wanted[train].astype(np.int64)
    rng = np.random.default_rng(seed)
    first = np.array([rng.choice(np.flatnonzero(y == label)) for label in (0, 1)])
    X = data.rows.X
    task = AskingTask(X[train], y, first, X[test], data.rows.is_text, seed % 2**32)
    return time_and_judge(METHODS[method], method, task, data.is_wanted[test], seed, N_LABELS)


def _lasvc(task: AskingTask) -> Any:
    model = LASVC(
        kernel="linear" if task.is_text else "rbf",
        selection="active",
        max_labels=N_LABELS,
        random_state=task.seed,
    )
    return model.fit(task.X, task.y, first=task.first).decision_function(task.X_test)


def _searched(task: AskingTask) -> Any:
    model = LASVCCV(max_labels=N_LABELS, random_state=task.seed)
    return model.fit(task.X, task.y, first=task.first).decision_function(task.X_test)


def _logistic(task: AskingTask, *, uncertain: bool) -> Any:
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    rng = np.random.default_rng(task.seed)
    asked = np.zeros(len(task.y), dtype=bool)
    asked[task.first] = True
    while True:
        model.fit(task.X[asked], task.y[asked])
        left = np.flatnonzero(~asked)
        n = min(_BATCH, N_LABELS - int(asked.sum()), len(left))
        if n == 0:
            return model.decision_function(task.X_test)
        if uncertain:
            distance = np.abs(model.decision_function(task.X[left]))
            asked[left[np.argsort(distance, kind="stable")[:n]]] = True
        else:
            asked[rng.choice(left, n, replace=False)] = True


METHODS: dict[str, ComparedMethod] = {
    "LASVCCV": ComparedMethod(_searched),
    "LASVC, active": ComparedMethod(_lasvc),
    "LogisticRegression, uncertainty": ComparedMethod(
        lambda task: _logistic(task, uncertain=True), ours=False
    ),
    "LogisticRegression, random": ComparedMethod(lambda task: _logistic(task, uncertain=False), ours=False),
}
