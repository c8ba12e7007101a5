"""One score from what is measured of a row, each measure on the scale of known rows, with fixed weights."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lopsided._stored import Check, Lengths, each, numbers, part, real
from lopsided.unexpected._looks import LENGTH, NEAR, OWN

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

PRIOR = 0.05  # the share of unexpected rows for which the weights give log odds
# In spreads: what is further out is not more telling. Lists, program code and digests of known classes have
# more words of their own than documents of unknown ones, and are longer.
_FURTHEST = np.array([6.0, 6.0, 3.0, 6.0, 2.0, 6.0])


@dataclass(frozen=True)
class Weights:
    """Log odds of being unexpected, linear in the standardised measures and two products with the length."""

    measures: tuple[float, ...]
    near_by_length: float
    own_by_length: float
    constant: float

    _stored: ClassVar[dict[str, Check]] = {
        "measures": each(real(), of=tuple),
        "near_by_length": real(),
        "own_by_length": real(),
        "constant": real(),
    }

    def _check_stored(self, lengths: Lengths) -> None:
        if len(self.measures) != len(_FURTHEST):
            raise ValueError(f"{len(self.measures)} weights for {len(_FURTHEST)} measures")

    @property
    def most(self) -> float:
        """A bound that no score reaches."""
        return self.constant + self._reach

    @property
    def least(self) -> float:
        """A bound under all scores."""
        return self.constant - self._reach

    @property
    def _reach(self) -> float:
        products = _FURTHEST[NEAR] * abs(self.near_by_length) + _FURTHEST[OWN] * abs(self.own_by_length)
        return float(1 + _FURTHEST @ np.abs(self.measures) + _FURTHEST[LENGTH] * products)


@dataclass(frozen=True)
class Score:
    """Weights, and what the measures of known rows are like."""

    weights: Weights
    middle: Vector
    spread: Vector

    _stored: ClassVar[dict[str, Check]] = {
        "weights": part(Weights),
        "middle": numbers(len(_FURTHEST)),
        "spread": numbers(len(_FURTHEST), low=np.finfo(np.float64).tiny),
    }

    @classmethod
    def from_known(cls, weights: Weights, measures: Matrix) -> Self:
        """Take the median and half the distance from the 16th to the 84th percentile, as of a bell curve."""
        low, middle, high = np.percentile(measures, [16, 50, 84], axis=0)
        spread = (high - low) / 2
        return cls(weights, middle, np.where(spread > 0, spread, 1.0))

    def standardise(self, measures: Matrix) -> Matrix:
        """Measures in spreads from the middle of the known rows."""
        return np.clip((measures - self.middle) / self.spread, -_FURTHEST, _FURTHEST)

    def __call__(self, measures: Matrix) -> Vector:
        """Log odds that a row is unexpected, if one in twenty is."""
        z, weights = self.standardise(measures), self.weights
        products = weights.near_by_length * z[:, NEAR] + weights.own_by_length * z[:, OWN]
        return np.asarray(z @ np.array(weights.measures) + z[:, LENGTH] * products + weights.constant)
