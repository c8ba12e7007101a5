"""Scores of a model after each number of labels: the numbers behind the picture, without matplotlib."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import encode_two_classes
from lopsided._validation import as_generator, check_same_length
from lopsided.metrics import geometric_mean_score, prbep_score
from lopsided.plot._canvas import name_of

SCORES = ("g_mean", "prbep", "n_support", "n_support_positive", "n_support_negative")
_FIRST = 10  # labels before the first checkpoint: with fewer there is hardly a model to speak of


@dataclass(frozen=True, eq=False)
class LabelCurve:
    """Test scores and support vectors against labels spent, of one run of one method.

    Parameters
    ----------
    name : str
        What the legend calls it. Curves of one name are runs of one method.
    n_labels : array of shape (n_points,)
        Labels spent at each checkpoint, growing.
    g_mean, prbep : arrays of shape (n_points,)
        Scores on the test set, between 0 and 1.
    n_support, n_support_positive, n_support_negative : arrays of shape (n_points,)
        Support vectors of the finished model: all, and of each class.
    stopped_at : float, optional
        Labels at which the stopping rule or the budget ended learning; None where nothing did.

    Examples
    --------
    >>> curve = LabelCurve("active", [10, 20], [0.5, 0.9], [0.4, 0.8], [8, 12], [3, 5], [5, 7], stopped_at=20)
    >>> curve.g_mean.max()
    np.float64(0.9)
    """

    name: str
    n_labels: NDArray[Any]
    g_mean: NDArray[Any]
    prbep: NDArray[Any]
    n_support: NDArray[Any]
    n_support_positive: NDArray[Any]
    n_support_negative: NDArray[Any]
    stopped_at: float | None = None

    def __post_init__(self) -> None:
        columns = ["n_labels", *SCORES]
        for column in columns:
            object.__setattr__(self, column, np.asarray(getattr(self, column)))
        check_same_length(**{column: len(getattr(self, column)) for column in columns})
        if len(self.n_labels) == 0 or (np.diff(self.n_labels) <= 0).any():
            raise ValueError(
                f"n_labels of the curve {self.name!r} must grow from point to point; "
                f"got {self.n_labels.tolist()}."
            )


def label_curve(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    n_points: int = 30,
    *,
    max_labels: int | None = None,
    name: str | None = None,
) -> LabelCurve:
    """Score a model on a test set after each of several numbers of labels.

    The estimator is cloned, never fitted itself. One clone with its own ``stopping`` and ``max_labels`` tells
    which labels it reads until it stops; one without them, which it would go on with; a third learns in that
    order by ``partial_fit``, and at each checkpoint a copy of it is finished and scored. The curve goes on
    behind the stop, to show what stopping cost. ``n_epochs`` is taken to be 1.

    Parameters
    ----------
    estimator : LASVC or one with the same methods
        Need not be fitted. Two classes; ``classes_[1]`` is the positive.
    X, y : array-like or sparse of shape (n_samples, n_features), and array-like of shape (n_samples,)
        What labels are spent on.
    X_test, y_test : of the same kinds
        What scores are measured on; both classes must be there.
    n_points : int, default=30
        Number of checkpoints, closer to each other at the beginning, where most happens. The stopping point
        is one more.
    max_labels : int, optional
        Where the curve ends, for data too many to learn from all (it reaches the stopping point in any case).
    name : str, optional
        Name of the curve; by default class and selection of the estimator.

    Returns
    -------
    curve : LabelCurve

    Examples
    --------
    >>> from lopsided import LASVC, make_lopsided
    >>> X, y = make_lopsided(n_samples=600, random_state=0)
    >>> active = LASVC(kernel="linear", selection="active", stopping="saturation", random_state=0)
    >>> curve = label_curve(active, X[:400], y[:400], X[400:], y[400:], n_points=5)
    >>> curve.name, curve.n_labels[-1] == 400, curve.stopped_at < 400
    ('LASVC, active', np.True_, True)
    """
    from sklearn.base import clone

    from lopsided._preparation import validate_table

    _check_methods(estimator)
    if n_points < 2:
        raise ValueError(f"n_points must be 2 or more; got {n_points}.")
    signs, classes = encode_two_classes(y)
    test_signs = _encode_test(y_test, classes)
    labels = classes[(signs > 0).astype(int)]
    X, X_test = validate_table(X), validate_table(X_test)
    check_same_length(X=X.shape[0], y=len(labels))
    check_same_length(X_test=X_test.shape[0], y_test=len(test_signs))

    base = clone(estimator)
    _set(base, n_epochs=1)
    if base.get_params().get("random_state") is None:
        _set(base, random_state=int(as_generator(None).integers(2**31)))  # all clones see the same one

    stopped = _run_until_stop(clone(base), X, labels)
    until_stop = None if stopped is None else np.asarray(stopped.queried_)
    stopped_at = None if until_stop is None else len(until_stop)
    if max_labels is not None:
        max_labels = min(max(max_labels, stopped_at or 0), len(labels))
    # One label short of all: a learner that reads all may begin with a few of each class.
    most = len(labels) - 1 if max_labels is None else max_labels
    _set(base, stopping=None, max_labels=most)
    # It takes the same course as the run until the stop: where it ends there, it has been made.
    ends_there = stopped is not None and stopped_at == max_labels
    whole: Any = stopped if ends_there else clone(base).fit(X, labels)
    order = np.asarray(whole.queried_)
    if max_labels is None:
        order = np.concatenate([order, np.setdiff1d(np.arange(len(labels)), order)])
    _set(base, max_labels=None)
    if until_stop is not None:
        order = np.concatenate([until_stop, order[~np.isin(order, until_stop)]])[: len(order)]
    replay = clone(base)
    _set(replay, class_weight=_class_weight(estimator, labels, classes))
    if hasattr(whole, "gamma_"):
        _set(replay, gamma=float(whole.gamma_))  # "scale" means the scale of all of X, not of the first rows

    checkpoints = _checkpoints(len(order), n_points, stopped_at)
    points = []
    for start, end in zip([0, *checkpoints[:-1]], checkpoints, strict=True):
        rows = order[start:end]
        replay.partial_fit(X[rows], labels[rows], classes=classes)
        finished = copy.deepcopy(replay).finish()
        points.append(_score(finished, X_test, test_signs))
    columns = {
        score: np.array(column) for score, column in zip(SCORES, zip(*points, strict=True), strict=True)
    }
    return LabelCurve(name or name_of(estimator), np.array(checkpoints), **columns, stopped_at=stopped_at)


def mean_label_curve(curves: Sequence[LabelCurve]) -> LabelCurve:
    """Return the mean of several runs, on all checkpoints between their latest start and their earliest end.

    Between its own checkpoints a run is taken to be linear. ``stopped_at`` is the mean over the runs that
    stopped.

    Parameters
    ----------
    curves : sequence of LabelCurve
        The runs.

    Examples
    --------
    >>> runs = [LabelCurve("a", [1, 3], [0, s], [0, s], [1, 3], [1, 1], [0, 2]) for s in (0.5, 1.0)]
    >>> mean_label_curve(runs).g_mean
    array([0.  , 0.75])
    """
    n_labels = common_checkpoints(curves)
    means = {score: stack_runs(curves, score, n_labels).mean(axis=0) for score in SCORES}
    stops = [curve.stopped_at for curve in curves if curve.stopped_at is not None]
    stopped_at = float(np.mean(stops)) if stops else None
    return LabelCurve(curves[0].name, n_labels, **means, stopped_at=stopped_at)


def common_checkpoints(curves: Sequence[LabelCurve]) -> NDArray[Any]:
    """Return all checkpoints of the curves that lie within every one of them."""
    if not curves:
        raise ValueError("A mean needs at least one curve; got none.")
    every = np.unique(np.concatenate([curve.n_labels for curve in curves]))
    start = max(curve.n_labels[0] for curve in curves)
    end = min(curve.n_labels[-1] for curve in curves)
    if start > end:
        raise ValueError(
            f"The curves named {curves[0].name!r} have no number of labels in common: one starts at {start}, "
            f"one ends at {end}. Give them different names."
        )
    return every[(every >= start) & (every <= end)]


def stack_runs(curves: Sequence[LabelCurve], score: str, n_labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return one row a curve: its score at each of the given numbers of labels."""
    return np.array([np.interp(n_labels, curve.n_labels, getattr(curve, score)) for curve in curves])


