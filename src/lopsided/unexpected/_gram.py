"""Kernel ridge regression of the known classes, with rows left out and classes hidden in closed form."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Gram:
    """The inverse of a kernel matrix with noise on its diagonal, from which all answers follow.

    The coefficients are ``inverse @ targets``. A row that is left out is answered with ``target -
    coefficient / inverse[i, i]``, and the inverse without some rows is a Schur complement: no model is
    fitted twice.
    """

    inverse: Matrix

    @classmethod
    def of(cls, kernel: Matrix, noise: Vector) -> Self:
        """Return the inverse of a kernel matrix with this noise on its diagonal."""
        noisy = kernel.copy()
        noisy[np.diag_indices_from(noisy)] += noise
        return cls(np.asarray(np.linalg.inv(noisy), dtype=np.float64))

    def without(self, hidden: NDArray[np.bool_]) -> "Gram":
        """Return the inverse that belongs to the other rows alone."""
        across = self.inverse[np.ix_(~hidden, hidden)]
        among = self.inverse[np.ix_(hidden, hidden)]
        return Gram(self.inverse[np.ix_(~hidden, ~hidden)] - across @ np.linalg.solve(among, across.T))

    def coefficients(self, targets: Matrix) -> Matrix:
        """Return the coefficients of the rows."""
        return np.asarray(self.inverse @ targets)

    def left_out(self, targets: Matrix) -> Matrix:
        """Return the answer for each row by the model that was not shown it."""
        return np.asarray(targets - self.coefficients(targets) / np.diag(self.inverse)[:, None])


def one_hot(labels: NDArray[np.intp], classes: NDArray[np.intp]) -> Matrix:
    """Return a column for each class, with 1 for its rows.

    Examples
    --------
    >>> one_hot(np.array([5, 2, 5]), np.array([2, 5])).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    return np.asarray(labels[:, None] == classes, dtype=np.float64)


def class_noise(classes: NDArray[np.intp], penalty: float) -> Vector:
    """Return the noise of each row: less for rare classes, which the common ones would drown otherwise.

    Examples
    --------
    >>> class_noise(np.array([0, 0, 0, 0, 1]), 1.0).round(2).tolist()
    [1.26, 1.26, 1.26, 1.26, 0.63]
    """
    counts = np.bincount(classes)
    counts = counts[counts > 0]
    size = np.bincount(classes)[classes]
    return np.asarray(penalty * np.sqrt(size / counts.mean()))
