"""Texts as sets of hashed word triples, many at a time."""

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"[^\W_]+")
_FILL = (0, 0)  # behind each text, so that its last words have triples too
_ODD_BIT = np.uint64(1)  # of the hash of a word with a digit
_MOST_CACHED = 1_000_000  # words; their hashes do not depend on what is cached
_ODD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


class Shingles(NamedTuple):
    """Sets of hashed word triples, which are even, and numbers, which are odd.

    The set of text i is ``values[starts[i] : starts[i + 1]]``, in rising order.
    """

    values: NDArray[np.uint32]
    starts: NDArray[np.intp]
    digests: NDArray[np.uint64]  # of all words of a text in their order; 0 for a text without words


class _WordHashes(dict[str, int]):
    """The hash of each word, computed once."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_CACHED:
            self.clear()
        number = int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=4).digest(), "little")
        # even for a word without a digit, odd for one with
        number = number & ~1 | any(letter.isdigit() for letter in word)
        self[word] = number
        return number


_hashes = _WordHashes()


def hash_words(text: str) -> list[int]:
    """Return the hashes of the words of a text; case, blanks and punctuation do not count."""
    return list(map(_hashes.__getitem__, _WORD.findall(text.casefold())))


def make_shingles(texts: Sequence[Sequence[int]]) -> Shingles:
    """Return the word triples of texts that are given as hashed words, and their words with a digit.

    A text of n words has n triples, the last two filled up, so that one of a single word has a triple too.

    Examples
    --------
    >>> shingles = make_shingles([hash_words("A ship sank."), hash_words(""), hash_words("a ship, SANK")])
    >>> np.diff(shingles.starts).tolist(), bool(shingles.digests[0] == shingles.digests[2])
    ([3, 0, 3], True)
    """
    flat: list[int] = []
    for text in texts:
        flat += text
        flat += _FILL
    words = np.array([*flat, *_FILL], dtype=np.uint64)
    lengths = np.fromiter(map(len, texts), dtype=np.intp, count=len(texts))
    starts = np.concatenate([[0], np.cumsum(lengths + len(_FILL))]).astype(np.intp)
    owner = np.repeat(np.arange(len(texts), dtype=np.uint64), lengths + len(_FILL))
    n = len(owner)
    triples = mix(words[:n] * _ODD[0] + words[1 : n + 1] * _ODD[1] + words[2 : n + 2] * _ODD[2])
    # the fill words have rows of their own, which count for nothing
    is_word = np.ones(n, dtype=bool)
    for i in range(1, len(_FILL) + 1):
        is_word[starts[1:] - i] = False
    rank = np.arange(n, dtype=np.uint64) - starts[:-1].astype(np.uint64).repeat(lengths + len(_FILL))
    ordered = np.where(is_word, mix(triples + rank * _ODD[0]), np.uint64(0))
    digests = np.add.reduceat(ordered, starts[:-1]) if n else np.zeros(0, dtype=np.uint64)
    has_digit = words[:n] & _ODD_BIT != 0
    values = np.concatenate([triples[is_word] >> np.uint64(32) & ~_ODD_BIT, words[:n][has_digit]])
    keys = np.sort(np.concatenate([owner[is_word], owner[has_digit]]) << np.uint64(32) | values)
    keys = keys[np.diff(keys, prepend=~keys[:1]) != 0]
    counts = np.bincount((keys >> np.uint64(32)).astype(np.intp), minlength=len(texts))
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
    return Shingles((keys & np.uint64(0xFFFFFFFF)).astype(np.uint32), ends, digests)


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers each of whose bits depends on all bits of the one given (splitmix64)."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)
