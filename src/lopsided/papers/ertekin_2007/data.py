"""Data of the paper: a rare class against the rest, with the parameters of the machine."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from lopsided.datasets import (
    fetch_citeseer,
    fetch_mnist,
    fetch_reuters21578,
    fetch_uci,
    fetch_usps,
    make_waveform,
)
from lopsided.experiments import Published

TABLE1, TABLE2, TABLE3, TABLE4, FIGURE2, FIGURE7 = (
    Published.read(__package__, name)
    for name in ("table1", "table2", "table3", "table4", "figure2", "figure7")
)
Split = tuple[Any, NDArray[Any], Any, NDArray[Any]]
"""X_train, y_train, X_test, y_test."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A rare class (1) against the rest (0), already split, with the parameters of the machine."""

    name: str
    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    C: float
    gamma: float

    @property
    def n_train(self) -> int:
        """Number of training examples."""
        return len(self.y_train)

    @property
    def ratio(self) -> float:
        """Negatives for each positive in the training set."""
        n_positive = int(self.y_train.sum())
        return (self.n_train - n_positive) / n_positive


@dataclass(frozen=True)
class Source:
    """How to read a problem, and what is known of it before that."""

    group: str
    """The collection that it is from."""
    read: Callable[[], Split]
    C: float
    gamma: float
    deviation: str = ""
    """What differs from the paper's data."""


@cache
def load(name: str) -> Problem:
    """Read a problem of ``SOURCES``; a process reads each once."""
    if name not in SOURCES:
        raise ValueError(f"no problem {name!r} in this paper. Choose one of {', '.join(SOURCES)}.")
    source = SOURCES[name]
    return Problem(name, *source.read(), C=source.C, gamma=source.gamma)


@cache
def _reuters_words() -> tuple[Any, Any, Any, Any, list[str]]:
    train, test = (fetch_reuters21578(subset=side, categories="90") for side in ("train", "test"))
    # Words of five documents or more are 8,387, the nearest a plain cut comes to the 8,315 of the paper.
    words = TfidfVectorizer(min_df=5)
    X_train, X_test = words.fit_transform(train.data), words.transform(test.data)
    return X_train, train.target.tocsc(), X_test, test.target.tocsc(), train.target_names


def read_reuters(topic: str) -> Split:
    """Read a topic of Reuters-21578; all topics share their matrices."""
    X_train, topics_train, X_test, topics_test, names = _reuters_words()
    j = names.index(topic)
    return X_train, topics_train[:, [j]].toarray().ravel(), X_test, topics_test[:, [j]].toarray().ravel()


def _read_citeseer(name: str) -> Split:
    papers = fetch_citeseer()
    X = normalize(papers.data)
    y = (papers.target == papers.target_names.index(name)).astype(int)
    return hold_out(X, y, *(round(n * 2 / 3) for n in np.bincount(y)))


def _read_citeseer_fold(fold: int) -> Split:
    """Train on two thirds of the training set of DB, test on the other."""
    whole = load("citeseer-db")
    X, y = whole.X_train, whole.y_train
    held_out = np.arange(len(y)) % 3 == fold  # the rows are in random order already
    return X[~held_out], y[~held_out], X[held_out], y[held_out]


def _read_abalone() -> Split:
    table = fetch_uci("abalone")
    sex, measures = table.data[:, 0].astype(int), table.data[:, 1:]
    return hold_out(np.hstack([np.eye(3)[sex], measures]), (table.target == 7).astype(int), 3407, 352)


def read_letter(letter: str) -> Split:
    """Read a letter; the first 18,000 rows train."""
    table = fetch_uci("letter")
    X, y = table.data, (table.target == table.target_names.index(letter)).astype(int)
    return X[:18000], y[:18000], X[18000:], y[18000:]


def read_satimage(soil: str) -> Split:
    """Read a kind of soil in its own split."""
    table = fetch_uci("satimage")
    y, train = (table.target == table.target_names.index(soil)).astype(int), table.split == "train"
    return table.data[train], y[train], table.data[~train], y[~train]


def read_usps(digit: int) -> Split:
    """Read a digit of USPS in rows of unit length."""
    train, test = (fetch_usps(subset=side) for side in ("train", "test"))
    # On grey levels as they are, gamma = 2 makes every image its own island (the kernel is the identity).
    X_train, X_test = (normalize((digits.data + 1) / 2) for digits in (train, test))
    return X_train, (train.target == digit).astype(int), X_test, (test.target == digit).astype(int)


def read_mnist(digit: int) -> Split:
    """Read a digit of MNIST, pixels between 0 and 1 in single precision."""
    train, test = (fetch_mnist(subset=side) for side in ("train", "test"))
    X_train, X_test = (digits.data.astype(np.float32) / np.float32(255) for digits in (train, test))
    return X_train, (train.target == digit).astype(int), X_test, (test.target == digit).astype(int)


@cache
def _adult_indicators() -> Split:
    """Every word an indicator, every number the indicator of its fifth of the training rows (as in a9a)."""
    table = fetch_uci("adult")
    train = table.split == "train"
    blocks = []
    for name, column in zip(table.feature_names, table.data.T, strict=True):
        known = ~np.isnan(column)  # a missing cell is a row of zeros
        if name in table.categories:
            code, width = np.where(known, column, 0).astype(int), len(table.categories[name])
        elif name.startswith("capital"):
            code, width = (column > 0).astype(int), 2
        else:
            edges = np.unique(np.quantile(column[train], [0.2, 0.4, 0.6, 0.8]))
            code, width = np.searchsorted(edges, column), len(edges) + 1
        rows = np.flatnonzero(known)
        blocks.append(csr_matrix((np.ones(len(rows)), (rows, code[rows])), (len(column), width)))
    X, y = hstack(blocks, format="csr"), (table.target == table.target_names.index(">50K")).astype(int)
    return X[train], y[train], X[~train], y[~train]


