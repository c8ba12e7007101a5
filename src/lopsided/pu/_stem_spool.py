"""Counts of stems in a work folder: rows of (1 + ln tf) ln(N / df), made when a pass comes to them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

from lopsided._blocks import RowBlocks
from lopsided.pu._archives import text_of
from lopsided.text import StemmedVectorizer
from lopsided.text._documents import Document
from lopsided.text._input import normalize_space


class Counted(NamedTuple):
    """Counts of each stem in each document of a batch."""

    stems: list[str]
    indptr: NDArray[np.int32]
    columns: NDArray[np.int32]  # numbers in stems
    counts: NDArray[Any]
    is_known: NDArray[np.bool_]  # whether the document is equal to a positive; it then has no stems


class StemCounter:
    """Counts the stems of a batch of documents, wherever that is."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known

    def __call__(self, documents: list[Document]) -> Counted:
        """Count the stems of each document that equals no positive."""
        texts = [text_of(document) for document in documents]
        is_known = np.array([normalize_space(text) in self._known for text in texts], dtype=bool)
        new = ["" if known else text for text, known in zip(texts, is_known.tolist(), strict=True)]
        return count_stems(new, is_known)


def count_stems(texts: list[str], is_known: NDArray[np.bool_]) -> Counted:
    """Return the counts of a batch of texts, in as few bytes as hold them."""
    counts, stems, _ = StemmedVectorizer().count_stems(texts)
    fits = counts.data.max(initial=0) < 2**16
    return Counted(
        stems,
        counts.indptr.astype(np.int32),
        counts.indices.astype(np.int32),
        counts.data.astype(np.uint16 if fits else np.int64),
        is_known,
    )


class StemSpool:
    """Takes the counts of all batches, and keeps them in files.

    In memory are the distinct stems, their document frequencies, and a byte for each document.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number_of: dict[str, int] = {}
        self._frequency = np.zeros(0, dtype=np.int64)
        self.ends: list[int] = []
        self._known: list[NDArray[np.bool_]] = []

    def add(self, counted: Counted) -> None:
        """Take the counts of the next batch."""
        number_of = self._number_of
        numbers = np.array([number_of.setdefault(s, len(number_of)) for s in counted.stems], dtype=np.int32)
        if len(number_of) > len(self._frequency):
            grown = np.zeros(max(len(number_of), 2 * len(self._frequency)), dtype=np.int64)
            grown[: len(self._frequency)] = self._frequency
            self._frequency = grown
        self._frequency[numbers] += np.bincount(counted.columns, minlength=len(numbers))
        columns = numbers[counted.columns] if len(numbers) else counted.columns
        with open(self._file(len(self.ends)), "wb") as file:
            for array in (counted.indptr, columns, counted.counts):
                np.save(file, array)
        self.ends.append((self.ends[-1] if self.ends else 0) + len(counted.is_known))
        self._known.append(counted.is_known)

    def rows(self) -> "StemRows":
        """Return the rows of all documents, with columns in the alphabetical order of the stems."""
        known = np.concatenate(self._known)
        n = int((~known).sum())
        kept = np.flatnonzero(self._frequency[: len(self._number_of)] >= 2)
        names = np.array(list(self._number_of), dtype=object)[kept]
        order = np.array(sorted(range(len(kept)), key=names.__getitem__), dtype=np.intp)
        column_of = np.full(len(self._number_of), -1, dtype=np.int32)
        column_of[kept[order]] = np.arange(len(kept), dtype=np.int32)
        idf = np.log(n / self._frequency[kept[order]]) if len(kept) else np.empty(0)
        files = [self._file(block) for block in range(len(self.ends))]
        return StemRows(np.array(self.ends), files, names[order], idf, column_of, known)

    def _file(self, block: int) -> Path:
        return self._folder / f"{block:06}.counts"


class StemRows(RowBlocks):
    """Rows of length 1 of all documents; none has the others in memory.

    Parameters
    ----------
    files : list of path
        Counts of each block.
    stems : array of str
        Of each column.
    idf : array
        ``ln(N / df)`` of each column.
    column_of : int array
        The column of each numbered stem; -1 for one that is left out.
    known : boolean array
        Documents that are equal to a positive.
    """

    def __init__(
        self,
        ends: NDArray[np.intp],
        files: list[Path],
        stems: NDArray[Any],
        idf: NDArray[np.float64],
        column_of: NDArray[np.int32],
        known: NDArray[np.bool_],
    ) -> None:
        super().__init__(ends, len(stems), np.float64)
        self.is_sparse = True
        self.stems, self.known = stems, known
        self._files, self._idf, self._column_of = files, idf, column_of

    def map(
        self,
        function: Callable[..., Any],
        *sides: NDArray[Any],
        rows: NDArray[np.intp] | None = None,
        n_jobs: int | None = None,
    ) -> list[Any]:
        """Return what the function gives for each block; it gets only the rows to look at."""
        return [
            function(self._weigh(*self._load(block), chosen), None, *mine)
            for block, chosen, mine in self.parts(sides, rows)
        ]

    def says_something(self) -> NDArray[np.bool_]:
        """Return which documents have a stem that weighs something."""
        weighs = (np.append(self._idf, 0.0) > 0)[self._column_of]
        found = []
        for block in range(len(self._files)):
            indptr, numbers, _ = self._load(block)
            total = np.concatenate([[0], np.cumsum(weighs[numbers])])
            found.append(np.diff(total[indptr]) > 0)
        return np.concatenate(found)

    def _load(self, block: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        with open(self._files[block], "rb") as file:
            return np.load(file), np.load(file), np.load(file)

    def _weigh(
        self,
        indptr: NDArray[Any],
        numbers: NDArray[Any],
        counts: NDArray[Any],
        chosen: NDArray[np.intp] | None,
    ) -> csr_array:
        if chosen is not None:
            raw = csr_array((counts, numbers, indptr), shape=(len(indptr) - 1, len(self._column_of)))[chosen]
            indptr, numbers, counts = raw.indptr, raw.indices, raw.data
        columns = self._column_of[numbers]
        kept = columns >= 0
        ends = np.concatenate([[0], np.cumsum(kept)])[indptr].astype(np.int32)
        columns, counts = columns[kept], counts[kept]
        logs = np.log(np.arange(1, int(counts.max(initial=1)) + 1)) if counts.max(initial=1) < 2**16 else None
        tf = 1 + (np.log(counts) if logs is None else logs[counts - 1])
        rows = csr_array((tf * self._idf[columns], columns, ends), shape=(len(ends) - 1, len(self._idf)))
        rows.sort_indices()
        rows.eliminate_zeros()
        return normalize(rows, copy=False) if rows.shape[0] else rows
