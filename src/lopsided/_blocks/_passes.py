"""Passes over rows, in memory or in blocks: a score of each row, a sum over all of them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._blocks._base import BlockFunction, RowBlocks

BAND = 4096  # rows of a block looked at together: what a function makes of them is all that takes memory


def map_blocks(
    function: BlockFunction,
    X: Any,
    *sides: NDArray[Any],
    rows: NDArray[np.intp] | None = None,
    n_jobs: int | None = None,
) -> list[Any]:
    """Return ``function(block, chosen, *sides)`` of each block, as `RowBlocks.map`; rows in memory are one.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> map_blocks(lambda block, chosen: block[chosen].sum(), X, rows=np.array([0, 2]))
    [np.float64(14.0)]
    """
    if isinstance(X, RowBlocks):
        return X.map(function, *sides, rows=rows, n_jobs=n_jobs)
    return [function(X, rows, *(side if rows is None else side[rows] for side in sides))]


def score_rows(
    make_scorer: Callable[[], Callable[[Any], Any]],
    X: Any,
    rows: NDArray[np.intp] | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the scores of all rows, or of those named, by bands; each thread or block has its own scorer.

    Examples
    --------
    >>> score_rows(lambda: lambda band: band.sum(axis=1), np.ones((3, 2)), np.array([2]))
    array([2.])
    """
    if not isinstance(X, RowBlocks):
        return _score_block(make_scorer, X, rows, n_jobs=n_jobs)
    score = partial(_score_block, make_scorer)
    if rows is None:
        return np.concatenate(X.map(score, n_jobs=n_jobs))
    distinct, place = np.unique(rows, return_inverse=True)
    parts = X.map(score, rows=distinct, n_jobs=n_jobs)
    return np.concatenate(parts)[place] if parts else np.empty(0)


def sum_rows(function: Callable[..., Any], X: Any, *sides: NDArray[Any]) -> Any:
    """Return the sum of ``function(band, *sides)`` over all rows, a band of them at a time.

    Sums of floats depend in the last digits on where blocks end; counts do not.

    Examples
    --------
    >>> int(sum_rows(lambda band, wanted: band[wanted].sum(), np.ones((3, 2)), np.array([True, False, True])))
    4
    """
    return sum(map_blocks(partial(_sum_block, function), X, *sides))


def column_moments(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the variance of each column.

    Examples
    --------
    >>> column_moments(np.array([[0.0, 1.0], [2.0, 1.0]]))
    (array([1., 1.]), array([1., 0.]))
    """
    (n, mean, variance), *others = map_blocks(_block_moments, X)
    for n_more, mean_more, variance_more in others:  # Chan, Golub & LeVeque 1983: nothing cancels
        share = n_more / (n + n_more)
        apart = mean_more - mean
        mean = mean + share * apart
        variance = (1 - share) * variance + share * variance_more + share * (1 - share) * apart**2
        n += n_more
    return mean, variance


def _bands(n: int) -> Iterator[slice]:
    return (slice(first, first + BAND) for first in range(0, n, BAND))


def _score_block(
    make_scorer: Callable[[], Callable[[Any], Any]],
    X: Any,
    rows: NDArray[np.intp] | None,
    n_jobs: int | None = 1,
) -> NDArray[np.float64]:
    """Return the scores of rows in memory."""
    n = X.shape[0] if rows is None else len(rows)
    bands = list(_bands(n))
    values = np.empty(n)

    def score(mine: list[slice]) -> None:
        scorer = make_scorer()
        for band in mine:
            values[band] = scorer(X[band] if rows is None else X[rows[band]])

    n_threads = min(effective_n_jobs(n_jobs), len(bands))
    if n_threads <= 1:
        score(bands)
    else:
        Parallel(n_jobs=n_threads, require="sharedmem")(
            delayed(score)(bands[first::n_threads]) for first in range(n_threads)
        )
    return values


def _sum_block(
    function: Callable[..., Any], X: Any, rows: NDArray[np.intp] | None, *sides: NDArray[Any]
) -> Any:
    n = X.shape[0] if rows is None else len(rows)
    return sum(
        function(X[band] if rows is None else X[rows[band]], *(side[band] for side in sides))
        for band in _bands(n)
    )


def _block_moments(
    X: Any, rows: NDArray[np.intp] | None
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    n = X.shape[0]
    if not issparse(X):
        return n, X.mean(axis=0, dtype=np.float64), X.var(axis=0, dtype=np.float64)
    mean = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    squares = np.asarray(X.multiply(X).mean(axis=0), dtype=np.float64).ravel()
    return n, mean, np.maximum(squares - mean**2, 0)
