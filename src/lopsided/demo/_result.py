"""One line of the tour's table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_curve

from lopsided.metrics import Counts, prbep_score
from lopsided.report import Series

BASELINE = "baseline: "
_N_POINTS = 60  # of a curve
_ALIKE = 0.005  # scores that differ by less are called equal


@dataclass(frozen=True)
class Result:
    """The result of one method on one task; ``counts`` are of the class the task is about."""

    setting: str
    task: str
    method: str
    n_labels: int
    counts: Counts
    prbep: float
    curve: Series  # precision by recall, along the ranking
    rules: tuple[str, ...] = ()  # that the method goes by, the weightiest first, where they can be read

    @classmethod
    def of(
        cls,
        setting: str,
        task: str,
        method: str,
        n_labels: int,
        truth: np.ndarray,
        answers: np.ndarray,
        scores: np.ndarray,
        rules: tuple[str, ...] = (),
    ) -> "Result":
        """Return a result from the true labels, the predictions and the scores that rank."""
        counts = Counts.from_predictions(truth, answers.astype(int))
        return cls(
            setting,
            task,
            method,
            n_labels,
            counts,
            prbep_score(truth, scores),
            _curve(method, truth, scores),
            rules,
        )

    @property
    def is_baseline(self) -> bool:
        """Whether the method is a plain one, to compare ours with."""
        return self.method.startswith(BASELINE)

    def record(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON and for the table."""
        counts = self.counts
        return {
            "setting": self.setting,
            "task": self.task,
            "method": self.method,
            "labels": self.n_labels,
            "tp": int(counts.tp),
            "fp": int(counts.fp),
            "fn": int(counts.fn),
            "tn": int(counts.tn),
            "precision": float(counts.precision()),
            "recall": float(counts.recall()),
            "f1": float(counts.f()),
            "g_means": float(counts.geometric_mean()),
            "prbep": float(self.prbep),
            "rules": list(self.rules),
        }


def compare_results(results: Sequence[Result]) -> str:
    """Return two sentences: how the best of ours stands beside the best baseline of a setting.

    Examples
    --------
    >>> truth, scores = np.array([1, 0, 1, 0]), np.array([2.0, 1.0, -1.0, -2.0])
    >>> make = lambda method, answers: Result.of("a", "b", method, 4, truth, answers, scores)
    >>> compare_results([make("baseline: tree", scores > 0), make("LASVC", scores > -2)])
    'F1: LASVC leads, 0.800 against 0.500 (tree). Ranking, by PRBEP: LASVC and tree are equal, 0.500.'
    """
    f1 = _lead(results, lambda result: float(result.counts.f()))
    ranking = _lead(results, lambda result: result.prbep)
    return f"F1: {f1}. Ranking, by PRBEP: {ranking}."


def _lead(results: Sequence[Result], measure: Callable[[Result], float]) -> str:
    ours = max((result for result in results if not result.is_baseline), key=measure)
    plain = max((result for result in results if result.is_baseline), key=measure)
    mine, theirs, name = measure(ours), measure(plain), plain.method.removeprefix(BASELINE)
    if abs(mine - theirs) < _ALIKE:
        return f"{ours.method} and {name} are equal, {mine:.3f}"
    if mine > theirs:
        return f"{ours.method} leads, {mine:.3f} against {theirs:.3f} ({name})"
    return f"ours does not lead, {mine:.3f} ({ours.method}) against {theirs:.3f} ({name})"


def _curve(method: str, truth: np.ndarray, scores: np.ndarray) -> Series:
    if not truth.any():  # nothing to find
        return Series(method, [], [])
    precision, recall, _ = precision_recall_curve(truth, scores)
    at = np.linspace(0.0, 1.0, _N_POINTS)
    # The best precision with that recall or more: what somebody who stops there gets.
    best = np.maximum.accumulate(precision)  # recall falls along the way
    return Series(method, at.tolist(), np.interp(at, recall[::-1], best[::-1]).tolist())
