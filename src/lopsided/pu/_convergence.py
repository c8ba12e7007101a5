"""The loop of Mapping Convergence: train, reject, train again, until nothing more is rejected (Yu 2003)."""

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.pu._models import Model
from lopsided.pu._solvers import Solution, Solver

_FEWEST_WATCHED = 10
_MOST_BACK = 0.01  # share of the rejected rows that may turn positive when the watched positives join
_LOOK_BACK = (
    4  # in every iteration that many times max_new of those let go are looked at, or a fourth of them
)


def mapping_step(
    strong: NDArray[np.bool_], positive: NDArray[np.bool_], notes: list[str], seconds: float = 0.0
) -> dict[str, Any]:
    """Return the first entry of a history: what the mapper rejected of the unlabeled rows."""
    return {
        "iteration": 0,
        "n_training_negatives": 0,
        "n_new_negatives": int(strong.sum()),
        "n_returned": 0,
        "n_remaining": int((~positive & ~strong).sum()),
        "n_support": 0,
        "rejected_positives": 0.0,
        "seconds_training": 0.0,
        "seconds_scoring": seconds,
        "notes": notes,
    }


@dataclass
class Converged:
    """The result of the loop: what was rejected, the models and the history."""

    rejected: NDArray[np.bool_]  # of all rows
    models: list[Model] = field(default_factory=list)  # the first and the last
    history: list[dict[str, Any]] = field(default_factory=list)
    converged: bool = False
    stopped: str = ""  # why it ended otherwise


