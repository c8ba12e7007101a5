"""Checks and decisions before anything is learned: rows, labels, weights, the kernel."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, validate_data

from lopsided._blocks import RowBlocks, as_blocks, column_moments, score_lazily
from lopsided._labels import as_labels
from lopsided._sparse import checked_sparse
from lopsided._validation import as_weights

_LARGEST = 1e18
GAMMA_KERNELS = ("rbf", "poly", "sigmoid")  # of which "scale" squares the features, and rbf does so itself
_BAND = 1024  # rows of a kernel matrix compared with its columns at a time
_FLOATS = (np.float64, np.float32)


def checked_labels(y: Any) -> NDArray[Any]:
    """Return one class label a row."""
    labels = as_labels(y, warn=True)
    with np.errstate(invalid="ignore"):  # infinity is refused, but only after it was cast to an integer
        check_classification_targets(labels)
    return labels


def checked_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    """Return the sample weights, which may not all be zero."""
    weights = as_weights(sample_weight, n)
    if weights is not None and not weights.any():
        raise ValueError(f"all {n} sample weights are zero; a row of weight 0 counts as absent. Pass others.")
    return weights


def check_two_classes(classes: NDArray[Any], n: int, which: str = "") -> None:
    """Refuse labels of one class."""
    if len(classes) < 2:
        only = f"only {classes[0].item()!r}" if len(classes) else "none"
        raise ValueError(
            f"fit needs at least two classes in y; got {only} among {n} samples{which}. "
            "Add samples of another class."
        )


def check_symmetric(K: NDArray[Any]) -> None:
    """Refuse a matrix that is no kernel matrix of one set of rows."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"Precomputed matrix must be a square matrix; got shape {K.shape}.")
    most = np.abs(K).max()
    for first in range(0, len(K), _BAND):  # in bands, so that no second matrix is made
        band = K[first : first + _BAND]
        if np.abs(band - K[:, first : first + _BAND].T).max() > 1e-5 * most:
            raise ValueError(
                "Precomputed matrix is not symmetric. Pass K(x_i, x_j) for all pairs of training rows."
            )


def validate_rows(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Return rows checked by scikit-learn's ``validate_data``, after their structure was.

    Nothing else in the library calls it: it converts sparse matrices, and a broken one would crash the
    process. Sparse rows come back canonical, each column at most once in a row; squared norms rely on it.

    Parameters
    ----------
    estimator : estimator
    X : array-like or sparse of shape (n_samples, n_features)
    y : array-like, default="no_validation"
        Labels or values; by default rows alone are checked and returned.
    **options : dict
        As in ``validate_data``. By default sparse rows come back as CSR, and numbers as float64 or float32.
    """
    options = {"accept_sparse": "csr", "dtype": _FLOATS, **options}
    return validate_data(estimator, checked_sparse(X), y, **options)


def validate_table(X: Any) -> Any:
    """Return rows that belong to no estimator of ours, checked likewise, by ``check_array``."""
    return check_array(checked_sparse(X), accept_sparse="csr", dtype=_FLOATS)


def checked_rows(estimator: Any, X: Any, *, reset: bool, counts_only: bool = False) -> Any:
    """Return finite numbers as dense rows or canonical CSR, none so large that its square overflows.

    With ``counts_only`` numbers below 0 are refused.
    """
    rows = validate_rows(estimator, X, order="C", reset=reset)
    check_magnitude(rows)
    if counts_only:
        _check_not_negative(rows, type(estimator).__name__)
    return rows


def checked_rows_or_blocks(estimator: Any, X: Any, *, reset: bool, counts_only: bool = False) -> Any:
    """Return checked rows in memory as `checked_rows` does; a Dask or memory-mapped array as `RowBlocks`.

    RowBlocks are checked where they are, in one pass.
    """
    blocks = as_blocks(X, partial(_check_block, type(estimator).__name__, counts_only))
    if blocks is None:
        return checked_rows(estimator, X, reset=reset, counts_only=counts_only)
    _check_shape(estimator, blocks, reset=reset)
    return blocks


def checked_table_or_blocks(caller: str, X: Any) -> Any:
    """Return rows that belong to no estimator of ours, checked likewise, in memory or as `RowBlocks`."""
    blocks = as_blocks(X, partial(_check_block, caller, False))
    if blocks is not None:
        return blocks
    rows = validate_table(X)
    check_magnitude(rows)
    return rows


def scored_lazily(
    estimator: Any,
    X: Any,
    score: Callable[[Any], NDArray[np.float64]],
    *,
    counts_only: bool = False,
    n_scores: int | None = None,
) -> Any:
    """Return the scores of a Dask array as a lazy Dask array; each block is checked before it is scored.

    There is one score for each row, or so many in columns.
    """
    check = partial(_check_block, type(estimator).__name__, counts_only)
    scores = score_lazily(partial(_score_checked, check, score), X, np.float64, n_scores)
    _check_shape(estimator, X, reset=False)
    return scores


def _score_checked(
    check: Callable[[Any], None], score: Callable[[Any], NDArray[np.float64]], block: Any
) -> NDArray[np.float64]:
    check(block)
    return score(block)


def _check_shape(estimator: Any, X: Any, *, reset: bool) -> None:
    """Check how many rows and columns there are, by scikit-learn's rules, and no more."""
    validate_rows(estimator, np.zeros((min(X.shape[0], 1), X.shape[1])), reset=reset)


def _check_block(estimator_name: str, counts_only: bool, block: Any) -> None:
    assert_all_finite(block, estimator_name=estimator_name, input_name="X")
    check_magnitude(block)
    if counts_only:
        _check_not_negative(block, estimator_name)


def _check_not_negative(rows: Any, estimator_name: str) -> None:
    numbers = rows.data if issparse(rows) else rows
    if numbers.size and numbers.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {estimator_name}: it counts words, and takes "
            "counts or other weights of 0 and above."
        )


