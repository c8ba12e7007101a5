"""The stems of Porter's algorithm."""

from collections.abc import Iterable


def porter_stems(words: Iterable[str]) -> list[str]:
    """Return the Porter stem of each word.

    The stems are the same with and without PyStemmer: where it is installed, snowballstemmer calls its
    compiled code in place of its own, which is written in Python and slower.

    Examples
    --------
    >>> porter_stems(["connection", "connected", "trades"])
    ['connect', 'connect', 'trade']
    """
    import snowballstemmer  # late: most of the library needs no stemmer

    # A stemmer neither pickles nor serves two threads: each call makes its own, which costs microseconds.
    stemmer = snowballstemmer.stemmer("porter")
    stemmer.maxCacheSize = 0  # of PyStemmer: callers pass each word once
    return list(stemmer.stemWords(words))
