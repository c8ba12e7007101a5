"""The words of records as vectors that grow when records arrive."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack

from lopsided.screening._words import ReadWords, Vocabulary, parts_of

# All words of a record, its keywords, and pairs of words; measured: docs/screening.md
_WEIGHTS = (1.0, 0.7, 0.5)
_MOST_PAIRED = 100_000  # records: with more, pairs of words would take too much memory
_CHUNK = 5_000  # records whose words are held at once
_BLOCK = 50_000  # records that are weighed at once


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
        self._words = Vocabulary()
        self._whole, self._keywords = _Counts(np.int32), _Counts(np.int32)
        self._pairs: _Counts | None = _Counts(np.int64)
        self.n_rows = 0
        self._weigh()

    def add(self, records: Iterable[Any], *, keep: Callable[[ReadWords], None] | None = None) -> None:
        """Append records; the document frequencies are those of all.

        What was handed out before does not change meanwhile, and another thread may ask for `names` and
        `matches`. Among the records may be `ReadWords`, which stand for several of them whose words were read
        before; `keep` is given those of all others.
        """
        n_before = self.n_rows
        for chunk in _chunks(records):
            if isinstance(chunk, ReadWords):
                self._append(self._words.know(chunk))
            else:
                read = self._words.read(part for record in chunk for part in parts_of(record))
                self._append(self._words.know(read))
                if keep is not None:
                    keep(read)
        if self.n_rows > n_before:
            self._weigh()

    def _append(self, words: tuple[NDArray[np.int32], NDArray[np.int64]]) -> None:
        """Count stems, given with where each of the three parts of each record ends."""
        stems, ends = words
        lengths = np.diff(ends)
        n_records = len(lengths) // 3
        self.n_rows += n_records
        which = np.repeat(np.arange(len(lengths)), lengths)  # of the three parts of all records
        self._whole.append(stems, ends[::3])
        self._keywords.append(stems[which % 3 == 2], _ends(lengths[2::3]))
        if self.n_rows > _MOST_PAIRED:
            self._pairs = None
        if self._pairs is not None:
            joined = np.flatnonzero((which[1:] == which[:-1]) & (which[1:] % 3 < 2))
            keys = (stems[joined].astype(np.int64) << 32) | stems[joined + 1]
            self._pairs.append(keys, _ends(np.bincount(which[joined] // 3, minlength=n_records)))

    def names(self) -> NDArray[np.object_]:
        """Return for each stem the word that is used most often of those that have it."""
        return self._words.names()

    def matches(self, words: str) -> NDArray[np.float32]:
        """Return how well each record matches words, above 0 where it holds any of them.

        A word counts for its rarity, and for more where it occurs repeatedly.
        """
        wanted = self._words.known_stems(words)
        return self._whole.weigh_matches(wanted)

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
            if matrix.nnz:
                _multiply_rows(matrix, weight * scale)
        self.vectors = Vectors(tuple(matrices), pairs)


class _Gathered(NamedTuple):
    """Counts of all records so far. Nothing of it is ever changed."""

    counts: NDArray[np.uint8]  # more than 255 count as 255
    keys: NDArray[Any]
    ends: NDArray[np.int64]

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.int64]]]:
        """Yield places of whole rows, and where these rows end within: work on them needs little memory."""
        for first in range(0, len(self.ends) - 1, _BLOCK):
            ends = self.ends[first : first + _BLOCK + 1]
            yield slice(ends[0], ends[-1]), ends - ends[0]


class _Counts:
    """The number of times each stem, or pair of stems, occurs in one part of each record."""

    def __init__(self, type_: type[np.integer[Any]]) -> None:
        self._all = _Gathered(np.zeros(0, np.uint8), np.zeros(0, type_), np.zeros(1, np.int64))
        self._new: list[Any] = []  # matrices appended since the last call of `weigh`

    def append(self, keys: NDArray[Any], ends: NDArray[np.int64]) -> None:
        shape = (len(ends) - 1, int(keys.max(initial=-1)) + 1)
        # a copy: the keys are sorted within their rows
        new = csr_matrix((np.ones(len(keys), dtype=np.float32), keys, ends), shape=shape, copy=True)
        new.sum_duplicates()
        new.data = np.minimum(new.data, 255).astype(np.uint8)
        self._new.append(new)

    def weigh(self, n_rows: int, n_columns: int) -> csr_matrix:
        """Return rows of unit length, with a column for each stem."""
        gathered = self._gather()
        frequency = np.zeros(n_columns, dtype=np.intp)
        for places, _ in gathered.blocks():
            frequency += np.bincount(gathered.keys[places], minlength=n_columns)
        idf = np.where(frequency > 1, _rarity(frequency, n_rows), 0).astype(np.float32)
        data = np.empty(len(gathered.keys), dtype=np.float32)
        for places, ends in gathered.blocks():
            data[places] = _LOGARITHMS[gathered.counts[places]] * idf[gathered.keys[places]]
            _scale_rows(data[places], ends)
        return _matrix(data, gathered.keys, gathered.ends, n_columns)

    def weigh_repeated(self, n_rows: int) -> tuple[NDArray[np.int64], csr_matrix]:
        """Return the keys that several records have, and rows of unit length with a column for each."""
        gathered = self._gather()
        keys, column, frequency = np.unique(gathered.keys, return_inverse=True, return_counts=True)
        repeated = frequency > 1
        kept = repeated[column]
        ends = np.concatenate([[0], np.cumsum(kept)])[gathered.ends]
        columns = (np.cumsum(repeated, dtype=np.int32) - 1)[column[kept]]
        idf = _rarity(frequency[repeated], n_rows).astype(np.float32)
        data = _LOGARITHMS[gathered.counts[kept]] * idf[columns]
        _scale_rows(data, ends)
        return keys[repeated], _matrix(data, columns, ends, len(idf))

    def weigh_matches(self, wanted: list[int]) -> NDArray[np.float32]:
        """Return for each record the sum over the wanted stems that it holds."""
        gathered = self._all
        n_rows = len(gathered.ends) - 1
        found = np.zeros(n_rows, dtype=np.float32)
        for stem in wanted:
            places = np.flatnonzero(gathered.keys == stem)
            rows = np.searchsorted(gathered.ends, places, side="right") - 1
            found[rows] += _LOGARITHMS[gathered.counts[places]] * _rarity(len(places), n_rows)
        return found

    def _gather(self) -> _Gathered:
        before, new = self._all, self._new
        if new:
            ends = [before.ends]
            for part in new:
                ends.append(ends[-1][-1] + part.indptr[1:])
            n = ends[-1][-1]
            counts, keys = np.empty(n, dtype=np.uint8), np.empty(n, dtype=before.keys.dtype)
            counts[: len(before.keys)], keys[: len(before.keys)] = before.counts, before.keys
            for i, end in enumerate(ends[1:]):
                counts[ends[i][-1] : end[-1]], keys[ends[i][-1] : end[-1]] = new[i].data, new[i].indices
                new[i] = None  # copied: not kept twice
            self._all, self._new = _Gathered(counts, keys, np.concatenate(ends, dtype=np.int64)), []
        return self._all


_LOGARITHMS = np.concatenate([[0], 1 + np.log(np.arange(1, 256))]).astype(np.float32)


def _scale_rows(data: NDArray[np.float32], ends: NDArray[np.int64]) -> None:
    """Give rows unit length, in place."""
    squares = np.concatenate([[0.0], np.cumsum(np.square(data), dtype=np.float64)])
    lengths = np.sqrt(np.diff(squares[ends]).clip(0))
    data *= np.repeat((1 / np.where(lengths > 1e-6, lengths, 1)).astype(np.float32), np.diff(ends))


def _multiply_rows(matrix: csr_matrix, factors: NDArray[np.float32]) -> None:
    """Multiply each row with its factor, in place."""
    for first in range(0, len(factors), _BLOCK):
        ends = matrix.indptr[first : first + _BLOCK + 1]
        matrix.data[ends[0] : ends[-1]] *= np.repeat(factors[first : first + _BLOCK], np.diff(ends))


def _matrix(
    data: NDArray[np.float32], columns: NDArray[Any], ends: NDArray[np.int64], n_columns: int
) -> csr_matrix:
    matrix = csr_matrix((len(ends) - 1, n_columns), dtype=np.float32)
    index_type = np.int32 if len(data) < 2**31 else np.int64
    matrix.data, matrix.indices, matrix.indptr = data, columns, ends.astype(index_type)
    return matrix


def _ends(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _rarity(frequency: Any, n_rows: int) -> Any:
    return 1 + np.log((1 + n_rows) / (1 + frequency))


def _chunks(records: Iterable[Any]) -> Iterator[list[Any] | ReadWords]:
    chunk: list[Any] = []
    for record in records:
        if isinstance(record, ReadWords):
            if chunk:
                yield chunk
            yield record
            chunk = []
            continue
        chunk.append(record)
        if len(chunk) == _CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