def _check_methods(estimator: Any) -> None:
    needed = ("fit", "partial_fit", "finish", "decision_function", "get_params")
    missing = [method for method in needed if not hasattr(estimator, method)]
    if missing:
        raise TypeError(
            f"A label curve needs an online learner such as LASVC; {type(estimator).__name__} has no "
            f"{', '.join(missing)}. Transform X first and pass the learner alone."
        )
    if getattr(estimator, "kernel", None) == "precomputed":
        raise ValueError(
            "A label curve learns row by row, and rows of a precomputed kernel are tied to all of X. "
            "Pass the kernel by name or as a callable."
        )


def _encode_test(y_test: ArrayLike, classes: NDArray[Any]) -> NDArray[np.int8]:
    signs, _ = encode_two_classes(y_test, classes)
    if len(np.unique(signs)) < 2:
        raise ValueError(
            f"y_test holds only one class among {len(signs)} samples; g-means and PRBEP need both. "
            "Split with stratify=y."
        )
    return signs


def _class_weight(estimator: Any, labels: NDArray[Any], classes: NDArray[Any]) -> Any:
    """Return "balanced" as numbers, the weights of all labels, unknown to a learner of the first few."""
    weight = estimator.get_params().get("class_weight")
    if not (isinstance(weight, str) and weight == "balanced"):
        return weight
    share = [np.mean(labels == label) for label in classes]
    return {label: 0.5 / part for label, part in zip(classes.tolist(), share, strict=True)}


def _set(estimator: Any, **params: Any) -> None:
    """Set those parameters that the estimator has."""
    own = estimator.get_params(deep=False)
    estimator.set_params(**{key: value for key, value in params.items() if key in own})


def _run_until_stop(estimator: Any, X: Any, labels: NDArray[Any]) -> Any | None:
    """Return a run with its own stopping rule and budget, if these end it before all labels are read."""
    params = estimator.get_params(deep=False)
    if params.get("stopping") is None and params.get("max_labels") is None:
        return None
    estimator.fit(X, labels)
    return estimator if len(estimator.queried_) < len(labels) else None


def _checkpoints(n_labels: int, n_points: int, stopped_at: int | None) -> list[int]:
    """Return growing numbers of labels, ending with all, quadratically further apart."""
    first = min(_FIRST, n_labels)
    steps = first + (n_labels - first) * np.linspace(0, 1, n_points) ** 2
    every = {*np.rint(steps).astype(int).tolist(), *([] if stopped_at is None else [stopped_at])}
    return sorted(every)


def _score(finished: Any, X_test: Any, test_signs: NDArray[np.int8]) -> tuple[float, float, int, int, int]:
    """Return the scores of a finished model, in the order of SCORES."""
    f = np.asarray(finished.decision_function(X_test))
    n_negative, n_positive = (int(n) for n in finished.n_support_)
    g_mean = geometric_mean_score(test_signs, np.where(f > 0, 1, -1))
    return g_mean, prbep_score(test_signs, f), n_negative + n_positive, n_positive, n_negative
