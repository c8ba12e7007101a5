"""Ridge regression of several targets, each row answered by a model that was not shown it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
_TOLERANCE = 1e-3  # of the residual, relative to the targets: the folds differ by more
_MAX_ITER = 40  # more would follow the noise of dense, nearly dependent columns


@dataclass(frozen=True)
class CrossRidge:
    """Weights of one linear model a fold, that of fold f fitted without the rows of fold f."""

    weights: Matrix
    """Coefficients of shape (n_folds, n_features, n_targets)."""

    def left_out(self, Z: Any, fold: NDArray[np.intp]) -> Matrix:
        """Return the answers for rows whose fold is known."""
        answers = np.zeros((Z.shape[0], self.weights.shape[2]))
        for f, weights in enumerate(self.weights):
            inside = np.flatnonzero(fold == f)
            if len(inside):
                answers[inside] = Z[inside] @ weights
        return answers

    def mean(self) -> Matrix:
        """Return the mean of the models, for rows that none of them was shown."""
        return np.asarray(self.weights.mean(axis=0), dtype=np.float64)


def fit_cross_ridge(
    Z: Any, targets: Matrix, fold: NDArray[np.intp], n_folds: int, penalty: float
) -> CrossRidge:
    """Return the w that minimise |Z w - t|^2 + penalty |w|^2 for every fold and target (conjugate gradients).

    The solution is w = Z' a with (Z Z' + penalty I) a = t over the rows outside the fold. All folds and
    targets are columns of one system, each with the rows of its fold set to 0, so that an iteration is two
    products with Z whatever their number.

    Parameters
    ----------
    Z : CSR or array of shape (n_samples, n_features)
    targets : array of shape (n_samples, n_targets)
    fold : array of shape (n_samples,)
        The fold of each row.
    n_folds : int
    penalty : float

    Returns
    -------
    CrossRidge
    """
    k = targets.shape[1]
    shown = np.repeat((fold[:, None] != np.arange(n_folds)).astype(np.float64), k, axis=1)
    Zt = Z.T.tocsr() if hasattr(Z, "indptr") else Z.T
    residual = np.tile(targets, (1, n_folds)) * shown
    dual, direction = np.zeros_like(residual), residual.copy()
    size = (residual**2).sum(axis=0)
    enough = _TOLERANCE**2 * size
    for _ in range(_MAX_ITER):
        if (size <= enough).all():
            break
        image = shown * (Z @ (Zt @ direction)) + penalty * direction
        curvature = (direction * image).sum(axis=0)
        step = np.divide(size, curvature, out=np.zeros_like(size), where=curvature > 0)
        dual += step * direction
        residual -= step * image
        new_size = (residual**2).sum(axis=0)
        direction = residual + np.divide(new_size, size, out=np.zeros_like(size), where=size > 0) * direction
        size = new_size
    weights = np.asarray(Zt @ dual).reshape(Z.shape[1], n_folds, k)
    return CrossRidge(np.ascontiguousarray(weights.transpose(1, 0, 2)))
