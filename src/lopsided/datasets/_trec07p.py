"""The TREC 2007 public spam corpus: all mail that one server received in three months."""

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


def fetch_trec07p() -> Bunch:
    """Load trec07p in the order of arrival.

    The corpus is under an agreement, so it is never downloaded: put the unpacked folder ``trec07p`` (or
    ``trec07p/trec07p.jsonl.xz``) into the folder named by ``LOPSIDED_DATA`` or into the cache. Messages
    are cut after 3,000 characters.

    Returns
    -------
    Bunch
        ``data`` (list of bytes: the raw messages), ``target`` (1 = ham, 0 = spam), ``target_names``,
        ``split`` (None: it is a stream), ``ids``, ``n_bytes`` (full length), ``partial`` (1 = has
        feedback in the task "partial"), ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_trec07p
    >>> mail = fetch_trec07p()  # doctest: +SKIP
    >>> len(mail.data)  # doctest: +SKIP
    75419
    """
    loaded = load(TREC07P)
    with blaming(loaded):
        records = sorted(loaded.contents[0], key=lambda r: r["id"])
        return make_bunch(
            TREC07P,
            loaded,
            data=[r.pop("raw").encode("latin-1") for r in records],  # pop: one copy of 200 MB at a time
            target=np.array([r["label"] == "ham" for r in records], dtype=np.intp),
            target_names=["spam", "ham"],
            rows={name: np.array([r[field] for r in records]) for name, field in _COLUMNS.items()},
        )


def read_tree(index: Path, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """Read the corpus as it is distributed, from its file ``full/index``.

    A line of the index is ``spam ../data/inmail.1``; ``partial/index``, where it is there, lists the
    messages with feedback in the task "partial" in the same way.
    """
    partial_index = index.parent.parent / "partial" / "index"
    with_feedback = set(_parse_index(partial_index)) if partial_index.is_file() else set()
    records = []
    for number, (label, path) in sorted(_parse_index(index).items()):
        with path.open("rb") as file:
            start = file.read(2 * _KEPT)  # enough even if every line end is CRLF
        values = (number, label, int(number in with_feedback), path.stat().st_size)
        records.append(dict(zip(fields, (*values, normal_text(start)[:_KEPT]), strict=True)))
    return records


def _parse_index(index: Path) -> dict[int, tuple[str, Path]]:
    messages = {}
    for line in index.read_text(encoding="ascii").splitlines():
        match = re.fullmatch(r"(ham|spam)\s+(\S*inmail\.(\d+))", line.strip())
        if match is None:
            raise ValueError(f"expected lines like 'spam ../data/inmail.1', got {line[:60]!r}")
        messages[int(match[3])] = (match[1], index.parent / match[2])
    return messages


def _count(records: list[dict[str, Any]]) -> Counts:
    ham = np.array([r["label"] == "ham" for r in records])
    tenths = [round(100 * part.mean()) for part in np.array_split(ham, 10) if len(part)]
    return {
        "messages": len(records),
        "ham": int(ham.sum()),
        "spam": int((~ham).sum()),
        "last id": max((r["id"] for r in records), default=0),
        "messages with partial feedback": sum(r["partial"] for r in records),
        "messages longer than 3,000 bytes": sum(r["n_bytes"] > _KEPT for r in records),
        "messages cut before the end of the header": sum("\n\n" not in r["raw"] for r in records),
        "repeated bodies": len(records) - len({r["raw"].partition("\n\n")[2] for r in records}),
        "lowest percentage of ham in a tenth": min(tenths, default=0),
        "highest percentage of ham in a tenth": max(tenths, default=0),
    }


_COLUMNS = {"ids": "id", "n_bytes": "n_bytes", "partial": "partial"}
_FIELDS = ("id", "label", "partial", "n_bytes", "raw")
_PUBLISHED = {"messages": 75419, "ham": 25220, "spam": 50199, "last id": 75419}
_PECULIAR = {
    "messages with partial feedback": 30338,
    "messages longer than 3,000 bytes": 53255,
    "messages cut before the end of the header": 3717,
    "repeated bodies": 10304,
    "lowest percentage of ham in a tenth": 20,
    "highest percentage of ham in a tenth": 44,
}
_DIFFERS = (
    "The corpus readme says 30,388 messages with feedback in the task 'partial'; 30,338 are counted here. "
    "Messages are cut after 3,000 characters."
)
TREC07P = DataSet(
    name="trec07p",
    title="TREC 2007 public spam corpus: 75,419 messages in the order of arrival, 25,220 of them ham.",
    source="under an agreement, from https://plg.uwaterloo.ca/~gvcormac/treccorpus07/",
    terms="Research use under the usage agreement of the University of Waterloo, which forbids publishing "
    "the corpus or a material part of it, file names and judgements included.",
    copies=tuple(
        Copy(
            fields=_FIELDS,
            count=_count,
            published=_PUBLISHED,
            peculiar=_PECULIAR,
            differs=_DIFFERS,
            **form,
        )
        for form in (
            {"files": ("trec07p/trec07p.jsonl.xz",)},
            {"files": ("trec07p/full/index",), "read": read_tree},
        )
    ),
)
