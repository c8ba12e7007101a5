"""LASVM, the online kernel SVM, with the active selection of "Learning on the Border"."""

import logging
import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lopsided._blocks import is_dask
from lopsided._compat import CallbackSupportMixin, Interval, StrOptions, fit_context
from lopsided._kernels.rows import Rows
from lopsided._labels import as_labels
from lopsided._preparation import (
    checked_labels,
    chosen_gamma,
    class_codes,
    class_weights,
    how_rows_are_kept,
    scored_lazily,
)
from lopsided._sparse import checked_sparse
from lopsided._validation import as_generator, as_weights
from lopsided.svm._fitted import FittedLASVM
from lopsided.svm._held_out import fit_probabilities
from lopsided.svm._machines import Machines, one_blas_thread
from lopsided.svm._progress import FitProgress
from lopsided.svm._record import LabelRecord
from lopsided.svm._schedule import Finished, Schedule, finish, learn_in_order, run_epochs
from lopsided.svm._selection import ACTIVE, choose_rows
from lopsided.svm._training import NO_LABELS, check_rows, check_training, new_schedule, row_bounds

logger = logging.getLogger("lopsided.svm")


def _has_probabilities(model: Any) -> bool:
    if not model.probability:
        raise AttributeError(
            "LASVC has no predict_proba with probability=False. Set probability=True and fit again."
        )
    return True


