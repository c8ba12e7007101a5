"""The record of a fit: which labels were read, and what was known after each of them."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.checks import array_of
from lopsided.svm._machines import HISTORY

_OF_ROWS = {"class_of": np.intp}  # the class of each row that came, -1 where its label was not read
_OF_LABELS = {"queried": np.int64, **HISTORY, "distance": float}


class LabelRecord:
    """Arrays that grow by pieces and are joined when somebody looks: adding costs the piece alone.

    Examples
    --------
    >>> record = LabelRecord()
    >>> record.add_rows([0, 1, 1])
    >>> record.add_labels([2], n_support_positive=[1], n_support_negative=[0], dual_gap=[0.5])
    >>> record.n_rows, record.n_labels, record.queried.tolist()
    (3, 1, [2])
    >>> record.history["distance"]
    array([nan])
    """

    def __init__(self) -> None:
        types = _OF_ROWS | _OF_LABELS
        self._pieces = {name: [np.empty(0, dtype=dtype)] for name, dtype in types.items()}
        self.n_rows = 0
        self.n_labels = 0

    def add_rows(self, class_of: Any) -> None:
        """Add rows that came, each with the code of its class, or -1 where its label was not read."""
        self._append("class_of", class_of)
        self.n_rows += np.size(class_of)

    def add_labels(self, queried: Any, **facts: Any) -> None:
        """Add the rows whose labels were read, and what was known after each of them.

        ``distance`` is |f| of a row when it was chosen; it is NaN if it is not given.
        """
        self._append("queried", queried)
        for name in HISTORY:
            self._append(name, facts[name])
        self._append("distance", facts.get("distance", np.full(np.size(queried), np.nan)))
        self.n_labels += np.size(queried)

    @property
    def class_of(self) -> NDArray[np.intp]:
        """The code of the class of each row that came, -1 where its label was not read."""
        return self._joined("class_of")

    @property
    def queried(self) -> NDArray[np.int64]:
        """The rows whose labels were read, in order."""
        return self._joined("queried")

    @property
    def history(self) -> dict[str, NDArray[Any]]:
        """The numbers after each label, as equally long arrays by name."""
        n_labels = np.arange(1, self.n_labels + 1)
        return {"n_labels": n_labels} | {name: self._joined(name) for name in (*HISTORY, "distance")}

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name."""
        return {name: self._joined(name) for name in self._pieces}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Return the record of a `state`, which may come from a stranger's file; see `check`."""
        record = cls()
        labels = dict(state)
        record.add_rows(labels.pop("class_of"))
        record.add_labels(**labels)
        return record

    def check(self, n_classes: int) -> None:
        """Refuse arrays of other shapes or with other numbers than a fit makes."""
        array_of("class_of", self.class_of, np.intp, (self.n_rows,), -1, n_classes - 1)
        array_of("queried", self.queried, np.int64, (self.n_labels,), 0, self.n_rows - 1)
        for name in (*HISTORY, "distance"):
            if self._joined(name).shape != (self.n_labels,):
                raise ValueError(f"{name} must have an entry for each of {self.n_labels} labels.")

    def _append(self, name: str, piece: Any) -> None:
        held = self._pieces[name]
        held.append(np.asarray(piece, dtype=held[0].dtype))

    def _joined(self, name: str) -> NDArray[Any]:
        held = self._pieces[name]
        if len(held) > 1:
            held[:] = [np.concatenate(held)]
            held[0].flags.writeable = False  # it is the record, not a copy
        return held[0]
