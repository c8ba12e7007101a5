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
        """Squared length of every row, computed once."""
        if self._squared is None:
            self._squared = squared_norms(self)
        return self._squared

    @property
    def are_numbers(self) -> bool:
        """Whether no value is infinite or not a number: a sum of squares would show it."""
        return math.isfinite(self.longest(0, self.n_rows)) or self.all_finite

    def longest(self, first: int, count: int) -> float:
        """Return the largest |x| of ``count`` rows from ``first`` on; infinity where its square is."""
        squared = self.squared_lengths
        if count == 1:
            return math.sqrt(squared[first])
        return math.sqrt(squared[first : first + count].max())


def quick_rows(X: Any) -> MeasuredRows | None:
    """Return rows of a matrix that compiled code reads as it stands; None if it must be checked further.

    The matrix is C-contiguous or canonical CSR, and not empty. Its numbers may be infinite or missing.
    """
    array = np.ndarray
    if isinstance(X, array):
        fits = X.ndim == 2 and X.dtype in _FLOATS and X.flags.c_contiguous
    elif issparse(X) and X.format == "csr":
        data, columns, starts = X.data, X.indices, X.indptr  # SciPy lets them be anything
        fits = isinstance(data, array) and isinstance(columns, array) and isinstance(starts, array)
        fits = fits and data.dtype in _FLOATS and columns.dtype == starts.dtype == np.int32
    else:
        return None
    if not fits or 0 in X.shape:
        return None
    try:
        rows = MeasuredRows(X)
    except ValueError:  # what is wrong with the arrays is put into words by the closer look
        return None
    return rows if rows.ordered else None
