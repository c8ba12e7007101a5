"""LPBoost, and its uneven form LPUBoost: the soft margin of the worst rows is made as large as it can be."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided._compat import Interval, StrOptions
from lopsided.boosting._base import Booster
from lopsided.boosting._costs import cost_of_positive, ladder_of_nu
from lopsided.boosting._edge_lp import EdgeLP, SolverStoppedError
from lopsided.boosting._ensemble import Ensemble
from lopsided.boosting._training import boost
from lopsided.boosting._weak import WeakLearner

_FACTS = ("edge", "bound", "gap", "steps")  # of each round, beside its number
_EDGE = 5e-4  # a smaller bound is next to none: the hardest weights leave the rules nothing to tell
_ROUNDS = 60  # where nu is chosen: what later rounds add is small, and takes most of the time


class LPBoostStumps(Booster):
    """LPBoost over one-question rules: a short list.

    The weights of the rules maximise the soft margin, by a linear program that grows by a rule a round until
    no rule improves it. Most weights are 0 in the end: what is left is a list that can be read.

        min_{u, B}  B    s.t.  sum_i u_i y_i h_j(x_i) <= B,  sum_i u_i = 1,  D_LB <= u_i <= 1 / (nu n)    (5)

    Parameters
    ----------
    nu : float, default=0.1
        Share of rows that may be on the wrong side of the margin (at beta = 1 and lower bound 0); above 0,
        below 1. Results depend on it strongly: smaller follows the data more closely, with more rules.
    lower_bound : float, default=0.0
        Least weight of a row (D_LB), at most 1 / n_samples.
    lower_bound_divisor : float, default=None
        The same as a part of the upper bound 1 / (nu n_samples), so that it suits any number of rows: 50
        says a fiftieth. At least 1 / nu.
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
        Rules at most, of which most end up without weight.
    tol : float, default=1e-6
        It ends where no rule is proposed whose edge is above the bound by more than this.
    max_iter : int, default=100_000
        Simplex steps of a round, after which the rules until then are kept and a warning is given.
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
        ``round``, the ``edge`` of its rule, the ``bound`` and ``gap`` after it, and simplex ``steps``.
        For more than two classes, the rounds of all of them, and ``class`` names the class of each.
    duality_gap_ : float
        How far the weights of the rules can be from the best for these rules: about 1e-15.
    n_iter_ : int
        Simplex steps of the longest round.

    References
    ----------
    .. [1] J. Leskovec, J. Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.

    Examples
    --------
    >>> from lopsided import LPBoostStumps
    >>> model = LPBoostStumps(nu=0.5).fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> [rule.feature for rule in model.rules_]
    [0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Booster._parameter_constraints,
        "nu": [Interval(Real, 0, 1, closed="neither")],
        "lower_bound": [Interval(Real, 0, None, closed="left")],
        "lower_bound_divisor": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }
    _facts = _FACTS

    def __init__(
        self,
        nu: Any = 0.1,
        lower_bound: float = 0.0,
        *,
        lower_bound_divisor: float | None = None,
        weak_learner: Any = "real.mh",
        stumps: str = "auto",
        n_rounds: int = 300,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        n_jobs: int | None = None,
        probability: bool = False,
    ) -> None:
        self.nu = nu
        self.lower_bound = lower_bound
        self.lower_bound_divisor = lower_bound_divisor
        self.weak_learner = weak_learner
        self.stumps = stumps
        self.n_rounds = n_rounds
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.probability = probability

    @property
    def duality_gap_(self) -> Any:
        """Bound on how far the weights are from optimal; for more than two classes an array."""
        return self._of_each(lambda ensemble: ensemble.gap)

    @property
    def n_iter_(self) -> Any:
        """Simplex steps of the longest round; for more than two classes an array."""
        return self._of_each(lambda ensemble: max([1, *ensemble.history["steps"]]))


@boost.register
def lpboost(
    booster: LPBoostStumps, learner: WeakLearner, signs: NDArray[np.int8], weights: NDArray[np.float64]
) -> Ensemble:
    """Boost by column generation: the hypothesis that violates u most is added, until none does."""
    return _generate(booster, learner, signs, weights, booster.nu, booster.n_rounds)


