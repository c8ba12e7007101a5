"""How expected rows look: what `UnexpectedDetector` measures of each, for words and for numbers alike."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided._stored import Check, Lengths, numbers, part, places, whole
from lopsided.unexpected._base import TO_BE_JUDGED
from lopsided.unexpected._forest import Forest
from lopsided.unexpected._neighbours import nearest
from lopsided.unexpected._ridge import CrossRidge

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Places = NDArray[np.intp]

NEAREST, NEAR, UNSEEN, OWN, LENGTH, LIKE_FLAGGED = range(6)  # the columns of what is measured
N_NEAR = 10
_MOST_REFERENCES = 10_000  # rows to compare with; of more, as many are drawn


@dataclass(frozen=True)
class Look:
    """Rows seen against those taken for expected: neighbours, what none of them has, models of classes.

    The first look asks what stands out; the second also has a model of what does.
    """

    references: Places
    """The rows taken for expected that others are compared with."""
    expected: Vector
    """How much each row of `fit` is taken for expected, from 0 to 1."""
    models: CrossRidge | Forest | None
    """Of the known classes (where there are more) and, in the second look, of what is unexpected."""
    n_known: int
    """How many targets are known classes."""

    _stored: ClassVar[dict[str, Check]] = {
        "references": places("n_references", among="n_rows"),
        "expected": numbers("n_rows", low=0, high=1),
        "models": part(CrossRidge, Forest, None),
        "n_known": whole(),
    }

    def _check_stored(self, lengths: Lengths) -> None:
        n_targets = lengths["n_targets"] if isinstance(self.models, CrossRidge) else 0
        if not 0 <= self.n_known <= n_targets:
            raise ValueError(f"{self.n_known} of {n_targets} targets cannot be known classes")

    def told(self, answers: Matrix) -> tuple[Vector, Vector]:
        """How much rows look like the known class they are most like, and like what was unexpected."""
        zero = np.zeros(len(answers))
        own = answers[:, : self.n_known].max(axis=1) if self.n_known else zero
        return own, answers[:, self.n_known] if answers.shape[1] > self.n_known else zero


class Evidence(ABC):
    """What is measured of rows, one column each; all but the length leave the row itself out.

    Parameters
    ----------
    rows : CSR or array
        The rows of `fit`.
    index : array of shape (n_samples,)
        The known class of each, or -1.
    asked : array
        The rows of which something will be asked.
    rng : Generator
    """

    _stored: ClassVar[dict[str, Check]] = {
        "_index": places("n_rows", low=TO_BE_JUDGED, among="n_known_classes"),
        "_known": numbers("n_rows", dtype=np.bool_),
        "_asked": places("n_asked", among="n_rows"),
        "_drawn": places("n_drawn", among="n_rows"),
    }

    def __init__(self, rows: Any, index: Places, asked: Places, rng: np.random.Generator) -> None:
        self._asked, self._index, self._known = asked, index, index != TO_BE_JUDGED
        self._drawn = np.sort(rng.permutation(rows.shape[0])[:_MOST_REFERENCES])
        self._compared = self._prepare(rows, rng)

    @abstractmethod
    def _prepare(self, rows: Any, rng: np.random.Generator) -> Any:
        """Return the rows of `fit` in the form in which they are compared."""

    @abstractmethod
    def _prepare_new(self, rows: Any) -> Any:
        """Return rows that were not in `fit` in the same form."""

    @abstractmethod
    def first_look(self) -> Look:
        """Look at all rows, with no idea yet which are unexpected."""

    @abstractmethod
    def second_look(self, unexpected: Vector, classes: Places) -> Look:
        """Look again.

        Parameters
        ----------
        unexpected : array of shape (n_samples,)
            How unexpected the first look found each row, from 0 to 1.
        classes : array of shape (n_samples,)
            The known class that each row is or, to be judged, is most like.
        """

    @abstractmethod
    def _answers(self, look: Look, asked: Places) -> Matrix:
        """What models that were not shown the rows of `fit` asked about say of these."""

    @abstractmethod
    def _answers_new(self, compared: Any, look: Look) -> Matrix:
        """Return rows that were not in `fit` in the same form."""

    @abstractmethod
    def _similarity(self, rows: Any, references: Any) -> Matrix: ...

    @abstractmethod
    def _nearness(self, similarity: Vector) -> Vector:
        """A similarity on a scale on which differences mean the same everywhere."""

    @abstractmethod
    def unseen(self, rows: Any, look: Look, own: Vector) -> Vector:
        """Share of a row's features that no row taken for expected has; `own` is its own part in that."""

    @abstractmethod
    def length(self, rows: Any) -> Vector: ...

    def measure(self, rows: Any, look: Look) -> tuple[Matrix, Matrix]:
        """What is measured of the rows asked about, and what the models answer."""
        place = np.full(len(self._index), -1)
        place[look.references] = np.arange(len(look.references))
        asked = self._asked
        answers = np.zeros((len(asked), 0)) if look.models is None else self._answers(look, asked)
        own = look.expected[asked]
        return self._columns(rows[asked], self._compared[asked], look, place[asked], own, answers), answers

    def measure_new(self, rows: Any, look: Look) -> Matrix:
        """Return rows that were not in `fit` in the same form."""
        compared = self._prepare_new(rows)
        n = rows.shape[0]
        answers = np.zeros((n, 0)) if look.models is None else self._answers_new(compared, look)
        return self._columns(rows, compared, look, np.full(n, -1), np.zeros(n), answers)

    def _columns(
        self, rows: Any, compared: Any, look: Look, place: Places, own: Vector, answers: Matrix
    ) -> Matrix:
        best, mean = nearest(compared, self._compared[look.references], place, N_NEAR, self._similarity)
        known, strange = look.told(answers)
        unseen = self.unseen(rows, look, own)
        return np.column_stack(
            [self._nearness(best), self._nearness(mean), unseen, known, self.length(rows), strange]
        )
