"""AdaBoost with stumps, and its uneven form AdaUBoost."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided._compat import Interval
from lopsided.boosting._base import Booster
from lopsided.boosting._ensemble import Ensemble
from lopsided.boosting._training import boost
from lopsided.boosting._weak import WeakLearner

_FACTS = ("Z",)  # of each round, beside its number
_LEAST = 1e-300  # Z of a sum that has nothing left to learn


class AdaBoostStumps(Booster):
    """AdaBoost over one-question rules.

    Each round adds the rule that is best for the present weights of the rows, which then grow where it is
    wrong. A round is one pass over the nonzeros. For a list that a person can read take `LPUBoostStumps`.

        D_i <- D_i exp(-alpha y_i h(x_i)) / Z

    Parameters
    ----------
    weak_learner : str or classifier, default="real.mh"
        What proposes a rule, given weights of the rows: "real.mh", "disc.mh", "real.lp", "disc.lp", "real.u",
        "disc.u". "real" answers are smoothed log odds, "disc" ones signs; "mh" takes the rule of the smallest
        exponential loss, "lp" that of the largest edge, "u" that of the smallest loss with uneven costs. Or
        any classifier that takes ``sample_weight``, such as a shallow tree; then there are no rules to read.
    stumps : {"auto", "presence", "threshold"}, default="auto"
        What is asked of a column: whether it is not 0 ("presence"), or whether it is above a threshold
        ("threshold"; from 50,000 rows on thresholds are quantiles). "auto" asks for presence where X is
        sparse without negative numbers, such as word counts, or holds only 0 and 1; else for thresholds.
    n_rounds : int, default=300
        Rules at most; the same question may come again.
    tol : float, default=1e-6
        It ends where a round would change no weight by more than this share.
    n_jobs : int, default=None
        Classes that are learned at a time, where there are more than two.
    probability : bool, default=False
        Whether `fit` prepares `predict_proba`, by boosting five more times on four fifths of the rows.

    Attributes
    ----------
    classes_ : array
        Of two the second is the positive. More than two are learned one against the rest, and so is each
        column of an indicator matrix; what follows is then a dict or array with an entry for each.
    rules_ : list of Rule
        Questions, answers and weights; the score is the weighted sum of the answers.
    n_rounds_ : int
    converged_ : bool
        Whether it ended because nothing was left to gain.
    ensembles_ : list of Ensemble
        The weighted hypotheses, for each class that is boosted against the rest; `rules_` shows them.
    multilabel_ : bool
        Whether y was an indicator matrix.
    history_ : dict of arrays of shape (n_rounds,)
        ``round`` and its loss ``Z``; the product of the losses bounds the training error.
        For more than two classes, the rounds of all of them, and ``class`` names the class of each.

    References
    ----------
    .. [1] J. Leskovec, J. Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.

    Examples
    --------
    >>> from lopsided import AdaBoostStumps
    >>> model = AdaBoostStumps(n_rounds=2).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> model.rules_[0].feature
    0
    """

    _facts = _FACTS

    def __init__(
        self,
        *,
        weak_learner: Any = "real.mh",
        stumps: str = "auto",
        n_rounds: int = 300,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        probability: bool = False,
    ) -> None:
        self.weak_learner = weak_learner
        self.stumps = stumps
        self.n_rounds = n_rounds
        self.tol = tol
        self.n_jobs = n_jobs
        self.probability = probability


@boost.register
def adaboost(
    booster: AdaBoostStumps, learner: WeakLearner, signs: NDArray[np.int8], weights: NDArray[np.float64]
) -> Ensemble:
    """Boost by D_i <- D_i exp(-alpha b_i y_i h(x_i)) / Z,  b_i = 1 / beta for positives, else 1."""
    positive = signs > 0
    D = weights * np.where(positive, booster.beta, 1.0)
    D /= D.sum()
    steep = signs * np.where(positive, 1 / booster.beta, 1.0)
    ensemble = Ensemble.with_facts(*_FACTS)
    for _ in range(booster.n_rounds):
        weak = learner.propose(D)
        if weak is None:
            ensemble.converged = True
            break
        factor = np.exp(-weak.alpha * steep * weak.values)
        # Z above 1 is no reason to stop: with uneven costs it may be, and later rounds still gain.
        if ensemble.members and factor.max() <= (1 + booster.tol) * factor.min():
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

    They begin with beta times the weight, and change it more slowly: equation 10 of [1]_. What suits rare
    classes; with beta = 1 it is `AdaBoostStumps`.

        D_i <- D_i exp(-alpha b_i y_i h(x_i)) / Z        b_i = 1 / beta for positives, 1 for negatives

    Parameters
    ----------
    beta : float, default=2.0
        Cost of a positive over that of a negative, 1 or more.
    weak_learner : str or classifier, default="real.mh"
        What proposes a rule, given weights of the rows: "real.mh", "disc.mh", "real.lp", "disc.lp", "real.u",
        "disc.u". "real" answers are smoothed log odds, "disc" ones signs; "mh" takes the rule of the smallest
        exponential loss, "lp" that of the largest edge, "u" that of the smallest loss with uneven costs. Or
        any classifier that takes ``sample_weight``, such as a shallow tree; then there are no rules to read.
    stumps : {"auto", "presence", "threshold"}, default="auto"
        What is asked of a column: whether it is not 0 ("presence"), or whether it is above a threshold
        ("threshold"; from 50,000 rows on thresholds are quantiles). "auto" asks for presence where X is
        sparse without negative numbers, such as word counts, or holds only 0 and 1; else for thresholds.
    n_rounds : int, default=300
        Rules at most; the same question may come again.
    tol : float, default=1e-6
        It ends where a round would change no weight by more than this share.
    n_jobs : int, default=None
        Classes that are learned at a time, where there are more than two.
    probability : bool, default=False
        Whether `fit` prepares `predict_proba`, by boosting five more times on four fifths of the rows.

    Attributes
    ----------
    classes_ : array
        Of two the second is the positive. More than two are learned one against the rest, and so is each
        column of an indicator matrix; what follows is then a dict or array with an entry for each.
    rules_ : list of Rule
        Questions, answers and weights; the score is the weighted sum of the answers.
    n_rounds_ : int
    converged_ : bool
        Whether it ended because nothing was left to gain.
    ensembles_ : list of Ensemble
        The weighted hypotheses, for each class that is boosted against the rest; `rules_` shows them.
    multilabel_ : bool
        Whether y was an indicator matrix.
    history_ : dict of arrays of shape (n_rounds,)
        ``round`` and its loss ``Z``; the product of the losses bounds the weighted training
        error. For more than two classes, the rounds of all of them, and ``class`` names the class of each.

    References
    ----------
    .. [1] J. Leskovec, J. Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.

    Examples
    --------
    >>> from lopsided import AdaUBoostStumps
    >>> model = AdaUBoostStumps(beta=4, n_rounds=2).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> model.rules_[0].feature
    0
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Booster._parameter_constraints,
        "beta": [Interval(Real, 1, None, closed="left")],
    }

    def __init__(
        self,
        beta: float = 2.0,
        *,
        weak_learner: Any = "real.mh",
        stumps: str = "auto",
        n_rounds: int = 300,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        probability: bool = False,
    ) -> None:
        super().__init__(
            weak_learner=weak_learner,
            stumps=stumps,
            n_rounds=n_rounds,
            tol=tol,
            n_jobs=n_jobs,
            probability=probability,
        )
        self.beta = beta

    def _remedy(self) -> str:
        return "Raise beta, so that positives cost more."
