"""LPBoost, and its uneven form LPUBoost: the soft margin of the worst rows is made as large as it can be."""

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval

from lopsided.boosting._base import Booster, Ensemble
from lopsided.boosting._edge_lp import EdgeLP
from lopsided.boosting._weak import WeakLearner


class LPBoostStumps(Booster):
    """LPBoost over one-question rules: a short list.

    Examples
    --------
    >>> from lopsided import LPBoostStumps
    >>> model = LPBoostStumps(nu=0.5).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> [rule.feature for rule in model.rules_]
    [0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Booster._parameter_constraints,
        "nu": [Interval(Real, 0, 1, closed="neither")],
        "lower_bound": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        nu: float = 0.1,
        lower_bound: float = 0.0,
        *,
        weak_learner: Any = "real.mh",
        stumps: str = "presence",
        n_rounds: int = 300,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.lower_bound = lower_bound
        self.weak_learner = weak_learner
        self.stumps = stumps
        self.n_rounds = n_rounds
        self.tol = tol
        self.n_jobs = n_jobs

    @property
    def duality_gap_(self) -> Any:
        """How far the weights can be from the best for these rules; for more than two classes an array."""
        return self._of_each(lambda ensemble: ensemble.gap)

    def _boost(self, learner: WeakLearner, signs: NDArray[np.int8], weights: NDArray[np.float64]) -> Ensemble:
        lower, upper = self._bounds(signs, weights)
        start = upper / upper.sum()
        u = lower + (upper - lower) * ((1 - lower.sum()) / ((upper - lower).sum() or 1.0))
        u = np.clip(start, lower, upper) if (start >= lower).all() else u
        program, ensemble, bound = EdgeLP(signs, lower, upper), Ensemble(), 0.0
        seen = set()
        for _ in range(self.n_rounds):
            weak = learner.propose(u)
            if weak is None:
                ensemble.converged = True
                break
            edge = float((u * signs) @ weak.values)
            key = weak.rule or weak.values.tobytes()
            if (ensemble.members and edge <= bound + self.tol) or key in seen:
                ensemble.converged = True
                break
            seen.add(key)
            program.add(weak.values)
            optimum = program.solve()
            u, bound, ensemble.gap = optimum.u, optimum.bound, optimum.gap
            ensemble.add(weak, optimum.a, edge=edge, bound=bound, gap=optimum.gap, steps=optimum.n_steps)
        if not ensemble.converged:
            warnings.warn(
                f"{type(self).__name__} has not converged after {self.n_rounds} rounds: the next rule would "
                f"gain more than tol={self.tol:g}. Raise n_rounds, tol or nu.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return ensemble

    def _bounds(
        self, signs: NDArray[np.int8], weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """L <= u_i <= D beta_i w_i,  D = 1 / (nu n); says which inequality cannot hold."""
        n = len(signs)
        upper = weights * np.where(signs > 0, self.beta, 1.0) / (self.nu * n)
        lower = np.full(n, float(self.lower_bound))
        if n * self.lower_bound > 1 + 1e-12:
            raise ValueError(
                f"lower_bound * n_samples must be at most 1; got {self.lower_bound:g} * {n:,}. Use at most "
                f"{1 / n:.3g}."
            )
        if (lower > upper).any():
            raise ValueError(
                f"lower_bound must be at most the upper bound 1 / (nu n_samples) of every row; got "
                f"{self.lower_bound:g} and {upper.min():.3g}. Use a smaller lower_bound or nu."
            )
        return lower, upper


class LPUBoostStumps(LPBoostStumps):
    """LPBoost in which positives cost more.

    Examples
    --------
    >>> from lopsided import LPUBoostStumps
    >>> model = LPUBoostStumps(beta=4).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> [rule.feature for rule in model.rules_]
    [0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LPBoostStumps._parameter_constraints,
        "beta": [Interval(Real, 1, None, closed="left")],
    }

    def __init__(
        self,
        beta: float = 4.0,
        nu: float = 0.1,
        lower_bound: float = 0.0,
        *,
        weak_learner: Any = "real.mh",
        stumps: str = "presence",
        n_rounds: int = 300,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            nu,
            lower_bound,
            weak_learner=weak_learner,
            stumps=stumps,
            n_rounds=n_rounds,
            tol=tol,
            n_jobs=n_jobs,
        )
        self.beta = beta
