"""Documents as vectors of stemmed words: Porter's stems, a stop list, a document-frequency cut."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import BaseEstimator
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from lopsided._compat import Interval, RealNotInt, StrOptions, chosen_sparse
from lopsided._stored import Check, Lengths, by_text, numbers, whole
from lopsided.text._dask import is_in_partitions, reduce_partitions, vectorize_lazily
from lopsided.text._decode import decode_bytes
from lopsided.text._input import refuse_what_is_not_documents
from lopsided.text._porter import porter_stems
from lopsided.text._sparse_output import SparseOutput

# two letters or more of any script; digits and underscores separate words
WORD = re.compile(r"[^\W\d_]{2,}")


class StemmedVectorizer(SparseOutput, BaseEstimator):
    """Turn documents into sparse vectors of word stems.

    Each document is put in lower case and cut into words (runs of two letters or more); stop words go,
    the rest is stemmed by Porter's algorithm, and stems found in too few documents are dropped. Each
    distinct word is stemmed once a call, so the cost is that of finding the words.

    Parameters
    ----------
    stop_words : {"english"}, iterable of str or None, default="english"
        Words to leave out, compared in lower case and before stemming. "english" is scikit-learn's list
        of 318 words.
    min_df : int or float, default=1
        Keep the stems found in at least so many fitted documents; a float is a share of them.
    weighting : {"binary", "counts", "tfidf"}, default="tfidf"
        Value of a stem in a document: 1 where it occurs; how often it occurs (tf); or
        ``tf * ln(N / df)`` with the number of documents N and the document frequency df of `fit`.
    norm : {"l2"} or None, default="l2"
        Divide each row by its Euclidean length; a row of zeros stays as it is.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each stem; columns are in the alphabetical order of the stems.
    idf_ : ndarray of shape (n_features,)
        ``ln(N / df)`` of each stem.

    See Also
    --------
    ByteGramVectorizer : Needs no words: byte n-grams, for mail and other half-binary text.

    References
    ----------
    .. [1] M. F. Porter, "An algorithm for suffix stripping", Program 14(3):130-137, 1980.

    Examples
    --------
    >>> vectorizer = StemmedVectorizer(weighting="counts", norm=None)
    >>> X = vectorizer.fit_transform(["The connection is connected.", "Trade, trading and trades!"])
    >>> vectorizer.get_feature_names_out().tolist()
    ['connect', 'trade']
    >>> X.toarray().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "stop_words": [StrOptions({"english"}), list, tuple, set, frozenset, None],
        "min_df": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="both")],
        "weighting": [StrOptions({"binary", "counts", "tfidf"})],
        "norm": [StrOptions({"l2"}), None],
    }

    _stored: dict[str, Check] = {"idf_": numbers("n_stems", low=0), "vocabulary_": by_text(whole())}

    def __init__(
        self,
        *,
        stop_words: str | Iterable[str] | None = "english",
        min_df: float = 1,
        weighting: str = "tfidf",
        norm: str | None = "l2",
    ) -> None:
        self.stop_words = stop_words
        self.min_df = min_df
        self.weighting = weighting
        self.norm = norm

    def fit(self, X: Iterable[str | bytes], y: object = None) -> Self:
        """Learn the vocabulary and the document frequencies.

        Parameters
        ----------
        X : iterable of str or bytes, Dask bag or Dask series
            The documents. Bytes are read as UTF-8, or as latin-1 where they are not UTF-8. Those of Dask are
            counted on the workers in one pass.
        y : ignored
            There for scikit-learn's pipelines.

        Returns
        -------
        self : StemmedVectorizer
            The fitted vectorizer.
        """
        if is_in_partitions(X):
            self._validate_params()
            frequency, n_documents = reduce_partitions(self._document_frequencies, _merge, X)
            stems = sorted(frequency)
            self._learn(stems, np.array([frequency[stem] for stem in stems], dtype=np.int64), n_documents)
        else:
            self.fit_transform(X)
        return self

    def fit_transform(self, X: Iterable[str | bytes], y: object = None) -> csr_matrix:
        """Learn the vocabulary and return the vectors of the same documents, reading them once.

        Parameters
        ----------
        X : iterable of str or bytes, Dask bag or Dask series
            The documents. Those of Dask are read once more for their vectors.
        y : ignored
            There for scikit-learn's pipelines.

        Returns
        -------
        vectors : CSR matrix or Dask array of shape (n_documents, n_features)
            One row a document, indices sorted.
        """
        if is_in_partitions(X):
            return self.fit(X).transform(X)
        self._validate_params()
        counts, stems, n_documents = self.count_stems(X)
        document_frequency = np.bincount(counts.indices, minlength=counts.shape[1])
        kept = self._learn(stems, document_frequency, n_documents)
        return self._weigh(counts[:, kept])

    def transform(self, X: Iterable[str | bytes]) -> csr_matrix:
        """Return vectors of documents; words that `fit` did not keep are left out.

        Parameters
        ----------
        X : iterable of str or bytes, Dask bag or Dask series
            The documents.

        Returns
        -------
        vectors : CSR matrix of shape (n_documents, n_features)
            One row a document, indices sorted. Of documents of Dask a lazy Dask array, a CSR block for each
            partition; ``compute_chunk_sizes`` finds how many rows each has.
        """
        check_is_fitted(self)
        if is_in_partitions(X):
            return vectorize_lazily(self.transform, X, len(self.vocabulary_), np.float64)
        words, word_ids, row_ends = self._find_words(X)
        return self._weigh(_count(word_ids, row_ends, self._stem(words), self.vocabulary_))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the stem of each column.

        Parameters
        ----------
        input_features : ignored
            There for scikit-learn's pipelines.

        Returns
        -------
        names : ndarray of shape (n_features,)
            The stems in the order of the columns.
        """
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vocabulary_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _check_stored(self, lengths: Lengths) -> None:
        n_stems = lengths.get("n_stems", 0)
        if self.__sklearn_is_fitted__() and list(self.vocabulary_.values()) != list(range(n_stems)):
            raise ValueError(f"vocabulary_ must number {n_stems} stems in order")

    def count_stems(self, X: Iterable[Any]) -> tuple[csr_array, list[str], int]:
        """Return how often each stem occurs in each document, the sorted stems, and how many documents.

        Parameters
        ----------
        X : iterable of str or bytes
            The documents.
        """
        words, word_ids, row_ends = self._find_words(X)
        stems = self._stem(words)
        column_of = {stem: j for j, stem in enumerate(sorted({stem for stem in stems if stem}))}
        return _count(word_ids, row_ends, stems, column_of), list(column_of), len(row_ends) - 1

    def _document_frequencies(self, X: Iterable[Any]) -> tuple[dict[str, int], int]:
        """Return in how many documents each stem occurs, and how many documents there are."""
        counts, stems, n_documents = self.count_stems(X)
        frequency = np.bincount(counts.indices, minlength=len(stems)).tolist()
        return dict(zip(stems, frequency, strict=True)), n_documents

    def _learn(
        self, stems: list[str], document_frequency: NDArray[np.int64], n_documents: int
    ) -> NDArray[np.intp]:
        """Keep the stems of enough documents, and return their places."""
        if n_documents == 0:
            raise ValueError("StemmedVectorizer.fit needs at least one document; got 0.")
        min_count = self.min_df * n_documents if isinstance(self.min_df, float) else self.min_df
        kept = np.flatnonzero(document_frequency >= min_count)
        if len(kept) == 0:
            raise ValueError(
                f"no stem is left of {len(stems)} distinct ones in {n_documents} documents. "
                f"Lower min_df (now {self.min_df}) or shorten stop_words."
            )
        self.vocabulary_ = {stems[old]: new for new, old in enumerate(kept)}
        self.idf_ = np.log(n_documents / document_frequency[kept])
        return kept

    def _find_words(self, X: Iterable[Any]) -> tuple[list[str], NDArray[np.int64], list[int]]:
        """Return the distinct words, the number of every word found, and where each document ends."""
        refuse_what_is_not_documents(X)
        number_of: defaultdict[str, int] = defaultdict()
        number_of.default_factory = number_of.__len__  # a new word gets the next number
        word_ids = array("q")
        row_ends = [0]
        for i, document in enumerate(X):
            if isinstance(document, (bytes, bytearray)):
                document = decode_bytes(bytes(document))[0]
            elif not isinstance(document, str):
                missing = " (a missing value?)" if document is None or document != document else ""
                kind = type(document).__name__ + missing
                raise TypeError(f"document {i} is a {kind}; expected bytes or str.")
            word_ids.extend(map(number_of.__getitem__, WORD.findall(document.lower())))
            row_ends.append(len(word_ids))
        return list(number_of), np.frombuffer(word_ids, dtype=np.int64), row_ends

    def _stem(self, words: list[str]) -> list[str]:
        """Return the stem of each word, '' for a stop word."""
        if self.stop_words is None:
            stop_words: frozenset[str] = frozenset()
        elif self.stop_words == "english":
            stop_words = ENGLISH_STOP_WORDS
        else:
            stop_words = frozenset(word.lower() for word in self.stop_words)
        stems = zip(words, porter_stems(words), strict=True)
        return ["" if word in stop_words else stem for word, stem in stems]

    def _weigh(self, counts: csr_array) -> csr_matrix:
        """Return counts weighted as `weighting` and `norm` ask for."""
        if self.weighting == "binary":
            counts.data.fill(1.0)
        elif self.weighting == "tfidf":
            counts.data *= self.idf_[counts.indices]
            counts.eliminate_zeros()  # a stem of every document weighs ln(1) = 0
        if self.norm is not None and counts.shape[0] > 0:  # scikit-learn refuses a matrix without rows
            normalize(counts, norm=self.norm, copy=False)
        return chosen_sparse(counts)


def _merge(parts: list[tuple[dict[str, int], int]]) -> tuple[dict[str, int], int]:
    """Add up the document frequencies of several partitions, and their documents."""
    total: Counter[str] = Counter()
    for frequency, _ in parts:
        total.update(frequency)
    return dict(total), sum(n_documents for _, n_documents in parts)


def _count(
    word_ids: NDArray[np.int64], row_ends: list[int], stems: list[str], column_of: dict[str, int]
) -> csr_array:
    """Count how often the stem of each column occurs in each document."""
    column_of_word = np.fromiter((column_of.get(stem, -1) for stem in stems), np.int64, len(stems))
    columns = column_of_word[word_ids]
    counted = columns >= 0
    ends = np.concatenate([[0], np.cumsum(counted)])[row_ends]
    columns = columns[counted]
    # scipy keeps the narrower index type where it suffices, as scikit-learn's solvers prefer
    index_type = np.int32 if len(columns) < 2**31 else np.int64
    counts = csr_array(
        (np.ones(len(columns)), columns.astype(index_type), ends.astype(index_type)),
        shape=(len(row_ends) - 1, len(column_of)),
    )
    counts.sum_duplicates()  # also sorts the indices of each row
    return counts


def locate_stems(document: str) -> Iterator[tuple[str, int, int]]:
    """Yield the stem of each word of a document, and where the word starts and ends.

    Examples
    --------
    >>> list(locate_stems("Ships sail."))
    [('ship', 0, 5), ('sail', 6, 10)]
    """
    for match in WORD.finditer(document):
        yield _stem(match[0].lower()), match.start(), match.end()


@lru_cache(maxsize=2**16)
def _stem(word: str) -> str:
    return porter_stems([word])[0]
