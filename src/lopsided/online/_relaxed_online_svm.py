"""The relaxed online SVM (Sculley & Wachman 2007): nearly the online SVM at a bounded price."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided._compat import Interval
from lopsided.online._buffered import BufferedLearner
from lopsided.online._recipes import svm_recipe

_MOST = 2**31 - 1  # examples or passes are counted in 32 bits


class RelaxedOnlineSVM(BufferedLearner):
    """Linear SVM on the latest examples, for streams without end such as mail.

    Three relaxations make the online SVM cheap [1]_: it is trained on the last ``buffer_size`` examples only,
    only when an example falls below ``update_margin``, and by at most ``max_passes`` passes. Like every
    margin learner it explores under one-sided feedback by itself [2]_. Memory is bounded: 4 bytes a feature
    and 12 for each that was seen, the buffered examples, and 4 bytes for each pair of those that matter.
    Parameters count as they are at the first example; later changes wait for a ``fit``.

        min_w,b  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (<w, x_i> + b))       over the buffered examples

    Parameters
    ----------
    C : float, default=100.0
        Weight of the loss against the margin.
    class_weight : dict, optional
        {label: factor of C}; 1 by default.
    buffer_size : int, default=1000
        Examples kept (p in [1]_). The oldest leaves, never the last of its class. What it gave to w stays,
        its a_i being a constant from then on: under one-sided feedback the few negatives would else fall out
        of a buffer full of positives, and be forgotten.
    update_margin : float, default=1.0
        Learn only from examples with y f(x) below this (M).
    max_passes : int, default=1
        Passes over the buffer an example (T). In a pass each example that violates its condition by more than
        ``tol`` moves once, with its best partner, newest first.
    tol : float, default=1e-3
        By how much the conditions of the optimum may be violated.
    random_state : default=None
        Without effect: the steps are chosen without chance. Code that seeds any learner may pass it.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is the positive one.
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        w and b; zero until both classes were seen.
    dual_coef_ : array
        y_i a_i of the buffered examples, oldest first.
    buffer_labels_ : array
        Their labels.
    n_bytes_ : int
        Memory of weights, buffer and kernel values.
    n_updates_ : int
        Examples that changed the model.

    References
    ----------
    .. [1] D. Sculley and G. Wachman, "Relaxed Online SVMs for Spam Filtering", SIGIR 2007.
    .. [2] D. Sculley, "Practical Learning from One-Sided Feedback", KDD 2007.

    Examples
    --------
    >>> from lopsided import RelaxedOnlineSVM, make_lopsided
    >>> X, y = make_lopsided(n_samples=1000, positive_rate=0.2, random_state=0)
    >>> model = RelaxedOnlineSVM(buffer_size=200)
    >>> for first in range(0, 1000, 100):
    ...     _ = model.partial_fit(X[first : first + 100], y[first : first + 100], classes=[0, 1])
    >>> len(model.buffer_labels_)
    200
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, None],
        "buffer_size": [Interval(Integral, 2, _MOST, closed="both")],
        "update_margin": [Interval(Real, 0, 1, closed="right")],
        "max_passes": [Interval(Integral, 1, _MOST, closed="both")],
        "tol": [Interval(Real, 0, 1, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 100.0,
        class_weight: dict[Any, float] | None = None,
        buffer_size: int = 1000,
        update_margin: float = 1.0,
        max_passes: int = 1,
        tol: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.class_weight = class_weight
        self.buffer_size = buffer_size
        self.update_margin = update_margin
        self.max_passes = max_passes
        self.tol = tol
        self.random_state = random_state

    def _recipe(self, matrix: Any, costs: NDArray[np.float64]) -> dict[str, Any]:
        rule = self.buffer_size, self.update_margin, self.max_passes, self.tol
        return svm_recipe(matrix.shape[1], *self._bounds(costs), *rule)
