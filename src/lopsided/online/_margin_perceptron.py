"""The perceptron with margins (Krauth & Mezard 1987), which explores under one-sided feedback by itself."""

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._compat import Interval, StrOptions
from lopsided._kernels.online import Perceptron
from lopsided._preparation import GAMMA_KERNELS, check_squares, chosen_gamma, how_rows_are_kept
from lopsided._stored import Check, made_again
from lopsided.online._base import OnlineLearner
from lopsided.online._recipes import make_perceptron, perceptron_rule
from lopsided.online._rows import MeasuredRows

_FINE = 1e30  # steps from the inverse of this to this leave float32 room on both sides
# Where weights, rows and steps are below this, float32 can hold the weights, or float64 all products.
_TAME, _TAME_WIDE = 1e38, 1e150


class MarginPerceptron(OnlineLearner):
    """Perceptron that also learns from what is right, but not by a margin.

    The first choice for feedback on what was shown: with a margin, an example that was barely accepted
    teaches too, so that the learner goes on exploring near its border [1]_. A row costs one product and at
    most one addition. Parameters count as they are at the first example; later changes wait for a ``fit``.

        w <- w + eta0 c_y y x     if  y f(x) <= margin / 2,       f(x) = <w, x> + b

    ``step="adaptive"`` is for one-sided feedback with any share of positives, rare ones above all. A step is
    as long as the margin asks for, and at most eta0 c_y (the passive-aggressive algorithm [2]_). While few
    positives are known, negatives take shorter steps: after p positives and n negatives their bound is
    min(1, (p + 1)^2 / (5 n + 5)) times as large, so that the many negatives that are shown at the beginning
    cannot hide everything. The intercept, if it is learned, moves slowly, as the weight of a constant feature
    whose square is a fiftieth of |x|^2.

    Parameters
    ----------
    margin : float, default=2.0
        Full width of the margin (m in [1]_). 0 is the classical perceptron.
    eta0 : float, default=1.0
        Learning rate. More than margin / 2 may overshoot: one false positive can throw the border past all
        positives.
    class_weight : dict, optional
        Cost of a mistake on each class, {label: factor of the step}; 1 by default. With adaptive steps it is
        a factor of their bound: {0: 0.5} shows more, and a large one for the positives changes little.
    fit_intercept : bool, default=False
        Whether b is learned.
    initial_bias : float, default=0.0
        Where b begins (and stays, unless it is learned).
    kernel : None, {"linear", "poly", "rbf", "sigmoid"} or callable, default=None
        None keeps w itself. A kernel keeps the rows that moved it instead, and slows down as they grow.
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernels rbf, poly and sigmoid, as in scikit-learn's SVC ("scale" looks at the first rows).
    degree : int, default=3
        Of the kernel poly.
    coef0 : float, default=0.0
        Of the kernels poly and sigmoid.
    step : {"constant", "adaptive"}, default="constant"
        Length of a step: eta0 c_y, or what the margin asks for and at most that. "adaptive" needs
        ``kernel=None``.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is the positive one.
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        w and b. ``coef_`` is there without a kernel only, in the precision of the first rows (float32 takes
        half the memory and less time), or in float64 where a step is below 1e-30 or above 1e30. Rows that
        would lead a weight out of its range are refused.
    n_updates_ : int
        Rows that changed the model.

    References
    ----------
    .. [1] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007, section 3.
    .. [2] K. Crammer et al., "Online Passive-Aggressive Algorithms", JMLR 7:551-585, 2006.

    Examples
    --------
    >>> from lopsided import MarginPerceptron, make_lopsided
    >>> X, y = make_lopsided(n_samples=1000, positive_rate=0.2, random_state=0)
    >>> model = MarginPerceptron(fit_intercept=True).fit(X[:500], y[:500])
    >>> bool(model.score(X[500:], y[500:]) > 0.75)
    True
    """

    _reach = math.inf  # a bound on |w|; infinity: not known
    _step = math.inf  # the longest, as a multiple of a row; infinity: too long to be sure of anything
    _tame = 0.0
    _derived: ClassVar[tuple[str, ...]] = (*OnlineLearner._derived, "_reach", "_step", "_tame")

    _stored: ClassVar[dict[str, Check]] = {name: made_again(float) for name in ("_reach", "_step", "_tame")}

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "margin": [Interval(Real, 0, None, closed="left")],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, None],
        "fit_intercept": ["boolean"],
        "initial_bias": [Interval(Real, None, None, closed="neither")],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid"}), callable, None],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "step": [StrOptions({"constant", "adaptive"})],
    }

    def __init__(
        self,
        margin: float = 2.0,
        eta0: float = 1.0,
        class_weight: dict[Any, float] | None = None,
        fit_intercept: bool = False,
        initial_bias: float = 0.0,
        kernel: str | Callable[..., ArrayLike] | None = None,
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        step: str = "constant",
    ) -> None:
        self.margin = margin
        self.eta0 = eta0
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.initial_bias = initial_bias
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.step = step

    @property
    def coef_(self) -> NDArray[np.floating[Any]]:
        """Weights of the features."""
        core = self._fitted_core("coef_")
        if not isinstance(core, Perceptron):
            raise AttributeError("coef_ is there with kernel=None only")
        return core.coef[None, :]

    def _refuse(self, matrix: Any) -> None:
        if self.kernel in GAMMA_KERNELS:
            check_squares(matrix, self)

    def _recipe(self, matrix: Any, costs: NDArray[np.float64]) -> dict[str, Any]:
        if self.step == "adaptive" and self.kernel is not None:
            raise ValueError(
                f"step='adaptive' needs kernel=None; got kernel={self.kernel!r}. Drop one of them."
            )
        rule = perceptron_rule(
            costs[0], costs[1], self.margin, self.eta0, self.fit_intercept, self.initial_bias
        )
        if self.kernel is None:
            steps = float(self.eta0) * costs[costs > 0]
            wide = matrix.dtype == np.float64 or not ((steps > 1 / _FINE) & (steps < _FINE)).all()
            # No entry where steps are constant: models that were saved before "adaptive" was there have none.
            adaptive = {"adaptive": True} if self.step == "adaptive" else {}
            return {"n_columns": matrix.shape[1], "wide": bool(wide), "rule": rule, **adaptive}
        gamma = chosen_gamma(self.gamma, self.kernel, matrix)
        store = {
            "kernel": self.kernel,
            "gamma": gamma,
            "coef0": float(self.coef0),
            "degree": int(self.degree),
            "n_columns": matrix.shape[1],
            **how_rows_are_kept(self.kernel, gamma, matrix),
        }
        return {"store": store, "rule": rule}

    @staticmethod
    def _make(recipe: dict[str, Any], state: dict[str, Any] | None = None) -> Any:
        return make_perceptron(recipe, state)

    def _derive(self) -> None:
        super()._derive()
        rule = self._made_of["rule"]
        step = rule["rate"] * max(rule["cost_positive"], rule["cost_negative"])
        self._tame = _TAME_WIDE if self._made_of.get("wide") else _TAME
        self._step = step if step < self._tame else math.inf
        self._reach = _norm(self._core.coef) if isinstance(self._core, Perceptron) else 0.0

    def reserve(self, rows: MeasuredRows, first: int, count: int) -> bool:
        core, length, most = self._core, rows.longest(first, count), self._tame
        reach = self._reach + count * self._step * length
        if not (reach < most and length < most) and isinstance(core, Perceptron):  # kernels look themselves
            reach = _norm(core.coef) + count * self._step * length
            if not (reach < most and length < most):
                return False
        self._reach = reach
        return True

    def _teach_carefully(self, rows: MeasuredRows, i: int, sign: NDArray[np.int8]) -> None:
        before = self._core.state()
        super()._teach_carefully(rows, i, sign)
        weights = self._core.coef
        if not (np.isfinite(weights).all() and math.isfinite(self._core.b)):
            self._core = self._make(self._made_of, before)
            raise ValueError(
                f"a row leads a weight out of the range of {weights.dtype}. Scale the features, or "
                "lower eta0 or class_weight."
            )
        self._reach = _norm(weights)


def _norm(weights: NDArray[np.floating[Any]]) -> float:
    """Return a number not less than |w|, and finite where w is small enough for that."""
    return float(np.abs(weights).max()) * math.sqrt(len(weights))
