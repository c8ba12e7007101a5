"""Sums over the expansion with kernel values in float64, to verify those with kernel values in float32."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._kernels.rows import Rows, RowStore

_BLOCK = 2**22  # kernel values computed at a time
_FAR_OFF = 2**20  # gamma |x|^2 above which an rbf kernel needs the distances themselves


class Expansion:
    """The support vectors of a machine, in float64.

    Parameters
    ----------
    kernel : dict
        The arguments of a `RowStore`.
    state : dict
        The state of a `Machine`.
    """

    def __init__(self, kernel: dict[str, Any], state: dict[str, Any]) -> None:
        self._kernel = kernel
        kept = np.flatnonzero(state["alpha"])
        self._alpha: NDArray[np.float64] = state["alpha"][kept]
        self._numbers: NDArray[np.int64] = state["numbers"][kept]
        self._rows = state["rows"][kept].astype(np.float64)

    def sums(self, rows: Any) -> NDArray[np.float64]:
        """Return sum_s alpha_s K(x_s, x) of each row x."""
        rows = rows.astype(np.float64)
        n_rows = max(1, _BLOCK // max(1, len(self._alpha)))
        sums = np.empty(rows.shape[0])
        for first in range(0, len(sums), n_rows):  # in blocks, so that no whole kernel matrix is made
            block = slice(first, first + n_rows)
            sums[block] = self._values(rows[block]) @ self._alpha
        return sums

    def _values(self, rows: Any) -> NDArray[np.float64]:
        name, gamma, coef0 = (self._kernel[key] for key in ("kernel", "gamma", "coef0"))
        if callable(name):
            return np.asarray(name(rows, self._rows), dtype=np.float64)
        if name == "precomputed":
            return np.asarray(rows[:, self._numbers])
        products = rows @ self._rows.T
        products = products.toarray() if issparse(products) else products
        if name == "poly":
            return np.asarray((gamma * products + coef0) ** self._kernel["degree"])
        if name == "sigmoid":
            return np.tanh(gamma * products + coef0)
        if name == "rbf":
            lengths, others = _squared_lengths(rows), _squared_lengths(self._rows)
            squares = lengths[:, None] + others - 2 * products
            if gamma * others.max() > _FAR_OFF:  # the digits that count have cancelled
                squares = self._store().squared_distances(Rows(rows), np.arange(len(lengths)))
            return np.exp(-gamma * np.maximum(squares, 0))
        return np.asarray(products)

    def _store(self) -> RowStore:
        store = RowStore(**self._kernel | {"wide": True})
        store.extend(Rows(self._rows), np.arange(len(self._alpha)), self._numbers)
        return store


def _squared_lengths(rows: Any) -> NDArray[np.float64]:
    squares = rows.multiply(rows) if issparse(rows) else rows * rows
    return np.asarray(squares.sum(axis=1)).ravel()