def _read_adult(ratio: int) -> Split:
    X_train, y_train, X_test, y_test = _adult_indicators()
    keep = thin(y_train, ratio) if ratio > 3 else np.arange(len(y_train))
    return X_train[keep], y_train[keep], X_test, y_test


def _read_waveform(ratio: int) -> Split:
    X, wave = make_waveform(10_000, random_state=_DATA_SEED)
    y = (wave == 1).astype(int)
    keep = thin(y[:5000], ratio)
    return X[keep], y[keep], X[5000:], y[5000:]


_DATA_SEED = 2007  # data are the same in every run: runs differ in what methods draw


def hold_out(X: Any, y: NDArray[Any], n_negative: int, n_positive: int) -> Split:
    """Draw so many training examples of each class, in random order; the others test."""
    generator = np.random.default_rng(_DATA_SEED)
    order = generator.permutation(len(y))
    place = np.empty(len(y), dtype=int)  # of each example among those of its class, in this order
    for label in (0, 1):
        mine = order[y[order] == label]
        place[mine] = np.arange(len(mine))
    is_train = place[order] < np.array([n_negative, n_positive])[y[order]]
    train, test = order[is_train], order[~is_train]
    return X[train], y[train], X[test], y[test]


def thin(y: NDArray[Any], ratio: int) -> NDArray[np.intp]:
    """Return the rows that stay when positives are removed at random: ``ratio`` negatives for each.

    The positives of a large ratio are among those of a smaller one.
    """
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_positive = min(round(len(negative) / ratio), len(positive))
    kept = np.random.default_rng(_DATA_SEED).permutation(positive)[:n_positive]
    return np.sort(np.concatenate([negative, kept]))


_OWN_WORDS = "Weighting of words not stated: tf-idf of unit length, 8,387 words for 8,315. "
_LINQS = (
    "A substitute: the LINQS set, one of its six classes against the rest, binary words of unit length, two "
    "thirds to train."
)
_UNSCALED = "Scaling not stated: none."
_NOT_PRINTED = "C and gamma are not printed. "
_THINNED = "Positives removed from the training set only; the test set stays as it is. "

_OF_TABLES: dict[str, Source] = {
    **{
        topic: Source("Reuters", partial(read_reuters, topic), C, gamma, _OWN_WORDS + more)
        for topic, C, gamma, more in [
            ("corn", 1, 0.5, "C and gamma not printed: those of wheat."),
            ("crude", 2, 1, ""),
            ("grain", 2, 1, ""),
            ("interest", 1, 2, ""),
            ("money-fx", 1, 0.5, ""),
            ("ship", 1, 0.5, ""),
            ("trade", 2, 1, "C and gamma not printed: those of grain."),
            ("wheat", 1, 0.5, ""),
        ]
    },
    **{
        f"citeseer-{name.lower()}": Source("CiteSeer", partial(_read_citeseer, name), 50, 0.1, _LINQS)
        for name in ("Agents", "AI", "DB", "IR", "ML", "HCI")
    },
    "abalone-7": Source(
        "UCI",
        _read_abalone,
        100,
        0.01,
        "8 attributes (sex as three indicators); the paper's ninth is most likely the ring count itself.",
    ),
    "letter-a": Source("UCI", partial(read_letter, "A"), 10, 0.01, _UNSCALED),
    "satimage": Source("UCI", partial(read_satimage, "4"), 50, 0.001, _UNSCALED),
    "usps": Source(
        "USPS",
        partial(read_usps, 0),
        1000,
        2,
        "The standard split (1,194 of 7,291); the paper has 1,232 of 7,329 and does not name the digit: 0 "
        "fits best. Rows of unit length.",
    ),
    "mnist-8": Source("MNIST", partial(read_mnist, 8), 1000, 0.02, "All 784 pixels, 4 of them always 0."),
}
ADULTS = {
    f"adult-{ratio}": Source("Adult", partial(_read_adult, ratio), 100, 0.005, _NOT_PRINTED + more)
    for ratio, more in [(3, ""), (10, _THINNED), (20, _THINNED), (30, _THINNED)]
}
WAVEFORMS = {
    f"waveform-{ratio}": Source(
        "Waveform",
        partial(_read_waveform, ratio),
        1,
        0.05,
        _NOT_PRINTED + _THINNED + "5,000 rows each; the second of the three classes is the positive.",
    )
    for ratio in (2, 4, 8, 16, 32)
}
FOLDS = {
    f"citeseer-db-fold-{fold + 1}": Source(
        "CiteSeer", partial(_read_citeseer_fold, fold), 50, 0.1, _LINQS + " DB stands in for COMM."
    )
    for fold in range(3)
}
SOURCES: dict[str, Source] = _OF_TABLES | ADULTS | WAVEFORMS | FOLDS
ROWS = tuple(_OF_TABLES)
QUICK_ROWS = tuple(name for name in ROWS if name != "mnist-8")
