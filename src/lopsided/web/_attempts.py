"""Wrong passwords: whoever tries many has to wait, longer each time, and nobody else has to."""

import threading
import time
from collections.abc import Callable

_FREE = 4  # attempts that wait for nothing: people mistype
_LONGEST = 60.0  # seconds
_FORGOTTEN = 3600.0  # seconds after which the attempts of a name and address are forgotten
_MOST = 10_000  # names and addresses that are remembered


class Attempts:
    """The attempts to log in, for each name and address.

    An attempt counts when it begins, so that many at once are no way around the wait.

    Parameters
    ----------
    clock : callable, default=time.monotonic
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str], tuple[int, float]] = {}  # how many, and when the next one may come

    def begin(self, name: str, address: str) -> float:
        """Count an attempt and return 0, or return the seconds for which to wait before the next one.

        Parameters
        ----------
        name : str
            As it was typed.
        address : str
            Where the request came from.
        """
        key, now = (name.strip().casefold()[:200], address), self._clock()
        with self._lock:
            n, free = self._made.pop(key, (0, now))
            if free > now:
                self._made[key] = n, free
                return free - now
            n = 0 if now - free > _FORGOTTEN else n
            if len(self._made) >= _MOST:
                del self._made[next(iter(self._made))]  # the one that was tried the longest ago
            wait = 0.0 if n + 1 < _FREE else min(2.0 ** (n + 1 - _FREE), _LONGEST)
            self._made[key] = n + 1, now + wait
        return 0.0

    def succeed(self, name: str, address: str) -> None:
        """Forget the attempts of somebody who has logged in.

        Parameters
        ----------
        name : str
        address : str
        """
        with self._lock:
            self._made.pop((name.strip().casefold()[:200], address), None)
