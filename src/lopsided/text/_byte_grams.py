"""Byte n-grams: what a mail filter sees (Sculley 2007, section 6; no parsing, no words, no charset)."""

from collections.abc import Iterable
from numbers import Integral
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import Interval, chosen_sparse, fit_context
from lopsided._kernels.bytegrams import GramTable, hashed_columns
from lopsided._kernels.checks import check_numbers, whole_number
from lopsided._stored import Check, Lengths, made_again, numbers, optional, whole
from lopsided.text._dask import is_in_partitions, reduce_partitions, vectorize_lazily
from lopsided.text._input import refuse_what_is_not_documents
from lopsided.text._sparse_output import SparseOutput


def _exact(self: "ByteGramVectorizer") -> bool:
    if self.n_features is not None:
        raise AttributeError("hashed grams have no names; n_features=None keeps the grams themselves.")
    return True


class ByteGramVectorizer(SparseOutput, BaseEstimator):
    """Turn messages into binary vectors of their byte n-grams, each of Euclidean length 1.

    Every run of ``n`` bytes among the first ``max_bytes`` of a message is a feature; a message with k
    distinct ones has the value 1/sqrt(k) at each. Nothing is parsed, so that no malformed mail can break
    it, and no charset, language or attachment needs to be known. One pass over the bytes, no sort.

    Parameters
    ----------
    n : int, default=4
        Bytes in a gram, 1 to 8.
    max_bytes : int or None, default=3000
        How much of each message is read, from its start. None reads all of it.
    n_features : int or None, default=2**20
        Number of columns grams are hashed to; nothing is learned, so that a stream needs no `fit`. A
        message of k distinct grams loses about k / (2 n_features) of them to collisions with each other
        (0.09 % measured on mail at 2**20); over a corpus of V distinct grams a share of about
        1 - exp(-V / n_features) stands in a shared column. None keeps exact grams: `fit` learns the
        vocabulary, and `transform` passes over grams it does not hold.

    Attributes
    ----------
    keys_ : ndarray of shape (n_columns,), dtype uint64
        Only with ``n_features=None``: the gram of each column as a number, its first byte lowest. Columns are
        in the order in which grams were first seen.
    gram_length_ : int
        Only with ``n_features=None``: the ``n`` of `fit`.

    Examples
    --------
    >>> from lopsided import ByteGramVectorizer
    >>> X = ByteGramVectorizer().transform([b"free money", "free lunch", b""])
    >>> X.shape, X.nnz
    ((3, 1048576), 14)
    >>> exact = ByteGramVectorizer(n=2, n_features=None).fit([b"abab"])
    >>> exact.get_feature_names_out()
    array(['ab', 'ba'], dtype=object)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n": [Interval(Integral, 1, 8, closed="both")],
        "max_bytes": [Interval(Integral, 1, None, closed="left"), None],
        "n_features": [Interval(Integral, 1, 2**31 - 1, closed="both"), None],
    }

    _stored: dict[str, Check] = {
        "keys_": numbers("n_grams", dtype=np.uint64),
        "gram_length_": whole(),
        "_table": optional(made_again(GramTable)),
    }

    def __init__(self, n: int = 4, max_bytes: int | None = 3000, n_features: int | None = 2**20) -> None:
        self.n = n
        self.max_bytes = max_bytes
        self.n_features = n_features

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Learn the vocabulary, where there is one.

        Parameters
        ----------
        X : iterable of bytes, str, paths or open files, Dask bag or Dask series
            The messages. A str is encoded as UTF-8; of a path or file the first ``max_bytes`` are read. The
            grams of Dask's are collected on the workers in one pass.
        y : ignored
        """
        if self.n_features is None and is_in_partitions(X):
            self.keys_ = reduce_partitions(self._find_keys, _first_seen, X)
            self.gram_length_, self._table = self.n, GramTable(self.n, self.keys_)
        elif self.n_features is None:
            self._learn(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Iterable[Any], y: Any = None) -> csr_matrix:
        """Learn the vocabulary and count, in one pass over the messages.

        Parameters
        ----------
        X : iterable of bytes, str, paths or open files, Dask bag or Dask series
            The messages. Those of Dask are read once more for their rows.
        y : ignored

        Returns
        -------
        rows : CSR matrix or Dask array of shape (n_messages, n_features)
        """
        if self.n_features is not None or is_in_partitions(X):
            return self.fit(X).transform(X)
        return self._matrix(*self._learn(X), len(self.keys_))

    def transform(self, X: Iterable[Any]) -> csr_matrix:
        """Return one row a message.

        Parameters
        ----------
        X : iterable of bytes, str, paths or open files, Dask bag or Dask series
            The messages.

        Returns
        -------
        rows : CSR matrix of shape (n_messages, n_features)
            In float32, columns sorted. A message shorter than ``n`` bytes is a zero row. Of messages of Dask
            a lazy Dask array, a CSR block for each partition; ``compute_chunk_sizes`` finds how many rows
            each has.
        """
        self._validate_params()
        if is_in_partitions(X):
            if self.n_features is None:
                check_is_fitted(self)
            n_columns = len(self.keys_) if self.n_features is None else self.n_features
            return vectorize_lazily(self.transform, X, n_columns, np.float32)
        if self.n_features is None:
            check_is_fitted(self)
            found = self._vocabulary().look_up(self._documents(X))
            return self._matrix(*found, len(self.keys_))
        columns, starts = hashed_columns(self._documents(X), self.n, self.n_features)
        return self._matrix(columns, starts, self.n_features)

    @available_if(_exact)
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the grams, each byte shown as the character of that number (latin-1)."""
        check_is_fitted(self)
        names = [int(key).to_bytes(self.gram_length_, "little").decode("latin-1") for key in self.keys_]
        return np.array(names, dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        # The table is derived, and built of memory addresses: a file holds the grams alone.
        return {name: value for name, value in super().__getstate__().items() if name != "_table"}

    def __sklearn_is_fitted__(self) -> bool:
        return self.n_features is not None or hasattr(self, "keys_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self.n_features is None
        return tags

    def _check_stored(self, lengths: Lengths) -> None:
        if hasattr(self, "keys_"):
            n = whole_number("gram_length_", self.gram_length_, 1, 8)
            check_numbers("keys_", self.keys_, 0, 2 ** (8 * n) - 1)

    def _learn(self, X: Iterable[Any]) -> tuple[np.ndarray, np.ndarray]:
        table = GramTable(self.n)
        found = table.learn(self._documents(X))
        self.keys_, self.gram_length_, self._table = table.keys, self.n, table
        return found

    def _find_keys(self, X: Iterable[Any]) -> np.ndarray:
        table = GramTable(self.n)
        table.learn(self._documents(X))
        return np.asarray(table.keys)

    def _vocabulary(self) -> GramTable:
        if not hasattr(self, "_table"):  # read from a file; two threads may both build it, to the same end
            self._table = GramTable(self.gram_length_, self.keys_)
        return self._table

    def _documents(self, X: Iterable[Any]) -> list[bytes]:
        refuse_what_is_not_documents(X)
        # Cut one by one as they come: a long message is let go, and a file is read while it is open.
        cut = self.max_bytes
        return [d[:cut] if type(d) is bytes else _as_bytes(d, i, cut) for i, d in enumerate(X)]

    def _matrix(self, columns: np.ndarray, starts: np.ndarray, n_columns: int) -> csr_matrix:
        counts = np.diff(starts)
        values = 1.0 / np.sqrt(np.maximum(counts, 1))
        # SciPy wants indices and row starts of one type, and the smaller one where it will do.
        index_type = np.int32 if len(columns) <= np.iinfo(np.int32).max else np.int64
        matrix = csr_array(
            (
                np.repeat(values.astype(np.float32), counts),
                columns.astype(index_type, copy=False),
                starts.astype(index_type, copy=False),
            ),
            shape=(len(counts), n_columns),
        )
        matrix.has_canonical_format = True  # sorted and distinct, by construction: SciPy need not look
        return chosen_sparse(matrix)


def _first_seen(parts: list[np.ndarray]) -> np.ndarray:
    """Return the distinct keys of several partitions in the order in which they were first seen."""
    keys = np.concatenate(parts)
    return keys[np.sort(np.unique(keys, return_index=True)[1])]


def _as_bytes(document: Any, position: int, max_bytes: int | None) -> bytes:
    """Return the first ``max_bytes`` of one message. Bytes that are no longer than that are not copied."""
    if isinstance(document, bytes):
        return document[:max_bytes]
    if isinstance(document, str):
        return _encode(document[:max_bytes])[:max_bytes]  # a character is at least one byte
    if isinstance(document, bytearray | memoryview):
        return bytes(document[:max_bytes])
    if isinstance(document, PathLike):
        with open(document, "rb") as file:
            return file.read(-1 if max_bytes is None else max_bytes)
    if hasattr(document, "read"):
        start = document.read(-1 if max_bytes is None else max_bytes)
        return _as_bytes(start, position, max_bytes)
    missing = " (a missing value?)" if document is None or document != document else ""
    kind = type(document).__name__ + missing
    raise TypeError(f"document {position} is a {kind}; expected bytes, str, a path or an open file.")


def _encode(text: str) -> bytes:
    """Return a text in UTF-8; bytes that a reader could not decode (surrogate escapes) are as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that no reader made
        return text.encode("utf-8", "surrogatepass")