def _generate(
    booster: LPBoostStumps,
    learner: WeakLearner,
    signs: NDArray[np.int8],
    weights: NDArray[np.float64],
    nu: float,
    n_rounds: int,
) -> Ensemble:
    lower, upper = _bounds(booster, signs, weights, nu)
    u = _start(lower, upper)
    program, bound = EdgeLP(signs, lower, upper, booster.max_iter), 0.0
    ensemble = Ensemble.with_facts(*_FACTS)
    seen = set()
    while True:
        weak = learner.propose(u)
        if weak is None:
            ensemble.converged = True
            return ensemble
        edge = float((u * signs) @ weak.values)
        key = weak.rule or weak.values.tobytes()
        # What comes again is satisfied already, up to rounding.
        if (ensemble.members and edge <= bound + booster.tol) or key in seen:
            ensemble.converged = True
            return ensemble
        if len(ensemble.members) == n_rounds:
            ensemble.complaint = (
                f"has not converged after {n_rounds} rounds: the gap is {edge - bound:.2g} > "
                f"tol={booster.tol:g}. Raise n_rounds, tol or nu."
            )
            return ensemble
        seen.add(key)
        program.add(weak.values)
        try:
            optimum = program.solve()
        except SolverStoppedError as stopped:
            if not ensemble.members:  # one hypothesis has all the weight, with or without a solver
                ensemble.add(weak, np.ones(1), edge=edge, bound=edge, gap=np.inf, steps=0)
            ensemble.gap = edge - bound
            ensemble.complaint = (
                f"ends after {len(ensemble.members)} rounds with a gap of {edge - bound:.2g} > "
                f"tol={booster.tol:g}: {stopped}. The rules until then are kept. Raise max_iter or tol."
            )
            return ensemble
        u, bound, ensemble.gap = optimum.u, optimum.bound, optimum.gap
        ensemble.add(weak, optimum.a, edge=edge, bound=bound, gap=optimum.gap, steps=optimum.n_steps)
        if (signs * weak.values > 0).all():  # without an error: nothing is left to learn
            ensemble.converged = True
            return ensemble


