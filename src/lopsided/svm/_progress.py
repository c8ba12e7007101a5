"""Progress of a fit for scikit-learn's callbacks, in at most a hundred steps."""

import logging
from math import ceil
from typing import Any

from lopsided._compat import begin_callbacks

logger = logging.getLogger("lopsided.svm")


class FitProgress:
    """Tells an estimator's callbacks, and its log, how many of the labels are done."""

    def __init__(self, estimator: Any, total: int, X: Any, y: Any) -> None:
        self._estimator, self._total = estimator, total
        self._data = {"X": X, "y": y}
        self._step = max(1, ceil(total / 100))
        self._next = self._step
        self._context = begin_callbacks(estimator, ceil(total / self._step))
        if self._context is not None:
            self._context.call_on_fit_task_begin(estimator=estimator, **self._data)

    def reached(self, n_labels: int) -> bool:
        """Report that many labels, and return whether a callback wants the fit to stop."""
        stop = False
        while n_labels >= min(self._next, self._total) and self._next - self._step < self._total:
            self._next += self._step
            if self._estimator.verbose:
                logger.info("LASVC: %d of at most %d labels", n_labels, self._total)
            if self._context is not None:
                task = self._context.subcontext(task_name="labels")
                task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
                stop |= task.call_on_fit_task_end(estimator=self._estimator, **self._data)
        return stop

    def end(self) -> None:
        """Report that the fit is complete."""
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._estimator, **self._data)
