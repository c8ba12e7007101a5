"""The online SVM: optimal on everything seen, after every example."""

import sys
import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from lopsided._compat import Interval
from lopsided.online._buffered import BufferedLearner
from lopsided.online._recipes import svm_recipe

_MOST_PASSES = 1000  # an example
_INSIDE = ("lopsided", "sklearn")  # packages to whose lines a warning does not point


class OnlineSVM(BufferedLearner):
    """Linear SVM that is optimal on all examples seen, after each of them.

    Keeps every example, and 4 bytes for each pair of those that matter: for streams of some thousands.
    `LASVC` does nearly the same within a byte budget, `RelaxedOnlineSVM` on the latest examples only.
    Parameters count as they are at the first example; later changes wait for a ``fit``.

        min_w,b  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (<w, x_i> + b))                               ([1]_)

    Parameters
    ----------
    C : float, default=100.0
        Weight of the loss against the margin.
    class_weight : dict, optional
        {label: factor of C}; 1 by default.
    tol : float, default=1e-3
        By how much the conditions of the optimum may be violated.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is the positive one.
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        w and b; zero until both classes were seen.
    dual_coef_ : array
        y_i a_i of all examples, in order.
    n_updates_ : int
        Examples that changed the model: those with y f(x) < 1.

    References
    ----------
    .. [1] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007, section 2.

    Examples
    --------
    >>> from lopsided import OnlineSVM, make_lopsided
    >>> X, y = make_lopsided(n_samples=300, positive_rate=0.2, random_state=0)
    >>> model = OnlineSVM(C=1.0).fit(X, y)
    >>> bool(abs(model.dual_coef_.sum()) < 1e-9)
    True
    """

    rows_at_a_time = 8

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, None],
        "tol": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        C: float = 100.0,
        class_weight: dict[Any, float] | None = None,
        tol: float = 1e-3,
    ) -> None:
        self.C = C
        self.class_weight = class_weight
        self.tol = tol

    def _recipe(self, matrix: Any, costs: NDArray[np.float64]) -> dict[str, Any]:
        bounds = self._bounds(costs)
        return svm_recipe(matrix.shape[1], *bounds, buffer_size=0, max_passes=_MOST_PASSES, tol=self.tol)

    @property
    def n_unfinished(self) -> int:
        """Number of examples after which the optimum was not reached."""
        return self._core.n_unfinished if self.__sklearn_is_fitted__() else 0

    def warn_unfinished(self, before: int, n_lessons: int) -> None:
        """Warn if the optimum was not reached after any of the last examples.

        Parameters
        ----------
        before : int
            `n_unfinished` before these examples.
        n_lessons : int
            Number of these examples.
        """
        unfinished = self.n_unfinished - before
        if unfinished:
            warnings.warn(
                f"The optimum was not reached within {_MOST_PASSES:,} passes after {unfinished:,} of "
                f"{n_lessons:,} examples. Scale the features, lower C, or raise tol (it is "
                f"{self._made_of['tol']:g}).",
                ConvergenceWarning,
                stacklevel=_user_level(),
            )


def _user_level() -> int:
    """Return how far up the stack the first line stands that is neither ours nor scikit-learn's."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    return level
