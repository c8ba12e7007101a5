"""Collections of documents, and draws of known documents, and of those that are to be judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from lopsided.experiments import Published, check_name, read_texts
from lopsided.problems import PositiveUnlabeled
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
_GROUPS = read_texts(__package__, "names.toml")["groups"]


class Collection(NamedTuple):
    """Documents of many classes, each of one."""

    counts: Mapping[str, csr_matrix]
    """How often each word occurs, for each protocol."""
    target: NDArray[np.intp]
    names: Sequence[str]


@cache
def load(name: str) -> Collection:
    """Read a collection; a process reads and counts each once."""
    texts, target, names = (read_single_topic_stories if name == REUTERS else read_subjects_and_bodies)()
    return Collection(count_words(texts), target, names)


def count_words(texts: Iterable[str]) -> dict[str, csr_matrix]:
    """Return how often each word occurs in each text, for each protocol."""
    everything = CountVectorizer(stop_words="english", dtype=np.float64).fit_transform(texts)
    n_documents = np.bincount(everything.indices, minlength=everything.shape[1])
    return {"A": everything[:, n_documents >= _IN_A], "B": everything}


@dataclass(frozen=True, eq=False)
class SetUp(PositiveUnlabeled):
    """Known documents P and documents U to be judged: how often each word occurs, and what is unexpected."""

    classes: NDArray[np.intp]
    """Classes of the rows of P."""
    data: str
    protocol: str
    seed: int
    """Seed of the set-up and of what a method draws; with data and protocol, all that P depends on."""

    @property
    def y(self) -> NDArray[np.intp]:
        """Classes of P, -1 for U."""
        return np.concatenate([self.classes, np.full(len(self.truth), -1)])

    @cached_property
    def tfidf(self) -> PositiveUnlabeled:
        """The same documents in rows of unit length."""
        return PositiveUnlabeled(TfidfTransformer().fit(self.P).transform(self.X), self.truth)


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
    truth = np.repeat([False, True], [len(expected), len(unexpected)])
    documents = vstack([X[P], X[expected], X[unexpected]], format="csr")
    return SetUp(documents, truth, collection.target[P], data, protocol, seed)


def _known_classes(data: str, collection: Collection, rng: np.random.Generator) -> list[int]:
    if data == TEN_REUTERS:
        return np.argsort(-np.bincount(collection.target), kind="stable")[:10].tolist()
    if data == TEN_NEWSGROUPS:
        return rng.permutation(len(collection.names))[:10].tolist()
    row = data.removesuffix("+")
    check_name("data", row, ROWS)
    pair = [collection.names.index(_GROUPS[part]) for part in row.split("-")]
    if data != row:
        pair.append(int(rng.choice(np.setdiff1d(np.arange(len(collection.names)), pair))))
    return pair
