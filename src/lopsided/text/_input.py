"""What the vectorizers accept as documents."""

from collections.abc import Iterable
from os import PathLike


def refuse_what_is_not_documents(X: object) -> None:
    """One document, a table or a number where a list of documents was meant: say how to pass it."""
    what = type(X).__name__
    if isinstance(X, str | bytes | bytearray | memoryview | PathLike) or hasattr(X, "read"):
        raise ValueError(f"expected an iterable of documents, got one {what}. Wrap it: [document].")
    # iterating over a frame would give its column names
    if getattr(X, "ndim", 1) != 1 or hasattr(X, "columns"):
        raise ValueError(f"expected an iterable of documents, got a table ({what}). Pass one column of it.")
    if not isinstance(X, Iterable):
        raise ValueError(f"expected an iterable of documents, got {what}. Pass a list of str or bytes.")
