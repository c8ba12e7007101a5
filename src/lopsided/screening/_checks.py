"""The exact likelihood of the number of relevant items left, given the random checks alone.

A random check is drawn from all items that are unlabelled at its time, with equal probabilities. Let R be
the number of relevant items that are left now, and a_s the number found from check s on. At check s there
were R + a_s relevant items among U_s, so the check finds one with probability (R + a_s) / U_s, whatever was
shown between the checks and however that was chosen.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from lopsided.screening._record import Screened


class Checks(NamedTuple):
    """The random checks of a session, in their order.

    Examples
    --------
    >>> Checks(hit=np.array([False, True]), later=np.array([1, 1]), pool=np.array([9, 8])).pool
    array([9, 8])
    """

    hit: NDArray[np.bool_]
    """Whether the check was relevant."""
    later: NDArray[np.intp]
    """How many relevant items were found from this check on, itself included."""
    pool: NDArray[np.intp]
    """How many items the check was drawn from."""


def read_checks(screened: Screened) -> Checks:
    """Return the random checks, without those from before the last items were added.

    Examples
    --------
    >>> nan = np.full(2, np.nan)
    >>> reasons = ["random check", "most likely"]
    >>> rows, relevant, n_unlabelled = np.array([4, 2]), np.array([False, True]), np.array([9, 8])
    >>> read_checks(Screened(rows, relevant, reasons, nan, n_unlabelled, 9)).later
    array([1])
    """
    n_labels = len(screened.rows)
    is_check = np.array([reason == "random check" for reason in screened.reasons], dtype=bool)
    is_check &= np.asarray(screened.n_unlabelled) + np.arange(n_labels) >= screened.n_items
    later = np.cumsum(screened.relevant[::-1], dtype=np.intp)[::-1]
    return Checks(screened.relevant[is_check], later[is_check], np.asarray(screened.n_unlabelled)[is_check])


def log_likelihood(checks: Checks, left: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the probability of the checks, for each number of relevant items left.

    Examples
    --------
    >>> log_likelihood(Checks(np.array([False]), np.array([0]), np.array([4])), np.array([0.0, 1.0, 4.0]))
    array([ 0.        , -0.28768207,        -inf])
    """
    share = (left[:, None] + checks.later) / checks.pool
    chance = np.where(checks.hit, share, 1 - share)
    with np.errstate(divide="ignore"):
        return np.log(np.clip(chance, 0, None)).sum(axis=1)


def interval_of_checks(checks: Checks, n_left: int, confidence: float) -> tuple[int, int]:
    """Return the numbers of relevant items left that the checks do not contradict, least and greatest.

    A number is contradicted where so many hits or more, or so few or fewer, have a probability of at most
    half of ``1 - confidence``. Where everything was a random check, the number of hits is hypergeometric.

    Examples
    --------
    >>> nothing_found = Checks(np.zeros(20, bool), np.zeros(20, int), np.arange(100, 80, -1))
    >>> interval_of_checks(nothing_found, 80, 0.95)
    (0, 15)
    """
    alpha = (1 - confidence) / 2
    n_hits = int(checks.hit.sum())
    low, high = 0, n_left
    if n_hits:
        low = _first(lambda left: 1 - _at_most(checks, n_hits - 1, left) > alpha, n_left)
    if len(checks.hit):
        high = _first(lambda left: _at_most(checks, n_hits, left) <= alpha, n_left + 1) - 1
    return low, max(high, low)


def _first(holds: Callable[[NDArray[np.float64]], NDArray[np.bool_]], stop: int) -> int:
    """Return the least number below ``stop`` for which a monotone condition holds; else ``stop``."""
    start = 0
    while stop - start > 0:
        tried = np.unique(np.linspace(start, stop - 1, 17).astype(int))
        yes = holds(tried.astype(float))
        first = int(np.argmax(yes)) if yes.any() else len(tried)
        stop = int(tried[first]) if first < len(tried) else stop
        start = int(tried[first - 1]) + 1 if first else start
    return stop


def _at_most(checks: Checks, n_hits: int, left: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of at most so many hits, for each number of relevant items left."""
    relevant = left + checks.later[0]  # before the first check
    found = checks.later[0] - checks.later  # before each check ...
    found = found - (np.cumsum(checks.hit) - checks.hit)  # ... by other questions
    n = len(checks.hit)
    if not found.any() and checks.pool[0] - checks.pool[-1] == n - 1:  # no question between the checks
        known: NDArray[np.float64] = hypergeom.cdf(n_hits, checks.pool[0], relevant, n)
        return known
    chance = np.zeros((n_hits + 1, len(left)))  # of each number of hits so far
    chance[0] = 1
    hits = np.arange(n_hits + 1)[:, None]
    for other, pool in zip(found, checks.pool, strict=True):
        hit = chance * np.clip((relevant - other - hits) / pool, 0, 1)
        chance -= hit
        chance[1:] += hit[:-1]
    total: NDArray[np.float64] = chance.sum(axis=0)
    return total
