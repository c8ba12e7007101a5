"""The words of records as vectors that grow when records arrive."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import Stemmer
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from lopsided.text._stemmed import WORD

# All words of a record, its keywords, and pairs of words; measured: docs/screening.md
_WEIGHTS = (1.0, 0.7, 0.5)
_MOST_PAIRED = 100_000  # records: with more, pairs of words would take too much memory
_CHUNK = 5_000  # records whose words are held at once
_KEYWORDS = ("keywords", "keyword", "kw", "author_keywords", "mesh", "mesh_terms", "descriptors", "de")


class Vectors(NamedTuple):
    """All records as rows of unit length, in one matrix a part. Nothing of it is ever changed."""

    parts: tuple[csr_matrix, ...]
    """All words and the keywords, which have a column a stem; pairs of words."""
    pairs: NDArray[np.int64]
    """The two stems of each column of the last part."""

    @property
    def n_columns(self) -> int:
        """The number of columns of all parts together."""
        return int(sum(part.shape[1] for part in self.parts))

    def rows(self, rows: Any) -> csr_matrix:
        """Return some records with their parts side by side."""
        return hstack([part[rows] for part in self.parts], format="csr")

    def project(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Return the product of every record with the weights of all columns."""
        total = np.zeros(self.parts[0].shape[0], dtype=np.float32)
        for part, piece in zip(self.parts, self._split(weights.astype(np.float32, copy=False)), strict=True):
            if part.nnz:
                total += part @ piece
        return total

    def by_stem(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Return values of all columns summed for each stem; those of a pair go to both, half to each."""
        *whole, pairs = self._split(values)
        sums: NDArray[np.float64] = np.sum(whole, axis=0, dtype=float)
        for side in self.pairs.T:
            sums += 0.5 * np.bincount(side, pairs, minlength=len(sums))
        return sums

    def _split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        return np.split(values, np.cumsum([part.shape[1] for part in self.parts])[:-1])


class Features:
    """Turn records into vectors of word stems, now or later with the same result.

    A record has three parts: all its words, its keywords once more, and with half the weight the pairs of
    words in title and text (where there are at most 100,000 records). Each is a vector of tf-idf of unit
    length, in which a stem counts ``1 + ln(tf)`` times ``1 + ln((1 + N) / (1 + df))``. Stems and pairs that
    only one record has are left out. Stems are numbered in the order of first appearance, so that records
    added in parts give the same vectors as all at once.

    Attributes
    ----------
    vectors : Vectors
        The vectors of all records so far.
    n_rows : int
        How many records there are.

    Examples
    --------
    >>> features = Features()
    >>> features.add(["ships sail, ships", "a ship sank", "wheat"])
    >>> features.names().tolist()
    ['ships', 'sail', 'sank', 'wheat']
    >>> (features.matches("shipping") > 0).tolist()
    [True, True, False]
    """

    def __init__(self) -> None:
        self._words = _Words()
        self._whole, self._keywords = _Counts(np.int32), _Counts(np.int32)
        self._pairs: _Counts | None = _Counts(np.int64)
        self.n_rows = 0
        self._weigh()

    def add(self, records: Iterable[Any]) -> None:
        """Append records; the document frequencies are those of all."""
        for chunk in _chunks(records):
            self.n_rows += len(chunk)
            stems, ends = self._words.stems_of(part for record in chunk for part in parts_of(record))
            lengths = np.diff(ends)
            which = np.repeat(np.arange(len(lengths)), lengths)  # of the three parts of all records
            self._whole.append(stems, ends[::3])
            self._keywords.append(stems[which % 3 == 2], _ends(lengths[2::3]))
            if self.n_rows > _MOST_PAIRED:
                self._pairs = None
            if self._pairs is not None:
                joined = np.flatnonzero((which[1:] == which[:-1]) & (which[1:] % 3 < 2))
                keys = (stems[joined].astype(np.int64) << 32) | stems[joined + 1]
                self._pairs.append(keys, _ends(np.bincount(which[joined] // 3, minlength=len(chunk))))
        self._weigh()

    def names(self) -> NDArray[np.object_]:
        """Return for each stem the word that is used most often of those that have it."""
        return self._words.names()

    def matches(self, words: str) -> NDArray[np.float32]:
        """Return how well each record matches words, above 0 where it holds any of them.

        A word counts for its rarity, and for more where it occurs repeatedly.
        """
        wanted = self._words.known_stems(words)
        return self._whole.weigh_matches(wanted, self.n_rows)

    def _weigh(self) -> None:
        n_stems = self._words.n_stems
        matrices = [part.weigh(self.n_rows, n_stems) for part in (self._whole, self._keywords)]
        pairs = np.zeros((0, 2), dtype=np.int64)
        if self._pairs is not None:
            keys, matrix = self._pairs.weigh_repeated(self.n_rows)
            pairs = np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1)
            matrices.append(matrix)
        else:
            matrices.append(csr_matrix((self.n_rows, 0), dtype=np.float32))
        weights = np.array(_WEIGHTS, dtype=np.float32)
        filled = np.array([np.diff(matrix.indptr) > 0 for matrix in matrices])
        scale = 1 / np.sqrt(np.maximum(np.square(weights) @ filled, 1e-6), dtype=np.float32)
        for matrix, weight in zip(matrices, weights, strict=True):
            matrix.data *= np.repeat(weight * scale, np.diff(matrix.indptr))
        self.vectors = Vectors(tuple(matrices), pairs)


class _Words:
    """Number words and their stems in the order of their first appearance."""

    def __init__(self) -> None:
        self._number_of: defaultdict[str, int] = defaultdict()
        self._number_of.default_factory = self._number_of.__len__  # a new word gets the next number
        self._stem_number: dict[str, int] = {}
        self._stems = np.zeros(0, dtype=np.int32)  # of each word; -1 for a stop word
        self._n_uses = np.zeros(0, dtype=np.int64)  # of each word

    @property
    def n_stems(self) -> int:
        return len(self._stem_number)

    def stems_of(self, texts: Iterable[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the stem of every word that is no stop word, and where each text ends."""
        ids, ends = array("q"), array("q", [0])
        for text in texts:
            if text:
                ids.extend(map(self._number_of.__getitem__, WORD.findall(text.lower())))
            ends.append(len(ids))
        words = np.array(ids, dtype=np.int64)
        self._learn_stems()
        self._n_uses += np.bincount(words, minlength=len(self._n_uses))
        stems = self._stems[words]
        kept = stems >= 0
        return stems[kept], np.concatenate([[0], np.cumsum(kept)])[np.array(ends)]

    def known_stems(self, text: str) -> list[int]:
        """Return the numbers of the stems in a text that were seen before, each once."""
        stems = dict.fromkeys(_stem(WORD.findall(text.lower())))
        return [self._stem_number[stem] for stem in stems if stem in self._stem_number]

    def names(self) -> NDArray[np.object_]:
        names = np.full(self.n_stems, "", dtype=object)
        words = list(self._number_of)
        for i in np.argsort(self._n_uses, kind="stable"):
            if self._stems[i] >= 0:
                names[self._stems[i]] = words[i]
        return names

    def _learn_stems(self) -> None:
        words = list(islice(self._number_of, len(self._stems), None))
        number = self._stem_number
        stems = [number.setdefault(stem, len(number)) if stem else -1 for stem in _stem(words)]
        self._stems = np.concatenate([self._stems, np.array(stems, dtype=np.int32)])
        self._n_uses = np.concatenate([self._n_uses, np.zeros(len(words), dtype=np.int64)])


class _Counts:
    """The number of times each stem, or pair of stems, occurs in one part of each record."""

    def __init__(self, type_: type[np.integer[Any]]) -> None:
        self._counts = np.zeros(0, dtype=np.uint8)  # more than 255 count as 255
        self._keys = np.zeros(0, dtype=type_)
        self._ends = np.zeros(1, dtype=np.int64)
        self._new: list[csr_matrix] = []  # appended since the last call of `weigh`

    def append(self, keys: NDArray[Any], ends: NDArray[np.int64]) -> None:
        shape = (len(ends) - 1, int(keys.max(initial=-1)) + 1)
        # a copy: the keys are sorted within their rows
        new = csr_matrix((np.ones(len(keys), dtype=np.float32), keys, ends), shape=shape, copy=True)
        new.sum_duplicates()
        new.data = np.minimum(new.data, 255).astype(np.uint8)
        self._new.append(new)

    def weigh(self, n_rows: int, n_columns: int) -> csr_matrix:
        """Return rows of unit length, with a column for each stem."""
        self._gather()
        frequency = np.bincount(self._keys, minlength=n_columns)
        idf = np.where(frequency > 1, _rarity(frequency, n_rows), 0).astype(np.float32)
        return _unit_rows(_LOGARITHMS[self._counts] * idf[self._keys], self._keys, self._ends, len(idf))

    def weigh_repeated(self, n_rows: int) -> tuple[NDArray[np.int64], csr_matrix]:
        """Return the keys that several records have, and rows of unit length with a column for each."""
        self._gather()
        keys, column, frequency = np.unique(self._keys, return_inverse=True, return_counts=True)
        repeated = frequency > 1
        kept = repeated[column]
        ends = np.concatenate([[0], np.cumsum(kept)])[self._ends]
        columns = (np.cumsum(repeated, dtype=np.int32) - 1)[column[kept]]
        idf = _rarity(frequency[repeated], n_rows).astype(np.float32)
        data = _LOGARITHMS[self._counts[kept]] * idf[columns]
        return keys[repeated], _unit_rows(data, columns, ends, len(idf))

    def _gather(self) -> None:
        self._counts = np.concatenate([self._counts, *(new.data for new in self._new)])
        type_ = self._keys.dtype
        self._keys = np.concatenate([self._keys, *(new.indices for new in self._new)], dtype=type_)
        for new in self._new:
            self._ends = np.concatenate([self._ends, self._ends[-1] + new.indptr[1:]])
        self._new = []

    def weigh_matches(self, wanted: list[int], n_rows: int) -> NDArray[np.float32]:
        """Return for each record the sum over the wanted stems that it holds."""
        found = np.zeros(n_rows, dtype=np.float32)
        for stem in wanted:
            places = np.flatnonzero(self._keys == stem)
            rows = np.searchsorted(self._ends, places, side="right") - 1
            found[rows] += _LOGARITHMS[self._counts[places]] * _rarity(len(places), n_rows)
        return found


_LOGARITHMS = np.concatenate([[0], 1 + np.log(np.arange(1, 256))]).astype(np.float32)


def _unit_rows(
    data: NDArray[np.float32], columns: NDArray[Any], ends: NDArray[np.int64], n_columns: int
) -> csr_matrix:
    squares = np.concatenate([[0.0], np.cumsum(np.square(data), dtype=np.float64)])
    lengths = np.sqrt(np.diff(squares[ends]).clip(0))
    data *= np.repeat((1 / np.where(lengths > 1e-6, lengths, 1)).astype(np.float32), np.diff(ends))
    matrix = csr_matrix((len(ends) - 1, n_columns), dtype=np.float32)
    index_type = np.int32 if len(data) < 2**31 else np.int64
    matrix.data, matrix.indices, matrix.indptr = data, columns, ends.astype(index_type)
    return matrix


def _ends(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def parts_of(record: Any) -> tuple[str, str, str]:
    """Return the title, the text and the keywords of a record; a plain string is a text."""
    if isinstance(record, str):
        return "", record, ""
    keywords = [str(value) for name, value in record.fields.items() if name.lower() in _KEYWORDS and value]
    return record.title, record.text, "\n".join(keywords)


def _rarity(frequency: Any, n_rows: int) -> Any:
    return 1 + np.log((1 + n_rows) / (1 + frequency))


def _chunks(records: Iterable[Any]) -> Iterator[list[Any]]:
    source = iter(records)
    while chunk := list(islice(source, _CHUNK)):
        yield chunk


def _stem(words: list[str]) -> list[str]:
    """Return the stem of each word, '' for a stop word."""
    stems = Stemmer.Stemmer("porter", 0).stemWords(words)
    return ["" if word in ENGLISH_STOP_WORDS else stem for word, stem in zip(words, stems, strict=True)]
