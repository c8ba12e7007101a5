"""WebKB: pages of computer science departments, 1997."""

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

URL = "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/webkb-data.gtar.gz"
_KEPT = 20_000  # characters of a page
_CATEGORIES = ("course", "department", "faculty", "other", "project", "staff", "student")


def fetch_webkb() -> Bunch:
    """Load the WebKB pages.

    Each page begins with its HTTP header, then an empty line, then HTML; the header is kept, strip it
    where dates and server names would mislead. Pages are cut after 20,000 characters.

    Returns
    -------
    Bunch
        ``data`` (list of str), ``target`` (index into ``target_names``), ``target_names``, ``split``
        (None: the custom is to leave one university out), ``universities``, ``urls``, ``n_bytes``,
        ``ids``, ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_webkb
    >>> pages = fetch_webkb()  # doctest: +SKIP
    >>> pages.target_names[pages.target[0]], pages.universities[0]  # doctest: +SKIP
    ('course', 'cornell')
    """
    loaded = load(WEBKB)
    with blaming(loaded):
        records = loaded.contents[0]
        position = {name: i for i, name in enumerate(_CATEGORIES)}
        return make_bunch(
            WEBKB,
            loaded,
            data=[r["raw"] for r in records],
            target=np.array([position[r["category"]] for r in records], dtype=np.intp),
            target_names=list(_CATEGORIES),
            rows={
                "universities": np.array([r["university"] for r in records]),
                "urls": [r["url"] for r in records],
                "n_bytes": np.array([r["n_bytes"] for r in records]),
                "ids": np.array([r["id"] for r in records]),
            },
        )


def parse_archive(archive: tarfile.TarFile) -> list[dict[str, Any]]:
    """Read the archive: ``webkb/category/university/`` and the address with ``^`` for ``/`` as file name."""
    records: list[dict[str, Any]] = []
    for name, content in members(archive):
        path = PurePosixPath(name)
        if len(path.parts) >= 3 and path.parts[-3] in _CATEGORIES:
            records.append(
                {
                    "category": path.parts[-3],
                    "university": path.parts[-2],
                    "url": path.name.replace("^", "/"),
                    "raw": normal_text(content)[:_KEPT],
                    "n_bytes": len(content),
                }
            )
    records.sort(key=lambda r: (r["category"], r["university"], r["url"]))
    return [{"id": i, **record} for i, record in enumerate(records)]


def _build(folder: Path) -> tuple[list[dict[str, Any]]]:
    with tarfile.open(download(URL, folder)) as archive:
        return (parse_archive(archive),)


def _count(records: list[dict[str, Any]]) -> Counts:
    bodies = [r["raw"].partition("\n\n")[2] for r in records]
    return {
        "pages": len(records),
        **Counter(r["category"] for r in records),
        **Counter(r["university"] for r in records),
        "pages cut": sum(len(r["raw"]) >= _KEPT for r in records),
        "repeated bodies": len(bodies) - len(set(bodies)),
    }


WEBKB = DataSet(
    name="webkb",
    title="WebKB: 8,282 pages of computer science departments in seven categories.",
    source=URL,
    terms="CMU World Wide Knowledge Base project; no formal licence, research use.",
    copies=(
        Copy(
            files=("webkb/webkb.jsonl.xz",),
            fields=("id", "category", "university", "url", "raw", "n_bytes"),
            count=_count,
            build=_build,
            published={
                "pages": 8282,
                "other": 3764,
                "student": 1641,
                "faculty": 1124,
                "course": 930,
                "project": 504,
                "department": 182,
                "staff": 137,
                "cornell": 867,
                "texas": 827,
                "washington": 1205,
                "wisconsin": 1263,
                "misc": 4120,
            },
            peculiar={"pages cut": 235, "repeated bodies": 29},
            differs="Nothing: the counts agree. Pages are cut after 20,000 characters.",
        ),
    ),
)
