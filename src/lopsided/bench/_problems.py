"""Two-class problems on real data for the rows of the speed table; a process reads each once."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler, normalize

from lopsided.datasets import fetch_covtype, fetch_mnist, fetch_reuters21578, fetch_uci, fetch_usps


class Problem(NamedTuple):
    """Rows in float32, labels 0 and 1, more to test on, and the parameters of an SVM with an rbf kernel."""

    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    C: float
    gamma: float

    def head(self, n: int) -> "Problem":
        """The same problem with the first n rows."""
        return self._replace(X=self.X[:n], y=self.y[:n])


@cache
def mnist_8() -> Problem:
    """The digit 8 against the others, pixels between 0 and 1."""
    train, test = (fetch_mnist(subset=side) for side in ("train", "test"))
    X, X_test = (digits.data.astype(np.float32) / np.float32(255) for digits in (train, test))
    return Problem(X, _ones(train.target == 8), X_test, _ones(test.target == 8), C=1000, gamma=0.02)


@cache
def usps_0() -> Problem:
    """The digit 0 against the others, rows of unit length."""
    train, test = (fetch_usps(subset=side) for side in ("train", "test"))
    X, X_test = (normalize((digits.data + 1) / 2).astype(np.float32) for digits in (train, test))
    return Problem(X, _ones(train.target == 0), X_test, _ones(test.target == 0), C=1000, gamma=2)


@cache
def adult() -> Problem:
    """Incomes above 50,000; a word is an indicator, a number that of its fifth of the rows (as in a9a)."""
    table = fetch_uci("adult")
    train = table.split == "train"
    blocks = []
    for name, column in zip(table.feature_names, table.data.T, strict=True):
        known = np.flatnonzero(~np.isnan(column))  # a missing cell is a row of zeros
        values = column[known]
        if name in table.categories:
            codes = values.astype(int)
        elif name.startswith("capital"):  # mostly 0
            codes = (values > 0).astype(int)
        else:
            codes = np.searchsorted(np.unique(np.nanquantile(column[train], [0.2, 0.4, 0.6, 0.8])), values)
        ones = np.ones(len(known), dtype=np.float32)
        blocks.append(csr_matrix((ones, (known, codes)), (len(column), codes.max() + 1)))
    X, y = hstack(blocks, format="csr"), _ones(table.target == table.target_names.index(">50K"))
    return Problem(X[train], y[train], X[~train], y[~train], C=100, gamma=0.005)


@cache
def letters() -> Problem:
    """The first half of the alphabet against the second, features between 0 and 1."""
    table = fetch_uci("letter")
    X = (table.data / 15).astype(np.float32)
    y = _ones(np.array(table.target_names)[table.target] <= "M")
    return Problem(X[:10_000], y[:10_000], X[10_000:], y[10_000:], C=10, gamma=8)


def reuters(topic: str, C: float, gamma: float) -> Problem:
    """One topic of the 90-category subset of Reuters-21578 against the rest, tf-idf of unit length."""
    X, topics, X_test, topics_test, names = _reuters()
    column = names.index(topic)
    y, y_test = (_ones(all_[:, [column]].toarray().ravel() > 0) for all_ in (topics, topics_test))
    return Problem(X, y, X_test, y_test, C, gamma)


@cache
def _reuters() -> tuple[Any, Any, Any, Any, list[str]]:
    train, test = (fetch_reuters21578(subset=side, categories="90") for side in ("train", "test"))
    words = TfidfVectorizer(min_df=5, dtype=np.float32)
    X, X_test = words.fit_transform(train.data), words.transform(test.data)
    return X, train.target.tocsc(), X_test, test.target.tocsc(), train.target_names


@cache
def forest(kind: str = "Lodgepole Pine") -> Problem:
    """A million rows of forest in random order, one kind of tree against the rest, standardised.

    There are 581,012; further ones are copies of them, moved a little.
    """
    table = fetch_covtype()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(table.target))
    n = len(order)
    order = np.concatenate([order, order[: 1_000_000 - n]])
    X = StandardScaler().fit_transform(table.data)[order]
    X[n:] += rng.normal(scale=0.05, size=X[n:].shape).astype(np.float32)
    y = _ones(table.target[order] == table.target_names.index(kind))
    return Problem(X, y, X[:0], y[:0], C=10, gamma=1 / 54)


def _ones(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    return mask.astype(np.int64)
