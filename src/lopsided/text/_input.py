"""Check the documents that a caller passed, name them, and find copies among them."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from os import PathLike

from lopsided.text._decode import clean_text, decode_bytes


def refuse_what_is_not_documents(X: object) -> None:
    """Raise ValueError where one document, a table or a number came in place of a list of documents."""
    what = type(X).__name__
    if isinstance(X, str | bytes | bytearray | memoryview | PathLike) or hasattr(X, "read"):
        raise ValueError(f"expected an iterable of documents, got one {what}. Wrap it: [document].")
    # iterating over a frame would give its column names
    if getattr(X, "ndim", 1) != 1 or hasattr(X, "columns"):
        raise ValueError(f"expected an iterable of documents, got a table ({what}). Pass one column of it.")
    if not isinstance(X, Iterable):
        raise ValueError(f"expected an iterable of documents, got {what}. Pass a list of str or bytes.")


def read_texts(what: str, texts: Iterable[str | bytes], *, needed_by: str) -> list[str]:
    """Return the texts as str that can be encoded; an error names the first one that is no text.

    Examples
    --------
    >>> read_texts("positives", ["ship", b"caf\\xe9"], needed_by="find_more")
    ['ship', 'café']
    """
    refuse_what_is_not_documents(texts)
    found = []
    for i, text in enumerate(texts):
        if isinstance(text, bytes | bytearray):
            text = decode_bytes(bytes(text))[0]
        elif not isinstance(text, str):
            raise TypeError(
                f"{what}[{i}] is a {type(text).__name__}; expected str or bytes. Drop missing values."
            )
        found.append(clean_text(text)[0])
    if not found:
        raise ValueError(f"{needed_by} needs {what}; got none.")
    return found


def name_texts(what: str, texts: Iterable[str | bytes], ids: Sequence[str] | None, n: int) -> list[str]:
    """Return a name for each of n texts: from ``ids``, else from ``texts.ids``, else its number from 1.

    Examples
    --------
    >>> name_texts("unlabeled", ["ship", "wheat"], None, 2)
    ['1', '2']
    """
    if ids is None:
        ids = getattr(texts, "ids", None)
    if ids is None:
        return [str(i + 1) for i in range(n)]
    if len(ids) != n:
        raise ValueError(f"ids must name each of the {n:,} {what} texts; got {len(ids):,}.")
    return [clean_text(str(id))[0] for id in ids]


def tell_apart(known: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the indices of the distinct known texts, and of the new texts that equal none of them.

    White space does not count, and an empty text is not known. The known texts come in the order of their
    digests, so that the result does not depend on the order in which they were given.

    Examples
    --------
    >>> tell_apart(["a ship", "a  ship ", ""], ["a ship", "wheat", ""])
    ([1], [1, 2])
    """
    index = {normalize_space(text): i for i, text in enumerate(known)}
    keys = [normalize_space(text) for text in new]
    rows = [i for i, key in enumerate(keys) if key not in index or not key]
    return [index[key] for key in sorted(filter(None, index), key=_digest)], rows


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def normalize_space(text: str) -> str:
    """Return the text with each run of white space as one blank."""
    return " ".join(text.split())
