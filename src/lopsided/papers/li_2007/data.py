"""Collections of documents, and draws of known documents, and of those that are to be judged."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from lopsided.experiments import Published
from lopsided.problems.newsgroups import read_subjects_and_bodies
from lopsided.problems.reuters import read_single_topic_stories

TABLE1, TEN_CLASSES = (Published.read(__package__, name) for name in ("table1", "ten_classes"))
ROWS = TABLE1.labels("data")
QUICK_ROWS = ("graphic-crypt", "os-med", "mac.hardware-space")
PROTOCOLS = ("A", "B")
SMALL = 5  # percent: the share of unexpected documents in Table 1
NEWSGROUPS, REUTERS = "newsgroups", "reuters"
TEN = TEN_NEWSGROUPS, TEN_REUTERS = "ten of 20 newsgroups", "ten of reuters"
_IN_A = 3  # documents of the collection that a word of protocol A is in, at least
_TRAIN = 0.7  # share of each known class that is known, the rest is to be judged
_GROUPS = {
    "graphic": "comp.graphics",
    "os": "comp.os.ms-windows.misc",
    "mac.hardware": "comp.sys.mac.hardware",
    "ibm.hardware": "comp.sys.ibm.pc.hardware",
    "windows": "comp.windows.x",
    "crypt": "sci.crypt",
    "electro": "sci.electronics",
    "electronics": "sci.electronics",
    "med": "sci.med",
    "space": "sci.space",
}


@dataclass(frozen=True, eq=False)
class Collection:
    """Documents of many classes, each of one."""

    counts: Mapping[str, csr_matrix]
    """How often each word occurs, for each protocol."""
    target: NDArray[np.intp]
    names: Sequence[str]

    @classmethod
    def of(cls, texts: Iterable[str], target: NDArray[np.intp], names: Sequence[str]) -> "Collection":
        """Count the words of texts."""
        everything = CountVectorizer(stop_words="english", dtype=np.float64).fit_transform(texts)
        n_documents = np.bincount(everything.indices, minlength=everything.shape[1])
        return cls({"A": everything[:, n_documents >= _IN_A], "B": everything}, target, names)


@cache
def load(name: str) -> Collection:
    """Read a collection; a process reads and counts each once."""
    return SOURCES[name]()


SOURCES: dict[str, Callable[[], Collection]] = {
    NEWSGROUPS: lambda: Collection.of(*read_subjects_and_bodies()),
    REUTERS: lambda: Collection.of(*read_single_topic_stories()),
}


@dataclass(frozen=True, eq=False)
class SetUp:
    """Known documents P, documents U to be judged, and which of these are unexpected."""

    key: tuple[str, str, int]
    """Data, protocol and seed: what the known documents depend on."""
    counts: csr_matrix
    """P, then U."""
    classes: NDArray[np.intp]
    """Of P."""
    truth: NDArray[np.bool_]
    """Of U, whether it is unexpected: what a method must not see."""

    @property
    def seed(self) -> int:
        """Of the set-up, and of what a method draws."""
        return self.key[-1]

    @property
    def n_known(self) -> int:
        """How many documents P has."""
        return len(self.classes)

    @property
    def y(self) -> NDArray[np.intp]:
        """Classes of P, -1 for U."""
        return np.concatenate([self.classes, np.full(len(self.truth), -1)])

    @property
    def is_known(self) -> NDArray[np.int64]:
        """1 for P, 0 for U."""
        return (self.y != -1).astype(int)

    @cached_property
    def tfidf(self) -> csr_matrix:
        """P, then U, in rows of unit length."""
        return TfidfTransformer().fit(self.counts[: self.n_known]).transform(self.counts)


def draw(data: str, share: float, protocol: str, seed: int) -> SetUp:
    """Return a random set-up: a row of Table 1, one with a "+" for a third class, or one of ``TEN``."""
    collection = load(REUTERS if data == TEN_REUTERS else NEWSGROUPS)
    rng = np.random.default_rng([seed, *data.encode()])
    classes = _known_classes(data, collection, rng)
    known, new = [], []
    for label in classes:
        rows = rng.permutation(np.flatnonzero(collection.target == label))
        n_known = round(_TRAIN * len(rows))
        known.append(rows[:n_known])
        new.append(rows[n_known:])
    P, expected = np.concatenate(known), np.concatenate(new)
    others = rng.permutation(np.flatnonzero(~np.isin(collection.target, classes)))
    unexpected = others[: round(share / 100 * len(expected))]
    X = collection.counts[protocol]
    return SetUp(
        key=(data, protocol, seed),
        counts=vstack([X[P], X[expected], X[unexpected]], format="csr"),
        classes=collection.target[P],
        truth=np.repeat([False, True], [len(expected), len(unexpected)]),
    )


def _known_classes(data: str, collection: Collection, rng: np.random.Generator) -> list[int]:
    if data == TEN_REUTERS:
        return np.argsort(-np.bincount(collection.target), kind="stable")[:10].tolist()
    if data == TEN_NEWSGROUPS:
        return rng.permutation(len(collection.names))[:10].tolist()
    row = data.removesuffix("+")
    if row not in ROWS:
        raise ValueError(f"no data {data!r} in this paper. Choose one of {', '.join(ROWS)}.")
    pair = [collection.names.index(_GROUPS[part]) for part in row.split("-")]
    if data != row:
        pair.append(int(rng.choice(np.setdiff1d(np.arange(len(collection.names)), pair))))
    return pair
