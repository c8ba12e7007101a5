"""Roc-SVM: Rocchio finds reliable negatives, an SVM goes on from there (Li & Liu, IJCAI 2003)."""

from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from lopsided._blocks import score_rows, sum_rows
from lopsided._compat import Interval, fit_context
from lopsided._stored import Check, flag
from lopsided.pu._linear import LinearConvergence


class RocSVM(LinearConvergence):
    """Text like the positives: Rocchio for the first negatives, then a linear SVM again and again.

    An unlabeled row that is nearer to the mean of its like than to that of the positives is negative first.
    A linear SVM separates it from the positives, what else falls on its negative side is added, until nothing
    does. If the last SVM gives up too many of the labeled positives, the first one is taken [1]_.

    Parameters
    ----------
    alpha, beta : float, default=16.0 and 4.0
        Weights of the own and of the other class in the prototypes of Rocchio.
    C : float, default=1.0
        Of the linear SVM.
    catch : float, default=0.08
        Share of the labeled positives on the wrong side above which the first SVM is taken.
    max_iter : int, default=100
        The most iterations. 1 takes the first SVM, which ranks best where few positives are known.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is 1.
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        The SVM that is used.
    caught_ : bool
        Whether that is the first one because the last had gone too far.
    strong_negatives_, negatives_ : int arrays
        Rows that Rocchio rejected, and all that were rejected.
    n_iter_ : int
        Iterations.
    history_ : dict of arrays
        What happened in each, as in `MappingConvergence`.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] X. Li, B. Liu, "Learning to Classify Texts Using Positive and Unlabeled Data", IJCAI 2003.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from lopsided import RocSVM, make_topics
    >>> texts, topic = make_topics(n_samples=600, n_topics=4, random_state=0)
    >>> X, y = TfidfVectorizer().fit_transform(texts), (topic == 0).astype(int)
    >>> y[y.nonzero()[0][::2]] = 0  # half of them are unknown
    >>> model = RocSVM().fit(X, y)
    >>> found = model.predict(X) == 1
    >>> bool((topic[found] == 0).mean() > 0.8), bool(found[topic == 0].mean() > 0.8)
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "catch": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    _stored: ClassVar[dict[str, Check]] = {"caught_": flag()}

    def __init__(
        self,
        alpha: float = 16.0,
        beta: float = 4.0,
        C: float = 1.0,
        catch: float = 0.08,
        max_iter: int = 100,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.C = C
        self.catch = catch
        self.max_iter = max_iter

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from positives and unlabeled rows.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)
            tf-idf, say, in rows of length 1.
        y : array-like of shape (n_samples,)
            1 for a known positive; 0, -1, False, NaN or None for all others, one spelling at a time.

        Returns
        -------
        self
        """
        rows, positive = self._read(X, y)
        nearness = rocchio(rows, positive, self.alpha, self.beta)
        strong = ~positive & (nearness <= 0)
        self.caught_ = False
        result = self._converge(rows, positive, strong, nearness)
        if result is None:
            return self
        self.caught_ = result.history[-1]["rejected_positives"] > self.catch
        if self.caught_:
            result.history[-1]["notes"].append("caught: too many positives are lost, the first SVM is taken")
        if self.max_iter == 1:
            result.stopped = ""  # who asks for one iteration wants the first SVM
        self._accept(result, result.models[0 if self.caught_ else -1], rows, positive, strong)
        return self


def rocchio(X: Any, positive: NDArray[np.bool_], alpha: float, beta: float) -> NDArray[np.float64]:
    """Return cos(c+, x) - cos(c-, x) of every row; 0 for a row of zeros, which has no direction."""
    P, U = sum_rows(_column_sums, X, positive) / np.array([[positive.sum()], [(~positive).sum()]])
    apart = _unit(alpha * P - beta * U) - _unit(alpha * U - beta * P)
    return score_rows(partial(partial, _cosine, apart), X)


def _column_sums(X: Any, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the sums of the positive rows, and of the others."""
    if issparse(X):
        return np.array([which.astype(np.float64) @ X for which in (positive, ~positive)])
    return np.array([X[which].sum(axis=0, dtype=np.float64) for which in (positive, ~positive)])


def _cosine(direction: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
    """Return the product with the direction, by the length of each row."""
    squares = (X.multiply(X) if issparse(X) else X * X).sum(axis=1)
    lengths = np.sqrt(np.asarray(squares, dtype=np.float64)).ravel()
    return np.asarray(X @ direction, dtype=np.float64) / np.where(lengths > 0, lengths, 1)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector
