"""20 Newsgroups: messages of twenty discussion groups."""

import re
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from lopsided.datasets._bunch import check_choice, make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._download import download, from_scikit_learn, members, normal_text
from lopsided.datasets._layout import Copy, Counts, DataSet
from lopsided.datasets._table import words
from lopsided.datasets._wheel import REQUIREMENT, labeled_texts

ORIGINAL_URL = "http://qwone.com/~jason/20Newsgroups/20news-19997.tar.gz"
_GROUPS = words(
    "alt.atheism comp.graphics comp.os.ms-windows.misc comp.sys.ibm.pc.hardware comp.sys.mac.hardware "
    "comp.windows.x misc.forsale rec.autos rec.motorcycles rec.sport.baseball rec.sport.hockey sci.crypt "
    "sci.electronics sci.med sci.space soc.religion.christian talk.politics.guns talk.politics.mideast "
    "talk.politics.misc talk.religion.misc"
)


def fetch_newsgroups(
    *, subset: str = "all", version: str = "bydate", remove: str | tuple[str, ...] = ("headers",)
) -> Bunch:
    """Load 20 Newsgroups.

    The headers (Newsgroups, Path, Xref) name the group, so they are removed unless asked for: a
    classifier that sees them learns to read the answer. Nothing else is removed.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        Which side of the "bydate" split.
    version : {"bydate", "original"}, default="bydate"
        18,846 messages sorted by date, without most cross-posts, or all 19,997 (there, messages that
        "bydate" leaves out have the split "unused").
    remove : str or tuple of str, default=("headers",)
        ``"headers"``, ``("headers",)`` or ``()``.

    Returns
    -------
    Bunch
        ``data`` (list of str), ``target`` (index into ``target_names``), ``target_names``, ``split``,
        ``ids`` (None where the text is the cleaned version), ``provenance``, ``DESCR``.

    Examples
    --------
    >>> fetch_newsgroups(version="1997")
    Traceback (most recent call last):
        ...
    ValueError: version must be one of 'bydate', 'original'. Got '1997'.
    """
    check_choice("subset", subset, ("all", "train", "test"))
    check_choice("version", version, ("bydate", "original"))
    if isinstance(remove, str):
        remove = (remove,)
    check_choice("remove", tuple(remove), (("headers",), ()))
    copies = (_BYDATE_OR_ALL, _BYDATE, _CLEANED) if version == "bydate" else (_ALL,)
    loaded = load(NEWSGROUPS, copies)
    with blaming(loaded):
        records = [r for r in loaded.contents[0] if version == "original" or r["split"] is not None]
        strip = bool(remove) and loaded.copy is not _CLEANED  # the cleaned text has no headers left
        position = {group: i for i, group in enumerate(_GROUPS)}
        return make_bunch(
            NEWSGROUPS,
            loaded,
            subset=subset,
            data=[_body(r["text"]) if strip else r["text"] for r in records],
            target=np.array([position[r["group"]] for r in records], dtype=np.intp),
            target_names=list(_GROUPS),
            split=np.array([r["split"] or "unused" for r in records]),
            rows={"ids": [r["id"] for r in records]},
        )


def parse_original(archive: tarfile.TarFile) -> list[dict[str, Any]]:
    """Read the archive of the original version: one file for each message, in the folder of its group."""
    return [
        {"group": path.parent.name, "id": path.name, "split": None, "text": normal_text(content)}
        for name, content in members(archive)
        if (path := PurePosixPath(name)).parent.name in _GROUPS
    ]


def _build_bydate(folder: Path) -> tuple[list[dict[str, Any]]]:
    """Take the "bydate" version from scikit-learn."""
    from sklearn.datasets import fetch_20newsgroups

    records = []
    for split in ("train", "test"):
        bunch = from_scikit_learn(fetch_20newsgroups, folder, subset=split, shuffle=False)
        for text, group, name in zip(bunch.data, bunch.target, bunch.filenames, strict=True):
            records.append(
                {
                    "group": bunch.target_names[group],
                    "id": Path(str(name)).name,
                    "split": split,
                    "text": text.replace("\r\n", "\n"),
                }
            )
    return (records,)


def _build_all(folder: Path) -> tuple[list[dict[str, Any]]]:
    """Take all messages from the canonical address, and the split from the "bydate" version."""
    splits = {(r["group"], r["id"]): r["split"] for r in _build_bydate(folder)[0]}
    with tarfile.open(download(ORIGINAL_URL, folder)) as archive:
        records = parse_original(archive)
    for record in records:
        record["split"] = splits.get((record["group"], record["id"]))
    return (sorted(records, key=lambda r: (r["group"], r["id"])),)


def _build_cleaned(folder: Path) -> tuple[list[dict[str, Any]]]:
    return (
        [
            {"group": group, "id": None, "split": split, "text": text}
            for split in ("train", "test")
            for group, text in labeled_texts(f"20newsgroups-{split}.tab", folder)
        ],
    )


def _count(records: list[dict[str, Any]]) -> Counts:
    bodies = [_body(r["text"]).strip() for r in records]
    ids = [_message_id(r["text"]) for r in records]
    split = Counter(r["split"] for r in records)
    return {
        "messages": len(records),
        "groups": len({r["group"] for r in records}),
        **{f"messages in {group}": n for group, n in Counter(r["group"] for r in records).items()},
        "bydate train": split["train"],
        "bydate test": split["test"],
        "not in bydate": split[None],
        "repeated bodies": len(bodies) - len(set(bodies)),
        "repeated message ids": len(ids) - len(set(ids)),
        "empty bodies": bodies.count(""),
    }


def _body(text: str) -> str:
    return text.partition("\n\n")[2]


def _message_id(text: str) -> str | None:
    match = re.search(r"^message-id:\s*(\S+)", text.partition("\n\n")[0], re.IGNORECASE | re.MULTILINE)
    return match[1] if match else None


_FIELDS = ("group", "id", "split", "text")
_BYDATE_COUNTS = {"groups": 20, "bydate train": 11314, "bydate test": 7532}
_ALL = Copy(
    files=("newsgroups/20newsgroups.jsonl.xz",),
    fields=_FIELDS,
    count=_count,
    build=_build_all,
    published={
        "messages": 19997,
        **_BYDATE_COUNTS,
        "not in bydate": 1151,
        **{f"messages in {group}": 997 if group == "soc.religion.christian" else 1000 for group in _GROUPS},
    },
    peculiar={"repeated bodies": 686, "repeated message ids": 531, "empty bodies": 41},
    differs="Nothing in the counts; 22 bodies of the bydate version differ slightly from its own archive.",
)
# The same file, where only its "bydate" part is wanted: scikit-learn's copy is then the one to fetch.
_BYDATE_OR_ALL = replace(_ALL, build=None)
_BYDATE = Copy(
    files=("newsgroups/20newsgroups_bydate.jsonl.xz",),
    fields=_FIELDS,
    count=_count,
    build=_build_bydate,
    part='version="bydate"',
    published={"messages": 18846, **_BYDATE_COUNTS},
)
_CLEANED = Copy(
    files=("newsgroups/20newsgroups_cleaned.jsonl.xz",),
    fields=_FIELDS,
    count=_count,
    build=_build_cleaned,
    part='version="bydate"',
    source=f"{REQUIREMENT} on the Python package index",
    published={"messages": 18821, "groups": 20, "bydate train": 11293, "bydate test": 7528},
    differs=f"Cleaned text from {REQUIREMENT}: lower case, no headers but the subject, no punctuation or "
    "digits; 11,293 training messages instead of 11,314 and 7,528 test messages instead of 7,532.",
)
NEWSGROUPS = DataSet(
    name="newsgroups",
    title="20 Newsgroups: about a thousand messages from each of twenty discussion groups, 1993.",
    source="scikit-learn fetch_20newsgroups, http://qwone.com/~jason/20Newsgroups/",
    terms="No formal licence; collected by Ken Lang, customary research use; text belongs to the posters.",
    copies=(_ALL, _BYDATE, _CLEANED),
)
