"""The share of positives in the unlabeled set: those unlabeled rows that score as labeled positives do.

Scores reduce the question to one dimension (Lin and Long, arXiv 1801.09834, 2018). There it is the question
how many null hypotheses are true, answered by a convex decreasing density (Langaas, Lindqvist and
Ferkingstad, JRSS B 67:555-572, 2005).
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from lopsided._blocks import RowBlocks, is_sparse, map_blocks
from lopsided._labels import encode_positive_unlabeled
from lopsided._preparation import checked_table_or_blocks
from lopsided._validation import as_generator, check_same_length, is_finite, is_whole
from lopsided.pu._folds import PositiveUnlabeledFold
from lopsided.pu._trials import FEWEST_POSITIVES

_MAX_TRAIN = 50_000  # rows of either kind that one model learns from; all rows are scored
_BLOCK = 100_000  # rows scored at a time
_BINS = 50  # ranks are counted in so many bins; 20 or 100 give the same answers
_STEPS = 500  # of EM; 300 or 10,000 give the same answers
_DRAWS = 400  # of what the distribution of the positives may be
_WIDER = 1.25  # the draws hold the models fixed, and spread too little (see Notes)
_APART = 0.9  # pairs of a positive and a negative that are in order; with fewer, only the upper end is good


@dataclass(frozen=True)
class PositiveShare:
    """The share of unlabeled rows that are positive, with an interval.

    Parameters
    ----------
    value : float
        Estimate of the share, between 0 and 1.
    low, high : float
        Ends of the interval.
    n_unlabeled : int
        Number of unlabeled rows.
    confidence : float
        Nominal coverage of the interval; the notes of `estimate_positive_share` report the measured one.
    overlaps : bool, default=False
        Whether the positives lie so much among the other rows that only the upper end says something. Then
        ``low`` is 0, and ``value`` is too high wherever negatives are like positives.

    Examples
    --------
    >>> print(PositiveShare(value=0.032, low=0.019, high=0.05, n_unlabeled=5000, confidence=0.95))
    about 3.2 % of 5,000 unlabeled rows are positive: 160 (95 to 250 at 95 % confidence)
    >>> share = PositiveShare(0.4, 0.0, 0.7, n_unlabeled=5000, confidence=0.95, overlaps=True)
    >>> print(share)  # doctest: +ELLIPSIS
    at most 70 % of 5,000 unlabeled rows are positive: 3,500 (95 % confidence). The classes overlap: ...
    """

    value: float
    low: float
    high: float
    n_unlabeled: int
    confidence: float
    overlaps: bool = False

    @property
    def n_hidden(self) -> int:
        """The share as a number of rows."""
        return round(self.value * self.n_unlabeled)

    @property
    def n_hidden_low(self) -> int:
        """The lower end as a number of rows, rounded down."""
        return math.floor(self.low * self.n_unlabeled + _ROUNDING)

    @property
    def n_hidden_high(self) -> int:
        """The upper end as a number of rows, rounded up."""
        return math.ceil(self.high * self.n_unlabeled - _ROUNDING)

    def __str__(self) -> str:
        if self.overlaps:
            return (
                f"at most {100 * self.high:.3g} % of {self.n_unlabeled:,} unlabeled rows are positive: "
                f"{self.n_hidden_high:,} ({100 * self.confidence:g} % confidence). The classes overlap: the "
                "data do not tell how many fewer there are."
            )
        return (
            f"about {100 * self.value:.3g} % of {self.n_unlabeled:,} unlabeled rows are positive: "
            f"{self.n_hidden:,} ({self.n_hidden_low:,} to {self.n_hidden_high:,} "
            f"at {100 * self.confidence:g} % confidence)"
        )


_ROUNDING = 1e-6  # rows: 0.05 * 5000 must not become 251


def estimate_positive_share(
    X: ArrayLike,
    y: ArrayLike,
    *,
    estimator: Any = None,
    confidence: float = 0.95,
    n_splits: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> PositiveShare:
    """Estimate how many of the unlabeled rows are positive.

    The labeled positives are taken for a fair sample of all positives. Models that tell them from the rest
    score every row, none a row it has learned from. For a hidden positive the share t of labeled ones that
    score lower is then uniform between 0 and 1; for most negatives it is small. So the density of t over
    the unlabeled set is

        f(t) = share + (1 - share) g(t),      g decreasing, convex, g(1) = 0

    and the most likely share is found by EM over mixtures of the uniform density and triangles. As the
    labeled positives are few, t is known only up to the law of uniform order statistics. It is drawn from
    that law many times: the answer is the median over the draws, the interval comes from their quantiles.

    Parameters
    ----------
    X : array-like, CSR or Dask array of shape (n_samples, n_features)
        Labeled positives, five at least, and unlabeled rows.
    y : array-like of shape (n_samples,)
        1 for a labeled positive; 0, -1, False, NaN or None for unlabeled, one spelling at a time.
    estimator : classifier, default=None
        What scores the rows, by ``decision_function`` or ``predict_proba``. None: logistic regression for
        sparse rows, extremely randomised trees for dense ones. Where its ``random_state`` is None, ours is
        passed on.
    confidence : float in (0, 1), default=0.95
        How often the interval should hold the true share.
    n_splits : int, default=5
        Models, each scoring the rows that the others learn from; fewer where there are fewer positives.
    n_jobs : int, default=None
        Models learned at the same time, in threads. The answer does not depend on it. For a Dask or
        memory-mapped array they are learned one after the other.
    random_state : None, int, Generator or RandomState, default=None
        Equal ints give equal answers.

    Returns
    -------
    share : PositiveShare

    Notes
    -----
    Negatives that look just like positives are counted as positive: nothing in the data speaks against it.
    The less a scorer tells apart, the larger the answer. If the labeled positives are a biased sample, say
    the easy ones alone, the answer is too small.

    The data do not show whether negatives look like positives, but where the models separate the two badly,
    some do. ``overlaps`` is set where, by the estimate itself, a positive scores above a negative in fewer
    than nine pairs of ten; ``low`` is then 0, and only the upper end says something. In 110 draws of eleven
    data sets, on which the nine in ten was chosen, it is set in 35, and the upper end held the truth in all
    of these. Of the other 75 intervals 68 held it. Five of the seven that did not are of one table (abalone),
    where negatives lie among the positives and most others are far away: no diagnosis of ours sees that.

    Memory and time grow in step with the rows: a model learns from at most 50,000 rows of either kind.

    A Dask array of NumPy or CSR blocks or a memory-mapped array is read in passes, two for each model: the
    rows that it learns from are taken into memory, then it is sent to each block, and a score of each row
    comes back. The answer is that for rows in memory; that of sparse rows differs in the last digits, as the
    mean length of all rows, by which they are divided, is a sum over blocks.

    The draws hold the models fixed, and so spread too little: the interval is widened by a factor of 1.25,
    with which that at 95 % held the truth in 95 % of draws from four groups of data sets. On others the upper
    end is as safe, the lower one is not where negatives reach in among the positives.

    Examples
    --------
    >>> from lopsided.datasets import make_lopsided
    >>> X, positive = make_lopsided(3000, 5, positive_rate=0.2, separation=4, random_state=0)
    >>> y = positive.copy()
    >>> y[positive.nonzero()[0][100:]] = 0  # 100 are labeled, 500 of the 2,900 others hidden: 17 %
    >>> share = estimate_positive_share(X, y, random_state=0)
    >>> share.low < 500 / 2900 < share.high, abs(share.n_hidden - 500) < 100
    (True, True)
    """
    return measure_share(X, y, estimator, confidence, n_splits, n_jobs, random_state)[0]


def measure_share(
    X: ArrayLike,
    y: ArrayLike,
    estimator: Any = None,
    confidence: float = 0.95,
    n_splits: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> tuple[PositiveShare, float]:
    """Return what `estimate_positive_share` does, and the lower end if no negative looked like a positive."""
    if not (is_finite(confidence) and 0 < confidence < 1):
        raise ValueError(f"confidence must be between 0 and 1; got {confidence!r}.")
    if not is_whole(n_splits):
        raise ValueError(f"n_splits must be a whole number; got {n_splits!r}.")
    rows = checked_table_or_blocks("estimate_positive_share", X)
    positive = encode_positive_unlabeled(y) > 0
    check_same_length(X=rows.shape[0], y=len(positive))
    n_positive = int(positive.sum())
    n_unlabeled = len(positive) - n_positive
    if n_positive < FEWEST_POSITIVES or n_unlabeled < 2:
        raise ValueError(
            f"estimate_positive_share needs at least {FEWEST_POSITIVES} labeled positives and 2 unlabeled "
            f"rows to say how many are positive; got {n_positive} and {n_unlabeled}. Add rows."
        )
    generator = as_generator(random_state)
    length = mean_length(rows) if estimator is None and is_sparse(rows) else None
    scores = _held_out_scores(rows, positive, estimator, n_splits, n_jobs, generator, length)
    return share_of_scores(scores, positive, confidence, generator)


def share_of_scores(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    confidence: float,
    generator: np.random.Generator,
) -> tuple[PositiveShare, float]:
    """Return the share that held-out scores tell, and the lower end if no negative looked like a positive."""
    gaps, counts = _count_ranks(scores, positive, generator)
    draws = _draw_shares(gaps, counts, generator)
    tail = (1 - confidence) / 2
    low, value, high = (float(quantile) for quantile in np.quantile(draws, [tail, 0.5, 1 - tail]))
    low = max(value - _WIDER * (value - low), 0.0)
    overlaps = _orders_pairs(scores, positive, value) < _APART
    share = PositiveShare(
        value=value,
        low=0.0 if overlaps else low,
        high=min(value + _WIDER * (high - value), 1.0),
        n_unlabeled=int((~positive).sum()),
        confidence=confidence,
        overlaps=overlaps,
    )
    return share, low


def _orders_pairs(scores: NDArray[np.float64], positive: NDArray[np.bool_], share: float) -> float:
    """Return how often a positive scores above a negative if this share of the unlabeled rows is positive.

    A labeled positive scores above a hidden one in half of the pairs, ties counted as halves.
    """
    if share >= 1:
        return 0.5  # there is no negative
    return float((roc_auc_score(positive, scores) - share / 2) / (1 - share))


def _held_out_scores(
    X: Any,
    positive: NDArray[np.bool_],
    estimator: Any,
    n_splits: int,
    n_jobs: int | None,
    generator: np.random.Generator,
    length: float | None = None,
) -> NDArray[np.float64]:
    """Score each row, divided by ``length``, by a model that has learned from rows of other folds alone.

    A labeled positive and a hidden one of the same fold are alike to their model: it has seen neither.
    """
    least = int(min(positive.sum(), (~positive).sum()))
    folds = list(PositiveUnlabeledFold(min(n_splits, least), generator).split(X, positive))
    train = [thin_kinds(rows, positive, generator) for rows, _ in folds]
    seeds = generator.integers(2**31 - 1, size=len(folds)).tolist()
    # Folds share most of their rows, and blocks keep the rows that were taken last: one fold at a time.
    parts = Parallel(n_jobs=1 if isinstance(X, RowBlocks) else n_jobs, prefer="threads")(
        delayed(_fit_and_score)(
            _scorer(estimator, X, positive[learned], seed), X, positive, learned, held_out, length
        )
        for learned, (_, held_out), seed in zip(train, folds, seeds, strict=True)
    )
    scores = np.empty(len(positive))
    for (_, held_out), part in zip(folds, parts, strict=True):
        scores[held_out] = part
    return scores


def thin_kinds(
    rows: NDArray[np.intp], positive: NDArray[np.bool_], generator: np.random.Generator
) -> NDArray[np.intp]:
    """Return at most so many rows of either kind, in their order."""
    kinds = rows[positive[rows]], rows[~positive[rows]]
    kept = [
        kind if len(kind) <= _MAX_TRAIN else generator.choice(kind, _MAX_TRAIN, replace=False)
        for kind in kinds
    ]
    return np.sort(np.concatenate(kept))


def _scorer(estimator: Any, X: Any, positive: NDArray[np.bool_], seed: int) -> Any:
    """Return a fresh estimator for one fold."""
    if estimator is None:
        return linear_scorer(positive) if is_sparse(X) else _trees(seed)
    own = clone(estimator)
    unset = [
        name
        for name, value in own.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    ]
    return own.set_params(**dict.fromkeys(unset, seed))


def mean_length(X: Any) -> float:
    """Return the root of the mean squared length of sparse rows; 1 where all are 0.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> mean_length(csr_array([[3.0, 4.0], [0.0, 5.0]]))
    5.0
    """
    largest = max(map_blocks(_largest, X))
    if largest == 0:
        return 1.0
    squared = sum(map_blocks(partial(_sum_of_squares, largest), X)) / X.shape[0]
    return float(largest * math.sqrt(squared))


def _largest(X: Any, chosen: None) -> float:
    return float(np.abs(X.data).max(initial=0.0))


def _sum_of_squares(largest: float, X: Any, chosen: None) -> float:
    return float(
        np.square(X.data / largest, dtype=np.float64).sum()
    )  # of parts of the largest: none overflows


def _divided(X: Any, length: float | None) -> Any:
    if length is None:
        return X
    return type(X)((X.data / length, X.indices, X.indptr), shape=X.shape)


def linear_scorer(positive: NDArray[np.bool_]) -> Any:
    """Return logistic regression where a positive weighs 3, and the unlabeled set as much as all positives.

    So the size of the unlabeled set does not change how closely the positives are followed.
    """
    return LogisticRegression(C=3.0 * 2 * positive.mean(), class_weight="balanced", max_iter=1000)


def _trees(seed: int) -> Any:
    """Return trees whose leaves hold ten rows: purer ones learn the positives hidden in U as negatives."""
    return ExtraTreesClassifier(100, min_samples_leaf=10, class_weight="balanced", random_state=seed)


def _fit_and_score(
    model: Any,
    X: Any,
    positive: NDArray[np.bool_],
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    length: float | None,
) -> NDArray[np.float64]:
    model.fit(_divided(X[train], length), positive[train].astype(int))
    scores = np.concatenate(map_blocks(partial(_score_block, model, length), X, rows=test))
    if not np.isfinite(scores).all():
        raise ValueError(f"{type(model).__name__} gave scores that are not finite; expected numbers.")
    return scores


def _score_block(
    model: Any, length: float | None, X: Any, chosen: NDArray[np.intp] | None
) -> NDArray[np.float64]:
    rows = np.arange(X.shape[0]) if chosen is None else chosen
    bands = [rows[first : first + _BLOCK] for first in range(0, len(rows), _BLOCK)]
    return np.concatenate([_score(model, _divided(X[band], length)) for band in bands])


def _score(model: Any, X: Any) -> NDArray[np.float64]:
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64).ravel()
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X), dtype=np.float64)[:, 1]
    raise ValueError(
        f"estimator must have decision_function or predict_proba; {type(model).__name__} has neither."
    )


def _count_ranks(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Count the unlabeled rows in the gaps between labeled positives, neighbouring gaps together.

    Returns the number of gaps and of unlabeled rows in each bin. Rows of equal score are put in random order:
    so hidden positives stay uniform among the labeled ones.
    """
    order = np.lexsort((generator.random(len(scores)), scores))
    ranked = positive[order]
    n_below = np.cumsum(ranked)[~ranked]
    n_gaps = int(positive.sum()) + 1
    in_gap = np.bincount(n_below, minlength=n_gaps)
    first = np.arange(min(n_gaps, _BINS)) * n_gaps // min(n_gaps, _BINS)
    return np.diff(first, append=n_gaps), np.add.reduceat(in_gap, first)


