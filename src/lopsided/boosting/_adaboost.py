"""AdaBoost with stumps, and its uneven form AdaUBoost."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from lopsided.boosting._base import Booster
from lopsided.boosting._ensemble import Ensemble
from lopsided.boosting._weak import WeakLearner

_LEAST = 1e-300  # Z of a sum that has nothing left to learn


class AdaBoostStumps(Booster):
    """AdaBoost over one-question rules.

    Examples
    --------
    >>> from lopsided import AdaBoostStumps
    >>> model = AdaBoostStumps(n_rounds=2).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> model.rules_[0].feature
    0
    """

    def __init__(
        self,
        *,
        weak_learner: Any = "real.mh",
        stumps: str = "presence",
        n_rounds: int = 300,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> None:
        self.weak_learner = weak_learner
        self.stumps = stumps
        self.n_rounds = n_rounds
        self.tol = tol
        self.n_jobs = n_jobs

    def _boost(self, learner: WeakLearner, signs: NDArray[np.int8], weights: NDArray[np.float64]) -> Ensemble:
        """D_i <- D_i exp(-alpha b_i y_i h(x_i)) / Z,  b_i = 1 / beta for positives, else 1."""
        positive = signs > 0
        D = weights * np.where(positive, self.beta, 1.0)
        D /= D.sum()
        steep = signs * np.where(positive, 1 / self.beta, 1.0)
        ensemble = Ensemble()
        for _ in range(self.n_rounds):
            weak = learner.propose(D)
            if weak is None:
                ensemble.converged = True
                break
            factor = np.exp(-weak.alpha * steep * weak.values)
            # Z above 1 is no reason to stop: with uneven costs it may be, and later rounds still gain.
            if ensemble.members and factor.max() <= (1 + self.tol) * factor.min():
                ensemble.converged = True
                break
            D = D * factor
            loss = float(D.sum())
            ensemble.add(weak, Z=loss)
            if loss < _LEAST or (signs * weak.values > 0).all():  # without an error: nothing is left to learn
                ensemble.converged = True
                break
            D /= loss
        return ensemble


class AdaUBoostStumps(AdaBoostStumps):
    """AdaBoost in which positives cost more.

    Examples
    --------
    >>> from lopsided import AdaUBoostStumps
    >>> model = AdaUBoostStumps(beta=4, n_rounds=2).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> model.rules_[0].feature
    0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Booster._parameter_constraints,
        "beta": [Interval(Real, 1, None, closed="left")],
    }

    def __init__(
        self,
        beta: float = 2.0,
        *,
        weak_learner: Any = "real.mh",
        stumps: str = "presence",
        n_rounds: int = 300,
        tol: float = 1e-6,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(weak_learner=weak_learner, stumps=stumps, n_rounds=n_rounds, tol=tol, n_jobs=n_jobs)
        self.beta = beta
