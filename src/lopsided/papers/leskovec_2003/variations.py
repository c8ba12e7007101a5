"""Variations that a fair reader would try where we fail: costs, tolerances, vertices of the optimum."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from sklearn.svm import SVC

from lopsided.boosting._ensemble import Ensemble
from lopsided.metrics import Counts
from lopsided.papers.leskovec_2003.data import PRESENCE, TFIDF, CategoryTask, Part, draw, load
from lopsided.papers.leskovec_2003.methods import N_ROUNDS, SVM, Setting, boosted
from lopsided.papers.leskovec_2003.units import count
from lopsided.runs import Work

C, COST, TOLERANCE, VERTEX = "C", "cost of positives", "tolerance", "vertex"
_AS_GOOD = 1e-6  # less than the optimum: the tolerance with which LPBoost stops


@dataclass(frozen=True)
class VariedRun:
    """The scores of one setting on one category when one thing about it was changed."""

    validation: Counts
    """Counts of the documents held out; zeros where there are none."""
    test: Counts
    n_rounds: int


def vary(
    category: str, part: Part, setting: Setting, change: str, value: float, n_rounds: int = N_ROUNDS
) -> VariedRun:
    """Learn a category in one setting with one change.

    Those of the SVM are ``C`` and ``COST``, the cost of a positive in shares of the class ratio. Those of
    boosters are ``TOLERANCE`` and ``VERTEX``: 1 for the optimum with the largest margin on positives, 0 for
    that of the solver.
    """
    task, stories = draw(category, part), load(TFIDF if setting.method == SVM else PRESENCE)
    X, has, X_test, has_test = stories.one_topic(category)
    rounds = 0
    if setting.method == SVM:
        cost = value * float(np.mean(task.signs < 0) / np.mean(task.signs > 0)) if change == COST else 1.0
        machine = SVC(kernel="linear", C=value if change == C else 1.0, class_weight={1: cost})
        scores = machine.fit(X[task.rows], task.signs).decision_function
    else:
        how = {"tol": value} if change == TOLERANCE else {}
        ensemble = boosted(task, setting, n_rounds, **how)
        if change == VERTEX and value:
            ensemble.weights[-1] = best_vertex(ensemble, task, X[task.rows], setting)
        scores, rounds = ensemble.scores, len(ensemble.members)
    validation = count(has[task.held_out], scores(X[task.held_out])) if len(task.held_out) else Counts()
    return VariedRun(validation, count(has_test, scores(X_test)), rounds)


def best_vertex(ensemble: Ensemble, task: CategoryTask, X: Any, setting: Setting) -> NDArray[np.float64]:
    """Return the weights with the largest mean margin on positives among those that are optimal.

    Optimal are those whose soft margin is that of LPBoost, by a second linear program over its rules:

        max_a  mean_{y_i=+1} f_a(x_i)   s.t.  rho - sum_i d_i xi_i >= B - 1e-6,
                                              y_i f_a(x_i) + xi_i >= rho,  sum_j a_j = 1,  a, xi >= 0
    """
    says = np.column_stack([member.says(X) for member in ensemble.members])
    # Rows of one class about which all rules agree share their slack.
    groups, n = np.unique(np.column_stack([task.signs, says]), axis=0, return_counts=True)
    signs, says = groups[:, :1], groups[:, 1:]
    slack = n / (setting.nu * len(task.signs)) * np.where(signs[:, 0] > 0, setting.beta, 1.0)
    n_groups, n_rules = says.shape
    of_positives = np.where(signs[:, 0] > 0, n, 0) @ says / n[signs[:, 0] > 0].sum()
    at_least_rho = np.hstack([-signs * says, np.ones((n_groups, 1)), -np.eye(n_groups)])
    optimal = np.concatenate([np.zeros(n_rules), [-1.0], slack])
    solution = linprog(
        np.concatenate([-of_positives, np.zeros(1 + n_groups)]),
        A_ub=np.vstack([at_least_rho, optimal]),
        b_ub=np.append(np.zeros(n_groups), _AS_GOOD - ensemble.history["bound"][-1]),
        A_eq=np.concatenate([np.ones(n_rules), np.zeros(1 + n_groups)])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_rules + [(None, None)] + [(0, None)] * n_groups,
    )
    if not solution.success:
        raise ArithmeticError(f"no vertex was found: {solution.message}")
    return np.asarray(solution.x[:n_rules], dtype=np.float64)


WORK = Work(
    "lopsided.reproduce.leskovec_2003.variations",
    {"Counts": Counts, "Setting": Setting, "Varied": VariedRun},
)
