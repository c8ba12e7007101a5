"""What numeric columns say: distances to known rows, values out of range, and what a forest makes of them."""

from typing import Any, ClassVar

import numpy as np

from lopsided._stored import Check, numbers, real, whole
from lopsided.unexpected._forest import Forest, fit_forest
from lopsided.unexpected._looks import Evidence, Look, Matrix, Places, Vector

_LEAST_ROWS = 20  # of either kind: with fewer, a forest has nothing to learn from
_N_PAIRS = 2000  # of rows, drawn to see how far apart rows are
_FLOOR = 1e-3  # of that distance, added to distances: rows that are repeated have a logarithm


class NumberEvidence(Evidence):
    """Evidence of dense rows."""

    _stored: ClassVar[dict[str, Check]] = {
        "_seed": whole(),
        "_middle": numbers("n_features"),
        "_spread": numbers("n_features", low=np.finfo(np.float64).tiny),
        "_width": real(above=0),
        "_compared": numbers("n_rows", "n_features"),
    }

    def _prepare(self, rows: Matrix, rng: np.random.Generator) -> Matrix:
        self._seed = int(rng.integers(2**31))
        self._middle = np.median(rows, axis=0)
        low, high = np.percentile(rows, [16, 84], axis=0)
        spread = (high - low) / 2
        spread = np.where(spread > 0, spread, rows.std(axis=0))  # a column that mostly stands still
        self._spread = np.where(spread > 0, spread, 1.0)
        scaled = self._scale(rows)
        one, two = rng.integers(0, len(rows), (2, _N_PAIRS))
        apart = np.sqrt(((scaled[one] - scaled[two]) ** 2).sum(axis=1))
        self._width = float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0
        return scaled

    def _prepare_new(self, rows: Matrix) -> Matrix:
        return self._scale(rows)

    def first_look(self) -> Look:
        """Take the known rows for expected: rows of one new kind can be close together."""
        return self._look(None)

    def second_look(self, unexpected: Vector, classes: Places) -> Look:
        """See what tells the rows to be judged from the known ones."""
        n_new = int((~self._known).sum())
        if min(n_new, len(self._known) - n_new) < _LEAST_ROWS:
            return self._look(None)
        return self._look(fit_forest(self._compared, ~self._known, self._seed))

    def _look(self, forest: Forest | None) -> Look:
        return Look(self._drawn[self._known[self._drawn]], self._known.astype(np.float64), forest, 0)

    def _answers(self, look: Look, asked: Places) -> Matrix:
        return self._forest(look).left_out[asked, None]

    def _answers_new(self, compared: Matrix, look: Look) -> Matrix:
        return self._forest(look).answer(compared)[:, None]

    @staticmethod
    def _forest(look: Look) -> Forest:
        assert isinstance(look.models, Forest)
        return look.models

    def _scale(self, rows: Matrix) -> Matrix:
        """Spreads from the median; beyond one, their logarithm: measured quantities have heavy tails."""
        z = (np.asarray(rows, dtype=np.float64) - self._middle) / self._spread
        far = np.abs(z)
        return np.asarray(np.sign(z) * np.where(far > 1, 1 + np.log(np.maximum(far, 1)), far))

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
