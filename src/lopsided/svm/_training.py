"""The training rows and labels of a fit of LASVC, checked, and the schedule by which it learns them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._kernels.rows import Rows
from lopsided._preparation import (
    GAMMA_KERNELS,
    check_squares,
    check_symmetric,
    check_two_classes,
    checked_labels,
    checked_weights,
    class_weights,
    validate_rows,
)
from lopsided.svm._active import ActiveSchedule
from lopsided.svm._costs import ClassCosts
from lopsided.svm._machines import Machines
from lopsided.svm._oracle import Oracle
from lopsided.svm._schedule import FixedSchedule, Schedule
from lopsided.svm._selection import ACTIVE, NO_ROWS

NO_LABELS = "no_validation"  # what scikit-learn's validate_data takes for: there are none to check


class LabelSource(NamedTuple):
    """Rows, and where their labels come from: an array, or an oracle that is asked."""

    matrix: Any
    labels: NDArray[Any] | None
    """The labels of all rows; None where an oracle is asked."""
    ask: Callable[..., ArrayLike] | None
    """The function that is asked; None where labels are at hand."""
    weights: NDArray[np.float64] | None
    first: NDArray[np.int64]
    """Rows whose labels are read before all others."""


def check_training(model: Any, X: Any, y: Any, sample_weight: Any, first: Any) -> LabelSource:
    """Return what `fit` got, checked; refuse parameters that do not go together."""
    ask = y if callable(y) else None
    _check_parameters(model, with_oracle=ask is not None)
    matrix = check_rows(model, X, NO_LABELS if ask else y, reset=True)
    if model.kernel == "precomputed":
        check_symmetric(matrix)
    weights = checked_weights(sample_weight, matrix.shape[0])
    labels = None if ask else checked_labels(y)
    if labels is not None:
        classes, codes = np.unique(labels, return_inverse=True)
        check_two_classes(classes, len(labels))
        class_weights(model.class_weight, classes, codes)
    known = _check_first(model.selection, first, matrix.shape[0], weights)
    return LabelSource(matrix, labels, ask, weights, known)


def check_rows(model: Any, X: Any, y: Any, *, reset: bool) -> Any:
    """Return the rows, checked; and the labels with them, so that their number is checked too."""
    squared = model.kernel in GAMMA_KERNELS
    accepted = False if model.kernel == "precomputed" else "csr"
    checked = validate_rows(
        model, X, y, reset=reset, accept_sparse=accepted, order="C", ensure_all_finite=not squared
    )
    rows = checked if y is NO_LABELS else checked[0]
    if squared:
        check_squares(rows, model)
    return rows


def row_bounds(
    C: float,
    codes: NDArray[np.intp],
    weights: NDArray[np.float64] | None,
    class_weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return C_i, the largest |alpha| of each row."""
    bounds = C * class_weights[codes]
    return bounds if weights is None else bounds * weights


def new_schedule(
    model: Any,
    source: LabelSource,
    rows: Rows,
    new_machines: Callable[[int], Machines],
    rng: np.random.Generator,
) -> Schedule:
    """Return the schedule that ``selection`` names, before its first label."""
    if model.selection in ACTIVE:
        return _active(model, source, rows, new_machines, rng)
    return _fixed(model, source, rows, new_machines, rng)


def _fixed(
    model: Any,
    source: LabelSource,
    rows: Rows,
    new_machines: Callable[[int], Machines],
    rng: np.random.Generator,
) -> FixedSchedule:
    assert source.labels is not None  # an oracle was refused
    classes, codes = np.unique(source.labels, return_inverse=True)
    costs = class_weights(model.class_weight, classes, codes)
    bounds = row_bounds(model.C, codes, source.weights, costs)
    kept = source.labels[bounds > 0]
    check_two_classes(np.unique(kept), len(kept), " of weight above 0")
    return FixedSchedule(
        rows,
        classes,
        codes,
        bounds,
        new_machines(len(classes)),
        shuffled=model.selection == "random",
        max_labels=model.max_labels,
        rng=rng,
    )


def _active(
    model: Any,
    source: LabelSource,
    rows: Rows,
    new_machines: Callable[[int], Machines],
    rng: np.random.Generator,
) -> ActiveSchedule:
    labels, weights = source.labels, source.weights
    candidates = np.arange(rows.n_rows) if weights is None else np.flatnonzero(weights)
    if labels is not None and weights is not None:
        check_two_classes(np.unique(labels[candidates]), len(candidates), " of weight above 0")
    read: Callable[[int], Any]
    if source.ask is not None:
        read, classes = Oracle(source.ask), []
    else:
        assert labels is not None
        read, classes = (lambda row: labels[row].item()), np.unique(labels).tolist()
    return ActiveSchedule(
        rows,
        candidates,
        read,
        classes,
        weights,
        new_machines=new_machines,
        costs=ClassCosts(model.C, model.class_weight, all_known=source.ask is None),
        selection=model.selection,
        pool_size=model.pool_size,
        stopping=model.stopping,
        tol=model.tol,
        most_labels=len(candidates) if model.max_labels is None else min(model.max_labels, len(candidates)),
        rng=rng,
        first=source.first,
    )


def _check_parameters(model: Any, *, with_oracle: bool) -> None:
    """Refuse parameters that do not go together."""
    asks = model.selection in ACTIVE
    if not np.isfinite(model.C):
        raise ValueError(f"C must be finite; got {model.C}. A large number, 1e6 say, does the same.")
    if with_oracle and not asks:
        raise ValueError(
            f"an oracle needs selection='active' or 'exhaustive'; got {model.selection!r}. "
            "Pass labels, or set it."
        )
    if model.stopping is not None and not asks:
        raise ValueError(
            f"stopping={model.stopping!r} needs selection='active' or 'exhaustive'; got "
            f"{model.selection!r}. Set one of them, or stopping=None."
        )


def _check_first(
    selection: str, first: ArrayLike | None, n_rows: int, weights: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """Return the rows to read first, which must be distinct and of weight above 0."""
    if first is None:
        return NO_ROWS
    if selection not in ACTIVE:
        raise ValueError(
            f"first= needs selection='active' or 'exhaustive'; got {selection!r}. Leave it out: all "
            "labels are read in any case."
        )
    rows = np.asarray(first)
    whole = rows.ndim == 1 and rows.dtype.kind in "iu" and len(np.unique(rows)) == len(rows)
    if not whole or (len(rows) and not (rows.min() >= 0 and rows.max() < n_rows)):
        raise ValueError(f"first must hold distinct row numbers from 0 to {n_rows - 1}; got {first!r:.60}.")
    if weights is not None and not weights[rows].all():
        raise ValueError("first names a row of weight 0, which counts as absent. Leave it out.")
    return rows.astype(np.int64)
