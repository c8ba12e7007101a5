"""Words as numbers: which words texts hold, in order, and the stem of each word."""

import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from lopsided.screening._sealed import seal, unseal
from lopsided.text._porter import porter_stems
from lopsided.text._stemmed import WORD

_PARTS = 3  # of a record: title, text, keywords
_KEYWORDS = ("keywords", "keyword", "kw", "author_keywords", "mesh", "mesh_terms", "descriptors", "de")
_SIZE, _NUMBER = np.dtype("<u8"), np.dtype("<u4")  # in bytes that are kept
# What was read otherwise is read again.
_VERSION = "\n".join(("words 1", WORD.pattern, *_KEYWORDS, unicodedata.unidata_version))


class ReadWords(NamedTuple):
    """The words of some records, which follow on those that were read before.

    Words are numbered in the order of first appearance. The number of a word depends on all records before,
    so that what was read can be kept only together with what was read before it.
    """

    n_known: int
    """How many different words there were in the records before."""
    new: tuple[str, ...]
    """The words that appear here first; they get the next numbers."""
    words: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    """Where each of the three parts of each record ends among the words, with a 0 before."""

    @property
    def n_records(self) -> int:
        """The number of records."""
        return len(self.ends) // _PARTS

    def to_bytes(self) -> bytes:
        """Return a digest, five sizes, the new words and the numbers."""
        new = "\n".join(self.new).encode()
        sizes = np.array([self.n_known, len(self.new), len(new), len(self.words), len(self.ends)], _SIZE)
        numbers = np.concatenate([self.words, self.ends]).astype(_NUMBER)
        return seal(b"".join((sizes.tobytes(), new, numbers.tobytes())), _VERSION)

    @classmethod
    def from_bytes(cls, content: bytes) -> "ReadWords":
        """Return what `to_bytes` wrote; a ValueError where it is something else, or of another version."""
        rest = unseal(content, _VERSION)
        if len(rest) < 5 * _SIZE.itemsize:
            raise ValueError("words that were read have no sizes.")
        n_known, n_new, n_bytes, n_words, n_ends = np.frombuffer(rest, _SIZE, 5).tolist()
        begin = 5 * _SIZE.itemsize
        if len(rest) != begin + n_bytes + (n_words + n_ends) * _NUMBER.itemsize:
            raise ValueError("words that were read are cut off.")
        text = rest[begin : begin + n_bytes].decode()
        new = tuple(text.split("\n")) if text else ()
        numbers = np.frombuffer(rest, _NUMBER, n_words + n_ends, begin + n_bytes).astype(np.uint32)
        read = cls(n_known, new, numbers[:n_words], numbers[n_words:])
        if len(new) != n_new:
            raise ValueError("words that were read are not as many as they should be.")
        _check(read)
        return read


def follow(blocks: Iterable[tuple[int, bytes]]) -> Iterator[ReadWords]:
    """Yield what was read before, up to what is broken or missing.

    Parameters
    ----------
    blocks : iterable of (int, bytes)
        The row at which each block begins, and its bytes.
    """
    n_records = n_words = 0
    for first, content in blocks:
        try:
            read = ReadWords.from_bytes(content)
        except ValueError:
            return
        if first < n_records:
            continue  # of an earlier time, when blocks began elsewhere
        if first > n_records or read.n_known != n_words:
            return
        n_records += read.n_records
        n_words += len(read.new)
        yield read


def parts_of(record: Any) -> tuple[str, str, str]:
    """Return the title, the text and the keywords of a record; a plain string is a text."""
    if isinstance(record, str):
        return "", record, ""
    keywords = [str(value) for name, value in record.fields.items() if name.lower() in _KEYWORDS and value]
    return record.title, record.text, "\n".join(keywords)


def _check(read: ReadWords) -> None:
    """Raise unless the numbers fit together: the file may come from a stranger."""
    words, ends = read.words, read.ends
    if len(ends) % _PARTS != 1 or ends[0] != 0 or ends[-1] != len(words) or (ends[1:] < ends[:-1]).any():
        raise ValueError("words that were read end elsewhere than their texts.")
    if words.max(initial=0) >= max(read.n_known + len(read.new), 1):
        raise ValueError("words that were read have no number.")


class Vocabulary:
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

    def read(self, texts: Iterable[str]) -> ReadWords:
        """Return the words of texts, three a record."""
        ids, ends = array("I"), array("I", [0])
        n_known = len(self._number_of)
        for text in texts:
            if text:
                ids.extend(map(self._number_of.__getitem__, WORD.findall(text.lower())))
            ends.append(len(ids))
        new = tuple(islice(self._number_of, n_known, None))
        return ReadWords(n_known, new, np.array(ids, dtype=np.uint32), np.array(ends, dtype=np.uint32))

    def know(self, read: ReadWords) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the stem of every word that is no stop word, and where each text ends."""
        if read.n_known != len(self._stems):
            raise ValueError(f"words of {read.n_known} known ones cannot follow on {len(self._stems)}.")
        for word in read.new:
            self._number_of[word]  # which numbers it, where `read` has not
        self._learn_stems(read.new)
        self._n_uses += np.bincount(read.words, minlength=len(self._n_uses))
        stems = self._stems[read.words]
        kept = stems >= 0
        return stems[kept], np.concatenate([[0], np.cumsum(kept)])[read.ends]

    def known_stems(self, text: str) -> list[int]:
        """Return the numbers of the stems in a text that were seen before, each once."""
        stems = dict.fromkeys(_stem(WORD.findall(text.lower())))
        return [self._stem_number[stem] for stem in stems if stem in self._stem_number]

    def names(self) -> NDArray[np.object_]:
        """Return for each stem the word that is used most often of those that have it."""
        stems, n_uses = self._stems, self._n_uses  # others may be learned meanwhile
        names = np.full(int(stems.max(initial=-1)) + 1, "", dtype=object)
        words = np.array(list(self._number_of), dtype=object)
        rising = np.argsort(n_uses[: len(stems)], kind="stable")
        rising = rising[stems[rising] >= 0]
        names[stems[rising]] = words[rising]  # of the words with one stem the last stays
        return names

    def _learn_stems(self, words: tuple[str, ...]) -> None:
        number = self._stem_number
        stems = [number.setdefault(stem, len(number)) if stem else -1 for stem in _stem(words)]
        self._n_uses = np.concatenate([self._n_uses, np.zeros(len(words), dtype=np.int64)])
        self._stems = np.concatenate([self._stems, np.array(stems, dtype=np.int32)])


def _stem(words: Sequence[str]) -> list[str]:
    """Return the stem of each word, '' for a stop word."""
    stems = porter_stems(words)
    return ["" if word in ENGLISH_STOP_WORDS else stem for word, stem in zip(words, stems, strict=True)]
