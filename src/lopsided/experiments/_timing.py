"""The time that methods take, and the warnings that they give meanwhile."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from typing import TypeVar

from sklearn.exceptions import ConvergenceWarning

from lopsided.runs import one_thread

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what a function returns, and the CPU seconds of this thread that it took.

    Libraries are held to one thread, so that these seconds are all there are.
    """
    with one_thread():
        start = thread_time()
        result = work()
        return result, thread_time() - start


@contextmanager
def without_convergence_warnings() -> Iterator[None]:
    """Hide warnings of a convergence that was cut short: the scores tell."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
