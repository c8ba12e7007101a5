"""Records that are there more than once: copies, edited ones, cut ones, and ones without their abstract.

Pairs that may be alike are found by MinHash with locality-sensitive hashing (Broder 1997; Leskovec,
Rajaraman and Ullman, "Mining of massive datasets", chapter 3), and each is checked by the exact Jaccard
similarity of its word triples. A record belongs to the group of an earlier one if it is like the first record
of that group, so that no chain of small changes joins what differs.
"""

import re
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._alike import FACTS, SHORTEST_TEXT, are_alike
from lopsided.screening._buckets import Buckets
from lopsided.screening._firsts import pack, unpack
from lopsided.screening._particulars import read_particulars
from lopsided.screening._shingles import Shingles, hash_words, make_shingles, mix
from lopsided.text import Record

_BANDS, _ROWS_IN_A_BAND = 8, 3  # finds 99.7 % of the pairs of similarity 0.8, and all but a few at 0.9
_BATCH = 5_000  # records
_PAIRS_AT_A_TIME = 20_000
# What databases and publishers put behind an abstract.
_BOILERPLATE = re.compile(
    r"\(?abstract truncated at \d+ words\)?|(?:©|\(c\)|copyright\b)[^.]{0,30}\b(?:19|20)\d\d\b.{0,200}\Z",
    re.IGNORECASE | re.DOTALL,
)
_REPLY = re.compile(
    r"\s*(?:re|aw|sv|fwd?|wg)\s*(?:\[\d+\]\s*)?:", re.IGNORECASE
)  # all of a thread have one title
_LOW = np.uint64(0xFFFFFFFF)


def group_duplicates(
    records: Iterable[Record | tuple[str, str] | str], *, threshold: float = 0.8
) -> NDArray[np.intp]:
    """Group records that are there more than once.

    Case, blanks, punctuation and copyright lines do not count. Two records are alike if the word triples of
    title and text have a Jaccard similarity of at least `threshold` and the numbers are the same (from 0.9
    on, one record may have more numbers), or if the texts are equal and have at least 20 words. They are
    also alike if they have the same title of at least five words, do not contradict each other in year,
    authors or DOI, and the text of one is missing or contained in that of the other, numbers included.

    Parameters
    ----------
    records : iterable of Record, (title, text) or str
        What to compare; a str is a text without a title.
    threshold : float, default=0.8
        Smallest similarity of two records that are alike, above 0 and up to 1.

    Returns
    -------
    groups : array of shape (n_records,)
        Row of the first record of the group that each belongs to; its own row where there is no earlier one.

    See Also
    --------
    DuplicateIndex : The same for records that come later.

    Examples
    --------
    >>> group_duplicates(["A ship sank off Malta.", "Wheat is dear.", "a ship SANK, off Malta"]).tolist()
    [0, 1, 0]
    """
    return DuplicateIndex(threshold=threshold).add(records)


