"""The base of the two online SVMs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.buffered_svm import LARGEST_C
from lopsided.online._base import OnlineLearner
from lopsided.online._recipes import make_svm
from lopsided.online._rows import MeasuredRows

_LONG = 1e15  # a row: its square still leaves sums of kernel values room in float32


class BufferedLearner(OnlineLearner):
    """An SVM on the examples it keeps."""

    C: float
    class_weight: dict[Any, float] | None
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

    def _bounds(self, costs: NDArray[np.float64]) -> tuple[float, float]:
        """Return C of the negatives and of the positives."""
        negative, positive = (float(self.C) * cost for cost in costs.tolist())
        if not max(negative, positive) <= LARGEST_C:
            raise ValueError(
                f"C times class_weight must be finite, and at most {LARGEST_C:g}; got C={self.C!r} and "
                f"{self.class_weight!r}."
            )
        return negative, positive

    @staticmethod
    def _make(recipe: dict[str, Any], state: dict[str, Any] | None = None) -> Any:
        return make_svm(recipe, state)

    def reserve(self, rows: MeasuredRows, first: int, count: int) -> bool:
        return rows.longest(first, count) < _LONG  # what is longer is scored with care, and not learned
