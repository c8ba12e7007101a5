"""Measures of numeric columns: distances to known rows, and Gaussian kernels of them."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from lopsided._stored import Check, numbers, real
from lopsided.unexpected._forest import fit_forest
from lopsided.unexpected._measures import Evidence, Matrix, Places, SecondLook, Vector

_LEAST_ROWS = 20  # of either kind: with fewer, a forest has nothing to learn from
_N_PAIRS = 2000  # of rows, drawn to see how far apart rows are
_FLOOR = 1e-3  # of that distance, added to distances: rows that are repeated have a logarithm


class NumberEvidence(Evidence):
    """Evidence of dense rows."""

    # Widths of the kernels in typical distances. The narrow one asks whether a row lies among those of a
    # class. The wide one is nearly linear: it sees a row between two classes, however near to one of them.
    _kernels: ClassVar[tuple[float | None, ...]] = (0.3, 2.0)
    _penalty: ClassVar[float] = 0.1
    _sharpness: ClassVar[float] = 8.0

    _stored: ClassVar[dict[str, Check]] = {
        "_middle": numbers("n_features"),
        "_spread": numbers("n_features", low=np.finfo(np.float64).tiny),
        "_width": real(above=0),
        "_references": numbers("n_references", "n_features"),
    }

    def __init__(self, rows: Matrix, index: Places, rng: np.random.Generator) -> None:
        self._seed = int(rng.integers(2**31))
        super().__init__(rows, index, rng)

    def _prepare(self, rows: Matrix, known: Any) -> Matrix:
        self._middle = np.median(rows, axis=0)
        low, high = np.percentile(rows, [16, 84], axis=0)
        spread = (high - low) / 2
        spread = np.where(spread > 0, spread, rows.std(axis=0))  # a column that mostly stands still
        self._spread = np.where(spread > 0, spread, 1.0)
        scaled = self.prepare_new(rows)
        one, two = np.random.default_rng(self._seed).integers(0, len(rows), (2, _N_PAIRS))
        apart = np.sqrt(((scaled[one] - scaled[two]) ** 2).sum(axis=1))
        self._width = float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0
        return scaled

    def prepare_new(self, rows: Matrix) -> Matrix:
        """Return deviations from the median; beyond one, their logarithm: measurements have heavy tails."""
        z = (np.asarray(rows, dtype=np.float64) - self._middle) / self._spread
        far = np.abs(z)
        return np.asarray(np.sign(z) * np.where(far > 1, 1 + np.log(np.maximum(far, 1)), far))

    def second_look(
        self, rows: Matrix, index: Places, judge: Callable[[Matrix, Matrix], Vector]
    ) -> SecondLook | None:
        """Learn what tells the rows to be judged from the known ones."""
        is_new = index < 0
        if min(is_new.sum(), (~is_new).sum()) < _LEAST_ROWS:
            return None
        forest, left_out = fit_forest(self._compared, is_new, self._seed)
        return SecondLook(forest, left_out[self.taught], left_out[is_new], 1.0)

    def like_flagged(self, rows: Matrix, model: Any) -> Vector:
        """Return how much rows that were not in `fit` are like those to be judged alone."""
        return np.asarray(model.answer(self.prepare_new(rows)))

    def forget(self) -> None:
        """Drop what is needed in `fit` alone."""
        super().forget()
        del self._seed

    def strangeness(self, rows: Matrix) -> Matrix:
        """Return how far each value lies from the middle of its column, squared, in spreads."""
        return np.asarray(self.prepare_new(rows) ** 2)

    def _similarity(self, rows: Matrix, references: Matrix) -> Matrix:
        squares = (rows**2).sum(axis=1)[:, None] + (references**2).sum(axis=1) - 2 * rows @ references.T
        return -np.sqrt(np.maximum(squares, 0))

    def _kernel(self, similarity: Matrix, width: Any) -> Matrix:
        return np.exp(-0.5 * (similarity / (width * self._width)) ** 2)

    def _farness(self, similarity: Vector) -> Vector:
        return np.log(_FLOOR * self._width - np.minimum(similarity, 0))

    def _unseen(self, rows: Any, met: Vector, own: float) -> Vector:
        return np.zeros(rows.shape[0])

    def _met(self, compared: Any) -> Vector:
        return np.zeros(0)

    def _known_met(self) -> Vector:
        return np.zeros(0)

    def _length(self, rows: Any) -> Vector:
        return np.zeros(rows.shape[0])
