"""The items that a filter is given: a table of numbers, or messages and what makes features of them."""

from collections.abc import Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from lopsided._sparse import checked_sparse
from lopsided.online import MeasuredRows


def as_table(X: Any, cure: str = "Pass ByteGramVectorizer().transform(X), say.") -> Any:
    """Return rows of numbers that can be counted and cut; sparse ones as CSR. ``cure`` is for messages.

    Examples
    --------
    >>> as_table([b"cheap pills"])
    Traceback (most recent call last):
        ...
    ValueError: X holds bytes, not rows of numbers. Pass ByteGramVectorizer().transform(X), say.
    """
    if isinstance(X, np.ndarray) and X.ndim and X.dtype.kind in "fbiu":
        return X
    if issparse(X):
        return X if X.format == "csr" else checked_sparse(X).tocsr()  # CSR is checked as rows of the learner
    _refuse_what_cannot_be_cut(X, "a table with one row an item")
    shape = getattr(X, "shape", None)
    if shape is None or len(shape) == 1:
        first = next(iter(X), None)
        if isinstance(first, str | bytes | bytearray):
            raise ValueError(f"X holds {_texts(first)}, not rows of numbers. {cure}")
    return list(X) if isinstance(X, tuple) else X


def as_messages(X: Any, vectorizer: Any) -> Any:
    """Return messages that can be counted and cut, and a vectorizer for them."""
    if isinstance(vectorizer, type) or not hasattr(vectorizer, "transform"):
        got = f"the class {vectorizer.__name__}" if isinstance(vectorizer, type) else repr(vectorizer)
        raise ValueError(f"vectorizer must have transform, as ByteGramVectorizer() has; got {got}.")
    if issparse(X):
        return checked_sparse(X).tocsr()
    _refuse_what_cannot_be_cut(X, "a list of messages")
    return list(X) if isinstance(X, tuple) else X


def number_of_items(X: Any) -> int:
    """Return the number of rows of a table, or of messages in a list."""
    return int(X.shape[0] if hasattr(X, "shape") else len(X))


def squared_norms(rows: Any) -> NDArray[np.float64]:
    """Return |x|^2 of every row."""
    if isinstance(rows, MeasuredRows):
        return rows.squared_lengths
    if issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).reshape(-1)
    return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)


def bad_document(error: Exception) -> int | None:
    """Return which document our vectorizers complain of, if they do.

    Examples
    --------
    >>> bad_document(TypeError("document 36 is a float; expected bytes or str."))
    36
    """
    words = str(error).split(" ", 2)
    named = type(error) in (TypeError, ValueError) and words[0] == "document" and words[1:]
    return int(words[1]) if named and words[1].isdecimal() else None


def _refuse_what_cannot_be_cut(X: Any, expected: str) -> None:
    one = isinstance(X, str | bytes | bytearray | Mapping | Set) or getattr(X, "shape", None) == ()
    if one or not (hasattr(X, "__len__") and hasattr(X, "__getitem__")):
        again = " Pass list(X)." if hasattr(X, "__iter__") and not one else ""
        got = "None" if X is None else f"a value of type {type(X).__name__}"
        raise ValueError(f"X must be {expected}; got {got}.{again}")


def _texts(first: Any) -> str:
    return "texts" if isinstance(first, str) else "bytes"
