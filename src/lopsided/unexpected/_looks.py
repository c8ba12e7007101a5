"""How expected rows look: what `UnexpectedDetector` measures of each, for words and for numbers alike."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lopsided.unexpected._base import TO_BE_JUDGED
from lopsided.unexpected._neighbours import nearest
from lopsided.unexpected._ridge import CrossRidge, fit_cross_ridge

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Places = NDArray[np.intp]

NEAREST, NEAR, UNSEEN, OWN, LENGTH, LIKE_FLAGGED = range(6)  # the columns of what is measured
N_NEAR = 10
_N_FOLDS = 10
_PENALTY = 1.0
_MOST_REFERENCES = 10_000  # rows to compare with; of more, as many are drawn


@dataclass(frozen=True)
class Look:
    """Rows seen against those taken for expected: neighbours, what none of them has, models of classes.

    The first look at documents takes all of them for expected, those to be judged, too: only so is a known
    one seen as one to be judged would be. Numeric rows of one new kind can be close together, so there it
    takes the known ones alone. The second leaves out the rows that the first found unexpected, and models
    them.
    """

    references: Places
    """The rows taken for expected that others are compared with."""
    expected: Vector
    """How much each row of `fit` is taken for expected, from 0 to 1."""
    ridge: CrossRidge | None
    """Models of the known classes (if more than one) and, in the second look, of what is unexpected."""
    n_known: int
    """How many targets are known classes."""

    def models(self, answers: Matrix) -> tuple[Vector, Vector]:
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

    mixes: ClassVar[bool]
    """Whether the first look takes rows to be judged for expected, too."""

    def __init__(self, rows: Any, index: Places, asked: Places, rng: np.random.Generator) -> None:
        self._asked, self._index = asked, index
        n = rows.shape[0]
        self._fold = rng.permutation(np.arange(n) % _N_FOLDS)
        self._drawn = np.sort(rng.permutation(n)[:_MOST_REFERENCES])
        self._compared, self._modelled = self._prepare(rows, rng)

    @abstractmethod
    def _prepare(self, rows: Any, rng: np.random.Generator) -> tuple[Any, Any]:
        """Rows as they are compared with others, and as they are modelled."""

    @abstractmethod
    def _prepare_new(self, rows: Any) -> tuple[Any, Any]:
        """The same of rows that were not in `fit`."""

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

    def look(self, expected: Vector, classes: Places, unexpected: Vector | None = None) -> Look:
        """Look at all rows against those taken for expected.

        Parameters
        ----------
        expected : array of shape (n_samples,)
            How much each row is taken for expected.
        classes : array of shape (n_samples,)
            The class it is then taken for, or -1.
        unexpected : array of shape (n_samples,), optional
            How unexpected each row was found; if not given, the models learn from known rows alone.
        """
        drawn = self._drawn
        references = drawn[expected[drawn] > 0.5]
        if unexpected is None:
            drawn = drawn[self._index[drawn] != TO_BE_JUDGED]
        n_classes = int(self._index.max()) + 1
        targets = expected[drawn, None] * (classes[drawn, None] == np.arange(n_classes))
        # With one known class its model would say what the neighbours say.
        targets = targets - 0.5 if n_classes > 1 else targets[:, :0]
        n_known = targets.shape[1]
        if unexpected is not None:
            targets = np.column_stack([targets, unexpected[drawn]])
        ridge = None
        if targets.shape[1]:
            ridge = fit_cross_ridge(self._modelled[drawn], targets, self._fold[drawn], _N_FOLDS, _PENALTY)
        return Look(references, expected, ridge, n_known)

    def measure(self, rows: Any, look: Look) -> tuple[Matrix, Matrix]:
        """What is measured of the rows asked about, and what the models of the classes answer."""
        place = np.full(len(self._fold), -1)
        place[look.references] = np.arange(len(look.references))
        asked = self._asked
        answers = np.zeros((len(asked), 0))
        if look.ridge is not None:
            answers = look.ridge.left_out(self._modelled[asked], self._fold[asked])
        own = look.expected[asked]
        return self._columns(rows[asked], self._compared[asked], look, place[asked], own, answers), answers

    def measure_new(self, rows: Any, look: Look) -> Matrix:
        """The same of rows that were not in `fit`."""
        compared, modelled = self._prepare_new(rows)
        answers = np.zeros((rows.shape[0], 0))
        if look.ridge is not None:
            answers = np.asarray(modelled @ look.ridge.mean())
        nowhere = np.full(rows.shape[0], -1)
        return self._columns(rows, compared, look, nowhere, np.zeros(rows.shape[0]), answers)

    def _columns(
        self, rows: Any, compared: Any, look: Look, place: Places, own: Vector, answers: Matrix
    ) -> Matrix:
        best, mean = nearest(compared, self._compared[look.references], place, N_NEAR, self._similarity)
        known, flagged = look.models(answers)
        unseen = self.unseen(rows, look, own)
        return np.column_stack(
            [self._nearness(best), self._nearness(mean), unseen, known, self.length(rows), flagged]
        )
