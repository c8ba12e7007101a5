"""Decision functions as plain numbers: a kernel expansion, a linear one, or somebody else's estimator."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from lopsided._blocks import score_rows
from lopsided._kernels.rows import Rows, RowStore
from lopsided._preparation import how_rows_are_kept
from lopsided._stored import Check, Lengths, an_estimator, each, numbers, plain, real, text, whole

MOST_STEPS = 1_000_000  # of LIBSVM, which else may go on for ever where features are huge


class KernelModel:
    """f(x) = sum_s coef_s K(x_s, x) + b.

    Parameters
    ----------
    vectors : array or CSR of shape (n_vectors, n_features)
    coef : array of shape (n_vectors,)
    intercept : float
    kernel : {"rbf", "linear"}
    gamma : float
    """

    _stored: ClassVar[dict[str, Check]] = {
        "shape": each(whole()),
        "parts": plain,
        "coef": numbers(None),
        "intercept": real(),
        "kernel": text("rbf", "linear"),
        "gamma": real(low=0),
    }

    def __init__(
        self, vectors: Any, coef: NDArray[np.float64], intercept: float, kernel: str, gamma: float
    ) -> None:
        self.shape = list(vectors.shape)
        # Sparse rows as the arrays they are made of, which every format can keep.
        self.parts = [vectors.data, vectors.indices, vectors.indptr] if issparse(vectors) else [vectors]
        self.coef, self.intercept = np.ascontiguousarray(coef, dtype=np.float64), float(intercept)
        self.kernel, self.gamma = kernel, float(gamma)

    def scores(
        self, X: Any, rows: NDArray[np.intp] | None = None, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return f of every row, or of those named."""
        return score_rows(self._scorer, X, rows, n_jobs)

    @property
    def vectors(self) -> Any:
        """The support vectors."""
        if len(self.parts) == 1:
            return self.parts[0]
        data, indices, indptr = self.parts
        return csr_array((data, indices, indptr), shape=tuple(self.shape))

    def _check_stored(self, lengths: Lengths) -> None:
        if len(self.parts) not in (1, 3) or not all(isinstance(each, np.ndarray) for each in self.parts):
            raise ValueError("vectors must be one array, or the three of a CSR matrix")
        rows = Rows(self.vectors)
        shape = (len(self.coef), lengths.get("n_features", rows.n_columns))
        if not (rows.n_rows, rows.n_columns) == tuple(self.shape) == shape or not rows.all_finite:
            raise ValueError(f"vectors must be finite, of shape {shape}; got {self.shape}")

    def _scorer(self) -> Callable[[Any], Any]:
        vectors, n = self.vectors, self.shape[0]
        store = RowStore(
            self.kernel,
            self.gamma,
            0.0,
            1,
            n_columns=self.shape[1],
            **how_rows_are_kept(self.kernel, self.gamma, vectors),
        )
        store.extend(Rows(vectors), np.arange(n), np.arange(n))
        return lambda rows: store.scores(Rows(rows), self.coef[None])[:, 0] + self.intercept


class LinearModel:
    """f(x) = <w, x> + b."""

    _stored: ClassVar[dict[str, Check]] = {"coef": numbers("n_features"), "intercept": real()}

    def __init__(self, coef: NDArray[np.float64], intercept: float) -> None:
        self.coef, self.intercept = np.asarray(coef, dtype=np.float64).ravel(), float(intercept)

    def scores(
        self, X: Any, rows: NDArray[np.intp] | None = None, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return f of every row, or of those named."""
        return score_rows(self._scorer, X, rows, n_jobs)

    def _scorer(self) -> Callable[[Any], Any]:
        return self._block

    def _block(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(X @ self.coef, dtype=np.float64) + self.intercept


class EstimatorModel:
    """Scores of an estimator of any kind; ``threshold`` is what counts as 0."""

    _stored: ClassVar[dict[str, Check]] = {"estimator": an_estimator, "threshold": real()}

    def __init__(self, estimator: Any, threshold: float = 0.0) -> None:
        self.estimator, self.threshold = estimator, float(threshold)

    def scores(
        self, X: Any, rows: NDArray[np.intp] | None = None, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the score of every row, or of those named; in one thread, as some estimators need it."""
        values = score_rows(self._scorer, X, rows)
        if not np.isfinite(values).all():
            raise ValueError(
                f"{type(self.estimator).__name__} gave scores that are not finite; expected numbers."
            )
        return values - self.threshold

    def _scorer(self) -> Callable[[Any], Any]:
        return self._block

    def _block(self, X: Any) -> NDArray[np.float64]:
        for method in ("decision_function", "score_samples", "predict_proba"):
            if hasattr(self.estimator, method):
                values = np.asarray(getattr(self.estimator, method)(X), dtype=np.float64)
                return (
                    values[:, 1] - 0.5 if method == "predict_proba" else values.reshape(len(values), -1)[:, 0]
                )
        raise ValueError(
            f"{type(self.estimator).__name__} has neither decision_function nor predict_proba. "
            "Use an estimator that scores rows (LocalOutlierFactor does with novelty=True)."
        )


def model_of_libsvm(machine: Any, kernel: str, gamma: float) -> KernelModel | LinearModel:
    """Return what one of scikit-learn's LIBSVM estimators learned, in a form that scores many rows fast."""
    coef, vectors = machine.dual_coef_, machine.support_vectors_
    coef = coef.toarray() if issparse(coef) else coef
    intercept = float(machine.intercept_[0])
    if kernel == "linear":
        return LinearModel(coef @ vectors, intercept)
    vectors = vectors.tocsr() if issparse(vectors) else np.ascontiguousarray(vectors)
    return KernelModel(vectors, coef.ravel(), intercept, kernel, gamma)


Model = KernelModel | LinearModel | EstimatorModel
