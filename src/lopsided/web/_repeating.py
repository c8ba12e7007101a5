"""A thread that does its work again whenever something has changed."""

import threading
from collections.abc import Callable

from lopsided.terminal import say

_PAUSE = 3.0  # seconds after which what failed is tried again


class RepeatingThread:
    """Repeat some work in a thread, once for any number of changes.

    What fails is tried again after a few seconds: a database that is lost may come back without anybody
    asking.

    Parameters
    ----------
    name : str
    work : callable
        Takes this object, which tells it whether to go on.

    Attributes
    ----------
    failure : str
        Why the last attempt failed, "" where it did not.
    """

    def __init__(self, name: str, work: Callable[["RepeatingThread"], None]) -> None:
        self.failure = ""
        self._work = work
        self._changed = threading.Condition()
        self._is_wanted = True
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name=f"lopsided-{name}", daemon=True)

    @property
    def is_wanted(self) -> bool:
        """Whether something has changed since the work began."""
        return self._is_wanted

    @property
    def is_closed(self) -> bool:
        """Whether the thread is about to end."""
        return self._is_closed

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Say that something has changed."""
        with self._changed:
            self._is_wanted = True
            self._changed.notify_all()

    def close(self) -> None:
        """End the thread."""
        self._is_closed = True
        self.wake()
        if self._thread.is_alive():
            self._thread.join(10)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._is_wanted and not self._is_closed:
                    self._changed.wait()
                self._is_wanted = False
            if self._is_closed:
                return
            try:
                self._work(self)
                self.failure = ""
            except Exception as error:
                self._tell(error)
                with self._changed:
                    if not self._is_closed:
                        self._changed.wait(_PAUSE)
                self.wake()

    def _tell(self, error: Exception) -> None:
        failure = f"The next item cannot be prepared: {error}"
        if failure != self.failure:
            say(failure)
        self.failure = failure
