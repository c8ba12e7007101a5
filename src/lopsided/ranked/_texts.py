"""Two heaps of texts as they come: read, named, and told apart where they hold the same text."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from lopsided.text._decode import clean_text, decode_bytes
from lopsided.text._input import refuse_what_is_not_documents


def read_texts(what: str, texts: Iterable[str | bytes], *, needed_by: str) -> list[str]:
    """Texts as str that can be stored; says which one is none.

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
    """A name for each of n texts: as given, else ``texts.ids`` where there is such a thing, else the place.

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
    """Where one of each different known text stands, and where the new ones that are equal to none of them.

    White space does not count, and an empty text is not known. The known ones come in the order of their
    digests, so that it does not matter in which they were given.

    Examples
    --------
    >>> tell_apart(["a ship", "a  ship ", ""], ["a ship", "wheat", ""])
    ([1], [1, 2])
    """
    place = {_essence(text): i for i, text in enumerate(known)}
    keys = [_essence(text) for text in new]
    rows = [i for i, key in enumerate(keys) if key not in place or not key]
    return [place[key] for key in sorted(filter(None, place), key=_digest)], rows


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def _essence(text: str) -> str:
    """What two texts have in common that differ in white space alone."""
    return " ".join(text.split())
