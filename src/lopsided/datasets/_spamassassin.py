"""The SpamAssassin public corpus: ham and spam of 2002."""

import tarfile
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from lopsided.datasets._bunch import make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._download import download, members, normal_text
from lopsided.datasets._layout import Copy, Counts, DataSet

BASE_URL = "https://spamassassin.apache.org/old/publiccorpus/"
_ARCHIVES = (
    "20030228_easy_ham.tar.bz2",
    "20030228_easy_ham_2.tar.bz2",
    "20030228_hard_ham.tar.bz2",
    "20030228_spam.tar.bz2",
    "20050311_spam_2.tar.bz2",
)
_KEPT = 20_000  # characters of a message
# A personal message filed as spam; later issues of the corpus have it set aside.
_MISFILED = "00529."


def fetch_spamassassin() -> Bunch:
    """Load the SpamAssassin public corpus, in the order of its base file names.

    The file names (a number, a dot, a digest) number each folder by arrival; their order mixes ham and
    spam, while an order by folder would put all ham first. Messages are cut after 20,000 characters.

    Returns
    -------
    Bunch
        ``data`` (list of bytes: the raw messages), ``target`` (1 = ham, 0 = spam), ``target_names``,
        ``split`` (None: there is none), ``ids`` (folder/file name), ``folders``, ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_spamassassin
    >>> mail = fetch_spamassassin()  # doctest: +SKIP
    >>> len(mail.data), mail.target.sum()  # doctest: +SKIP
    (6046, 4150)
    """
    loaded = load(SPAMASSASSIN)
    with blaming(loaded):
        records = sorted(loaded.contents[0], key=lambda r: r["id"].rpartition("/")[2])
        return make_bunch(
            SPAMASSASSIN,
            loaded,
            data=[r["raw"].encode("latin-1") for r in records],
            target=np.array([r["label"] == "ham" for r in records], dtype=np.intp),
            target_names=["spam", "ham"],
            rows={"ids": [r["id"] for r in records], "folders": [r["folder"] for r in records]},
        )


def parse_archive(archive: tarfile.TarFile) -> list[dict[str, Any]]:
    """Read one archive of the corpus: a folder with a file for each message, and a file ``cmds``."""
    records = []
    for name, content in members(archive):
        path = PurePosixPath(name)
        folder = path.parent.name
        misfiled = folder == "spam_2" and path.name.startswith(_MISFILED)
        if path.name == "cmds" or misfiled:
            continue
        records.append(
            {
                "id": f"{folder}/{path.name}",
                "folder": folder,
                "label": "ham" if "ham" in folder else "spam",
                "raw": normal_text(content)[:_KEPT],
            }
        )
    return records


def _build(folder: Path) -> tuple[list[dict[str, Any]]]:
    records = []
    for name in _ARCHIVES:
        with tarfile.open(download(BASE_URL + name, folder)) as archive:
            records += parse_archive(archive)
    return (sorted(records, key=lambda r: r["id"]),)


def _count(records: list[dict[str, Any]]) -> Counts:
    bodies = [r["raw"].partition("\n\n")[2].strip() for r in records]
    return {
        "messages": len(records),
        **Counter(r["label"] for r in records),
        **Counter(r["folder"] + " folder" for r in records),
        "messages cut": sum(len(r["raw"]) >= _KEPT for r in records),
        "repeated bodies": len(bodies) - len(set(bodies)),
    }


SPAMASSASSIN = DataSet(
    name="spamassassin",
    title="SpamAssassin public corpus: 4,150 ham and 1,896 spam messages.",
    source=BASE_URL,
    terms="For testing spam filters; text belongs to the senders.",
    copies=(
        Copy(
            files=("spamassassin/spamassassin.jsonl.xz",),
            fields=("id", "folder", "label", "raw"),
            count=_count,
            build=_build,
            published={
                "messages": 6046,
                "ham": 4150,
                "spam": 1896,
                "easy_ham folder": 2500,
                "easy_ham_2 folder": 1400,
                "hard_ham folder": 250,
                "spam folder": 500,
                "spam_2 folder": 1396,
            },
            peculiar={"messages cut": 230, "repeated bodies": 195},
            differs="The corpus readme says 6,047 messages with 1,397 in spam_2: one of them (00529) is "
            "personal ham and is left out. Messages are cut after 20,000 characters.",
        ),
    ),
)
