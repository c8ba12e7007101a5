"""What the words of documents say: cosines of tf-idf, and the share of words never met before."""

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from lopsided._stored import Check, flag, length, numbers, places, sparse_rows
from lopsided.unexpected._looks import Evidence, Look, Matrix, Places, Vector
from lopsided.unexpected._ridge import CrossRidge, fit_cross_ridge

_N_FOLDS = 10
_PENALTY = 1.0
_FLOOR = 0.02  # added to cosines, so that a document with no word in common has a logarithm


class WordEvidence(Evidence):
    """Evidence of CSR rows of counts or, taken as they are, of other weights."""

    _stored: ClassVar[dict[str, Check]] = {
        "_n": length("n_rows"),
        "_fold": places("n_rows"),
        "_frequency": numbers("n_features", low=0),
        "_counts": flag(),
        "_compared": sparse_rows("n_rows", "n_features"),
    }

    def _prepare(self, rows: csr_array, rng: np.random.Generator) -> csr_array:
        self._n = rows.shape[0]
        self._fold = rng.permutation(np.arange(self._n) % _N_FOLDS)
        self._frequency = np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.float64)
        self._counts = bool(((rows.data == np.rint(rows.data)) & (rows.data > 0)).all())
        return self._weigh(rows, self._frequency)

    def _prepare_new(self, rows: csr_array) -> csr_array:
        # As the rows of fit count among the documents that have their words, so does a new one.
        return self._weigh(rows, self._frequency + 1)

    def first_look(self) -> Look:
        """Take all rows for expected: only so is a known one seen as one to be judged would be."""
        return self._look(np.ones(self._n), self._index, None)

    def second_look(self, unexpected: Vector, classes: Places) -> Look:
        """Leave out those that were found unexpected, and model them."""
        return self._look(1 - unexpected, classes, unexpected)

    def _look(self, expected: Vector, classes: Places, unexpected: Vector | None) -> Look:
        drawn = self._drawn
        references = drawn[expected[drawn] > 0.5]
        if unexpected is None:
            drawn = drawn[self._known[drawn]]
        n_classes = int(self._index.max()) + 1
        targets = expected[drawn, None] * (classes[drawn, None] == np.arange(n_classes))
        # With one known class its model would say what the neighbours say.
        targets = targets - 0.5 if n_classes > 1 else targets[:, :0]
        n_known = targets.shape[1]
        if unexpected is not None:
            targets = np.column_stack([targets, unexpected[drawn]])
        ridge = None
        if targets.shape[1]:
            ridge = fit_cross_ridge(self._compared[drawn], targets, self._fold[drawn], _N_FOLDS, _PENALTY)
        return Look(references, expected, ridge, n_known)

    def _answers(self, look: Look, asked: Places) -> Matrix:
        return self._ridge(look).left_out(self._compared[asked], self._fold[asked])

    def _answers_new(self, compared: csr_array, look: Look) -> Matrix:
        return np.asarray(compared @ self._ridge(look).mean())

    @staticmethod
    def _ridge(look: Look) -> CrossRidge:
        assert isinstance(look.models, CrossRidge)
        return look.models

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
        return self._prepare_new(rows)

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
