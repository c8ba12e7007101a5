"""The linear programs that settings lead to, and what they give in each fold of a search."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import check_scoring, f1_score

from lopsided.boosting._lpboost import LPUBoostStumps


class FoldResult(NamedTuple):
    """The result of one setting in one fold."""

    score: float
    n_rules: int
    n_rounds: int
    converged: bool


class Program(NamedTuple):
    """A linear program to solve: settings that lead to the same rules share one."""

    beta: float
    nu: float
    lower_bound_divisor: float | None
    weak_learner: Any


def program_of(weak_learner: Any, **setting: Any) -> Program:
    """Return the program that a setting leads to."""
    # Disc.MH chooses the stumps of Disc.LP, and the program weighs both alike.
    same = isinstance(weak_learner, str) and weak_learner == "disc.mh"
    return Program(weak_learner="disc.lp" if same else weak_learner, **setting)


def rank_programs(programs: Sequence[Program], known: Sequence[dict[Program, FoldResult]]) -> list[Program]:
    """Return programs by falling mean score; of equals, that with the fewest rules comes first."""

    def place(program: Program) -> tuple[float, float]:
        results = [of_fold[program] for of_fold in known]
        return -float(np.mean([r.score for r in results])), float(np.mean([r.n_rules for r in results]))

    return sorted(programs, key=place)


def score_fold(model: LPUBoostStumps, X: Any, y: Any, scoring: Any) -> float:
    """Return the score of a fitted model on the rows of its fold: F1, or what ``scoring`` says."""
    if scoring is not None:
        return float(check_scoring(model, scoring)(model, X, y))
    if len(model.ensembles_) > 1:
        return float(f1_score(y, model.predict(X), average="macro", zero_division=0.0))
    return float(f1_score(y == model.classes_[1], model.decision_function(X) > 0, zero_division=0.0))


def tabulate(settings: list[dict[str, Any]], outcomes: list[list[FoldResult]]) -> dict[str, Any]:
    """Return a table with a row a setting, like those of scikit-learn's searches."""
    scores = np.array([[outcome.score for outcome in fold] for fold in outcomes])
    results: dict[str, Any] = {"params": settings}
    results |= {f"split{fold}_test_score": row for fold, row in enumerate(scores)}
    results |= {"mean_test_score": scores.mean(axis=0), "std_test_score": scores.std(axis=0)}
    facts = {"mean_n_rules": "n_rules", "mean_n_rounds": "n_rounds", "share_converged": "converged"}
    for name, fact in facts.items():
        results[name] = np.mean([[getattr(outcome, fact) for outcome in fold] for fold in outcomes], axis=0)
    return results
