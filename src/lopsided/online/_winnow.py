"""Winnow2 (Littlestone 1988): weights that grow and shrink by a factor."""

import math
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._compat import Interval
from lopsided._kernels import online
from lopsided.online._base import OnlineLearner
from lopsided.online._rows import MeasuredRows

_MOST_LOGARITHM = 306 * math.log(10)  # of a score: not far from the end of float64


class Winnow(OnlineLearner):
    """Multiplicative updates for few relevant features among very many.

    Mistakes grow with the logarithm of the number of features. Under one-sided feedback it ratchets like the
    perceptron [2]_: every weight it then learns is smaller. Combine it with an explorer, and choose a
    threshold no larger than the number of active features of an example, or nothing is ever shown.
    Parameters count as they are at the first example; later changes wait for a ``fit``.

        f(x) = sum_j w_j x_j - threshold,        on a mistake  w_j <- w_j factor^(y x_j)            ([1]_)

    Parameters
    ----------
    factor : float, default=2.0
        Of each step, above 1 and at most 30.
    threshold : float, optional
        By default half the number of features.
    initial_bias : float, default=0.0
        Added to every score.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is the positive one.
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        The weights, all positive, and initial_bias - threshold.
    n_updates_ : int
        Mistakes.

    References
    ----------
    .. [1] N. Littlestone, "Learning Quickly When Irrelevant Attributes Abound", Machine Learning 2:285-318,
       1988.
    .. [2] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import Winnow
    >>> X = np.random.default_rng(0).integers(0, 2, size=(500, 100)).astype(float)
    >>> y = (X[:, 3] + X[:, 8] > 0).astype(int)  # one of two features
    >>> bool(Winnow(threshold=100).fit(X, y).n_updates_ < 60)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "factor": [Interval(Real, 1, 30, closed="right")],
        "threshold": [Interval(Real, 0, None, closed="neither"), None],
        "initial_bias": [Interval(Real, None, None, closed="neither")],
    }

    def __init__(
        self, factor: float = 2.0, threshold: float | None = None, initial_bias: float = 0.0
    ) -> None:
        self.factor = factor
        self.threshold = threshold
        self.initial_bias = initial_bias

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # scores depend on the threshold chosen
        return tags

    def _refuse(self, matrix: Any) -> None:
        values = matrix.data if issparse(matrix) else matrix
        if values.size and values.min() < 0:
            raise ValueError(
                f"Negative values in data passed to Winnow: {values.min():g}. Its features say how much of "
                "something is there; split a signed one in two."
            )

    def _recipe(self, matrix: Any, costs: NDArray[np.float64]) -> dict[str, Any]:
        n_columns = matrix.shape[1]
        threshold = n_columns / 2 if self.threshold is None else float(self.threshold)
        return {
            "n_columns": n_columns,
            "factor": float(self.factor),
            "b": float(self.initial_bias) - threshold,
        }

    @staticmethod
    def _make(recipe: dict[str, Any], state: dict[str, Any] | None = None) -> online.Winnow:
        return online.Winnow(**recipe, state=state)

    def reserve(self, rows: MeasuredRows, first: int, count: int) -> bool:
        # Weights are at most factor^200, and sum |x_j| <= sqrt(n) |x|.
        logarithm = 200 * math.log(self._made_of["factor"]) + math.log(rows.n_columns) / 2
        return rows.longest(first, count) < math.exp(_MOST_LOGARITHM - logarithm)
