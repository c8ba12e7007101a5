"""CiteSeer: papers with their words and citations."""

import tarfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import Bunch

from lopsided.datasets._bunch import make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._download import download, members
from lopsided.datasets._layout import Arrays, Copy, Counts, DataSet

URL = "https://linqs-data.soe.ucsc.edu/public/lbc/citeseer.tgz"
_CLASSES = ("Agents", "AI", "DB", "IR", "ML", "HCI")


def fetch_citeseer() -> Bunch:
    """Load CiteSeer: 3,312 papers by 3,703 binary words.

    The rows may be sorted by class: shuffle them before a split.

    Returns
    -------
    Bunch
        ``data`` (CSR matrix of 0 and 1), ``target`` (index into ``target_names``), ``target_names``,
        ``split`` (None: there is none), ``edges`` (pairs of rows, one for each citation), ``provenance``,
        ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_citeseer
    >>> papers = fetch_citeseer()  # doctest: +SKIP
    >>> papers.data.shape  # doctest: +SKIP
    (3312, 3703)
    """
    loaded = load(CITESEER)
    with blaming(loaded):
        arrays = loaded.contents[0]
        ones = np.ones(len(arrays["doc"]))
        shape = (int(arrays["shape"][0]), int(arrays["shape"][1]))
        data = csr_matrix((ones, (arrays["doc"].astype(np.intp), arrays["word"].astype(np.intp))), shape)
        return make_bunch(
            CITESEER,
            loaded,
            data=data,
            target=arrays["y"].astype(np.intp),
            target_names=list(_CLASSES),
            edges=arrays["edges"].astype(np.intp),
        )


def parse_files(content: str, cites: str) -> Arrays:
    """Read the two files: paper, words, class on a line; cited and citing paper on a line.

    Citations of papers outside the set and repeated ones are left out.

    Examples
    --------
    >>> arrays = parse_files("p1 0 1 DB\\np2 1 1 AI\\n", "p1 p2\\np1 elsewhere\\n")
    >>> arrays["doc"], arrays["word"], arrays["y"], arrays["edges"]
    (array([0, 1, 1]), array([1, 0, 1]), array([2, 1]), array([[0, 1]]))
    """
    rows = [line.split() for line in content.splitlines() if line.strip()]
    words = np.array([row[1:-1] for row in rows], dtype=np.uint8)
    doc, word = words.nonzero()
    position = {row[0]: i for i, row in enumerate(rows)}
    pairs = (line.split() for line in cites.splitlines() if line.strip())
    # A dict keeps the order and drops the repeated ones.
    edges = dict.fromkeys((position[a], position[b]) for a, b in pairs if a in position and b in position)
    return {
        "doc": doc,
        "word": word,
        "y": np.array([_CLASSES.index(row[-1]) for row in rows]),
        "edges": np.array(list(edges), dtype=np.intp).reshape(-1, 2),
        "shape": np.array(words.shape),
    }


def _build(folder: Path) -> tuple[Arrays]:
    with tarfile.open(download(URL, folder)) as archive:
        files = {name.rsplit(".", 1)[-1]: content for name, content in members(archive)}
    return (parse_files(files["content"].decode("ascii"), files["cites"].decode("ascii")),)


def _count(arrays: Arrays) -> Counts:
    return {
        "documents": len(arrays["y"]),
        "words": int(arrays["shape"][1]),
        "ones": len(arrays["doc"]),
        "links": len(arrays["edges"]),
        **{name: int((arrays["y"] == i).sum()) for i, name in enumerate(_CLASSES)},
    }


CITESEER = DataSet(
    name="citeseer",
    title="CiteSeer: 3,312 papers in six classes, 3,703 binary words, citations.",
    source=URL,
    terms="LINQS CiteSeer; no formal licence, research use.",
    copies=(
        Copy(
            files=("citeseer/citeseer.npz",),
            fields=("doc", "word", "y", "edges", "shape"),
            count=_count,
            build=_build,
            published={
                "documents": 3312,
                "words": 3703,
                "ones": 105165,
                "Agents": 596,
                "AI": 249,
                "DB": 701,
                "IR": 668,
                "ML": 590,
                "HCI": 508,
            },
            peculiar={"links": 4714},
            differs="4,732 links are published; 4,714 are here, presumably without those to papers "
            "outside the set. The original paper ids are not kept.",
        ),
    ),
)
