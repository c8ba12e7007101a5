"""The half of the learner protocol that needs no scikit-learn: a compiled core, one thread at a time."""

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from lopsided._kernels.online import Gate, replay


class CoreLearner:
    """A compiled core as a `Learner`; a subclass says what its rows are.

    Parameters
    ----------
    core : compiled learner
        Made by `make_perceptron` or `make_svm`.
    """

    rows_at_a_time = 1024  # learned in one go, between two moments at which Ctrl-C is heard
    _knows_positives = False
    _core: Any
    _lock: Any

    def __init__(self, core: Any) -> None:
        self._core, self._lock = core, Lock()

    def scores(self, rows: Any) -> NDArray[np.float64]:
        """Score checked rows.

        Parameters
        ----------
        rows : Rows
            What `rows` returned.

        Returns
        -------
        scores : array of shape (n_samples,)
        """
        with self._lock:
            scores: NDArray[np.float64] = self._core.scores(rows)
        return scores

    def learn(self, rows: Any, i: int, sign: int) -> None:
        """Learn one of the checked rows.

        Parameters
        ----------
        rows : Rows
            What `rows` returned.
        i : int
            Which of the rows.
        sign : {1, -1}
            1 if its class is ``classes_[1]``.
        """
        self._teach(rows, i, np.array([sign], dtype=np.int8))

    def replay(
        self,
        gate: Gate,
        rows: Any,
        first: int,
        signs: NDArray[np.int8],
        revealed: NDArray[np.bool_] | None,
        decided: tuple[NDArray[Any], ...],
    ) -> bool:
        """Let a gate decide about rows, and learn those whose label comes back, all in compiled code.

        Parameters
        ----------
        gate : Gate
            Its ``n_done`` and ``n_finished`` count the rows decided about and the rows done with.
        rows : Rows
            What `rows` returned.
        first : int
            Number of the first row.
        signs : int8 array
            Labels of the rows from the first on, 1 or -1.
        revealed : bool array or None
            For which rows the label comes back; None: for those that are shown.
        decided : tuple of four arrays
            Receive whether a row is shown, whether it is explored, its score and its probability.

        Returns
        -------
        done : bool
            False, and nothing was done, if `reserve` says so.
        """
        show, explored, score, probability = decided
        told = None if revealed is None else revealed.view(np.uint8)
        shown, drawn = show.view(np.uint8), explored.view(np.uint8)
        with self._lock:
            if not self.reserve(rows, first, len(signs)):
                return False
            try:
                replay(self._core, gate, rows, first, signs, told, shown, drawn, score, probability)
            finally:
                self._knows_positives = self._knows_positives or gate.started
        return True

    def reserve(self, rows: Any, first: int, count: int) -> bool:
        """Make sure that rows, learned next, cannot lead weights or scores out of the range of numbers.

        Parameters
        ----------
        rows : Rows
            What `rows` returned.
        first : int
            Number of the first row.
        count : int
            Number of rows.

        Returns
        -------
        safe : bool
            False if they must be learned one by one, each with a look at the result.
        """
        return True

    def state(self) -> dict[str, Any]:
        """Return what was learned, as plain numbers and arrays."""
        with self._lock:
            return without_matrices(self._core.state())

    @property
    def knows_positives(self) -> bool:
        """Whether a positive row was learned."""
        return self._knows_positives

    @property
    def n_unfinished(self) -> int:
        """Number of lessons that did not end as promised."""
        return 0

    def warn_unfinished(self, before: int, n_lessons: int) -> None:
        """Warn if any of the last lessons did not end as promised.

        Parameters
        ----------
        before : int
            `n_unfinished` before these lessons.
        n_lessons : int
            Number of these lessons.
        """

    def _teach(self, rows: Any, first: int, signs: NDArray[np.int8]) -> None:
        """Learn the rows from ``first`` on; one thread at a time."""
        with self._lock:
            if self.reserve(rows, first, len(signs)):
                self._core.learn(rows, np.arange(first, first + len(signs)), signs)
            else:
                for k in range(len(signs)):
                    self._teach_carefully(rows, first + k, signs[k : k + 1])
            if not self._knows_positives:
                self._knows_positives = bool((signs > 0).any())

    def _teach_carefully(self, rows: Any, i: int, sign: NDArray[np.int8]) -> None:
        """Learn row i, or raise and stay as before."""
        self._core.learn(rows, np.array([i]), sign)


def without_matrices(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state with sparse rows as the arrays they are made of, which every format can keep."""
    rows: Any = state.get("rows")
    if not issparse(rows):
        return state
    parts = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": list(rows.shape)}
    return state | {"rows": parts}


def with_matrices(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state as the core takes it, from one `without_matrices`."""
    rows = state.get("rows")
    if not isinstance(rows, dict):
        return state
    matrix = csr_array((rows["data"], rows["indices"], rows["indptr"]), shape=tuple(rows["shape"]))
    return state | {"rows": matrix}
