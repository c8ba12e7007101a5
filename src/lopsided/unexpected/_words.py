"""What the words of documents say: cosines of tf-idf, and the share of words never met before."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from lopsided.unexpected._looks import Evidence, Look, Matrix, Vector

_FLOOR = 0.02  # added to cosines, so that a document with no word in common has a logarithm


class WordEvidence(Evidence):
    """Evidence of CSR rows of counts or, taken as they are, of other weights."""

    mixes = True

    def _prepare(self, rows: csr_array, rng: np.random.Generator) -> tuple[csr_array, csr_array]:
        self._n = rows.shape[0]
        self._frequency = np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.float64)
        self._counts = bool(((rows.data == np.rint(rows.data)) & (rows.data > 0)).all())
        rows = self._weigh(rows, self._frequency)
        return rows, rows

    def _prepare_new(self, rows: csr_array) -> tuple[csr_array, csr_array]:
        # As the rows of fit count among the documents that have their words, so does a new one.
        rows = self._weigh(rows, self._frequency + 1)
        return rows, rows

    def _weigh(self, rows: csr_array, frequency: Vector) -> csr_array:
        """Rows of length 1 of (1 + ln tf) ln((N + 1) / (df - 1/2)); weights instead of counts stay."""
        data = np.asarray(rows.data, dtype=np.float64)
        if self._counts:
            rarity = np.log((self._n + 1) / (frequency[rows.indices] - 0.5))
            data = (1 + np.log(np.maximum(data, 1))) * np.maximum(rarity, 0)
        size = np.sqrt(per_row(rows, data**2))
        data = data / np.repeat(np.where(size > 0, size, 1), np.diff(rows.indptr))
        return csr_array((data, rows.indices, rows.indptr), shape=rows.shape)

    def _similarity(self, rows: csr_array, references: csr_array) -> Matrix:
        return np.asarray((rows @ references.T).toarray())

    def _nearness(self, similarity: Vector) -> Vector:
        return np.log(np.maximum(similarity, 0) + _FLOOR)

    def unseen(self, rows: csr_array, look: Look, own: Vector) -> Vector:
        return per_row(rows, self.is_unseen(rows, look, own)) / np.maximum(np.diff(rows.indptr), 1)

    def is_unseen(self, rows: csr_array, look: Look, own: Vector) -> Vector:
        """Of each word of each row, whether the others taken for expected have it (0) or not (1)."""
        met = self._met(look)[rows.indices] - np.repeat(own, np.diff(rows.indptr))
        return np.asarray(met < 0.5, dtype=np.float64)

    def _met(self, look: Look) -> Vector:
        """In how many documents taken for expected each word occurs."""
        return np.asarray(self._presence.T @ look.expected)

    def shown(self, rows: csr_array) -> csr_array:
        """Rows as they are compared."""
        return self._prepare_new(rows)[0]

    def length(self, rows: csr_array) -> Vector:
        return np.log(np.maximum(np.diff(rows.indptr), 1))

    @property
    def _presence(self) -> csr_array:
        shown = self._compared
        return csr_array((np.ones(len(shown.data)), shown.indices, shown.indptr), shape=shown.shape)


def per_row(rows: csr_array, values: Any) -> Vector:
    """Sums of one value a nonzero.

    Examples
    --------
    >>> per_row(csr_array([[1, 0, 2], [0, 0, 0], [0, 3, 0]]), [1.0, 2.0, 4.0]).tolist()
    [3.0, 0.0, 4.0]
    """
    place = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    sums = np.bincount(place, weights=values, minlength=rows.shape[0])
    return sums.astype(np.float64)
