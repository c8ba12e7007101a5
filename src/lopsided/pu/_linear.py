"""Classifiers that find the first negatives themselves and leave the rest to a linear SVM: PEBL, Roc-SVM."""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from lopsided._stored import Check, columns, numbers, places, whole
from lopsided.pu._base import PositiveUnlabeledClassifier
from lopsided.pu._convergence import Converged, Loop, mapping_step
from lopsided.pu._history import as_columns
from lopsided.pu._models import LinearModel
from lopsided.pu._solvers import LinearSolver

_MOST_LOST = 0.5  # share of the labeled positives that are given up without a word


class LinearConvergence(PositiveUnlabeledClassifier):
    """Base of the classifiers that train a linear SVM again and again, on all negatives found so far.

    A subclass finds the first negatives, calls `_converge`, and then `_accept` with what came of it.
    """

    _stored: ClassVar[dict[str, Check]] = {
        "coef_": numbers(1, "n_features"),
        "intercept_": numbers(1),
        "strong_negatives_": places(None),
        "negatives_": places(None),
        "n_iter_": whole(),
        "history_": columns,
    }

    C: float
    max_iter: int

    def _converge(
        self,
        X: Any,
        positive: NDArray[np.bool_],
        strong: NDArray[np.bool_],
        strength: NDArray[np.float64],
    ) -> Converged | None:
        """Return where the loop ended; or None without strong negatives, when every row is positive."""
        self.strong_negatives_ = np.flatnonzero(strong)
        if not strong.any():
            self._accept_everything(X.shape[1], positive)
            return None
        loop = Loop(LinearSolver(self.C), keeps_all=True, max_iter=self.max_iter)
        return loop.run(X, positive, strong, strength)

    def _accept(
        self,
        result: Converged,
        model: Any,
        X: Any,
        positive: NDArray[np.bool_],
        strong: NDArray[np.bool_],
    ) -> None:
        """Take one of the models of the loop; warn of a loop without an end, or with a bad one."""
        self._take(model)
        self.negatives_ = np.flatnonzero(result.rejected)
        self.n_iter_ = len(result.history)
        steps = [mapping_step(strong, positive, []), *result.history]
        lost = float(np.mean(self._scorer()(X[positive]) <= 0))
        gives_up = (
            f"{lost:.0%} of the labeled positives are called negative. Scale rows to length 1, or use more "
            "positives."
        )
        for message in filter(None, (result.stopped, gives_up if lost > _MOST_LOST else "")):
            steps[-1]["notes"].append(message)
            warnings.warn(f"{type(self).__name__}: {message}", ConvergenceWarning, stacklevel=4)
        self.history_ = as_columns(steps)

    def _accept_everything(self, n_features: int, positive: NDArray[np.bool_]) -> None:
        """Set the result where no reliable negative was found: every row is positive, with score 1."""
        self._take(LinearModel(np.zeros(n_features), 1.0))
        self.negatives_ = np.empty(0, dtype=np.intp)
        note = "fallback: no reliable negative was found, everything is called positive"
        self.n_iter_ = 0
        self.history_ = as_columns([mapping_step(np.zeros_like(positive), positive, [note])])

    def _take(self, model: Any) -> None:
        """Keep what was learned, under scikit-learn's names."""
        self.coef_, self.intercept_ = model.coef[None, :], np.array([model.intercept])

    def _scorer(self) -> Callable[[Any], NDArray[np.float64]]:
        return LinearModel(self.coef_, self.intercept_[0]).scores
