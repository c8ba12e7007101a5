"""Rows as a compiled learner reads them, with their lengths."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._kernels.online import squared_norms
from lopsided._kernels.rows import Rows

_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))  # in the byte order of the machine


class MeasuredRows(Rows):
    """Rows that know how long they are, which takes no longer than to look for what is no number.

    Examples
    --------
    >>> MeasuredRows(np.array([[3.0, 4.0], [1.0, 0.0]])).longest(0, 2)
    5.0
    """

    _squared: NDArray[np.float64] | None = None

    @property
    def squared_lengths(self) -> NDArray[np.float64]:
        """|x|^2 of every row, computed once."""
        if self._squared is None:
            self._squared = squared_norms(self)
        return self._squared

    @property
    def are_numbers(self) -> bool:
        """Whether no value is infinite or not a number: a sum of squares would show it."""
        return math.isfinite(self.longest(0, self.n_rows)) or self.all_finite

    def longest(self, first: int, count: int) -> float:
        """The largest |x| of ``count`` rows from ``first`` on; infinity where its square is."""
        squared = self.squared_lengths
        if count == 1:
            return math.sqrt(squared[first])
        return math.sqrt(squared[first : first + count].max())


def can_be_read(X: Any) -> bool:
    """Whether this is a matrix, not empty, of a kind that compiled code reads as it stands.

    What SciPy lets be wrong with the arrays of a CSR matrix is left for `MeasuredRows` to complain of.
    """
    if isinstance(X, np.ndarray):
        fits = X.ndim == 2 and X.dtype in _FLOATS and X.flags.c_contiguous
    else:
        fits = issparse(X) and X.format == "csr" and X.dtype in _FLOATS
        fits = fits and X.indices.dtype == X.indptr.dtype == np.int32
    return fits and 0 not in X.shape


def made_readable(X: Any) -> Any:
    """The same CSR matrix, where SciPy let its arrays have gaps, or more than belongs to it."""
    if not issparse(X):
        return X
    parts = (X.data, X.indices, X.indptr)
    if all(part.flags.c_contiguous for part in parts) and X.indptr[-1] == len(X.indices) == len(X.data):
        return X
    X = X.copy()
    X.prune()
    X.data, X.indices, X.indptr = (np.ascontiguousarray(part) for part in (X.data, X.indices, X.indptr))
    return X
