"""All questions that can be asked of the rows of a matrix, and the weight of both classes beneath each."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, issparse

from lopsided._kernels.stumps import presence_weights, threshold_weights

_MOST_VALUES = 65_535  # of a column that are told apart; codes have 16 bits
_BINS = 255  # thresholds of a column with more values than that, or of a table with more rows
_LARGE = 50_000  # rows from which thresholds are quantiles


class StumpQuestion(NamedTuple):
    """A column, and the threshold or None where presence is asked."""

    feature: int
    threshold: float | None


class Stumps(Protocol):
    """Questions with numbers from 0."""

    def weights(self, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of either class in the rows with answer yes, for each question: shape (n, 2).

        ``pairs`` has the weight of a row in the column of its class, and 0 in the other.
        """
        ...

    def question(self, number: int) -> StumpQuestion:
        """Return the question with this number."""
        ...

    def applies(self, number: int) -> NDArray[np.bool_]:
        """Return the answer for each row."""
        ...


class PresenceStumps:
    """Stumps that ask whether a column is not 0."""

    def __init__(self, X: Any) -> None:
        columns = csc_array(X != 0) if not issparse(X) else csc_array(X, copy=True)
        columns.eliminate_zeros()
        if columns.nnz > np.iinfo(np.int32).max:
            raise ValueError(f"X has {columns.nnz:,} nonzeros, more than fit. Learn from fewer rows.")
        self._n_rows = columns.shape[0]
        self._starts = columns.indptr.astype(np.int32, copy=False)
        self._rows = columns.indices.astype(np.int32, copy=False)

    def weights(self, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return them by one pass over the nonzeros."""
        out = np.empty((len(self._starts) - 1, 2))
        presence_weights(self._starts, self._rows, pairs, out)
        return out

    def question(self, number: int) -> StumpQuestion:
        """Return the question of the column with this number."""
        return StumpQuestion(number, None)

    def applies(self, number: int) -> NDArray[np.bool_]:
        """Return whether the column is not 0, for each row."""
        there = np.zeros(self._n_rows, dtype=bool)
        there[self._rows[self._starts[number] : self._starts[number + 1]]] = True
        return there


class ThresholdStumps:
    """Stumps that ask whether a number is above a threshold.

    Thresholds lie in the middle between neighbouring values of a column. Numbers are replaced by their place
    among the values once; a round then counts weights by place. Where there are more than 50,000 rows, or
    more values than 16 bits can tell apart, they are the quantiles that cut the column in 256.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_columns)
    cut : callable or None, default=None
        ``cut(column)`` returns other thresholds of a column, rising.
    """

    def __init__(self, X: Any, cut: Callable[[NDArray[Any]], NDArray[np.float64]] | None = None) -> None:
        n_rows, n_columns = X.shape
        if issparse(X):
            X = csc_array(X)
        self._codes = np.empty((n_columns, n_rows), dtype=np.uint16)
        thresholds = []
        for j in range(n_columns):
            column = X[:, [j]].toarray().ravel() if issparse(X) else X[:, j]
            cuts = (cut or _cuts)(np.asarray(column))
            self._codes[j] = np.searchsorted(cuts, column, side="left")
            thresholds.append(cuts)
        self._first = np.cumsum([0, *(len(cuts) for cuts in thresholds)]).astype(np.int32)
        self._thresholds = np.concatenate(thresholds) if thresholds else np.empty(0)

    def weights(self, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return them by one pass over the codes."""
        out = np.empty((len(self._thresholds), 2))
        threshold_weights(self._codes, self._first, pairs, out)
        return out

    def question(self, number: int) -> StumpQuestion:
        """Return a question by its number: questions go by column, then by threshold."""
        feature = int(np.searchsorted(self._first, number, side="right")) - 1
        return StumpQuestion(feature, float(self._thresholds[number]))

    def applies(self, number: int) -> NDArray[np.bool_]:
        """Return whether the value is above the threshold, for each row."""
        feature = self.question(number).feature
        return np.asarray(self._codes[feature] > number - self._first[feature])


def choose_kind(kind: str, X: Any) -> str:
    """Return what is asked of the columns: "presence" or "threshold" where ``kind`` is "auto".

    Examples
    --------
    >>> choose_kind("auto", np.array([[0, 1], [1, 1]])), choose_kind("auto", np.array([[0, 2], [1, 1]]))
    ('presence', 'threshold')
    >>> choose_kind("auto", csc_array([[0, 2], [1, 1]]))
    'presence'
    """
    if kind != "auto":
        return kind
    if issparse(X):
        return "presence" if X.nnz == 0 or X.data.min() >= 0 else "threshold"
    return "presence" if np.isin(X, (0, 1)).all() else "threshold"


def index_stumps(kind: str, X: Any) -> Stumps:
    """Return all stumps of the rows: questions of "presence", of "threshold", or as they suit ("auto")."""
    return PresenceStumps(X) if choose_kind(kind, X) == "presence" else ThresholdStumps(X)


def _cuts(column: NDArray[Any]) -> NDArray[np.float64]:
    """Return the thresholds of a column, rising."""
    values = np.unique(column)
    if len(column) > _LARGE or len(values) > _MOST_VALUES:
        values = np.unique(np.quantile(column, np.linspace(0, 1, _BINS + 1), method="inverted_cdf"))
    return middles(values)


def middles(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the thresholds in the middle between neighbouring values, which rise."""
    values = values.astype(np.float64)
    middle = values[:-1] / 2 + values[1:] / 2
    # Between neighbouring floating-point numbers there is no middle: the lower one is not above itself.
    return np.where((middle > values[:-1]) & (middle < values[1:]), middle, values[:-1])
