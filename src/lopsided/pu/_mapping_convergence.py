"""Mapping Convergence: from surely negative to the boundary of the positives, step by step (Yu 2003)."""

import math
import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from lopsided._blocks import is_sparse
from lopsided._compat import HasMethods, Interval, StrOptions, fit_context
from lopsided._preparation import chosen_gamma
from lopsided._stored import Check, columns, flag, part, places, real, whole
from lopsided.pu._base import PositiveUnlabeledClassifier
from lopsided.pu._convergence import Loop, mapping_step
from lopsided.pu._history import as_columns
from lopsided.pu._mappers import PresenceModel, farness, map_unlabeled
from lopsided.pu._models import EstimatorModel, KernelModel, LinearModel
from lopsided.pu._solvers import (
    UNFINISHED,
    EstimatorSolver,
    LASVMSolver,
    LinearSolver,
    NuSolver,
    Solver,
)
from lopsided.pu._width import gamma_of_positives

# Of unlabeled rows, taken for negative in any case: with 1 % the boundary sometimes does not start to move.
_FALLBACK = 0.05
_DENSE = 100  # unlabeled rows to a positive


class MappingConvergence(PositiveUnlabeledClassifier):
    """Find the boundary of the positives from positives and unlabeled data, without a single negative.

    A rough first look (the mapper) rejects what is surely negative. A margin maximiser (the solver) separates
    the positives from that; any unlabeled row on its negative side is rejected too, and so on, until
    nothing more is. The boundary closes in on the positives, and stops at the gap around them [1]_. `SVMC`
    and `SMC` are this with one ``keep`` each.

    Parameters
    ----------
    mapper : {"osvm", "1dnf"} or estimator, default="osvm"
        The first look. "osvm": one-class SVM around the positives; "1dnf", for text: rows without any feature
        that is more frequent among the positives; or an estimator that scores rows (an outlier detector is
        fitted to the positives, a classifier to positives against unlabeled). Its threshold is set below all
        positives that were held out; where it rejects less than a twentieth of the unlabeled, the farthest
        twentieth is taken.
    solver : {"nusvc", "lasvm", "linear"} or estimator, default="nusvc"
        "nusvc": nu-SVM by LIBSVM; "lasvm": `LASVC`, which goes on from the boundary before; "linear":
        LinearSVC, for sparse text; or a classifier with ``decision_function`` or ``predict_proba``. It sees
        -1 and 1 as labels.
    keep : {"support_vectors", "all"}, default="support_vectors"
        Which negatives stay in the training set: those that hold the boundary, or all so far.
    nu : float, default=0.01
        Share of margin errors that "nusvc" allows among the positives and all that was rejected.
    C : float, default=100.0
        Of "lasvm" and "linear".
    kernel : {"auto", "rbf", "linear"}, default="auto"
        Of "osvm", "nusvc" and "lasvm". "auto": linear for sparse rows, else rbf.
    gamma : {"auto", "scale"} or float, default="auto"
        Of the kernel rbf of the solver. "auto" is set by the distances between positives, "scale" is
        scikit-learn's, which is often too wide.
    kappa : float, default=1.0
        How far below the least positive the mapper's threshold lies, in distances of that from the median.
    max_iter : int, default=100
        The most iterations.
    max_new : int or None, default=1000
        The most new negatives to train on at a time; the nearest to the boundary are taken. Not for "all".
    guarded : bool, default=True
        Keep ``nu`` meaning what it does with all negatives though most were let go, and bring back negatives
        that the boundary has slipped past. False is the algorithm as printed, which may swallow the positives
        where the kernel is wide. Not for "all", where nothing is let go.
    watch : float or "auto", default="auto"
        Share of the labeled positives that are kept out of the training until the end, to see what becomes of
        their unlabeled like; where these would be fewer than ten, all are trained on and looked at. "auto" is
        0, or 0.1 if there are more than 100 unlabeled rows to a positive.
    max_reject : float or None, default=0.5
        If the next boundary has more than this share of the watched positives on its wrong side, stop with
        the one before and warn: where the classes overlap, dense unlabeled data drive the boundary into them.
    n_jobs : int or None, default=None
        Threads that score the unlabeled set, a block of rows each at a time.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is 1.
    history_ : dict of arrays of shape (n_iter + 1,)
        An entry for the mapping (iteration 0), then one for each iteration: ``iteration``,
        ``n_training_negatives``, ``n_new_negatives``, ``n_returned``, ``n_remaining`` (of the unlabeled set),
        ``n_support``, ``rejected_positives`` (share of the watched), ``seconds_training``,
        ``seconds_scoring``, ``notes`` (a text that tells of a lowered nu or a fallback, else empty).
        ``pandas.DataFrame(model.history_)`` makes a table.
    n_iter_ : int
        Iterations.
    converged_ : bool
        Whether the last one rejected nothing more.
    strong_negatives_, negatives_ : int arrays
        Rows that the mapper rejected, and all that were rejected.
    mapping_ : object
        The first look; ``mapping_.scores(X)`` is negative where it rejects a row.
    gamma_ : float
        The gamma that was used.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] H. Yu, "SVMC: Single-Class Classification With Support Vector Machines", IJCAI 2003.

    Examples
    --------
    >>> from lopsided import MappingConvergence, make_islands
    >>> X, y, is_positive = make_islands(random_state=0)  # y is 1 for 60 known positives, 0 for unlabeled
    >>> model = MappingConvergence().fit(X, y)
    >>> bool((model.predict(X) == is_positive).mean() > 0.97)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "mapper": [StrOptions({"osvm", "1dnf"}), HasMethods("fit")],
        "solver": [StrOptions({"nusvc", "lasvm", "linear"}), HasMethods("fit")],
        "keep": [StrOptions({"support_vectors", "all"})],
        "nu": [Interval(Real, 0, 1, closed="right")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "kernel": [StrOptions({"auto", "rbf", "linear"})],
        "gamma": [StrOptions({"auto", "scale"}), Interval(Real, 0, None, closed="neither")],
        "kappa": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "max_new": [Interval(Integral, 1, None, closed="left"), None],
        "guarded": ["boolean"],
        "watch": [StrOptions({"auto"}), Interval(Real, 0, 0.5, closed="both")],
        "max_reject": [Interval(Real, 0, 1, closed="both"), None],
        "n_jobs": [Integral, None],
    }

    _stored: ClassVar[dict[str, Check]] = {
        "gamma_": real(low=0),
        "mapping_": part(KernelModel, LinearModel, EstimatorModel, PresenceModel),
        "_model": part(KernelModel, LinearModel, EstimatorModel),
        "history_": columns,
        "n_iter_": whole(),
        "converged_": flag(),
        "strong_negatives_": places(None),
        "negatives_": places(None),
    }

    def __init__(
        self,
        mapper: Any = "osvm",
        solver: Any = "nusvc",
        keep: str = "support_vectors",
        nu: float = 0.01,
        C: float = 100.0,
        kernel: str = "auto",
        gamma: str | float = "auto",
        kappa: float = 1.0,
        max_iter: int = 100,
        max_new: int | None = 1000,
        guarded: bool = True,
        watch: str | float = "auto",
        max_reject: float | None = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        self.mapper = mapper
        self.solver = solver
        self.keep = keep
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.kappa = kappa
        self.max_iter = max_iter
        self.max_new = max_new
        self.guarded = guarded
        self.watch = watch
        self.max_reject = max_reject
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from positives and unlabeled rows.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            1 for a known positive; 0, -1, False, NaN or None for all others, one spelling at a time.

        Returns
        -------
        self
        """
        rows, positive = self._read(X, y)
        kernel = self.kernel if self.kernel != "auto" else "linear" if is_sparse(rows) else "rbf"
        self.gamma_ = self._chosen_gamma(rows, positive, kernel)
        start = perf_counter()
        self.mapping_, strength = map_unlabeled(self.mapper, rows, positive, kernel, self.kappa, self.n_jobs)
        strong, notes = _strong_negatives(strength, positive, partial(farness, rows, positive, kernel))
        mapping = mapping_step(strong, positive, notes, perf_counter() - start)
        loop = Loop(
            solver=self._solver(kernel),
            keeps_all=self.keep == "all",
            max_iter=self.max_iter,
            max_new=self.max_new,
            guarded=self.guarded,
            watch=self._watched_share(positive),
            max_reject=self.max_reject,
            n_jobs=self.n_jobs,
        )
        result = loop.run(rows, positive, strong, strength, self.mapping_)
        self._model = result.models[-1]
        self.n_iter_, self.converged_ = len(result.history), result.converged
        self.strong_negatives_, self.negatives_ = np.flatnonzero(strong), np.flatnonzero(result.rejected)
        if result.stopped and not result.history:
            mapping["notes"].append(f"stopped: {result.stopped}")
        self.history_ = as_columns([mapping, *result.history])
        unfinished = {note for step in result.history for note in step["notes"] if UNFINISHED in note}
        for message in filter(None, (result.stopped, *unfinished)):
            warnings.warn(f"{type(self).__name__}: {message}", ConvergenceWarning, stacklevel=3)
        return self

    def _chosen_gamma(self, X: Any, positive: NDArray[np.bool_], kernel: str) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        if kernel != "rbf":
            return 1.0
        return (
            gamma_of_positives(X[positive], X) if self.gamma == "auto" else chosen_gamma("scale", kernel, X)
        )

    def _watched_share(self, positive: NDArray[np.bool_]) -> float:
        """Return the share of positives to watch: a tenth where unlabeled rows are many, else none."""
        if not isinstance(self.watch, str):
            return float(self.watch)
        return 0.1 if (~positive).sum() > _DENSE * positive.sum() else 0.0

    def _solver(self, kernel: str) -> Solver:
        if not isinstance(self.solver, str):
            return EstimatorSolver(self.solver)
        if self.solver == "nusvc":
            return NuSolver(self.nu, kernel, self.gamma_)
        return LASVMSolver(self.C, kernel, self.gamma_) if self.solver == "lasvm" else LinearSolver(self.C)

    def _scorer(self) -> Callable[[Any], NDArray[np.float64]]:
        return partial(self._model.scores, n_jobs=self.n_jobs)


