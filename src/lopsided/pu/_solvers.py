"""Margin maximisers that Mapping Convergence can call again and again (Phi2 of Yu 2003)."""

import warnings
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC, NuSVC

from lopsided.pu._models import MOST_STEPS, EstimatorModel, KernelModel, LinearModel, Model, model_of_libsvm
from lopsided.svm import LASVC

_MOST_ERRORS = 0.5  # margin errors, against the smaller class
UNFINISHED = "the solver stopped after"
_SLACK = 0.05  # share of rows that a sound solution may have on the wrong side beyond nu
_MOST_PRECOMPUTED = 6000  # rows of a kernel matrix: 288 MB
_MOST_ROUNDS = 20  # of looking for rows that the warm-started solver let go


class Solution(NamedTuple):
    """A model, which of the training rows hold it in place, and what there is to say about it."""

    model: Model
    support: NDArray[np.bool_]
    notes: tuple[str, ...] = ()
    sound: bool = True
    """Whether there is a margin between the two sides."""


class Solver(Protocol):
    """The protocol of solvers, which separate rows named by their number in X, and so can know them again."""

    def solve(self, X: Any, chosen: NDArray[np.intp], signs: NDArray[np.int8], n_left_out: int) -> Solution:
        """Return what separates the chosen rows of X by their signs, as if those left out had no weight."""


class NuSolver:
    """nu-SVM by LIBSVM: nu is the share of margin errors that is allowed."""

    def __init__(self, nu: float, kernel: str, gamma: float) -> None:
        self.nu, self.kernel, self.gamma = nu, kernel, gamma

    def solve(self, X: Any, chosen: NDArray[np.intp], signs: NDArray[np.int8], n_left_out: int) -> Solution:
        """Fit anew; nu is lowered where the smaller class is too small for it.

        In the dual, sum a = nu and a_i <= 1 / n. Without the rows of weight 0 the same solution has
        nu n / (rows left): to leave nu as it is would harden the margin with every row that is let go.
        """
        n_positive, n_negative = int((signs > 0).sum()), int((signs < 0).sum())
        n = n_positive + n_negative + n_left_out
        # The problem has a solution up to twice the smaller class; but there all of that is in error.
        wanted, most = self.nu * n, _MOST_ERRORS * min(n_positive, n_negative + n_left_out)
        notes: tuple[str, ...] = (f"nu lowered to {most / n:.3g}",) if wanted > most else ()
        nu = min(wanted, most, 0.999 * 2 * min(n_positive, n_negative)) / len(signs)
        rows = X[chosen]
        # LIBSVM walks sparse rows index by index; a product of sparse matrices is much faster.
        as_matrix = issparse(rows) and self.kernel == "linear" and len(chosen) <= _MOST_PRECOMPUTED
        machine = NuSVC(
            nu=nu,
            kernel="precomputed" if as_matrix else self.kernel,
            gamma=self.gamma,
            cache_size=500,
            max_iter=MOST_STEPS,
        )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                machine.fit((rows @ rows.T).toarray() if as_matrix else rows, signs)
        except ValueError as error:  # positives and negatives in one place: LIBSVM divides by a margin of 0
            if "not finite" not in str(error):
                raise
            everything, all_rows = LinearModel(np.zeros(X.shape[1]), 1.0), np.ones(len(signs), dtype=bool)
            return Solution(everything, all_rows, (*notes, "no margin: all is positive"), sound=False)
        if machine.fit_status_ or machine.n_iter_.max() >= MOST_STEPS:
            notes = (*notes, f"{UNFINISHED} {MOST_STEPS:,} steps; scale the features")
        coef = machine.dual_coef_.toarray() if issparse(machine.dual_coef_) else machine.dual_coef_
        weights = np.zeros(len(signs))
        weights[machine.support_] = np.abs(coef).ravel()
        model = (
            LinearModel(coef @ rows[machine.support_], float(machine.intercept_[0]))
            if as_matrix
            else model_of_libsvm(machine, self.kernel, self.gamma)
        )
        # With a margin, at most nu of the rows are on the wrong side of it. Without one rounding decides.
        wrong = float(np.mean((model.scores(rows) > 0) != (signs > 0)))
        sound = wrong <= nu + _SLACK
        if not sound:
            notes = (*notes, f"no margin: {wrong:.0%} of the training rows are on the wrong side")
        return Solution(model, weights > 1e-8 * weights.max(), notes, sound)


