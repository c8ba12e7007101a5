"""The first look: which unlabeled rows are surely negative, without losing a positive (Phi1 of Yu 2003)."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import OneClassSVM

from lopsided._blocks import RowBlocks, column_moments, sum_rows
from lopsided.pu._models import MOST_STEPS, EstimatorModel, LinearModel, Model, model_of_libsvm

_NU = 0.01  # of the one-class SVM: nearly all positives inside
_SMOOTH = 0.1  # its width, against 1 / (n_features * variance)
_FOLDS = 5  # of the positives, each judged by a mapper that has not seen it


def map_unlabeled(
    mapper: Any, X: Any, positive: NDArray[np.bool_], kernel: str, kappa: float, n_jobs: int | None
) -> tuple[Model, NDArray[np.float64]]:
    """Return what the mapper learned, and h_0 of every row: a strong negative is below 0, no positive is.

    A scorer rates the positives it was fitted to higher than their unlabeled like. So the threshold is set
    by positives that were held out: below all of them, by kappa times the distance of the least from the
    median.
    """
    if isinstance(mapper, str) and mapper == "1dnf":
        model: Model = one_dnf(X, positive)
        return model, model.scores(X, n_jobs=n_jobs)
    model = _fitted(mapper, X, positive, kernel)
    held_out = _held_out_scores(mapper, X, positive, kernel)
    threshold = float(held_out.min() - kappa * (np.median(held_out) - held_out.min()))
    threshold -= 1e-9 * max(abs(threshold), 1.0)  # a positive that lies on it is above 0 all the same
    if isinstance(model, EstimatorModel):
        model.threshold = threshold
    else:
        model.intercept -= threshold
    scores = model.scores(X, n_jobs=n_jobs)
    return model, np.where(positive, np.maximum(scores, 0), scores)


def farness(X: Any, positive: NDArray[np.bool_], kernel: str, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how far the rows named are from the positives, by the one-class SVM."""
    return -_one_class(X[positive], X, kernel).scores(X, rows)


def one_dnf(X: Any, positive: NDArray[np.bool_]) -> "PresenceModel":
    """Return the 1-DNF mapper (Yu, Han & Chang 2002): it rejects rows without a feature typical of positives.

    The weight of such a feature is 1: a row with any of them scores 0.5 or more, one without -0.5.
    """
    df_positive, df_all = sum_rows(_document_frequencies, X, positive)
    n_positive, n_unlabeled = positive.sum(), (~positive).sum()
    frequent = df_positive / n_positive > (df_all - df_positive) / n_unlabeled
    return PresenceModel(frequent.astype(np.float64), -0.5)


class PresenceModel(LinearModel):
    """A linear function of which features are not zero."""

    def _block(self, X: Any) -> NDArray[np.float64]:
        return super()._block(_presence(X))


def _presence(X: Any) -> Any:
    return X.astype(bool) if issparse(X) else X != 0


def _document_frequencies(X: Any, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return in how many positives, and in how many rows, each feature is not zero."""
    presence = _presence(X)
    return np.array(
        [np.asarray(rows.sum(axis=0), dtype=np.float64).ravel() for rows in (presence[positive], presence)]
    )


def _fitted(mapper: Any, X: Any, positive: NDArray[np.bool_], kernel: str) -> Model:
    if isinstance(mapper, str):
        return _one_class(X[positive], X, kernel)
    estimator = clone(mapper)
    if is_classifier(estimator):
        if isinstance(X, RowBlocks):
            raise ValueError(
                f"mapper={type(estimator).__name__} is fitted to all rows at once; got rows in blocks. Use "
                "'osvm', '1dnf' or an outlier detector, or pass rows in memory."
            )
        estimator.fit(X, positive.astype(int))
    else:  # an outlier detector or a density
        estimator.fit(X[positive])
    return EstimatorModel(estimator)


def _held_out_scores(mapper: Any, X: Any, positive: NDArray[np.bool_], kernel: str) -> NDArray[np.float64]:
    """Return the scores of the positives, each by a mapper for which it was unlabeled, or was not there."""
    known = np.flatnonzero(positive)
    n_folds = min(_FOLDS, len(known))
    if n_folds == 1:  # nobody is left to learn from
        return _fitted(mapper, X, positive, kernel).scores(X, known)
    scores = np.empty(len(known))
    for fold in range(n_folds):
        out = np.arange(len(known)) % n_folds == fold
        shown = positive.copy()
        shown[known[out]] = False
        scores[out] = _fitted(mapper, X, shown, kernel).scores(X, known[out])
    return scores


def _one_class(P: Any, X: Any, kernel: str) -> Model:
    """Return a smooth one-class SVM of the positives: precision does not matter here, recall does."""
    gamma = 1.0
    if kernel == "rbf":
        variance = float(column_moments(P)[1].mean() or column_moments(X)[1].mean())
        gamma = _SMOOTH / (X.shape[1] * variance) if variance > 0 else 1.0
    machine = OneClassSVM(nu=_NU, kernel=kernel, gamma=gamma, max_iter=MOST_STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # roughly is enough
        machine.fit(P)
    return model_of_libsvm(machine, kernel, gamma)
