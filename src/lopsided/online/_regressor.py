"""Values learned one example at a time: passive-aggressive regression (Crammer et al. 2006)."""

import math
from itertools import pairwise
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import Interval, fit_context
from lopsided._preparation import validate_rows
from lopsided._stored import FEATURES, Check, numbers, real, whole
from lopsided.online._rows import quick_rows


class OnlineRegressor(RegressorMixin, BaseEstimator):
    """A linear model of values that is corrected by each example, just as far as the example asks.

    It serves streams: each row is predicted, then learned, once. The step for an example is the smallest one
    that brings the prediction within ``epsilon`` of the value (passive-aggressive regression [1]_, with
    ``epsilon=0`` normalised least mean squares), times ``eta0``:

        w <- w + eta0 * sign(r) * max(0, |r| - epsilon) / (|x|^2 + 1) * x,      r = y - <w, x> - b

    where the intercept b is the weight of one more feature that is 1 for all rows (without it, no + 1). So it
    needs neither a schedule nor features of a certain size. A row costs O(nonzeros).

    Parameters
    ----------
    eta0 : float in (0, 2), default=1.0
        Share of the step. 1 ends each step at the value; noisy values want less, 0.1 for example, so that
        many are averaged. From 2 on nothing would converge.
    epsilon : float, default=0.0
        Errors up to this size are let be.
    fit_intercept : bool, default=True
        Whether the intercept is learned.
    initial_value : float, default=0.0
        The intercept before anything is learned. Where values are learned only of what is shown
        (`ValueFilter`), begin at the threshold, or above it: a learner that begins by thinking too little of
        everything is never proved wrong.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_updates_ : int
        Examples that changed the model.
    n_features_in_ : int

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer, "Online Passive-Aggressive
       Algorithms", Journal of Machine Learning Research 7:551-585, 2006. Section 5.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> model = OnlineRegressor().fit(X, X @ [1, -2, 3] + 5)
    >>> model.coef_.round(3).tolist(), round(model.intercept_, 3)
    ([1.0, -2.0, 3.0], 5.0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "eta0": [Interval(Real, 0, 2, closed="neither")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "initial_value": [Interval(Real, None, None, closed="neither")],
    }

    _stored: dict[str, Check] = FEATURES | {
        "coef_": numbers("n_features"),
        "intercept_": real(),
        "n_updates_": whole(),
    }

    coef_: NDArray[np.float64]
    intercept_: float
    n_updates_: int
    n_features_in_: int

    def __init__(
        self,
        eta0: float = 1.0,
        epsilon: float = 0.0,
        fit_intercept: bool = True,
        initial_value: float = 0.0,
    ) -> None:
        self.eta0 = eta0
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.initial_value = initial_value

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Forget everything and learn the rows once, in their order.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Values.

        Returns
        -------
        self : OnlineRegressor
        """
        rows, values = self._check(X, y, reset=True)
        self._begin(rows.shape[1])
        return self._learn(rows, values)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn more rows, in their order.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Values.

        Returns
        -------
        self : OnlineRegressor
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y)
        if self._is_plain(X) and _are_plain(y, X.shape[0]):  # type: ignore[union-attr]
            return self._learn(X, y)
        return self._learn(*self._check(X, y, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the value of each row.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)

        Returns
        -------
        values : array of shape (n_samples,)
        """
        check_is_fitted(self)
        rows: Any = X
        if not self._is_plain(X):
            rows = validate_rows(self, X, reset=False)
        with np.errstate(over="ignore", invalid="ignore"):  # looked for, and put into words
            values = np.asarray(rows @ self.coef_ + self.intercept_)
        if not np.isfinite(values).all():
            raise ValueError("predictions are not finite: features are too large. Scale the features.")
        return values

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _begin(self, n_features: int) -> None:
        self.coef_ = np.zeros(n_features)
        self.intercept_ = float(self.initial_value)
        self.n_updates_ = 0

    def _check(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        rows, values = validate_rows(self, X, y, y_numeric=True, reset=reset)
        return rows, values.astype(np.float64, copy=False)

    def _is_plain(self, X: Any) -> bool:
        """Return whether rows need no check: scikit-learn's costs as much as learning 20 rows."""
        if hasattr(self, "feature_names_in_"):
            return False
        rows = quick_rows(X)
        return rows is not None and rows.n_columns == len(self.coef_) and rows.all_finite

    def _learn(self, X: Any, values: Any) -> Self:
        w, b, n_updates = self.coef_, self.intercept_, self.n_updates_
        eta0, epsilon, constant = float(self.eta0), float(self.epsilon), float(self.fit_intercept)
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # looked for, and put into words
                for x, at, y in zip(*_rows(X), values.tolist(), strict=True):
                    error = y - float(w[at] @ x) - b
                    excess = abs(error) - epsilon
                    size = float(x @ x) + constant
                    if not math.isfinite(2 * excess + size):  # eta0 is below 2
                        raise ValueError(
                            "a row or its value is too large to learn from. Scale features and values."
                        )
                    if excess > 0 and size > 0:  # a row of zeros without an intercept teaches nothing
                        step = (eta0 if error > 0 else -eta0) * excess / size
                        w[at] += step * x
                        b += step * constant
                        n_updates += 1
        finally:  # so that coefficients and intercept agree also after Ctrl-C
            self.intercept_, self.n_updates_ = b, n_updates
        return self


def _are_plain(y: Any, n: int) -> bool:
    return type(y) is np.ndarray and y.shape == (n,) and y.dtype == np.float64 and bool(np.isfinite(y).all())


def _rows(X: Any) -> tuple[Any, Any]:
    """Return the numbers of each row in float64, and their places."""
    if not issparse(X):
        X = X.astype(np.float64, copy=False)
        return X, [slice(None)] * len(X)
    data, ends = X.data.astype(np.float64, copy=False), X.indptr.tolist()
    bounds = list(pairwise(ends))
    return [data[i:j] for i, j in bounds], [X.indices[i:j] for i, j in bounds]