class LASVC(CallbackSupportMixin, ClassifierMixin, FittedLASVM):
    """Online kernel SVM that can ask for the labels near its border only, and knows when to stop.

    For rare positives and costly labels. One pass over the data reaches the accuracy of a batch SVM. With
    ``selection="active"`` each next label is that of the closest to the border of 59 random unseen examples,
    whatever their number; with ``stopping="saturation"`` asking ends when the support vectors stop growing.

        max_a  sum_i a_i y_i - 1/2 sum_ij a_i a_j K(x_i, x_j),   0 <= a_i y_i <= C_i,  sum_i a_i = 0    ([2]_)

    C_i is ``C`` times the class weight times the sample weight. A label costs one evaluation of the kernel
    between the pool and the support vectors.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss against the margin. Larger follows the labels more closely.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        A callable gets two matrices of rows and returns the matrix of kernel values.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Factor of the rbf, poly and sigmoid kernels; "scale" is 1 / (n_features * X.var()), "auto" is
        1 / n_features. `partial_fit` takes it from the first rows it gets.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is left alone (tau in [2]_).
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class ("different costs"). "balanced": each class weighs the same in total; with
        active selection, among the labels read so far.
    selection : {"random", "sequential", "active", "exhaustive"}, default="random"
        Which example is learned next: all in random or in their own order (five of each class first, so that
        there is a border, unless ``max_labels`` limits what is read), or the closest to the border, of
        ``pool_size`` random unseen ones or of all unseen ones.
    pool_size : int, default=59
        The closest of 59 is among the closest 5 % with 95 % probability; see `pool_size_for`.
    stopping : {"saturation", "margin"} or None, default=None
        When to stop asking: the number of support vectors no longer grows and a look at unseen examples
        finds none within the margin (with class weights: the predictions of unseen examples no longer
        change); or the closest candidates lie outside it. Active selection only.
    max_labels : int or None, default=None
        The most labels to read.
    n_epochs : int or "converge", default=1
        Passes over the examples whose labels were read; "converge" repeats until the optimality conditions
        hold on all of them.
    cache_size : float, default=256
        Budget for kernel values, in MB.
    probability : bool, default=False
        Whether `fit` prepares `predict_proba`, by five more fits to four fifths of the labels read.
    n_jobs : int or None, default=None
        Threads for more than two classes. The result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        For the order and the pools.
    verbose : int, default=0
        Above 0, progress goes to the logger "lopsided.svm".

    Attributes
    ----------
    classes_ : array
        The classes, sorted; ``classes_[1]`` is the positive of two.
    support_ : int array of shape (n_support,)
        Numbers of the rows that are support vectors: rows of X, or of all rows in the order they came.
    support_vectors_ : array or CSR array of shape (n_support, n_features)
        Those rows.
    dual_coef_ : array of shape (1 or n_classes, n_support)
        Their coefficients, with the sign of the class.
    intercept_ : array of shape (1 or n_classes,)
        Offsets.
    n_support_ : int array of shape (n_classes,)
        Support vectors in each class.
    n_labels_ : int
        Labels read, the random ones until two classes were seen included.
    queried_ : int array of shape (n_labels,)
        The rows whose labels were read, in order.
    stop_reason_ : str
        "saturation", "margin", "max_labels", "exhausted" (no row is left), "callback" or "interrupted".
    history_ : dict of arrays of shape (n_labels,)
        After each label: ``n_labels``, ``n_support_positive``, ``n_support_negative``, ``dual_gap`` (of the
        problem on the expansion) and ``distance`` (|f| of the example when it was chosen, NaN where it was
        not computed). Summed over the machines where there are more than two classes.
    dual_objective_ : float
        Value of the dual; summed over the machines.
    dual_gap_ : float
        Duality gap: with ``n_epochs="converge"`` on all examples whose labels were read, else on the
        expansion.
    converged_ : bool
        Whether the optimality conditions hold within ``tol`` on the examples of ``dual_gap_``. Kernel values
        are float32; where their rounding could hide a violation, the conditions are verified in float64, and
        hold within twice ``tol``. False while an example of each class is missing.
    gamma_ : float
        The gamma that was used.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] S. Ertekin, J. Huang, L. Bottou, C. L. Giles, "Learning on the Border: Active Learning in
       Imbalanced Data Classification", CIKM 2007.
    .. [2] A. Bordes, S. Ertekin, J. Weston, L. Bottou, "Fast Kernel Classifiers with Online and Active
       Learning", JMLR 6:1579-1619, 2005.

    Examples
    --------
    >>> from lopsided import LASVC, make_lopsided
    >>> X, y = make_lopsided(n_samples=4000, positive_rate=0.05, random_state=0)
    >>> model = LASVC(selection="active", stopping="margin", random_state=0).fit(X, y)
    >>> model.stop_reason_, model.n_labels_ < 1000
    ('margin', True)

    Labels can come from a function, which is asked only for what is needed:

    >>> asked = LASVC(selection="active", max_labels=200, random_state=0).fit(X, lambda rows: y[rows])
    >>> asked.n_labels_
    200
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid", "precomputed"}), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "selection": [StrOptions({"sequential", "random", "active", "exhaustive"})],
        "pool_size": [Interval(Integral, 1, None, closed="left")],
        "stopping": [StrOptions({"saturation", "margin"}), None],
        "max_labels": [Interval(Integral, 1, None, closed="left"), None],
        "n_epochs": [StrOptions({"converge"}), Interval(Integral, 1, None, closed="left")],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "probability": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        C: float = 1.0,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        class_weight: dict[Any, float] | str | None = None,
        selection: str = "random",
        pool_size: int = 59,
        stopping: str | None = None,
        max_labels: int | None = None,
        n_epochs: int | str = 1,
        cache_size: float = 256,
        probability: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.class_weight = class_weight
        self.selection = selection
        self.pool_size = pool_size
        self.stopping = stopping
        self.max_labels = max_labels
        self.n_epochs = n_epochs
        self.cache_size = cache_size
        self.probability = probability
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | Callable[..., ArrayLike],
        sample_weight: ArrayLike | None = None,
        *,
        first: ArrayLike | None = None,
    ) -> Self:
        """Learn from rows and their labels, or from rows and somebody to ask.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            Dense float32 and float64 and CSR are read as they are. With ``kernel="precomputed"``, the
            symmetric matrix of kernel values.
        y : array-like of shape (n_samples,), or callable
            Labels; or, for ``selection="active"`` and ``"exhaustive"``, an oracle that gets an array of row
            numbers and returns their labels; those it is not asked for need not exist.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C. A row of weight 0 counts as absent.
        first : array-like of row numbers, default=None
            Rows whose labels active selection reads before all others, in this order: one known row of each
            class, say. They count among the labels read.

        Returns
        -------
        self : LASVC
            Where all labels read are of one class, it predicts that class, with a warning. If an exception
            ends the work half-way (Ctrl-C, an oracle that raises), the model holds what was learned until
            then, and the exception goes on.
        """
        before = dict(self.__dict__)
        try:
            source = check_training(self, X, y, sample_weight, first)
        except Exception:  # an earlier fit stays as it was
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        rng = as_generator(self.random_state)
        self._begin(source.matrix, rng)
        rows = Rows(source.matrix)
        schedule = new_schedule(self, source, rows, self._new_machines, rng)
        if self.selection not in ACTIVE:
            self._take_over(schedule)  # so that callbacks find a model that predicts
        self._follow(schedule, rows, FitProgress(self, schedule.most_labels, source.matrix, source.labels))
        if self.probability and len(self.classes_) > 1:
            self._sigmoids = fit_probabilities(
                source.matrix,
                self.queried_,
                *schedule.codes_and_bounds(),
                source.weights,
                new_machines=partial(self._new_machines, len(self.classes_)),
                n_epochs=self.n_epochs,
            )
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn more rows, in their order: PROCESS and REPROCESS each once, without FINISH.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features)
            New rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (n_classes,), default=None
            All classes; in the first call, unless ``y`` holds them all.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C. A row of weight 0 counts as absent.

        Returns
        -------
        self : LASVC
        """
        precomputed = self.__sklearn_is_fitted__() and self._machines.kernel["kernel"] == "precomputed"
        if precomputed or self.kernel == "precomputed":
            raise ValueError(
                "partial_fit cannot use kernel='precomputed': new rows have no kernel values with old ones. "
                "Use fit."
            )
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all labels; partial_fit sees a few. Pass a dict.")
        first = not self.__sklearn_is_fitted__()
        matrix = check_rows(self, X, y, reset=first)
        labels = checked_labels(y)
        weights = as_weights(sample_weight, matrix.shape[0])
        if first:
            known = np.unique(labels if classes is None else as_labels(classes, "classes"))
            if len(known) < 2:
                raise ValueError(
                    f"partial_fit needs two classes; got only {known.tolist()}. Name all of them by classes=."
                )
            self._begin(matrix, as_generator(self.random_state))
            self.classes_ = known
            self._machines = self._new_machines(len(known))
        elif classes is not None and not np.array_equal(
            np.unique(as_labels(classes, "classes")), self.classes_
        ):
            raise ValueError(f"classes must be {self.classes_.tolist()} as before; got {classes}.")
        codes = class_codes(labels, self.classes_)
        bounds = row_bounds(self.C, codes, weights, class_weights(self.class_weight, self.classes_))
        kept = np.flatnonzero(bounds)
        numbers = self._record.n_rows + np.arange(matrix.shape[0], dtype=np.int64)
        self._record.add_rows(codes)
        self.stop_reason_, self.converged_ = None, False
        self.__dict__.pop("_sigmoids", None)  # they were those of another model
        try:
            learn_in_order(
                self._machines, self._record, Rows(matrix), kept, numbers[kept], codes[kept], bounds[kept]
            )
        finally:
            self.dual_gap_ = self._machines.expansion_gap
        return self

    def finish(self) -> Self:
        """FINISH: move pairs of the expansion until none violates the conditions by more than ``tol``."""
        check_is_fitted(self)
        self._settle(finish(self._machines))
        return self

    def query(self, X_pool: ArrayLike, n: int = 1) -> NDArray[np.intp]:
        """Return the rows to ask about next: the closest to the border of ``n * pool_size`` random ones.

        Before two classes are known, random rows. ``selection`` says how rows are chosen, as in `fit`.

        Parameters
        ----------
        X_pool : array-like or CSR of shape (n_samples, n_features)
            The rows without a label.
        n : int, default=1
            How many.

        Returns
        -------
        rows : int array of shape (n,)
            Row numbers, the closest first.
        """
        if n < 1 or n != int(n):
            raise ValueError(f"query needs a positive number of rows; got n={n!r}.")
        n = int(n)
        fitted = self.__sklearn_is_fitted__()
        pool = check_rows(self, X_pool, NO_LABELS, reset=False) if fitted else _read_pool(X_pool)
        if n > pool.shape[0]:
            raise ValueError(f"query cannot choose {n} rows of {pool.shape[0]}. Ask for fewer.")
        if not hasattr(self, "_generator"):
            self._generator = as_generator(self.random_state)

        def distances(rows: NDArray[np.intp]) -> NDArray[np.float64]:
            scores = np.abs(self._machines.scores(Rows(pool[rows])))
            return scores[:, self._machines.is_ready].min(axis=1)

        known = fitted and any(self._machines.is_ready)
        return choose_rows(
            pool.shape[0], n, self.selection, self.pool_size, distances if known else None, self._generator
        )

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the signed distance to the border in units of the margin, above 0 for ``classes_[1]``.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)
            With ``kernel="precomputed"``, kernel values with all rows of the training matrix.

        Returns
        -------
        scores : array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
            A lazy Dask array if X is a Dask array: the model goes to its blocks, and scores come back.
        """
        check_is_fitted(self)
        if is_dask(X):
            n_scores = None if len(self.classes_) <= 2 else len(self.classes_)
            return scored_lazily(self, X, self._scores, n_scores=n_scores)
        return self._scores(check_rows(self, X, NO_LABELS, reset=False))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each row; a score of exactly 0 is the first of two classes.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)

        Returns
        -------
        labels : array of shape (n_samples,)
            A lazy Dask array if X is a Dask array.
        """
        scores: Any = self.decision_function(X)
        if not is_dask(scores):
            return _labels(self.classes_, scores)
        dropped = None if scores.ndim == 1 else 1
        return scores.map_blocks(
            partial(_labels, self.classes_),
            dtype=self.classes_.dtype,
            drop_axis=dropped,
            meta=np.empty(0, dtype=self.classes_.dtype),
        )

    @available_if(_has_probabilities)
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class; needs ``probability=True``.

        A sigmoid, fitted to the scores of rows in held-out folds, turns scores into probabilities. For more
        than two classes those of one class against the rest are divided by their sum. With active selection
        the folds hold the labels read, among which the rarer class is more frequent than among all rows.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)

        Returns
        -------
        probabilities : array of shape (n_samples, n_classes)
            A lazy Dask array if X is a Dask array.
        """
        scores: Any = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        if not hasattr(self, "_sigmoids"):
            raise NotFittedError(
                "LASVC has no probabilities: they are prepared at the end of fit, not by partial_fit, nor by "
                "a fit that was interrupted. Call fit, or put the model into CalibratedClassifierCV."
            )
        if not is_dask(scores):
            return self._sigmoids.probabilities(scores)
        n_classes = len(self.classes_)
        return scores.map_blocks(
            self._sigmoids.probabilities,
            dtype=np.float64,
            new_axis=1 if scores.ndim == 1 else None,
            chunks=(scores.chunks[0], (n_classes,)),
            meta=np.empty((0, n_classes)),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of checked rows."""
        scores = self._machines.scores(Rows(X))
        return scores[:, 0] if len(self.classes_) <= 2 else scores

    # what a fit does

    def _follow(self, schedule: Schedule, rows: Rows, progress: FitProgress) -> None:
        """Learn what the schedule says, until it ends, then repeat it for the further epochs."""
        self.stop_reason_, reason = "interrupted", None
        try:
            with one_blas_thread:
                while reason is None:
                    schedule.learn_next()
                    reason = schedule.reason_to_stop()
                    if progress.reached(schedule.n_labels) and reason is None:
                        reason = "callback"
        finally:
            self._take_over(schedule)
        complaint = schedule.end()
        self._take_over(schedule)
        codes, bounds = schedule.codes_and_bounds()
        self._settle(run_epochs(self._machines, rows, self.queried_, codes, bounds, self.n_epochs))
        self.stop_reason_ = reason
        if complaint is not None:
            warnings.warn(complaint, UserWarning, stacklevel=3)
        if self.verbose:
            logger.info(
                "LASVC: %d labels, %d support vectors, stopped: %s",
                self.n_labels_,
                sum(self._machines.n_support),
                reason,
            )
        progress.end()

    def _take_over(self, schedule: Schedule) -> None:
        """Take over what a schedule has learned so far, complete or not."""
        self._record = schedule.record()
        if schedule.machines is not None:
            self._machines, self.classes_ = schedule.machines, schedule.classes
            self.dual_gap_ = self._machines.expansion_gap

    def _settle(self, finished: Finished) -> None:
        """Set `dual_gap_`, the distance of the model from its optimum, and warn if it is too large."""
        self.dual_gap_, self.converged_ = finished.dual_gap, finished.converged
        if finished.complaint is not None:
            warnings.warn(finished.complaint, ConvergenceWarning, stacklevel=3)

    def _new_machines(self, n_classes: int) -> Machines:
        kernel = {
            "kernel": self.kernel,
            "gamma": self.gamma_,
            "coef0": float(self.coef0),
            "degree": int(self.degree),
            "n_columns": self.n_features_in_,
            **self._rows_kept,
        }
        return Machines(n_classes, kernel, float(self.tol), int(self.cache_size * 2**20), self.n_jobs)

    def _begin(self, X: Any, rng: np.random.Generator) -> None:
        """Forget an earlier fit, and prepare for the rows of this one."""
        self.__dict__.pop("_machines", None)
        self.__dict__.pop("_sigmoids", None)
        self.gamma_ = chosen_gamma(self.gamma, self.kernel, X)
        self._rows_kept = how_rows_are_kept(self.kernel, self.gamma_, X)
        self._generator = rng
        self._record = LabelRecord()
        self.dual_gap_ = np.inf
        self.converged_ = False


def _labels(classes: NDArray[Any], scores: NDArray[np.float64]) -> NDArray[Any]:
    if scores.ndim == 1:
        return classes[(scores > 0).astype(int)]
    return classes[scores.argmax(axis=1)]


def _read_pool(X: Any) -> Any:
    """Read a pool whose number of rows is all that counts while nothing is known."""
    return checked_sparse(X) if hasattr(X, "shape") else np.asarray(X)
