"""Year, authors and DOI of records: two that contradict each other are no duplicates."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from lopsided.screening._shingles import hash_words

_YEARS = ("year", "publicationyear", "py", "date", "publicationdate", "da")
_AUTHORS = ("authors", "author", "au", "authorfullnames", "firstauthors")
_DOIS = ("doi", "do", "di", "doinumber")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_DOI = re.compile(r"10\.\d+/\S+")
_NEITHER = re.compile(r"[\W_]+")
_SHORTEST_NAME = 3  # letters; initials say little


class Particulars(NamedTuple):
    """Year, authors as 64 bits, and the DOI as a number; 0 where it is not known."""

    year: int = 0
    authors: int = 0
    doi: int = 0


def read_particulars(fields: Mapping[str, str]) -> Particulars:
    """Return what the fields of a record say.

    Examples
    --------
    >>> read_particulars({"Year": "2004 Jan"}).year
    2004
    """
    known = {_NEITHER.sub("", name.casefold()): value for name, value in fields.items()}
    year = _YEAR.search(_first(known, _YEARS))
    authors = 0
    for word in re.findall(r"[^\W\d_]+", _first(known, _AUTHORS)[:1000]):
        if len(word) >= _SHORTEST_NAME:
            authors |= 1 << hash_words(word)[0] % 64
    doi = _DOI.search(_first(known, _DOIS).casefold())
    return Particulars(
        int(year[0]) if year else 0, authors, hash_words(_NEITHER.sub("x", doi[0]))[0] if doi else 0
    )


def _first(known: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((known[name] for name in names if known.get(name)), "")
