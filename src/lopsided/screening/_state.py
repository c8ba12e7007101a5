"""The state of a session on which the next question depends, and the models fitted for such states."""

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.screening._answers import next_key
from lopsided.screening._features import Vectors
from lopsided.screening._model import Fitted, fit

_KEPT_MODELS = 6  # of the present, of one answer ago, and of the answers to come

ModelKey = tuple[int, bytes]  # number of changes of the records, and the answers so far in their order


class SessionState(NamedTuple):
    """The state on which the next question depends."""

    key: ModelKey
    vectors: Vectors
    rows: NDArray[np.intp]
    relevant: NDArray[np.bool_]
    unlabeled: NDArray[np.intp]  # when the last label came that the model knows
    left: NDArray[np.intp]
    n_answers: int
    searched: Sequence[int]

    def after(self, row: int, relevant: bool) -> "SessionState":
        """Return the state after one more answer, about a record without a label."""
        left = self.left[self.left != row]
        return self._replace(
            key=(self.key[0], next_key(self.key[1], row, relevant)),
            rows=np.append(self.rows, row),
            relevant=np.append(self.relevant, relevant),
            unlabeled=left,
            left=left,
            n_answers=self.n_answers + 1,
        )


class ModelCache:
    """The models of the last few states. Each is fitted once; several threads may ask."""

    def __init__(self) -> None:
        self._models: dict[ModelKey, Fitted | None] = {}
        self._lock = Lock()

    def get(self, key: ModelKey) -> Fitted | None:
        """Return the model with a key if it has been fitted."""
        with self._lock:
            return self._models.get(key)

    def fitted(self, state: SessionState, seed: int) -> Fitted | None:
        """Return the model of a state, and fit it if need be; None if nothing can be learned yet."""
        with self._lock:
            if state.key in self._models:
                return self._models[state.key]
        model = fit(state.vectors, state.rows, state.relevant, left=state.unlabeled, seed=seed)
        with self._lock:
            while len(self._models) >= _KEPT_MODELS:
                del self._models[next(iter(self._models))]  # the oldest
            self._models[state.key] = model
        return model

    def clear(self) -> None:
        """Forget all models."""
        with self._lock:
            self._models.clear()