@dataclass
class Loop:
    """The loop that goes from one boundary to the next.

    Parameters
    ----------
    solver : Solver
        Phi2.
    keeps_all : bool
        Whether all negatives stay in the training set (SMC), or only those that hold the boundary (SVMC).
    max_iter : int
        The most iterations.
    max_new : int or None, default=None
        The most new negatives that enter the training set at a time; those nearest to the boundary do.
    guarded : bool, default=False
        Whether the solver is told how many negatives were let go, and those come back that the boundary has
        moved past.
    watch : float, default=0
        Share of the positives that are watched, and trained on only at the end; all are trained on and
        watched if these would be too few.
    max_reject : float or None, default=None
        Share of the watched positives on the wrong side at which the boundary before is taken.
    n_jobs : int or None, default=None
        Threads that score.
    """

    solver: Solver
    keeps_all: bool
    max_iter: int
    max_new: int | None = None
    guarded: bool = False
    watch: float = 0.0
    max_reject: float | None = None
    n_jobs: int | None = None

    def run(
        self,
        X: Any,
        positive: NDArray[np.bool_],
        strong: NDArray[np.bool_],
        strength: NDArray[np.float64],
        mapping: Model | None = None,
    ) -> Converged:
        """Return the end of the loop; strong negatives of larger ``strength`` are nearer to the positives.

        ``mapping`` is h_0, which is taken where the first boundary already loses too many positives.
        """
        known, watched = self._watched(np.flatnonzero(positive))
        watched_rows = X[watched]
        remaining = ~positive & ~strong
        score = strength.astype(np.float64)  # of each row, by the last boundary that looked at it
        training = self._nearest(np.flatnonzero(strong), score)
        came_back = np.empty(0, dtype=np.intp)
        result = Converged(rejected=strong.copy())
        for iteration in range(1, self.max_iter + 1):
            start = perf_counter()
            solution = self._solve(X, known, training, result.rejected)
            trained = perf_counter()
            lost = self._lost(solution, watched_rows)
            before = result.models[-1] if result.models else mapping
            if before is not None and self._is_too_far(solution, lost):
                what = "a boundary before it" if result.models else "the mapping as it is"
                result.models = result.models or [before]
                result.stopped = (
                    f"iteration {iteration} would call {lost:.0%} of the watched positives negative"
                    f"{'' if solution.sound else ', without a margin'}; {what} is taken. Use more positives, "
                    "or another mapper, solver, nu or gamma."
                )
                if result.history:
                    result.history[-1]["notes"].append(f"stopped: {result.stopped}")
                return result
            rows = np.flatnonzero(remaining)
            score[rows] = solution.model.scores(X, rows, self.n_jobs)
            new = rows[score[rows] <= 0]
            result.rejected[new], remaining[new] = True, False
            back = self._back(X, solution, result.rejected, training, new, score)
            is_sound = solution.sound or not self._is_checked
            if (len(back) == 0 and is_sound) or not result.models:  # else it accepts what was rejected
                result.models = [(result.models or [solution.model])[0], solution.model]
            result.history.append(
                {
                    "iteration": iteration,
                    "n_training_negatives": len(training),
                    "n_new_negatives": len(new),
                    "n_returned": len(back),
                    "n_remaining": int(remaining.sum()),
                    "n_support": int(solution.support.sum()),
                    "rejected_positives": lost,
                    "seconds_training": trained - start,
                    "seconds_scoring": perf_counter() - trained,
                    "notes": list(solution.notes),
                }
            )
            if len(new) == 0 and len(back) == 0:
                result.converged = True
                if not is_sound:
                    result.stopped = (
                        "no margin is left between positives and negatives; the last boundary that had one, "
                        "if there was any, is taken. Use a smaller nu, another gamma or solver."
                    )
                    result.history[-1]["notes"].append(f"stopped: {result.stopped}")
                elif len(known) < positive.sum():
                    self._join(X, positive, training, watched_rows, result)
                return result
            held = training[solution.support[len(known) :]]
            if self.keeps_all or len(held) == 0:  # no negative support vector: a degenerate solution
                held = training
            # Claim 2 of the paper: the negative support vectors and the new negatives are enough.
            # What came back once stays: it would be let go and come back for ever.
            came_back = np.union1d(came_back, self._nearest(back, score))
            held = held[~np.isin(held, came_back)]
            training = np.concatenate([held, self._nearest(new, score), came_back])
        result.stopped = f"no end after {self.max_iter} iterations. Raise max_iter."
        return result

    @property
    def _is_checked(self) -> bool:
        """Whether a boundary without a margin is noticed; the algorithm as printed has no such thing."""
        return self.guarded or self.max_reject is not None

    def _lost(self, solution: Solution, watched_rows: Any) -> float:
        """Return the share of the watched positives that the boundary rejects."""
        return float(np.mean(solution.model.scores(watched_rows, n_jobs=self.n_jobs) <= 0))

    def _is_too_far(self, solution: Solution, lost: float) -> bool:
        """Return whether to stop before this boundary; the guard finds a way back from one with no margin."""
        without_margin = not solution.sound and not self.guarded
        return self.max_reject is not None and (lost > self.max_reject or without_margin)

    def _join(
        self,
        X: Any,
        positive: NDArray[np.bool_],
        training: NDArray[np.intp],
        watched_rows: Any,
        result: Converged,
    ) -> None:
        """Train once more, on all positives; what comes out must not move far."""
        solution = self._solve(X, np.flatnonzero(positive), training, result.rejected)
        rejected = np.flatnonzero(result.rejected)
        back = rejected[solution.model.scores(X, rejected, self.n_jobs) > 0]
        lost = self._lost(solution, watched_rows)
        notes = result.history[-1]["notes"]
        notes += solution.notes
        if not solution.sound or self._is_too_far(solution, lost) or len(back) > _MOST_BACK * len(rejected):
            notes.append("the watched positives did not join: the boundary would have moved too far")
            return
        result.models[-1] = solution.model
        result.rejected[back] = False
        notes.append("the watched positives joined")

    def _watched(self, positives: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the positives to train on, and those to watch: evenly spread, so that nothing is drawn."""
        n = int(self.watch * len(positives))
        if n < _FEWEST_WATCHED:
            return positives, positives
        watched = np.linspace(0, len(positives) - 1, n).round().astype(np.intp)
        return np.delete(positives, watched), positives[watched]

    def _solve(
        self, X: Any, known: NDArray[np.intp], training: NDArray[np.intp], rejected: NDArray[np.bool_]
    ) -> Solution:
        chosen = np.concatenate([known, training])
        signs = np.where(np.arange(len(chosen)) < len(known), 1, -1).astype(np.int8)
        n_left_out = int(rejected.sum()) - len(training) if self.guarded else 0
        return self.solver.solve(X, chosen, signs, n_left_out)

    def _nearest(self, rows: NDArray[np.intp], score: NDArray[np.float64]) -> NDArray[np.intp]:
        if self.keeps_all or self.max_new is None or len(rows) <= self.max_new:
            return rows
        return np.sort(rows[np.argsort(-score[rows], kind="stable")[: self.max_new]])

    def _back(
        self,
        X: Any,
        solution: Solution,
        rejected: NDArray[np.bool_],
        training: NDArray[np.intp],
        new: NDArray[np.intp],
        score: NDArray[np.float64],
    ) -> NDArray[np.intp]:
        """Return the discarded negatives that the boundary predicts positive now.

        The nearest of them are looked at in every iteration, and all of them before the end.
        """
        if self.keeps_all or not self.guarded:
            return np.empty(0, dtype=np.intp)
        let_go = rejected.copy()
        let_go[training] = let_go[new] = False
        rows = np.flatnonzero(let_go)
        most = max(_LOOK_BACK * (self.max_new or len(rows)), len(rows) // _LOOK_BACK)
        if len(new) and len(rows) > most:
            rows = np.sort(rows[np.argpartition(-score[rows], most)[:most]])
        score[rows] = solution.model.scores(X, rows, self.n_jobs)
        return rows[score[rows] > 0]
