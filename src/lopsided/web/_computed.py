"""Results that take seconds: computed once for a state of the project, in a thread, while the page waits."""

import threading
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from lopsided.terminal import say


class Computed(NamedTuple):
    """The latest result.

    Parameters
    ----------
    value : object
        None before the first one.
    is_running : bool
        Whether a newer one is on its way.
    failure : str
        Why there is none, "" where nothing went wrong.
    """

    value: Any
    is_running: bool
    failure: str


class Computer:
    """Compute something for a state, unless it is there already.

    Parameters
    ----------
    work : callable
        Returns the value; a ValueError says in one line why there is none.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._state: Hashable = None
        self._thread: threading.Thread | None = None
        self._value: Any = None
        self._failure = ""

    def get(self, state: Hashable) -> Computed:
        """Return the value for a state, or the one before while it is being computed.

        Parameters
        ----------
        state : hashable
        """
        with self._lock:
            running = self._thread is not None and self._thread.is_alive()
            if not running and state != self._state:
                self._state = state
                self._thread = threading.Thread(target=self._compute, daemon=True)
                self._thread.start()
                running = True
            return Computed(self._value, running, "" if running else self._failure)

    def last(self) -> Computed:
        """Return what is there, and start nothing."""
        with self._lock:
            running = self._thread is not None and self._thread.is_alive()
            return Computed(self._value, running, "" if running else self._failure)

    def wait(self, seconds: float) -> None:
        """Wait for a computation that is under way, but no longer than so many seconds."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _compute(self) -> None:
        try:
            self._value, self._failure = self._work(), ""
        except ValueError as error:
            self._value, self._failure = None, str(error)
        except Exception as error:
            say(f"computing a page failed: {type(error).__name__}: {error}")
            self._value, self._failure = None, f"It could not be computed: {error}"
