"""The records that the sources return."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class LabeledRows(NamedTuple):
    """LabeledRows, each of one class."""

    X: Any
    classes: NDArray[Any]
    """The name of the class of each row."""


class Split(NamedTuple):
    """LabeledRows to train on and rows to test on, each of one class."""

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
