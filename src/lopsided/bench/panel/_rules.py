"""A few readable rules, beside trees that are as short."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from lopsided.bench.panel._sets import read_wanted
from lopsided.boosting import LPUBoostStumps
from lopsided.boosting._short_list import learn_short_list
from lopsided.compare._method import ComparedMethod, SplitScores, split, time_and_judge

_N_RULES = 5


class RulesTask(NamedTuple):
    """Rows to learn rules from, and rows to judge."""

    X: Any
    """Presence of words, or numbers."""
    y: NDArray[np.int64]
    X_test: Any
    is_text: bool
    seed: int


def evaluate(data_set: str, method: str, seed: int) -> SplitScores:
    """Learn rules from one draw and return their scores."""
    data = read_wanted(data_set)
    train, test = split(data.is_wanted, seed)
    X = data.rows.presence if data.rows.is_text else data.rows.X
    y = data.is_wanted[train].astype(np.int64)
    task = RulesTask(X[train], y, X[test], data.rows.is_text, seed % 2**32)
    return time_and_judge(METHODS[method], method, task, data.is_wanted[test], seed, len(train))


def _find_rules(task: RulesTask) -> Any:
    kind = "presence" if task.is_text else "threshold"
    return learn_short_list(task.X, task.y == 1, kind, _N_RULES, task.seed).decision_function(task.X_test)


def _booster(task: RulesTask) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that no rule is found shows in the score
        return LPUBoostStumps().fit(task.X, task.y).decision_function(task.X_test)


def _tree(task: RulesTask, settings: Mapping[str, int]) -> Any:
    model = DecisionTreeClassifier(class_weight="balanced", random_state=task.seed, **settings)
    return model.fit(task.X, task.y).predict_proba(task.X_test)[:, 1] - 0.5


METHODS: dict[str, ComparedMethod] = {
    "find_rules, 5 rules": ComparedMethod(_find_rules),
    "LPUBoostStumps": ComparedMethod(_booster),
    "tree of depth 2, balanced": ComparedMethod(lambda task: _tree(task, {"max_depth": 2}), ours=False),
    "tree of 6 leaves, balanced": ComparedMethod(
        lambda task: _tree(task, {"max_leaf_nodes": _N_RULES + 1}), ours=False
    ),
}