class SVMC(MappingConvergence):
    """Mapping Convergence that keeps only the negatives which hold the boundary: the cost of about one SVM.

    This is `MappingConvergence` with ``keep="support_vectors"``; see there for the attributes. It looks for
    the gap around the positives. Where the classes overlap there is none: to rank the unlabeled rows of a
    table, use `find_more`, which chooses its models by known positives that it hides. With 50 known rows the
    mean average precision of ``SVMC()`` is 0.33 on satimage and 0.50 on letters, that of `find_more` 0.65 and
    0.72.

    Parameters
    ----------
    mapper : {"osvm", "1dnf"} or estimator, default="osvm"
        Finds the first negatives. "osvm" is a one-class SVM around the positives; "1dnf", for text, rejects
        rows without any feature that is more frequent among the positives. An outlier detector is fitted to
        the positives, a classifier to the positives against the unlabeled rows.
    solver : {"nusvc", "lasvm", "linear"} or estimator, default="nusvc"
        Separates the positives from the negatives found so far: LIBSVM's nu-SVM, `LASVC`, `LinearSVC` for
        sparse text, or a classifier with ``decision_function`` or ``predict_proba``.
    nu : float, default=0.01
        Share of margin errors that "nusvc" allows.
    C : float, default=100.0
        Weight of the loss of "lasvm" and "linear".
    kernel : {"auto", "rbf", "linear"}, default="auto"
        Kernel of "osvm", "nusvc" and "lasvm". "auto" is linear for sparse rows and rbf for dense ones.
    gamma : {"auto", "scale"} or float, default="auto"
        Width of the solver's rbf kernel. "auto" follows from the distances between the positives; "scale" is
        scikit-learn's rule, which is often too wide here.
    kappa : float, default=1.0
        Distance of the mapper's threshold below the lowest-scoring positive, in units of the distance from
        that positive to the median.
    max_iter : int, default=100
        Maximum number of iterations.
    max_new : int or None, default=1000
        Maximum number of new negatives per iteration; the nearest to the boundary are taken.
    guarded : bool, default=True
        Whether to rescale ``nu`` for the negatives that were discarded, and to bring back those that the
        boundary has slipped past. False is the algorithm of the paper, which can absorb the positives where
        the kernel is wide.
    watch : float or "auto", default="auto"
        Share of the labeled positives that are held out until the end. "auto" is 0, or 0.1 where there are
        more than 100 unlabeled rows per positive.
    max_reject : float or None, default=0.5
        Stop with the previous boundary, and warn, when the next one rejects more than this share of the
        watched positives.
    n_jobs : int or None, default=None
        Number of threads that score the unlabeled rows.

    Examples
    --------
    >>> from lopsided import SVMC, make_islands
    >>> X, y, is_positive = make_islands(random_state=0)
    >>> model = SVMC().fit(X, y)
    >>> bool((model.predict(X) == is_positive).mean() > 0.97)
    True
    """

    # Fixed here, and so no parameter: the base has an attribute of the instance, which mypy would keep.
    keep: ClassVar[str] = "support_vectors"  # type: ignore[misc]

    def __init__(
        self,
        mapper: Any = "osvm",
        solver: Any = "nusvc",
        nu: float = 0.01,
        C: float = 100.0,
        kernel: str = "auto",
        gamma: str | float = "auto",
        kappa: float = 1.0,
        max_iter: int = 100,
        max_new: int | None = 1000,
        guarded: bool = True,
        watch: str | float = "auto",
        max_reject: float | None = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        self.mapper = mapper
        self.solver = solver
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.kappa = kappa
        self.max_iter = max_iter
        self.max_new = max_new
        self.guarded = guarded
        self.watch = watch
        self.max_reject = max_reject
        self.n_jobs = n_jobs


class SMC(MappingConvergence):
    """Mapping Convergence that trains on every negative found so far; slower than `SVMC`, and simpler.

    This is `MappingConvergence` with ``keep="all"``; see there for the attributes.

    Parameters
    ----------
    mapper : {"osvm", "1dnf"} or estimator, default="osvm"
        Finds the first negatives. "osvm" is a one-class SVM around the positives; "1dnf", for text, rejects
        rows without any feature that is more frequent among the positives. An outlier detector is fitted to
        the positives, a classifier to the positives against the unlabeled rows.
    solver : {"nusvc", "lasvm", "linear"} or estimator, default="nusvc"
        Separates the positives from the negatives found so far: LIBSVM's nu-SVM, `LASVC`, `LinearSVC` for
        sparse text, or a classifier with ``decision_function`` or ``predict_proba``.
    nu : float, default=0.01
        Share of margin errors that "nusvc" allows.
    C : float, default=100.0
        Weight of the loss of "lasvm" and "linear".
    kernel : {"auto", "rbf", "linear"}, default="auto"
        Kernel of "osvm", "nusvc" and "lasvm". "auto" is linear for sparse rows and rbf for dense ones.
    gamma : {"auto", "scale"} or float, default="auto"
        Width of the solver's rbf kernel. "auto" follows from the distances between the positives; "scale" is
        scikit-learn's rule, which is often too wide here.
    kappa : float, default=1.0
        Distance of the mapper's threshold below the lowest-scoring positive, in units of the distance from
        that positive to the median.
    max_iter : int, default=100
        Maximum number of iterations.
    watch : float or "auto", default="auto"
        Share of the labeled positives that are held out until the end. "auto" is 0, or 0.1 where there are
        more than 100 unlabeled rows per positive.
    max_reject : float or None, default=0.5
        Stop with the previous boundary, and warn, when the next one rejects more than this share of the
        watched positives.
    n_jobs : int or None, default=None
        Number of threads that score the unlabeled rows.

    Examples
    --------
    >>> from lopsided import SMC, make_islands
    >>> X, y, is_positive = make_islands(random_state=0)
    >>> model = SMC().fit(X, y)
    >>> bool((model.predict(X) == is_positive).mean() > 0.97)
    True
    """

    # Fixed here, and so no parameters, as in SVMC.
    keep: ClassVar[str] = "all"  # type: ignore[misc]
    max_new: ClassVar[None] = None  # type: ignore[misc]
    guarded: ClassVar[bool] = False  # type: ignore[misc]

    def __init__(
        self,
        mapper: Any = "osvm",
        solver: Any = "nusvc",
        nu: float = 0.01,
        C: float = 100.0,
        kernel: str = "auto",
        gamma: str | float = "auto",
        kappa: float = 1.0,
        max_iter: int = 100,
        watch: str | float = "auto",
        max_reject: float | None = 0.5,
        n_jobs: int | None = None,
    ) -> None:
        self.mapper = mapper
        self.solver = solver
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.kappa = kappa
        self.max_iter = max_iter
        self.watch = watch
        self.max_reject = max_reject
        self.n_jobs = n_jobs


def _strong_negatives(
    strength: NDArray[np.float64],
    positive: NDArray[np.bool_],
    farness: Callable[[NDArray[np.intp]], NDArray[np.float64]],
) -> tuple[NDArray[np.bool_], list[str]]:
    """Return the unlabeled rows that the mapper rejects, the farthest twentieth at least, and notes on them.

    Of rows that are all the same to the mapper, those are taken that ``farness`` tells apart.
    """
    strong = ~positive & (strength < 0)
    unlabeled = np.flatnonzero(~positive)
    n_mapped, n_least = int(strong.sum()), math.ceil(_FALLBACK * len(unlabeled))
    if n_mapped >= n_least:
        return strong, []
    last = np.partition(strength[unlabeled], n_least - 1)[n_least - 1]
    below, tied = unlabeled[strength[unlabeled] < last], unlabeled[strength[unlabeled] == last]
    strong[below] = True
    n_more = n_least - len(below)
    if n_more < len(tied):
        tied = tied[np.argsort(-farness(tied), kind="stable")[:n_more]]
    strong[tied] = True
    return strong, [
        f"fallback: the mapper rejected {n_mapped}; the {n_least} farthest rows are taken for negative"
    ]
