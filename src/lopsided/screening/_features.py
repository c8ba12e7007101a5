"""The words of records as rows of tf-idf, in a matrix that grows when records arrive."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import Stemmer
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from lopsided.text._stemmed import WORD

_CHUNK = 10_000  # records whose words are held at once
_KEYWORDS = ("keywords", "keyword", "kw", "author_keywords", "mesh", "mesh_terms", "descriptors", "de")


class Weighed(NamedTuple):
    """All records as vectors of unit length. Nothing of it is ever changed: `Features.add` makes a new one.

    The weighted matrix is diag(scale) @ counts @ diag(idf); it is never formed as a whole, so that new
    records cost no second copy.
    """

    counts: csr_matrix
    idf: NDArray[np.float32]
    scale: NDArray[np.float32]

    def rows(self, rows: Any) -> csr_matrix:
        """Return the vectors of some records."""
        chosen = self.counts[rows]
        chosen.data = chosen.data * self.idf[chosen.indices]
        chosen.data *= np.repeat(self.scale[rows], np.diff(chosen.indptr))
        return chosen

    def project(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Return the product of every record's vector with the weights, one or several columns of them."""
        weights = np.ascontiguousarray((weights.T * self.idf).T, dtype=np.float32)
        product: NDArray[np.float32] = self.counts @ weights
        return (product.T * self.scale).T


class Features:
    """Turn records into vectors of word stems, now or later with the same result.

    A column belongs to a stem, numbered in the order of first appearance. Records that are added in parts
    therefore give the same matrix as all at once.

    Attributes
    ----------
    weighed : Weighed
        The vectors of all records so far.
    n_rows : int
        How many records there are.

    Examples
    --------
    >>> features = Features()
    >>> features.add(["ships sail, ships", "a ship sank", "wheat"])
    >>> features.names().tolist()
    ['ships', 'sail', 'sank', 'wheat']
    >>> features.weighed.counts.toarray().tolist()
    [[2.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    """

    def __init__(self) -> None:
        self._number_of: defaultdict[str, int] = defaultdict()
        self._number_of.default_factory = self._number_of.__len__  # a new word gets the next number
        self._column_of: dict[str, int] = {}  # of each stem
        self._columns = np.zeros(0, dtype=np.int32)  # of each word; -1 for a stop word
        self._n_uses = np.zeros(0, dtype=np.int64)  # of each word
        self._data = np.zeros(0, dtype=np.float32)
        self._indices = np.zeros(0, dtype=np.int32)
        self._indptr = np.zeros(1, dtype=np.int64)
        self._weigh()

    @property
    def n_rows(self) -> int:
        """How many records there are."""
        return len(self._indptr) - 1

    def add(self, records: Iterable[Any]) -> None:
        """Append records; the document frequencies are those of all."""
        parts = [self._count(chunk) for chunk in _chunks(records)]
        if parts:
            self._data = np.concatenate([self._data, *(part.data for part in parts)])
            self._indices = np.concatenate([self._indices, *(part.indices for part in parts)])
            lengths = np.concatenate([np.diff(self._indptr), *(np.diff(part.indptr) for part in parts)])
            self._indptr = np.concatenate([[0], np.cumsum(lengths)])
            self._weigh()

    def names(self) -> NDArray[np.object_]:
        """Return for each column the word most often used of those with its stem."""
        names = np.full(len(self._column_of), "", dtype=object)
        words = list(self._number_of)
        for i in np.argsort(self._n_uses, kind="stable"):
            if self._columns[i] >= 0:
                names[self._columns[i]] = words[i]
        return names

    def matches(self, words: str) -> NDArray[np.float32]:
        """Return how well each record matches words, above 0 where it holds any of them.

        Rare words count for more, in the manner of tf-idf, and a short record for more than a long one.
        """
        weights = np.zeros(len(self._column_of), dtype=np.float32)
        for stem in _stem(WORD.findall(words.lower())):
            if stem in self._column_of:
                weights[self._column_of[stem]] = self._idf[self._column_of[stem]]
        found: NDArray[np.float32] = self.weighed.counts @ weights
        return found * self.weighed.scale

    def _count(self, records: Iterable[Any]) -> csr_matrix:
        ids, ends = array("q"), [0]
        for record in records:
            ids.extend(map(self._number_of.__getitem__, WORD.findall(text_of(record).lower())))
            ends.append(len(ids))
        numbers = np.frombuffer(ids, dtype=np.int64) if ids else np.zeros(0, dtype=np.int64)
        self._learn_words()
        self._n_uses += np.bincount(numbers, minlength=len(self._n_uses))
        columns = self._columns[numbers]
        kept = columns >= 0
        indptr = np.concatenate([[0], np.cumsum(kept)])[ends]
        columns = columns[kept]
        counts = csr_matrix(
            (np.ones(len(columns), dtype=np.float32), columns, indptr),
            shape=(len(ends) - 1, len(self._column_of)),
        )
        counts.sum_duplicates()
        return counts

    def _learn_words(self) -> None:
        """Give each new word its column."""
        words = list(self._number_of)[len(self._columns) :]
        columns = np.array(
            [self._column_of.setdefault(stem, len(self._column_of)) if stem else -1 for stem in _stem(words)],
            dtype=np.int32,
        )
        self._columns = np.concatenate([self._columns, columns])
        self._n_uses = np.concatenate([self._n_uses, np.zeros(len(words), dtype=np.int64)])

    def _weigh(self) -> None:
        n_columns = len(self._column_of)
        shape = (self.n_rows, n_columns)
        index_type = np.int32 if len(self._data) < 2**31 else np.int64
        counts = csr_matrix(shape, dtype=np.float32)
        counts.data, counts.indices, counts.indptr = (
            self._data,
            self._indices,
            self._indptr.astype(index_type),
        )
        frequency = np.bincount(self._indices, minlength=n_columns)
        self._idf = (np.log((1 + self.n_rows) / (1 + frequency)) + 1).astype(np.float32)
        # a word of one record says nothing about another
        idf = np.where(frequency > 1, self._idf, np.float32(0))
        squares = self._data * idf[self._indices]
        squares *= squares
        sums = np.concatenate([[0.0], np.cumsum(squares, dtype=np.float64)])[self._indptr]
        norms = np.sqrt(np.diff(sums).clip(0))
        self.weighed = Weighed(counts, idf, (1 / np.where(norms > 0, norms, 1)).astype(np.float32))


def text_of(record: Any) -> str:
    """Return what is read of a record: its title, its text and its keywords."""
    if isinstance(record, str):
        return record
    keywords = [str(value) for name, value in record.fields.items() if name.lower() in _KEYWORDS and value]
    return "\n".join([record.title, record.text, *keywords])


def _chunks(records: Iterable[Any]) -> Iterator[list[Any]]:
    source = iter(records)
    while chunk := list(islice(source, _CHUNK)):
        yield chunk


def _stem(words: list[str]) -> list[str]:
    """Return the stem of each word, '' for a stop word."""
    stems = Stemmer.Stemmer("porter", 0).stemWords(words)
    return ["" if word in ENGLISH_STOP_WORDS else stem for word, stem in zip(words, stems, strict=True)]
