"""Measures of words: cosines of tf-idf, and the share of words that no known document has."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from lopsided._stored import Check, flag, length, numbers, sparse_rows
from lopsided.unexpected._measures import Evidence, Matrix, Places, SecondLook, Vector
from lopsided.unexpected._ridge import fit_cross_ridge

_N_FOLDS = 10
_RIDGE = 1.0
_N_PARTS = 5  # of the known rows, each taken for new ones in turn
_MOST_DRAWN = 5000  # new rows that teach what the unexpected have in common
_FLOOR = 0.02  # added to cosines, so that a document with no word in common has a logarithm


class WordEvidence(Evidence):
    """Evidence of CSR rows of counts or, taken as they are, of other weights."""

    _kernels: ClassVar[tuple[float | None, ...]] = (None,)  # the cosine
    _penalty: ClassVar[float] = 1.0
    _sharpness: ClassVar[float] = 3.0

    _stored: ClassVar[dict[str, Check]] = {
        "_n": length("n_rows"),
        "_frequency": numbers("n_features", low=0),
        "_known_frequency": numbers("n_features", low=0),
        "_counts": flag(),
        "_references": sparse_rows("n_references", "n_features"),
    }

    def __init__(self, rows: csr_array, index: Places, rng: np.random.Generator) -> None:
        self._rng = rng
        super().__init__(rows, index, rng)

    def _prepare(self, rows: csr_array, known: Any) -> csr_array:
        self._n = rows.shape[0]
        self._frequency = self._met(rows)
        self._known_frequency = self._met(rows[np.flatnonzero(known)])
        self._counts = bool(((rows.data == np.rint(rows.data)) & (rows.data > 0)).all())
        return self._weigh(rows, self._frequency)

    def prepare_new(self, rows: csr_array) -> csr_array:
        """Return rows of unit length; like the rows of `fit`, each counts among those that have its words."""
        return self._weigh(rows, self._frequency + 1)

    def second_look(
        self, rows: csr_array, index: Places, judge: Callable[[Matrix, Matrix], Vector]
    ) -> SecondLook:
        """Learn what the unexpected rows have in common.

        A known row that is near some new ones makes these look expected; an expected new row does not. So
        that known rows are treated as new ones are, a fifth of them at a time is taken for rows to be judged.
        """
        new = np.flatnonzero(index < 0)
        drawn = np.sort(self._rng.permutation(new)[:_MOST_DRAWN])
        n, n_parts = len(self.taught), max(1, min(_N_PARTS, len(self.taught) - 1))
        part = self._rng.permutation(np.arange(n) % n_parts)
        targets = np.zeros((n + len(drawn), n_parts))
        for k in range(n_parts if n > 1 else 0):
            hidden = part == k
            asked = np.concatenate([self.taught[hidden], drawn])
            unexpected = judge(*self.hide(rows, hidden, asked))
            targets[np.flatnonzero(hidden), k] = unexpected[: hidden.sum()]
            targets[n:, k] = unexpected[hidden.sum() :]
        shown = self._compared[np.concatenate([self.taught, drawn])]
        fold = self._rng.permutation(np.arange(len(targets)) % _N_FOLDS)
        ridge = fit_cross_ridge(shown, targets, fold, _N_FOLDS, _RIDGE)
        answers = ridge.left_out(shown, fold)
        model = ridge.mean().mean(axis=1)
        judged = np.asarray(self._compared[new] @ model)
        # The mean of all answers varies less than the one that a known row has: it errs on the safe side.
        judged[np.searchsorted(new, drawn)] = answers[n:].mean(axis=1)
        return SecondLook(model, answers[np.arange(n), part], judged, agreement(answers, targets))

    def like_flagged(self, rows: csr_array, model: Any) -> Vector:
        """Return how much rows that were not in `fit` are like the unexpected ones."""
        return np.asarray(self.prepare_new(rows) @ model)

    def is_unseen(self, rows: csr_array) -> Vector:
        """Return for each word of each row whether known rows have it (0) or not (1)."""
        return np.asarray(self._known_frequency[rows.indices] < 0.5, dtype=np.float64)

    def class_words(self) -> Matrix:
        """Return what each word adds to a row's being like each class."""
        return np.asarray(self._references[: self._coefficients.shape[1]].T @ self._coefficients[0])

    def _weigh(self, rows: csr_array, frequency: Vector) -> csr_array:
        """Return rows of length 1 of (1 + ln tf) ln((N + 1) / (df - 1/2)); weights instead of counts stay."""
        data = np.asarray(rows.data, dtype=np.float64)
        if self._counts:
            rarity = np.log((self._n + 1) / (frequency[rows.indices] - 0.5))
            data = (1 + np.log(np.maximum(data, 1))) * np.maximum(rarity, 0)
        size = np.sqrt(per_row(rows, data**2))
        data = data / np.repeat(np.where(size > 0, size, 1), np.diff(rows.indptr))
        return csr_array((data, rows.indices, rows.indptr), shape=rows.shape)

    def _similarity(self, rows: csr_array, references: csr_array) -> Matrix:
        return np.asarray((rows @ references.T).toarray())

    def _kernel(self, similarity: Matrix, width: Any) -> Matrix:
        return similarity

    def _farness(self, similarity: Vector) -> Vector:
        return -np.log(np.maximum(similarity, 0) + _FLOOR)

    def _unseen(self, rows: csr_array, met: Vector, own: float) -> Vector:
        unseen = met[rows.indices] - own < 0.5
        return per_row(rows, unseen) / np.maximum(np.diff(rows.indptr), 1)

    def forget(self) -> None:
        """Drop what is needed in `fit` alone."""
        super().forget()
        del self._rng

    def _met(self, compared: csr_array) -> Vector:
        return np.bincount(compared.indices, minlength=compared.shape[1]).astype(np.float64)

    def _known_met(self) -> Vector:
        return self._known_frequency

    def _length(self, rows: csr_array) -> Vector:
        return np.log(np.maximum(np.diff(rows.indptr), 1))


def agreement(answers: Matrix, targets: Matrix) -> float:
    """Return the mean correlation of the columns, or 0 where it is negative; constant columns count as 0.

    Examples
    --------
    >>> answers = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
    >>> agreement(answers, np.array([[1.0, 3.0], [2.0, 3.0], [3.0, 3.0]]))
    0.5
    """
    one, two = answers - answers.mean(axis=0), targets - targets.mean(axis=0)
    size = np.sqrt((one**2).sum(axis=0) * (two**2).sum(axis=0))
    found = np.divide((one * two).sum(axis=0), size, out=np.zeros_like(size), where=size > 0)
    return float(np.clip(found.mean(), 0, 1))


def per_row(rows: csr_array, values: Any) -> Vector:
    """Return the sum in each row of one value for each nonzero.

    Examples
    --------
    >>> per_row(csr_array([[1, 0, 2], [0, 0, 0], [0, 3, 0]]), [1.0, 2.0, 4.0]).tolist()
    [3.0, 0.0, 4.0]
    """
    place = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    sums = np.bincount(place, weights=values, minlength=rows.shape[0])
    return sums.astype(np.float64)
