"""Two-class problems on real data for the rows of the speed table, in single precision."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.problems import Split
from lopsided.problems.covtype import read_million
from lopsided.problems.digits import read_mnist, read_usps
from lopsided.problems.reuters import read_tfidf
from lopsided.problems.uci import read_adult, read_letters


class SpeedProblem(NamedTuple):
    """Rows in float32, labels 0 and 1, more to test on, and the parameters of an SVM with an rbf kernel."""

    X: Any
    y: NDArray[np.int64]
    X_test: Any
    y_test: NDArray[np.int64]
    C: float
    gamma: float

    def head(self, n: int) -> "SpeedProblem":
        """Return the same problem with the first n training rows."""
        return self._replace(X=self.X[:n], y=self.y[:n])


@cache
def mnist_8() -> SpeedProblem:
    """Return the digit 8 of MNIST against the others."""
    return _problem(read_mnist().one_class(8), C=1000, gamma=0.02)


@cache
def usps_0() -> SpeedProblem:
    """Return the digit 0 of USPS against the others."""
    return _problem(read_usps().one_class(0), C=1000, gamma=2)


@cache
def adult() -> SpeedProblem:
    """Return incomes above 50,000 against the others."""
    return _problem(read_adult(), C=100, gamma=0.005)


@cache
def letters() -> SpeedProblem:
    """Return the first half of the alphabet against the second."""
    X, letter = read_letters()
    y = _ones(letter <= "M")
    return _problem(Split(X[:10_000], y[:10_000], X[10_000:], y[10_000:]), C=10, gamma=8)


def reuters(topic: str, C: float, gamma: float) -> SpeedProblem:
    """Return one topic of the 90-topic subset of Reuters-21578 against the rest."""
    train, test, _ = read_tfidf(np.float32)
    return SpeedProblem(
        train.documents, _ones(train.labels(topic)), test.documents, _ones(test.labels(topic)), C, gamma
    )


@cache
def forest(kind: str = "Lodgepole Pine") -> SpeedProblem:
    """Return a million rows of forest, one kind of tree against the rest."""
    X, kinds = read_million()
    y = _ones(kinds == kind)
    return SpeedProblem(X, y, X[:0], y[:0], C=10, gamma=1 / 54)


def _problem(split: Split, C: float, gamma: float) -> SpeedProblem:
    X, X_test = (rows.astype(np.float32, copy=False) for rows in (split.X_train, split.X_test))
    return SpeedProblem(X, split.y_train, X_test, split.y_test, C, gamma)


def _ones(mask: NDArray[Any]) -> NDArray[np.int64]:
    return mask.astype(np.int64)
