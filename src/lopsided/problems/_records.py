"""The records that the sources return."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class LabeledRows(NamedTuple):
    """Rows, each of one class."""

    X: Any
    classes: NDArray[Any]
    """The name of the class of each row."""


class Split(NamedTuple):
    """Rows to train on and rows to test on, each of one class."""

    X_train: Any
    y_train: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]

    def one_class(self, name: Any) -> "Split":
        """Return the same rows with the label 1 for one class and 0 for all others.

        Examples
        --------
        >>> X = np.zeros((2, 1))
        >>> Split(X, np.array(["a", "b"]), X, np.array(["b", "b"])).one_class("b").y_train
        array([0, 1])
        """
        return self._replace(
            y_train=(self.y_train == name).astype(int), y_test=(self.y_test == name).astype(int)
        )


@dataclass(frozen=True, eq=False)
class PositiveUnlabeled:
    """Known rows P and unlabeled rows U, and the truth about U.

    Examples
    --------
    >>> setup = PositiveUnlabeled(np.array([[1.0], [2.0], [3.0]]), np.array([True, False]))
    >>> setup.n_known, setup.is_known, setup.P
    (1, array([1, 0, 0]), array([[1.]]))
    """

    X: Any
    """P, then U."""
    truth: NDArray[np.bool_]
    """Whether each row of U is positive, which a method must not see."""

    @property
    def n_known(self) -> int:
        """Number of rows of P."""
        return int(self.X.shape[0]) - len(self.truth)

    @property
    def is_known(self) -> NDArray[np.int64]:
        """1 for P, 0 for U."""
        return (np.arange(self.X.shape[0]) < self.n_known).astype(np.int64)

    @property
    def P(self) -> Any:  # noqa: N802 -- as papers have it
        """The known rows."""
        return self.X[: self.n_known]

    @property
    def U(self) -> Any:  # noqa: N802
        """The unlabeled rows."""
        return self.X[self.n_known :]


class Texts(NamedTuple):
    """Documents, each of one class."""

    texts: Sequence[str]
    target: NDArray[np.intp]
    """The class of each document, as an index into the names."""
    names: Sequence[str]
    """The names of all classes."""

    @property
    def classes(self) -> NDArray[Any]:
        """The name of the class of each document."""
        return np.array(self.names)[self.target]


class Topics(NamedTuple):
    """Documents, each about any number of topics."""

    documents: Any
    """Texts, or rows of words."""
    indicator: Any
    """A sparse matrix in columns: 1 where a document is about a topic."""
    names: Sequence[str]
    """The topic of each column."""

    def labels(self, topic: str) -> NDArray[Any]:
        """Return 1 for each document that is about a topic and 0 for the others."""
        return self.indicator[:, [self.names.index(topic)]].toarray().ravel()
