"""One score from what is measured of a row: how rarely a known row is as extreme, weighed and added up."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lopsided._stored import Check, Lengths, each, numbers, part, real
from lopsided.unexpected._measures import LENGTH, N_MEASURES

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

PRIOR = 0.05  # the share of unexpected rows for which a score gives log odds
_FURTHEST = 2.0  # standard deviations: a longer document is not more telling


@dataclass(frozen=True)
class Weights:
    """The weight of each measure's surprise, and the constant for a share of one half."""

    measures: tuple[float, ...]
    constant: float

    _stored: ClassVar[dict[str, Check]] = {"measures": each(real(), of=tuple), "constant": real()}

    def scaled(self, place: int, factor: float) -> "Weights":
        """Return weights of which one is multiplied by a factor."""
        measures = list(self.measures)
        measures[place] *= factor
        return Weights(tuple(measures), self.constant)

    def _check_stored(self, lengths: Lengths) -> None:
        if len(self.measures) != N_MEASURES:
            raise ValueError(f"{len(self.measures)} weights for {N_MEASURES} measures")


@dataclass(frozen=True)
class Score:
    """Weights, and the measures of known rows.

    The surprise of a measure is ``-log p``, where p is the share of known rows that are at least as extreme:
    whatever the scale of a measure, its surprise is exponential on known rows, and what speaks for nothing
    adds little noise. The length of a document is no surprise; it is counted in standard deviations.
    """

    weights: Weights
    null: Matrix
    """Measures of known rows, each column in ascending order."""

    _stored: ClassVar[dict[str, Check]] = {
        "weights": part(Weights),
        "null": numbers("n_null", N_MEASURES),
    }

    def _check_stored(self, lengths: Lengths) -> None:
        if (np.diff(self.null, axis=0) < 0).any():
            raise ValueError("measures of known rows must ascend")

    @classmethod
    def from_known(cls, weights: Weights, measures: Matrix) -> Self:
        """Keep the measures of known rows, each row left out when it was measured."""
        return cls(weights, np.sort(measures, axis=0))

    def surprise(self, measures: Matrix) -> Matrix:
        """Return the surprises of rows that are not among the known ones."""
        return self._surprise(measures, 1)

    def surprise_known(self, measures: Matrix) -> Matrix:
        """Return the surprises of the known rows, each against the others."""
        return self._surprise(measures, 0)

    def __call__(self, measures: Matrix) -> Vector:
        """Return the log odds that a row is unexpected, if one in twenty is."""
        return self._add_up(self.surprise(measures))

    def of_known(self, measures: Matrix) -> Vector:
        """Return the log odds of the known rows, each against the others."""
        return self._add_up(self.surprise_known(measures))

    @property
    def spread(self) -> Vector:
        """Half the distance from the 16th to the 84th percentile of each measure, as of a bell curve."""
        low, high = np.percentile(self.null, [16, 84], axis=0)
        return np.where(high > low, (high - low) / 2, 1.0)

    @property
    def most(self) -> float:
        """A bound that no score reaches."""
        return self._start + self._reach

    @property
    def least(self) -> float:
        """A bound below all scores."""
        return self._start - self._reach

    @property
    def _start(self) -> float:
        return self.weights.constant + float(np.log(PRIOR / (1 - PRIOR)))

    @property
    def _reach(self) -> float:
        furthest = max(np.log(len(self.null) + 1), _FURTHEST)
        return float(1 + furthest * np.abs(self.weights.measures).sum())

    def _surprise(self, measures: Matrix, n_itself: int) -> Matrix:
        n = len(self.null)
        surprise = np.empty(measures.shape)
        for j in range(N_MEASURES):
            if j == LENGTH:
                middle = np.median(self.null[:, j])
                surprise[:, j] = np.clip((measures[:, j] - middle) / self.spread[j], -_FURTHEST, _FURTHEST)
                continue
            as_extreme = n_itself + n - np.searchsorted(self.null[:, j], measures[:, j], side="left")
            surprise[:, j] = -np.log(np.maximum(as_extreme, 1) / (n + n_itself))
        return surprise

    def _add_up(self, surprise: Matrix) -> Vector:
        return np.asarray(surprise @ np.array(self.weights.measures) + self._start)