class DuplicateIndex:
    """Groups of records that are there more than once, for records that come a few at a time.

    The groups do not depend on how the records are divided among calls. Word triples are kept in a temporary
    file, 600 MB for a million abstracts.

    Parameters
    ----------
    threshold : float, default=0.8
        Smallest similarity of two records that are alike; see `group_duplicates`.

    Attributes
    ----------
    n_records : int
        Number of records that were added.

    Examples
    --------
    >>> index = DuplicateIndex()
    >>> index.add(["A ship sank off Malta.", "Wheat is dear."]).tolist()
    [0, 1]
    >>> index.add(["a ship SANK, off Malta"]).tolist()
    [0]
    """

    def __init__(self, *, threshold: float = 0.8) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be above 0 and at most 1; got {threshold}.")
        self._threshold = threshold
        self.n_records = 0
        self._firsts = np.zeros(0, dtype=FACTS)  # the first record of each group
        self._n_firsts = 0
        self._buckets = Buckets()
        self._triples = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the index
        weakref.finalize(self, self._triples.close)
        multipliers = mix(np.arange(1, _BANDS * _ROWS_IN_A_BAND + 1, dtype=np.uint64))
        self._multipliers = multipliers | np.uint64(1)

    def add(
        self,
        records: Iterable[Record | tuple[str, str] | str],
        *,
        keep: Callable[[bytes], None] | None = None,
    ) -> NDArray[np.intp]:
        """Add records, and return the row of the first record of the group of each.

        Parameters
        ----------
        records : iterable of Record, (title, text) or str
            What comes next; rows count on from the records that were added before.
        keep : callable or None, default=None
            Gets bytes for some thousand records at a time, from which `restore` puts them into another index.

        Returns
        -------
        groups : array of shape (n_records,)
        """
        coming = iter(records)
        groups = [np.zeros(0, dtype=np.intp)]
        while batch := list(islice(coming, _BATCH)):
            groups.append(self._add_batch(batch, keep))
        return np.concatenate(groups)

    def restore(self, content: bytes) -> int:
        """Add records that another index had, and return their number. They are not compared again.

        Parameters
        ----------
        content : bytes
            What `add` handed to `keep`, in the same order. Raises a ValueError where it is something else.
        """
        n, facts, values = unpack(content, self.n_records)
        starts = np.concatenate([[0], np.cumsum(facts["size"], dtype=np.intp)])
        shingles = Shingles(values, starts, facts["digest"])
        self._keep(facts, shingles, self._keys(facts, shingles), np.ones(len(facts), dtype=bool))
        self.n_records += n
        return n

    def _add_batch(self, batch: list[Any], keep: Callable[[bytes], None] | None) -> NDArray[np.intp]:
        facts, shingles = _describe(batch, self.n_records)
        keys = self._keys(facts, shingles)
        known = [(self._firsts[: self._n_firsts], self._buckets, True)]
        own = Buckets()
        _file(own, keys, np.arange(len(batch), dtype=np.int32))
        links: list[tuple[NDArray[Any], ...]] = []  # record, first record or record of the batch, likeness
        for others, buckets, are_filed in [*known, (facts, own, False)]:
            for mine, other in self._candidates(keys, buckets, len(batch), earlier_only=not are_filed):
                if are_filed:
                    theirs = self._read_triples(others[other])
                else:
                    theirs = _take(shingles, other)
                common = _count_common(_take(shingles, mine), theirs)
                likeness = are_alike(facts[mine], others[other], *common, self._threshold)
                found = likeness > 0
                rows = others["row"][other]
                links.append((mine[found], rows[found], likeness[found]))
        groups = self._choose(facts["row"], links)
        firsts = groups == facts["row"]
        self._keep(facts, shingles, keys, firsts)
        if keep is not None:
            kept = _take(shingles, np.flatnonzero(firsts))
            keep(pack(self.n_records, len(batch), facts[firsts], kept.values))
        self.n_records += len(batch)
        return groups

    def _keys(self, facts: NDArray[Any], shingles: Shingles) -> NDArray[np.uint64]:
        """Return the keys of each record, one a column; 0 for none."""
        n = len(facts)
        keys = np.zeros((n, _BANDS + 3), dtype=np.uint64)
        some = np.flatnonzero(facts["size"])
        if len(some):
            values = shingles.values.astype(np.uint64)
            begins = shingles.starts[some]
            for band in range(_BANDS):
                key = np.full(len(some), band + 1, dtype=np.uint64)
                for i in range(_ROWS_IN_A_BAND):
                    hashed = values * self._multipliers[band * _ROWS_IN_A_BAND + i]
                    hashed ^= hashed >> np.uint64(32)
                    key = mix(key + np.minimum.reduceat(hashed, begins))
                keys[some, band] = key
        keys[:, _BANDS] = np.where(facts["title"] != 0, mix(facts["title"] + np.uint64(97)), 0)
        keys[:, _BANDS + 1] = np.where(facts["digest"] != 0, mix(facts["digest"] + np.uint64(98)), 0)
        keys[:, _BANDS + 2] = np.where(facts["text"] != 0, mix(facts["text"] + np.uint64(99)), 0)
        return keys

    def _candidates(
        self, keys: NDArray[np.uint64], buckets: Buckets, n: int, *, earlier_only: bool
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield pairs of a record and another that shares a key with it, each pair once."""
        there = np.flatnonzero(keys)
        place, other = buckets.find(keys.ravel()[there])
        mine = there[place] // keys.shape[1]
        if earlier_only:
            mine, other = mine[other < mine], other[other < mine]
        pairs = np.unique(mine.astype(np.uint64) << np.uint64(32) | other.astype(np.uint64))
        for begin in range(0, len(pairs), _PAIRS_AT_A_TIME):
            some = pairs[begin : begin + _PAIRS_AT_A_TIME]
            yield (some >> np.uint64(32)).astype(np.intp), (some & _LOW).astype(np.intp)

    def _choose(self, rows: NDArray[np.int32], links: list[tuple[NDArray[Any], ...]]) -> NDArray[np.intp]:
        """Return the group of each record: of the first records that it is like, the one most like it."""
        groups = rows.astype(np.intp)
        if not links:
            return groups
        mine, other, likeness = (np.concatenate(parts) for parts in zip(*links, strict=True))
        offset = int(rows[0])
        # in the order of the records, and for each the most similar first, then the earliest
        for i in np.lexsort((other, -likeness, mine)).tolist():
            row, first = offset + int(mine[i]), int(other[i])
            is_free = groups[row - offset] == row
            is_first = first < offset or groups[first - offset] == first
            if is_free and is_first:
                groups[row - offset] = first
        return groups

    def _keep(
        self, facts: NDArray[Any], shingles: Shingles, keys: NDArray[np.uint64], firsts: NDArray[np.bool_]
    ) -> None:
        """Keep what later records are compared with: the first records of groups."""
        index = np.flatnonzero(firsts)
        kept = _take(shingles, index)
        new = facts[index]
        self._triples.seek(0, 2)
        new["offset"] = self._triples.tell() // 4 + kept.starts[:-1]
        self._triples.write(kept.values.tobytes())
        self._triples.flush()
        end = self._n_firsts + len(new)
        if end > len(self._firsts):
            self._firsts = np.resize(self._firsts, max(2 * len(self._firsts), end))
        self._firsts[self._n_firsts : end] = new
        _file(self._buckets, keys[index], np.arange(self._n_firsts, end, dtype=np.int32))
        self._n_firsts = end

    def _read_triples(self, firsts: NDArray[Any]) -> Shingles:
        """Return the word triples of first records, as `_take` does for those of the batch."""
        pieces = []
        for offset, size in zip(firsts["offset"].tolist(), firsts["size"].tolist(), strict=True):
            self._triples.seek(4 * offset)
            pieces.append(self._triples.read(4 * size))
        starts = np.concatenate([[0], np.cumsum(firsts["size"], dtype=np.intp)])
        return Shingles(np.frombuffer(b"".join(pieces), dtype=np.uint32), starts, firsts["digest"])


def _describe(batch: list[Any], n_before: int) -> tuple[NDArray[Any], Shingles]:
    """Return what is known of each record, and the word triples of its title and text."""
    facts = np.zeros(len(batch), dtype=FACTS)
    words, titles, texts, are_replies = [], [], [], []
    for i, record in enumerate(batch):
        if isinstance(record, Record):
            title, text = record.title, record.text
            if record.fields:
                facts[["year", "authors", "doi"]][i] = read_particulars(record.fields)
        else:
            title, text = ("", record) if isinstance(record, str) else record
        titles.append(hash_words(title))
        are_replies.append(_REPLY.match(title) is not None)
        texts.append(hash_words(_BOILERPLATE.sub(" ", text)))
        words.append(titles[-1] + texts[-1])
    shingles = make_shingles(words)
    facts["row"] = n_before + np.arange(len(batch))
    facts["size"] = np.diff(shingles.starts)
    facts["digest"] = shingles.digests
    facts["title"] = np.where(are_replies, np.uint64(0), make_shingles(titles).digests)
    facts["n_title"] = [len(title) for title in titles]
    facts["n_text"] = [len(text) for text in texts]
    long_enough = facts["n_text"] >= SHORTEST_TEXT
    facts["text"] = np.where(long_enough, make_shingles(texts).digests, np.uint64(0))
    odd = np.concatenate([[0], np.cumsum(shingles.values & 1)])
    facts["n_numbers"] = np.diff(odd[shingles.starts])
    return facts, shingles


def _file(buckets: Buckets, keys: NDArray[np.uint64], rows: NDArray[np.int32]) -> None:
    there = keys.ravel() != 0
    buckets.file(keys.ravel()[there], np.repeat(rows, keys.shape[1])[there])


def _take(shingles: Shingles, rows: NDArray[np.intp]) -> Shingles:
    """Return the sets of some rows, in their order; a row may come more than once."""
    sizes = (shingles.starts[1:] - shingles.starts[:-1])[rows]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
    places = np.arange(starts[-1]) - np.repeat(starts[:-1] - shingles.starts[rows], sizes)
    return Shingles(shingles.values[places], starts, shingles.digests[rows])


def _count_common(left: Shingles, right: Shingles) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each pair of sets how many word triples both hold, and how many numbers."""
    n = len(left.starts) - 1
    keys = [
        np.repeat(np.arange(n, dtype=np.uint64), np.diff(side.starts)) << np.uint64(32) | side.values
        for side in (left, right)
    ]
    both = np.sort(np.concatenate(keys))
    twice = both[1:][both[1:] == both[:-1]]  # a set holds each value once
    pairs, is_number = (twice >> np.uint64(32)).astype(np.intp), twice & np.uint64(1) != 0
    return np.bincount(pairs[~is_number], minlength=n), np.bincount(pairs[is_number], minlength=n)