class LASVMSolver:
    """LASVM, which goes on from the last solution: it learns rows that are new, or were let go too early."""

    def __init__(self, C: float, kernel: str, gamma: float) -> None:
        self.kernel, self.gamma = kernel, gamma
        self._machine = LASVC(C=C, kernel=kernel, gamma=gamma, random_state=0)
        self._number_of: list[NDArray[np.intp]] = []  # row of X of each row the machine was given

    def solve(self, X: Any, chosen: NDArray[np.intp], signs: NDArray[np.int8], n_left_out: int) -> Solution:
        """Learn what the machine has not seen, then whatever violates its conditions."""
        if self._number_of:
            known = np.concatenate(self._number_of)
            self._learn(X, chosen, signs, ~np.isin(chosen, known))
        else:
            self._machine.fit(X[chosen], signs)
            self._number_of.append(chosen)
        for _ in range(_MOST_ROUNDS):
            support = np.isin(chosen, np.concatenate(self._number_of)[self._machine.support_])
            scores = self._machine.decision_function(X[chosen])
            violates = ~support & (signs * scores < 1 - self._machine.tol)
            if not violates.any():
                break
            self._learn(X, chosen, signs, violates)
        support = np.isin(chosen, np.concatenate(self._number_of)[self._machine.support_])
        return Solution(self._model(), support)

    def _learn(
        self, X: Any, chosen: NDArray[np.intp], signs: NDArray[np.int8], which: NDArray[np.bool_]
    ) -> None:
        if which.any():
            self._machine.partial_fit(X[chosen[which]], signs[which])
            self._machine.finish()
            self._number_of.append(chosen[which])

    def _model(self) -> Model:
        machine = self._machine
        coef, intercept = machine.dual_coef_[0], float(machine.intercept_[0])
        if self.kernel == "linear":
            return LinearModel(coef @ machine.support_vectors_, intercept)
        return KernelModel(machine.support_vectors_, coef, intercept, self.kernel, self.gamma)


class LinearSolver:
    """Linear SVM by LIBLINEAR, for sparse text."""

    def __init__(self, C: float) -> None:
        self.C = C

    def solve(self, X: Any, chosen: NDArray[np.intp], signs: NDArray[np.int8], n_left_out: int) -> Solution:
        """Fit anew. Rows at the margin or inside it have a dual weight."""
        machine = LinearSVC(C=self.C, random_state=0, max_iter=10_000).fit(X[chosen], signs)
        scores = machine.decision_function(X[chosen])
        model = LinearModel(machine.coef_, float(machine.intercept_[0]))
        return Solution(model, signs * scores <= 1 + 1e-3)


class EstimatorSolver:
    """Any classifier; one without dual weights is held by the negatives as near as most positives."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def solve(self, X: Any, chosen: NDArray[np.intp], signs: NDArray[np.int8], n_left_out: int) -> Solution:
        """Fit a clone."""
        estimator = clone(self.estimator).fit(X[chosen], signs)
        model = EstimatorModel(estimator)
        if hasattr(estimator, "dual_coef_"):  # RFE has a support_ as well, of columns
            support = np.zeros(len(chosen), dtype=bool)
            support[estimator.support_] = True
        else:
            scores = model.scores(X[chosen])
            support = (signs > 0) | (np.abs(scores) <= np.median(scores[signs > 0]))
        return Solution(model, support)