def check_magnitude(rows: Any) -> None:
    """Refuse numbers, all finite, with which LIBSVM and LIBLINEAR do not come to an end."""
    numbers = rows.data if issparse(rows) else rows
    if numbers.size and max(numbers.max(), -numbers.min()) > _LARGEST:
        raise _too_large(_LARGEST)


def check_squares(rows: Any, estimator: Any) -> None:
    """Refuse numbers that are not finite, or so large that the sum of their squares is not, in one pass."""
    numbers = rows.data if issparse(rows) else rows.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(numbers @ numbers):
            return
    assert_all_finite(rows, estimator_name=type(estimator).__name__, input_name="X")
    raise _too_large(float(np.sqrt(np.finfo(rows.dtype).max / numbers.size)))


def _too_large(largest: float) -> ValueError:
    return ValueError(
        f"X holds numbers above {largest:.2g}, whose squares overflow. Scale the features, by "
        "StandardScaler or MaxAbsScaler say."
    )


def class_codes(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each label among the sorted classes."""
    if (labels.dtype.kind in "US") == (classes.dtype.kind in "US"):
        place = np.searchsorted(classes, labels)
        unknown = (place == len(classes)) | (classes[np.minimum(place, len(classes) - 1)] != labels)
    else:
        unknown = np.ones(len(labels), dtype=bool)
    if unknown.any():
        raise ValueError(
            f"y holds {np.unique(labels[unknown]).tolist()[:5]}, but classes are {classes.tolist()[:10]}. "
            "Name all classes by classes= in the first call of partial_fit."
        )
    return place


def class_weights(
    given: Any, classes: NDArray[Any], codes: NDArray[np.intp] | None = None, *, all_known: bool = True
) -> NDArray[np.float64]:
    """Return the factor of C for each class; refuse a name that is no class where all classes are known."""
    if given == "balanced":
        return compute_class_weight("balanced", classes=np.arange(len(classes)), y=codes)
    given = given or {}
    strange = [name for name in given if name not in classes.tolist()]
    if strange and all_known:
        raise ValueError(f"class_weight names {strange}, but classes are {classes.tolist()[:10]}.")
    weights = np.array([given.get(label, 1.0) for label in classes.tolist()], dtype=np.float64)
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError(f"class_weight must be finite and not negative; got {given!r}.")
    return weights


def chosen_gamma(gamma: str | float, kernel: Any, X: Any) -> float:
    """Return the number that "scale" and "auto" stand for, as in scikit-learn's SVC."""
    if not isinstance(gamma, str):
        return float(gamma)
    if kernel not in GAMMA_KERNELS:
        return 1.0
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if isinstance(X, RowBlocks):
        means, variances = column_moments(X)
        variance = variances.mean() + means.var()
    elif issparse(X):
        mean = X.sum() / np.prod(X.shape)
        variance = (X.multiply(X)).sum() / np.prod(X.shape) - mean**2
    else:
        variance = X.var(dtype=np.float64)
    return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0


def how_rows_are_kept(kernel: Any, gamma: float, X: Any) -> dict[str, bool]:
    """Return how support vectors are kept: sparse if that is faster, float64 if float32 loses digits."""
    wide, sparse = X.dtype == np.float64, issparse(X)
    some = X[:: max(1, X.shape[0] // 500)]
    if not sparse and kernel != "precomputed" and not callable(kernel):
        # A sparse pass beats a dense product while less than half is nonzero (measured, 32 to 784 columns).
        sparse = X.shape[1] >= 32 and np.count_nonzero(some) < 0.45 * some.size
    if not wide and kernel == "rbf":
        # |x - z|^2 = |x|^2 + |z|^2 - 2 x.z: far from the origin the digits that count cancel.
        squared = some.multiply(some).sum() if issparse(some) else np.square(some, dtype=np.float64).sum()
        wide = gamma * squared > 1e3 * some.shape[0]
    return {"sparse": bool(sparse), "wide": bool(wide)}
