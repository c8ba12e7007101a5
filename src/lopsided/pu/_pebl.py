"""PEBL: 1-DNF finds strong negatives, an SVM goes on from there (Yu, Han & Chang, KDD 2002)."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from lopsided._compat import Interval, fit_context
from lopsided.pu._linear import LinearConvergence
from lopsided.pu._mappers import one_dnf


class PEBL(LinearConvergence):
    """Pages like the positives: those without any positive word go first, then an SVM goes on from there.

    A feature is positive if it is present in a larger share of the positives than of the unlabeled. With many
    words nearly every document has one of them; then there are no negatives to begin with, and everything is
    called positive. `RocSVM` and `SVMC` do not have this weakness.

    Parameters
    ----------
    C : float, default=1.0
        Of the linear SVM.
    max_iter : int, default=100
        The most iterations.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is 1.
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        The last SVM.
    strong_negatives_, negatives_ : int arrays
        Rows without a positive feature, and all that were rejected.
    n_iter_ : int
        Iterations.
    history_ : dict of arrays
        What happened in each, as in `MappingConvergence`.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] H. Yu, J. Han, K. C.-C. Chang, "PEBL: Positive Example Based Learning for Web Page Classification
       Using SVM", KDD 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from lopsided import PEBL
    >>> X = np.array([[1, 1, 0, 0]] * 5 + [[0, 1, 0, 0]] * 5 + [[0, 0, 1, 1]] * 20)
    >>> y = [1] * 5 + [0] * 25
    >>> PEBL().fit(X, y).predict([[0, 1, 0, 0], [0, 0, 1, 0]])
    array([1, 0])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, C: float = 1.0, max_iter: int = 100) -> None:
        self.C = C
        self.max_iter = max_iter

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from positives and unlabeled rows.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)
            A feature that is not 0 is present.
        y : array-like of shape (n_samples,)
            1 for a known positive; 0, -1, False, NaN or None for all others, one spelling at a time.

        Returns
        -------
        self
        """
        rows, positive = self._read(X, y)
        n_positive_features = one_dnf(rows, positive).scores(rows)
        strong = ~positive & (n_positive_features < 0)
        result = self._converge(rows, positive, strong, n_positive_features)
        if result is not None:
            self._accept(result, result.models[-1], rows, positive, strong)
        return self
