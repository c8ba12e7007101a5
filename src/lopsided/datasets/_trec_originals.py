"""The public spam corpora of TREC 2005 and 2006, for those who have them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from lopsided.datasets._bunch import make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._download import normal_text
from lopsided.datasets._layout import Copy, Counts, DataSet

_KEPT = 3_000  # characters of a message


def fetch_trec05p() -> Bunch:
    """Load trec05p-1 in the order of its index.

    The corpus is under an agreement, so it is never downloaded: put the unpacked folder ``trec05p-1``, with
    ``full/index`` and ``data``, into the folder named by ``LOPSIDED_DATA`` or into the cache. Messages are
    cut after 3,000 characters.

    Returns
    -------
    Bunch
        ``data`` (list of bytes: the raw messages), ``target`` (1 = ham, 0 = spam), ``target_names``,
        ``split`` (None: it is a stream), ``n_bytes`` (full length), ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_trec05p
    >>> mail = fetch_trec05p()  # doctest: +SKIP
    >>> len(mail.data)  # doctest: +SKIP
    92189
    """
    return _fetch(TREC05P)


def fetch_trec06p() -> Bunch:
    """Load trec06p in the order of its index, from a folder ``trec06p``; else as :func:`fetch_trec05p`.

    Returns
    -------
    Bunch
        The parts of :func:`fetch_trec05p`.

    Examples
    --------
    >>> from lopsided.datasets import fetch_trec06p
    >>> mail = fetch_trec06p()  # doctest: +SKIP
    >>> len(mail.data)  # doctest: +SKIP
    37822
    """
    return _fetch(TREC06P)


def _fetch(data_set: DataSet) -> Bunch:
    loaded = load(data_set)
    with blaming(loaded):
        records = loaded.contents[0]
        return make_bunch(
            data_set,
            loaded,
            data=[r.pop("raw").encode("latin-1") for r in records],  # pop: one copy of 300 MB at a time
            target=np.array([r["label"] == "ham" for r in records], dtype=np.intp),
            target_names=["spam", "ham"],
            rows={"n_bytes": np.array([r["n_bytes"] for r in records])},
        )


def read_index(index: Path, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """Read a corpus as it is distributed, from its file ``full/index``: ``spam ../data/000/001`` a line."""
    records = []
    for number, line in enumerate(index.read_text(encoding="ascii").splitlines(), start=1):
        match = re.fullmatch(r"(ham|spam)\s+(\S+)", line.strip())
        if match is None:
            raise ValueError(
                f"line {number:,}: expected 'ham' or 'spam' and a path, as in 'spam ../data/000/001'; got "
                f"{line[:60]!r}"
            )
        path = index.parent / match[2]
        with path.open("rb") as file:
            start = file.read(2 * _KEPT)  # enough even if every line end is CRLF
        values = (match[1], path.stat().st_size, normal_text(start)[:_KEPT])
        records.append(dict(zip(fields, values, strict=True)))
    return records


def _count(records: list[dict[str, Any]]) -> Counts:
    n_ham = sum(r["label"] == "ham" for r in records)
    return {"messages": len(records), "percent of ham": round(100 * n_ham / max(1, len(records)))}


def _original(name: str, year: int, n: int, percent: int) -> DataSet:
    """Return the entry of a corpus; its facts are those that Sculley (KDD 2007) prints in section 6."""
    return DataSet(
        name=name,
        title=f"TREC {year} public spam corpus: {n:,} messages in the order of arrival, {percent} % of them "
        "ham.",
        source=f"under an agreement, from https://plg.uwaterloo.ca/~gvcormac/treccorpus{year % 100:02}/",
        terms="Research use under the usage agreement of the University of Waterloo, which forbids "
        "publishing the corpus or a material part of it, file names and judgements included.",
        copies=(
            Copy(
                files=(f"{name}/full/index",),
                fields=("label", "n_bytes", "raw"),
                count=_count,
                published={"messages": n, "percent of ham": percent},
                differs="Messages are cut after 3,000 characters.",
                read=read_index,
            ),
        ),
    )


TREC05P = _original("trec05p-1", 2005, 92_189, 43)
TREC06P = _original("trec06p", 2006, 37_822, 34)
