"""The questions and answers so far, as arrays: all that a stopping rule or an estimate may know."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Reason = Literal[
    "given", "search", "first", "most likely", "border", "random check", "unexpected", "conflict"
]


class Screened(NamedTuple):
    """The answers of a session in their order, and what its model says about the items that are left.

    Examples
    --------
    >>> empty = np.zeros(0)
    >>> Screened(empty.astype(int), empty.astype(bool), [], empty, empty.astype(int), 10).n_items
    10
    """

    rows: NDArray[np.intp]
    """The row of each labeled item, in the order of the answers. Skipped items are not here."""
    relevant: NDArray[np.bool_]
    """Whether the item was relevant."""
    reasons: list[str]
    """Why each item was shown: one of `Reason`."""
    probability: NDArray[np.float64]
    """The estimated probability that the item is relevant, just before its answer; NaN without a model."""
    n_unlabelled: NDArray[np.intp]
    """How many items were unlabelled just before each answer, the item itself included. A "random check"
    was drawn from these with equal probabilities."""
    n_items: int
    """How many items there are to label: those labeled and those left, each group of copies counted once."""
    left_scores: NDArray[np.float64] | None = None
    """The scores of the items that are left, larger is more likely relevant; None without a model."""
    left_probability: NDArray[np.float64] | None = None
    """The estimated probabilities of the items that are left, as `left_scores`; None without a model."""
    n_support: NDArray[np.float64] | None = None
    """The number of support vectors of the model that each record was shown by; NaN without one."""
