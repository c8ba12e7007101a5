"""Samples by falling score, tied ones in one block; every ranking score is a sum over these blocks."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import encode_against
from lopsided._validation import as_numbers, as_weights, check_same_length


class Blocks(NamedTuple):
    """Blocks of equal score, the highest first.

    Examples
    --------
    >>> blocks = rank_into_blocks([1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1], pos_label=1)
    >>> blocks.positives, blocks.negatives
    (array([1., 1., 0.]), array([0., 1., 1.]))
    """

    scores: NDArray[np.float64]
    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]

    @property
    def sizes(self) -> NDArray[np.float64]:
        """The number of samples (or the weight) of each block."""
        return self.positives + self.negatives

    @property
    def above(self) -> NDArray[np.float64]:
        """The number of samples strictly above each block."""
        return np.cumsum(self.sizes) - self.sizes


def rank_into_blocks(
    y_true: ArrayLike, y_score: ArrayLike, *, pos_label: Any, sample_weight: ArrayLike | None = None
) -> Blocks:
    """Return blocks of samples of equal score, the highest first; infinite scores tie with each other.

    Examples
    --------
    >>> rank_into_blocks([0, 1], [-1, float("inf")], pos_label=1).scores
    array([inf, -1.])
    """
    (signs,) = encode_against(pos_label, y_true=y_true)
    scores = as_numbers(y_score, "y_score")
    check_same_length(y_true=len(signs), y_score=len(scores))
    weights = as_weights(sample_weight, len(signs))
    if weights is None:
        weights = np.ones(len(signs))
    distinct, block = np.unique(scores, return_inverse=True)  # ascending: block 0 is the lowest
    positives, negatives = np.zeros(len(distinct)), np.zeros(len(distinct))
    np.add.at(positives, block, weights * (signs > 0))
    np.add.at(negatives, block, weights * (signs < 0))
    return Blocks(distinct[::-1], positives[::-1], negatives[::-1])
