"""The measures that `UnexpectedDetector` takes of a row against known rows, for words and numbers alike."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided._stored import Check, Lengths, numbers
from lopsided.unexpected._base import TO_BE_JUDGED
from lopsided.unexpected._gram import Gram, class_noise, one_hot
from lopsided.unexpected._neighbours import best_and_mean, nearest

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Places = NDArray[np.intp]

# The columns of what is measured; in all of them larger is less expected, but for the length.
NEAREST, NEAR, OWN, DOUBT, UNSEEN, LENGTH, LIKE_FLAGGED = range(7)
N_MEASURES = 7
N_NEAR = 10
_MOST_REFERENCES = 10_000  # known rows to compare with; of more, as many are drawn
_MOST_TAUGHT = 2000  # known rows that teach the classes and say what to expect: a matrix of them is inverted
_ENTRIES = 4_000_000  # of a block of kernel values: 32 MB
_LEAST_DOUBT = 1e-9  # so that it has a logarithm


class SecondLook(NamedTuple):
    """A second look at the rows: a model that tells the unexpected ones from the known ones."""

    model: Any
    known: Vector
    """How much each row that teaches the classes is like the unexpected ones, itself left out."""
    judged: Vector
    """The same of the rows to be judged."""
    agreement: float
    """How well it finds the rows of the first look that it was not shown, from 0 to 1."""


class Evidence(ABC):
    """Measures of rows against known ones, which are themselves left out when they are measured.

    Parameters
    ----------
    rows : CSR or array
        The rows of `fit`.
    index : array of shape (n_samples,)
        The known class of each, or -1.
    rng : Generator
        Draws the known rows that are used, where there are too many.
    """

    _kernels: ClassVar[tuple[float | None, ...]]
    """Widths of kernels; by the first a row is like a class or not, by the last in doubt between classes."""
    _penalty: ClassVar[float]
    _sharpness: ClassVar[float]
    """By what the answers are multiplied before their softmax."""

    _stored: ClassVar[dict[str, Check]] = {
        "_coefficients": numbers(None, "n_taught", "n_known_classes"),
    }

    def _check_stored(self, lengths: Lengths) -> None:
        if len(self._coefficients) != len(self._kernels) or lengths["n_taught"] > lengths["n_references"]:
            raise ValueError("the models of the classes are not those of its kernels and rows")

    def __init__(self, rows: Any, index: Places, rng: np.random.Generator) -> None:
        compared = self._prepare(rows, index != TO_BE_JUDGED)
        order = rng.permutation(np.flatnonzero(index != TO_BE_JUDGED))
        order = order[:_MOST_REFERENCES]
        self._references = compared[order]
        self.taught = order[:_MOST_TAUGHT]
        """The known rows that teach the classes, by their places in `fit`."""
        self._classes = index[self.taught]
        teachers = self._references[: len(self.taught)]
        self._near = self._similarity(teachers, teachers)
        noise = class_noise(self._classes, self._penalty)
        self._grams = [Gram.of(self._kernel(self._near, width), noise) for width in self._kernels]
        targets = one_hot(self._classes, np.arange(index.max() + 1))
        self._coefficients = np.stack([gram.coefficients(targets) for gram in self._grams])
        self._left_out = [gram.left_out(targets) for gram in self._grams]
        self._compared = compared

    @abstractmethod
    def second_look(
        self, rows: Any, index: Places, judge: Callable[[Matrix, Matrix], Vector]
    ) -> SecondLook | None:
        """Learn what tells the rows to be judged, or the unexpected among them, from the known ones.

        Parameters
        ----------
        rows : CSR or array
            The rows of `fit`.
        index : array of shape (n_samples,)
            The known class of each, or -1.
        judge : callable
            Of the measures of known rows and of others, how unexpected the others are, from 0 to 1.
        """

    @abstractmethod
    def like_flagged(self, rows: Any, model: Any) -> Vector:
        """Return how much rows that were not in `fit` are like those."""

    @abstractmethod
    def _prepare(self, rows: Any, known: NDArray[np.bool_]) -> Any:
        """Return the rows of `fit` in the form in which they are compared."""

    @abstractmethod
    def prepare_new(self, rows: Any) -> Any:
        """Return rows that were not in `fit` in the same form."""

    @abstractmethod
    def _similarity(self, rows: Any, references: Any) -> Matrix: ...

    @abstractmethod
    def _kernel(self, similarity: Matrix, width: Any) -> Matrix: ...

    @abstractmethod
    def _farness(self, similarity: Vector) -> Vector:
        """Return how far rows are, on a scale on which differences mean the same everywhere."""

    @abstractmethod
    def _unseen(self, rows: Any, met: Vector, own: float) -> Vector:
        """Return the share of a row's features that no known row has; `own` is its own part in `met`."""

    @abstractmethod
    def _met(self, compared: Any) -> Vector:
        """Return how many of these rows have each feature."""

    @abstractmethod
    def _length(self, rows: Any) -> Vector: ...

    def measure_known(self, rows: Any) -> Matrix:
        """Measure the known rows that teach the classes, each as if it were not known."""
        places = np.arange(len(self.taught))
        compared = self._references[: len(self.taught)]
        return self._columns(rows[self.taught], compared, places, self._left_out, 1.0)

    def measure_judged(self, rows: Any, judged: Places) -> Matrix:
        """Measure rows of `fit` that are not known."""
        return self._measure(rows[judged], self._compared[judged])

    def measure_new(self, rows: Any) -> Matrix:
        """Measure rows that were not in `fit`."""
        return self._measure(rows, self.prepare_new(rows))

    def hide_classes(self, rows: Any, groups: list[Places]) -> Iterator[tuple[Matrix, Matrix]]:
        """Hide each group of known classes in turn; yield the measures of the other rows and of its own."""
        for group in groups:
            hidden = np.isin(self._classes, group)
            if hidden.any() and not hidden.all():
                yield self.hide(rows, hidden, self.taught[hidden])

    def hide(self, rows: Any, hidden: NDArray[np.bool_], asked: Places) -> tuple[Matrix, Matrix]:
        """Take some of the known rows for unknown ones.

        Parameters
        ----------
        rows : CSR or array
            The rows of `fit`.
        hidden : bool array of shape (n_taught,)
        asked : array
            Rows of `fit` that are then not known: the hidden ones or those to be judged.

        Returns
        -------
        rest, found : arrays
            The measures of the rows that are still known, each left out, and of those asked about.
        """
        targets = one_hot(self._classes[~hidden], np.unique(self._classes[~hidden]))
        teachers = self._references[np.flatnonzero(~hidden)]
        near_asked = self._similarity(self._compared[asked], teachers)
        rest, found = [], []
        for gram, width in zip(self._grams, self._kernels, strict=True):
            less = gram.without(hidden)
            rest.append(less.left_out(targets))
            found.append(self._kernel(near_asked, width) @ less.coefficients(targets))
        met = self._met(teachers)
        near = self._near[np.ix_(~hidden, ~hidden)]
        np.fill_diagonal(near, -np.inf)
        return (
            self._table(rows[self.taught[~hidden]], best_and_mean(near, N_NEAR), rest, met, 1.0),
            self._table(rows[asked], best_and_mean(near_asked, N_NEAR), found, met, 0.0),
        )

    def forget(self) -> None:
        """Drop what is needed in `fit` alone."""
        del self._near, self._grams, self._left_out, self._compared, self._classes, self.taught

    def _measure(self, rows: Any, compared: Any) -> Matrix:
        return self._columns(rows, compared, np.full(rows.shape[0], -1), self._answers(compared), 0.0)

    def _answers(self, compared: Any) -> list[Matrix]:
        _, n_taught, n_classes = self._coefficients.shape
        teachers = self._references[:n_taught]
        answers = [np.empty((compared.shape[0], n_classes)) for _ in self._kernels]
        step = max(1, _ENTRIES // n_taught)
        for start in range(0, compared.shape[0], step):
            block = slice(start, start + step)
            near = self._similarity(compared[block], teachers)
            for answer, coefficients, width in zip(answers, self._coefficients, self._kernels, strict=True):
                answer[block] = self._kernel(near, width) @ coefficients
        return answers

    def _columns(self, rows: Any, compared: Any, place: Places, answers: list[Matrix], own: float) -> Matrix:
        found = nearest(compared, self._references, place, N_NEAR, self._similarity)
        return self._table(rows, found, answers, self._known_met(), own)

    @abstractmethod
    def _known_met(self) -> Vector:
        """Return how many known rows have each feature."""

    def _table(
        self, rows: Any, near: tuple[Vector, Vector], answers: list[Matrix], met: Vector, own: float
    ) -> Matrix:
        measures = np.zeros((rows.shape[0], N_MEASURES))
        measures[:, NEAREST], measures[:, NEAR] = self._farness(near[0]), self._farness(near[1])
        measures[:, OWN] = -answers[0].max(axis=1)
        measures[:, DOUBT] = doubt(answers[-1], self._sharpness)
        measures[:, UNSEEN] = self._unseen(rows, met, own)
        measures[:, LENGTH] = self._length(rows)
        return measures


def doubt(answers: Matrix, sharpness: float) -> Vector:
    """Return the logarithm of what the largest softmax leaves to all other classes.

    Examples
    --------
    >>> doubt(np.array([[0.0, 0.0], [1.0, 0.0]]), 1.0).round(2).tolist()
    [-0.69, -1.31]
    """
    if answers.shape[1] < 2:
        return np.zeros(len(answers))
    below = np.sort(np.exp(sharpness * (answers - answers.max(axis=1, keepdims=True))), axis=1)
    others = below[:, :-1].sum(axis=1)
    return np.asarray(np.log(np.maximum(others / (others + below[:, -1]), _LEAST_DOUBT)))
