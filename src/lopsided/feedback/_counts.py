"""Counts that reports of labels and of values have in common."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from lopsided.metrics import Counts


class CountedReport(ABC):
    """A report of what was shown of a stream. An item shown by exploring counts as shown."""

    show: NDArray[np.bool_]
    explored: NDArray[np.bool_]
    revealed: NDArray[np.bool_]

    @property
    @abstractmethod
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each item should have been shown."""

    @property
    def counts(self) -> Counts:
        """Return how many positives and negatives were shown and hidden."""
        if len(self.show) == 0:  # a stream that raised at once
            return Counts()
        return Counts.from_predictions(self.is_positive, self.show)

    @property
    def tp(self) -> int:
        """Number of positives shown."""
        return int(self.counts.tp)

    @property
    def fp(self) -> int:
        """Number of negatives shown."""
        return int(self.counts.fp)

    @property
    def fn(self) -> int:
        """Number of positives hidden."""
        return int(self.counts.fn)

    @property
    def tn(self) -> int:
        """Number of negatives hidden."""
        return int(self.counts.tn)

    @property
    def precision(self) -> float:
        """Share of positives among the shown items; 0 if nothing was shown."""
        return float(self.counts.precision())

    @property
    def recall(self) -> float:
        """Share of the positives that was shown; 0 if there were none."""
        return float(self.counts.recall())

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return float(self.counts.f())

    @property
    def n_labels(self) -> int:
        """Number of labels or values that came back."""
        return int(self.revealed.sum())

    @property
    def n_explored(self) -> int:
        """Number of items shown by chance."""
        return int(self.explored.sum())
