"""Selection of the next example: in order, at random, or nearest to the border among some or all unseen."""

from math import ceil, log
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.lasvm import Unseen

ACTIVE = ("active", "exhaustive")  # the selections that ask for labels
NO_ROWS = np.empty(0, dtype=np.int64)
_SEEDS = 5  # of each class, processed first where all labels are read anyway, so that there are pairs to move


def pool_size_for(top: float = 0.05, risk: float = 0.05) -> int:
    """Return how many random examples it takes for one of the closest ``top`` share, but for a ``risk``.

        L = ceil(log(risk) / log(1 - top))                                                    (eq. 7 of [1]_)

    It does not depend on how many examples there are.

    Parameters
    ----------
    top : float, default=0.05
        The closest share of all examples that is good enough (p in [1]_).
    risk : float, default=0.05
        Probability that none of the drawn examples is among them (eta in [1]_).

    Returns
    -------
    size : int

    References
    ----------
    .. [1] S. Ertekin, J. Huang, L. Bottou, C. L. Giles, "Learning on the Border: Active Learning in
       Imbalanced Data Classification", CIKM 2007.

    Examples
    --------
    >>> from lopsided import pool_size_for
    >>> pool_size_for()
    59
    >>> pool_size_for(top=0.01)
    299
    """
    if not 0 < top < 1 or not 0 < risk < 1:
        raise ValueError(f"top and risk must lie between 0 and 1; got {top} and {risk}.")
    return ceil(log(risk) / log(1 - top))


def fixed_order(
    codes: NDArray[np.intp], n_classes: int, shuffled: bool, most: int | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return rows in their own or in random order: the first ``most``, or all, a few of each class first.

    A limit on the labels means that they are to be had in the order in which they come.
    """
    order = rng.permutation(len(codes)) if shuffled else np.arange(len(codes))
    if most is not None and most < len(order):
        return order[:most].astype(np.int64)
    in_order = codes[order]
    seeds = np.concatenate([np.flatnonzero(in_order == code)[:_SEEDS] for code in range(n_classes)])
    first = np.zeros(len(codes), dtype=bool)
    first[seeds] = True
    return np.concatenate([order[first], order[~first]]).astype(np.int64)


class Chooser(Protocol):
    """Proposes candidates and is told which of them was asked about."""

    @property
    def left(self) -> int:
        """The number of unseen rows."""

    def candidates(self) -> NDArray[np.int64]:
        """Return rows to choose the next one from; the first is a random one."""

    def take(self, place: int) -> None:
        """Count the candidate at this place as seen from now on."""

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return at most n distinct unseen rows, drawn uniformly."""


class RandomPool:
    """A fresh random pool for every question: the cost of one does not grow with the number of rows."""

    def __init__(self, rows: NDArray[np.int64], pool_size: int, rng: np.random.Generator) -> None:
        self._unseen = Unseen(rows.astype(np.int32), int(rng.integers(2**63)))
        self._pool = np.empty(pool_size, dtype=np.int64)

    @property
    def left(self) -> int:
        """The number of unseen rows."""
        return self._unseen.left

    def candidates(self) -> NDArray[np.int64]:
        """Return distinct unseen rows, drawn uniformly."""
        return self._pool[: self._unseen.draw(self._pool)]

    def take(self, place: int) -> None:
        """Count the candidate at this place as seen from now on."""
        self._unseen.take(place)

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return at most n distinct unseen rows, drawn uniformly."""
        places = rng.choice(self.left, size=min(n, self.left), replace=False)
        return self._unseen.at(places)


class AllUnseen:
    """Every unseen row is a candidate for every question (full search)."""

    def __init__(self, rows: NDArray[np.int64], rng: np.random.Generator) -> None:
        self._rows = rows[rng.permutation(len(rows))]

    @property
    def left(self) -> int:
        """The number of unseen rows."""
        return len(self._rows)

    def candidates(self) -> NDArray[np.int64]:
        """Return all unseen rows, in a random order that stays."""
        return self._rows

    def take(self, place: int) -> None:
        """Count the candidate at this place as seen from now on."""
        self._rows = np.delete(self._rows, place)

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return at most n distinct unseen rows, drawn uniformly."""
        return rng.choice(self._rows, size=min(n, self.left), replace=False)


def choose_rows(
    n_rows: int, n: int, selection: str, pool_size: int, distances: Any, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return the n of n_rows to ask about; ``distances(rows)`` gives |f|, None while nothing is known."""
    if selection == "sequential":
        return np.arange(n)
    if distances is None or selection == "random":
        return rng.choice(n_rows, size=n, replace=False)
    if selection == "active" and pool_size * n < n_rows:
        rows = rng.choice(n_rows, size=pool_size * n, replace=False)
    else:
        rows = np.arange(n_rows)
    # ties go to the lowest row number
    return rows[np.lexsort((rows, distances(rows)))[:n]]