def _bounds(
    booster: LPBoostStumps, signs: NDArray[np.int8], weights: NDArray[np.float64], nu: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds L w_i <= u_i <= D beta_i w_i,  D = 1 / (nu n).

    As nu < 1 <= beta there is always room above: sum_i D beta_i w_i >= 1 / nu > 1. Below there is, if
    n L <= 1; then L < D too.
    """
    n, lowest = len(signs), float(booster.lower_bound)
    widest = 1 / (nu * n)
    if booster.lower_bound_divisor is not None:
        if lowest:
            raise ValueError(
                f"lower_bound and lower_bound_divisor name the same bound; got {lowest:g} and "
                f"{booster.lower_bound_divisor:g}. Pass one of them."
            )
        lowest = widest / booster.lower_bound_divisor
    if n * lowest > 1 + 1e-12:
        if booster.lower_bound_divisor is not None:
            raise ValueError(
                f"nu * lower_bound_divisor must be at least 1, or the lower bounds sum to more than 1; "
                f"got {nu:g} * {booster.lower_bound_divisor:g}. Use a divisor of at least "
                f"{1 / nu:.4g}."
            )
        raise ValueError(
            f"lower_bound * n_samples must be at most 1, or the lower bounds sum to more than 1; got "
            f"{lowest:g} * {n:,}. Use at most {1 / n:.3g}."
        )
    beta = cost_of_positive(booster.beta, signs, weights)
    return lowest * weights, weights * np.where(signs > 0, beta, 1.0) * widest


def _start(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights by cost, or where those are not within the bounds, weights that are."""
    u = upper / upper.sum()
    if (u >= lower).all():
        return u
    return lower + (upper - lower) * ((1 - lower.sum()) / (upper - lower).sum())


class LPUBoostStumps(LPBoostStumps):
    """LPBoost in which positives cost more: a short list of rules for a rare class.

    As `LPBoostStumps`, but the weight of a positive may be beta times as large, so that a class of few rows
    is not given up as noise. With beta = 1 it is `LPBoostStumps`. By default both parameters are chosen from
    the data, because no value suits all: where more rows are wrong than nu allows for, the program finds
    weights against which no rule has an edge, and its solution predicts one class.

        D_LB <= u_i <= beta / (nu n) for positives, 1 / (nu n) for negatives

    Parameters
    ----------
    beta : float or "auto", default="auto"
        Cost of a positive over that of a negative, 1 or more. "auto": the number of negatives for each
        positive, to the power 0.75.
    nu : float or "auto", default="auto"
        Share of rows that may be on the wrong side of the margin (at beta = 1 and lower bound 0); above 0,
        below 1. Results depend on it strongly: smaller follows the data more closely, with more rules.
        "auto": the smallest of some values with which the rules keep an edge, after 60 rounds at most.
    lower_bound : float, default=0.0
        Least weight of a row (D_LB), at most 1 / n_samples.
    lower_bound_divisor : float, default=None
        The same as a part of the upper bound 1 / (nu n_samples), so that it suits any number of rows: 50
        says a fiftieth. At least 1 / nu.
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
        Rules at most, of which most end up without weight.
    tol : float, default=1e-6
        It ends where no rule is proposed whose edge is above the bound by more than this.
    max_iter : int, default=100_000
        Simplex steps of a round, after which the rules until then are kept and a warning is given.
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
        ``round``, the ``edge`` of its rule, the ``bound`` and ``gap`` after it, and simplex ``steps``.
        For more than two classes, the rounds of all of them, and ``class`` names the class of each.
    duality_gap_ : float
        How far the weights of the rules can be from the best for these rules: about 1e-15.
    n_iter_ : int
        Simplex steps of the longest round.

    References
    ----------
    .. [1] J. Leskovec, J. Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.

    Examples
    --------
    >>> from lopsided import LPUBoostStumps
    >>> model = LPUBoostStumps().fit([[1, 0], [1, 1], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> [rule.feature for rule in model.rules_]
    [0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **LPBoostStumps._parameter_constraints,
        "beta": [Interval(Real, 1, None, closed="left"), StrOptions({"auto"})],
        "nu": [Interval(Real, 0, 1, closed="neither"), StrOptions({"auto"})],
    }

    def __init__(
        self,
        beta: Any = "auto",
        nu: Any = "auto",
        lower_bound: float = 0.0,
        *,
        lower_bound_divisor: float | None = None,
        weak_learner: Any = "real.mh",
        stumps: str = "auto",
        n_rounds: int = 300,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        n_jobs: int | None = None,
        probability: bool = False,
    ) -> None:
        super().__init__(
            nu,
            lower_bound,
            lower_bound_divisor=lower_bound_divisor,
            weak_learner=weak_learner,
            stumps=stumps,
            n_rounds=n_rounds,
            tol=tol,
            max_iter=max_iter,
            n_jobs=n_jobs,
            probability=probability,
        )
        self.beta = beta

    def _remedy(self) -> str:
        if self.nu == "auto":
            return ""
        return "Use nu='auto', or raise nu (more rows may be wrong) or beta (positives cost more)."


@boost.register
def lpuboost(
    booster: LPUBoostStumps, learner: WeakLearner, signs: NDArray[np.int8], weights: NDArray[np.float64]
) -> Ensemble:
    """Boost as `lpboost` does; with nu "auto" by the smallest of a ladder with which the rules keep an edge.

    The bound is the largest edge of a rule against the weights that are hardest for all of them. It rises
    with nu, because that narrows the weights, so the ladder is bisected.
    """
    if booster.nu != "auto":
        return _generate(booster, learner, signs, weights, booster.nu, booster.n_rounds)
    ladder = ladder_of_nu(signs, weights)
    if booster.lower_bound_divisor is not None:  # the weights need room above the lower bound
        able = [nu for nu in ladder if nu * booster.lower_bound_divisor > 1]
        ladder = able or ladder[-1:]
    n_rounds = min(_ROUNDS, booster.n_rounds)
    low, high, best = 0, len(ladder), None
    while low < high:
        middle = (low + high) // 2
        ensemble = _generate(booster, learner, signs, weights, ladder[middle], n_rounds)
        if _has_edge(ensemble):
            best, high = ensemble, middle
        else:
            low = middle + 1
            latest = ensemble
    found = latest if best is None else best
    if n_rounds < booster.n_rounds and len(found.members) == n_rounds:
        found.complaint = ""  # it was meant to end there
    return found


def _has_edge(ensemble: Ensemble) -> bool:
    return bool(ensemble.members) and ensemble.history["bound"][-1] > _EDGE
