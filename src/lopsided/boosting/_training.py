"""The training of a booster: labels of each class against the rest, and an ensemble for each of them."""

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import has_fit_parameter

from lopsided._preparation import (
    check_two_classes,
    checked_labels,
    checked_weights,
    class_codes,
    validate_rows,
)
from lopsided._sparse import checked_sparse
from lopsided.boosting._costs import cost_of_positive
from lopsided.boosting._ensemble import Ensemble
from lopsided.boosting._stumps import Stumps
from lopsided.boosting._weak import LEARNERS, ClassifierLearner, StumpLearner, WeakLearner

_LIGHT = 0.01  # share of all weight whose rows, the lightest, do not count for the smoothing


class TrainingSet(NamedTuple):
    """Rows of weight above 0, and what each class is boosted against."""

    rows: Any
    classes: NDArray[Any]
    multilabel: bool
    """Whether y is an indicator matrix."""
    tasks: list[NDArray[np.int8]]
    """Labels of the rows as +1 and -1, for each class that is boosted against the rest."""
    weights: NDArray[np.float64]
    """Cost of an error on each row; their mean is 1."""


def check_parameters(booster: Any) -> None:
    """Refuse parameters that a booster cannot have, and a weak learner that takes no weights."""
    booster._validate_params()
    weak_learner = booster.weak_learner
    if not isinstance(weak_learner, str) and not has_fit_parameter(weak_learner, "sample_weight"):
        raise ValueError(
            f"weak_learner must take sample_weight in fit; {type(weak_learner).__name__} does not. "
            f"Use another classifier, or one of {', '.join(LEARNERS)}."
        )


def prepare(booster: Any, X: Any, y: Any, sample_weight: Any) -> TrainingSet:
    """Check what `fit` got, and return what a booster learns from."""
    check_parameters(booster)
    rows: Any = validate_rows(booster, X, accept_sparse=("csr", "csc"))
    if y is None:
        raise ValueError(f"{type(booster).__name__} requires y to be passed, but the target y is None")
    y = checked_sparse(y, "y")
    multilabel = _is_indicator_matrix(y)
    classes, tasks = _read_indicators(y) if multilabel else _read_labels(y)
    if len(tasks[0]) != rows.shape[0]:
        raise ValueError(f"X has {rows.shape[0]:,} rows, but y {len(tasks[0]):,}. Pass one label a row.")
    weights = checked_weights(sample_weight, rows.shape[0])
    if weights is None:
        weights = np.ones(rows.shape[0])
    elif not weights.all():
        counted = weights > 0
        rows, weights, tasks = rows[counted], weights[counted], [signs[counted] for signs in tasks]
    for label, signs in zip(classes, tasks, strict=len(tasks) > 1):
        which = "" if len(tasks) == 1 else f", for class {label.item()!r} against the rest"
        check_two_classes(np.unique(signs), len(signs), which)
    weights = weights / weights.max()  # their mean may be more than a number can hold
    return TrainingSet(rows, classes, multilabel, tasks, weights / weights.mean())


@singledispatch
def boost(
    booster: Any, learner: WeakLearner, signs: NDArray[np.int8], weights: NDArray[np.float64]
) -> Ensemble:
    """Boost one class against the rest, from weights of mean 1; each kind of booster registers its own way.

    The booster is not changed.
    """
    raise NotImplementedError(f"{type(booster).__name__} has no way of boosting.")


def boost_classes(booster: Any, training: TrainingSet, stumps: Stumps | None) -> list[Ensemble]:
    """Boost each class against the rest; ``stumps`` is None where the weak learner is a classifier."""
    ensembles: list[Ensemble] = Parallel(n_jobs=booster.n_jobs, prefer="threads")(
        delayed(_boost_class)(booster, training, stumps, signs) for signs in training.tasks
    )
    return ensembles


def boost_stumps(
    booster: Any, stumps: Stumps, signs: NDArray[np.int8], weights: NDArray[np.float64]
) -> Ensemble:
    """Boost one class against the rest on indexed stumps, which many settings of a booster can share.

    Parameters
    ----------
    booster : Booster
        Its weak learner is one of ``LEARNERS``. It is not changed.
    stumps : Stumps
        All stumps of the rows.
    signs : array of +1 and -1
        Labels of the rows.
    weights : array
        Cost of an error on each row; their mean is 1.
    """
    beta = cost_of_positive(booster.beta, signs, weights)
    learner = StumpLearner(stumps, booster.weak_learner, signs, beta, _smoothing(weights))
    return boost(booster, learner, signs, weights)


def _boost_class(
    booster: Any, training: TrainingSet, stumps: Stumps | None, signs: NDArray[np.int8]
) -> Ensemble:
    rows, weights = training.rows, training.weights
    if stumps is None:
        beta = cost_of_positive(booster.beta, signs, weights)
        learner = ClassifierLearner(booster.weak_learner, rows, signs, beta, _smoothing(weights))
        ensemble = boost(booster, learner, signs, weights)
    else:
        ensemble = boost_stumps(booster, stumps, signs, weights)
    if ensemble.weights and ensemble.tells_apart:  # the members of a linear program can cancel
        scores = ensemble.scores(rows)
        ensemble.tells_apart = bool((scores != scores[0]).any())
        ensemble.one_answer = not 0 < (scores > 0).sum() < len(scores)
    return ensemble


def _is_indicator_matrix(y: Any) -> bool:
    shape = y.shape if issparse(y) else np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1 and type_of_target(y) == "multilabel-indicator"


def _read_labels(y: Any) -> tuple[NDArray[Any], list[NDArray[np.int8]]]:
    labels = checked_labels(y)
    classes = np.unique(labels)
    check_two_classes(classes, len(labels))
    codes = class_codes(labels, classes)
    wanted = [1] if len(classes) == 2 else range(len(classes))
    return classes, [np.where(codes == code, 1, -1).astype(np.int8) for code in wanted]


def _read_indicators(y: Any) -> tuple[NDArray[Any], list[NDArray[np.int8]]]:
    indicators = np.asarray(y.toarray() if issparse(y) else y)
    tasks = [np.where(column != 0, 1, -1).astype(np.int8) for column in indicators.T]
    return np.arange(indicators.shape[1]), tasks


def _smoothing(weights: NDArray[np.float64]) -> float:
    """Return the share of one row: 1 / n, so that copies of a row and one of their joint weight are alike.

    Of unequal weights the least is that of one row, unless next to nothing is that light.
    """
    rising = np.sort(weights)
    sums = np.cumsum(rising)
    return float(rising[np.searchsorted(sums, _LIGHT * sums[-1])] / sums[-1])