def _draw_shares(
    gaps: NDArray[np.intp], counts: NDArray[np.intp], generator: np.random.Generator
) -> NDArray[np.float64]:
    """Return the most likely share under many draws of where the bins end and how many rows they hold.

    n labeled positives cut the unit interval of t at the order statistics of n uniform numbers: the widths of
    the gaps follow the flat Dirichlet distribution, whatever the scores are.
    """
    width = generator.standard_gamma(gaps, size=(_DRAWS, len(gaps)))
    edges = np.zeros((_DRAWS, len(gaps) + 1))
    np.cumsum(width, axis=1, out=edges[:, 1:])
    edges /= edges[:, -1:]
    # Rates of Poisson counts, with one more row spread evenly: where none was seen, a few may be yet. So the
    # upper end is that of Garwood's interval, which reckons with count + 1.
    rates = generator.standard_gamma(counts + gaps / gaps.sum(), size=edges[:, 1:].shape)
    return _uniform_share(edges, rates)


def _uniform_share(edges: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weight of the uniform density in the most likely convex decreasing one, row by row.

    Such a density is a mixture of the uniform one and of triangles 2 (b - t) / b^2 on [0, b]; here b takes
    _BINS values. A step of EM multiplies the weights by  C^T (observed / C weights),  where C holds the mass
    of each part in each bin. The likelihood never falls.
    """
    b = np.arange(1, _BINS + 1) / _BINS
    inside = np.minimum(edges[..., None] / b, 1.0)
    below = np.concatenate([edges[..., None], inside * (2 - inside)], axis=-1)
    C = np.diff(below, axis=-2)
    observed = counts / counts.sum(axis=-1, keepdims=True)
    weights = np.full((*C.shape[:-2], _BINS + 1), 1 / (_BINS + 1))
    for _ in range(_STEPS):
        fitted = np.maximum((C @ weights[..., None])[..., 0], 1e-300)  # a bin that no part reaches
        weights *= ((observed / fitted)[..., None, :] @ C)[..., 0, :]
    return weights[..., 0]
