"""Collections of documents, and draws of known documents, and of those that are to be judged."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import product, starmap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from lopsided.experiments import Published, check_name, read_texts
from lopsided.problems import PositiveUnlabeled, Texts
from lopsided.problems.newsgroups import read_subjects_and_bodies
from lopsided.problems.reuters import read_single_topic_stories
from lopsided.text._porter import porter_stems

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


class Words(NamedTuple):
    """The words of a collection that are counted."""

    headers: bool = False
    """Whether those of all headers are, or of the subject alone."""
    stems: bool = False
    """Whether words of one stem are one word."""
    least: int = 1
    """Documents of the collection that a word is in, at least."""
    most: float = 1.0
    """Share of the documents of the collection that a word is in, at most."""

    def __str__(self) -> str:
        """Return how they differ from those of protocol A."""
        told = {
            "headers": self.headers,
            "stems": self.stems,
            f"df >= {self.least}": self.least != _IN_A,
            f"df <= {100 * self.most:g} %": self.most < 1,
        }
        return ", ".join(["A", *(name for name, is_so in told.items() if is_so)])


READ = read_texts(__package__, "readings.toml")
_VOCABULARIES = starmap(Words, product(*READ["words"].values()))
VOCABULARIES = {"B": Words(), **{str(words): words for words in _VOCABULARIES}}


@cache
def load(name: str) -> Texts:
    """Read a collection of documents of many classes, each of one; a process reads each once."""
    return (read_single_topic_stories if name == REUTERS else read_subjects_and_bodies)()


@lru_cache(maxsize=4)
def count(name: str, protocol: str) -> csr_matrix:
    """Return how often each word of a protocol occurs in each document of a collection."""
    words = VOCABULARIES[protocol]
    occurring = _occurring(name, words.headers, words.stems)
    n_documents = np.bincount(occurring.indices, minlength=occurring.shape[1])
    return occurring[:, (n_documents >= words.least) & (n_documents <= words.most * occurring.shape[0])]


@lru_cache(maxsize=2)
def _occurring(name: str, headers: bool, stems: bool) -> csr_matrix:
    texts = read_subjects_and_bodies(headers=True).texts if headers else load(name).texts
    return count_words(texts, stems=stems)


def count_words(texts: Iterable[str], *, stems: bool = False) -> csr_matrix:
    """Return how often each word, or stem, occurs in each text."""
    vectorizer = CountVectorizer(stop_words="english", dtype=np.float64)
    counts = vectorizer.fit_transform(texts)
    if not stems:
        return counts
    stem_of = porter_stems(vectorizer.get_feature_names_out().tolist())
    columns = np.unique(stem_of, return_inverse=True)[1]
    return counts @ csr_matrix((np.ones(len(columns)), (np.arange(len(columns)), columns)))


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
    name = REUTERS if data == TEN_REUTERS else NEWSGROUPS
    collection, X = load(name), count(name, protocol)
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
    truth = np.repeat([False, True], [len(expected), len(unexpected)])
    documents = vstack([X[P], X[expected], X[unexpected]], format="csr")
    return SetUp(documents, truth, collection.target[P], data, protocol, seed)


def _known_classes(data: str, collection: Texts, rng: np.random.Generator) -> list[int]:
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
