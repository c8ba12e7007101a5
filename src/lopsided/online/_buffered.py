"""What the two online SVMs share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.buffered_svm import BufferedSVM
from lopsided.online._base import OnlineLearner


class BufferedLearner(OnlineLearner):
    """An SVM on the examples it keeps."""

    C: float
    tol: float

    @property
    def dual_coef_(self) -> NDArray[np.float64]:
        """y_i a_i of the kept examples, oldest first."""
        return self._fitted_core("dual_coef_").dual_coef

    @property
    def buffer_labels_(self) -> NDArray[Any]:
        """Labels of the kept examples, oldest first."""
        return self.classes_[(self._fitted_core("buffer_labels_").signs > 0).astype(int)]

    @property
    def n_bytes_(self) -> int:
        """Memory of weights, kept examples and their kernel values."""
        return self._fitted_core("n_bytes_").n_bytes

    def _bounds(self, n_columns: int, costs: NDArray[np.float64]) -> dict[str, Any]:
        return {
            "n_columns": n_columns,
            "C_positive": float(self.C * costs[1]),
            "C_negative": float(self.C * costs[0]),
            "tol": float(self.tol),
        }

    @staticmethod
    def _make(recipe: dict[str, Any]) -> BufferedSVM:
        return BufferedSVM(**recipe)
