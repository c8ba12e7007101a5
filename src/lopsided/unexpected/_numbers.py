"""What numeric columns say: distances, values out of range, models in random Fourier features."""

from typing import Any

import numpy as np

from lopsided.unexpected._looks import Evidence, Look, Matrix, Vector

_N_FEATURES = 256  # random Fourier features: a Gaussian kernel, whatever the number of rows
_N_PAIRS = 2000  # of rows, drawn to see how far apart rows are
_FLOOR = 1e-3  # of that distance, added to distances: rows that are repeated have a logarithm


class NumberEvidence(Evidence):
    """Evidence of dense rows."""

    mixes = False

    def _prepare(self, rows: Matrix, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
        self._middle = np.median(rows, axis=0)
        low, high = np.percentile(rows, [16, 84], axis=0)
        spread = (high - low) / 2
        spread = np.where(spread > 0, spread, rows.std(axis=0))  # a column that mostly stands still
        self._spread = np.where(spread > 0, spread, 1.0)
        scaled = self._scale(rows)
        one, two = rng.integers(0, len(rows), (2, _N_PAIRS))
        apart = np.sqrt(((scaled[one] - scaled[two]) ** 2).sum(axis=1))
        self._width = float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0
        self._directions = rng.normal(0.0, 1 / self._width, (scaled.shape[1], _N_FEATURES))
        self._phases = rng.uniform(0, 2 * np.pi, _N_FEATURES)
        return scaled, self._features(scaled)

    def _prepare_new(self, rows: Matrix) -> tuple[Matrix, Matrix]:
        scaled = self._scale(rows)
        return scaled, self._features(scaled)

    def _scale(self, rows: Matrix) -> Matrix:
        """Spreads from the median; beyond one, their logarithm: measured quantities have heavy tails."""
        z = (np.asarray(rows, dtype=np.float64) - self._middle) / self._spread
        far = np.abs(z)
        return np.asarray(np.sign(z) * np.where(far > 1, 1 + np.log(np.maximum(far, 1)), far))

    def _features(self, scaled: Matrix) -> Matrix:
        return np.asarray(np.cos(scaled @ self._directions + self._phases) * np.sqrt(2 / _N_FEATURES))

    def _similarity(self, rows: Matrix, references: Matrix) -> Matrix:
        squares = (rows**2).sum(axis=1)[:, None] + (references**2).sum(axis=1) - 2 * rows @ references.T
        return -np.sqrt(np.maximum(squares, 0))

    def _nearness(self, similarity: Vector) -> Vector:
        return -np.log(_FLOOR * self._width - np.minimum(similarity, 0))

    def unseen(self, rows: Any, look: Look, own: Vector) -> Vector:
        """Share of the columns in which a row lies outside the range of the others."""
        scaled = self._scale(rows)
        others = self._compared[look.expected > 0.5]
        if len(others) < 2:
            return np.zeros(len(scaled))
        low, high = (
            np.sort(np.partition(others, 1, axis=0)[:2], axis=0),
            np.sort(np.partition(others, len(others) - 2, axis=0)[-2:], axis=0),
        )
        inside = (own > 0.5)[:, None]  # one of the others itself: the next value is the end of the range
        lowest = np.where(inside & (scaled <= low[0]), low[1], low[0])
        highest = np.where(inside & (scaled >= high[1]), high[0], high[1])
        return np.asarray(((scaled < lowest) | (scaled > highest)).mean(axis=1))

    def length(self, rows: Any) -> Vector:
        return np.zeros(rows.shape[0])

    def strangeness(self, rows: Matrix) -> Matrix:
        """How far each value lies from the middle of its column, squared, in spreads."""
        return np.asarray(self._scale(rows) ** 2)
