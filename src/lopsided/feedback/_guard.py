"""The guard: it notices that fewer positives are accepted than before, and looks whether they are missed."""

import math
from typing import Any

from lopsided._kernels.checks import real_number, true_or_false, whole_number
from lopsided._kernels.online import Watch

FIRST = 5  # accepted positives that make the first rate to compare with
SILENCE = 200  # rounds without a positive that may raise an alarm before there is a first rate
MORE_SILENT = 10  # an alarm needs a silence that is so many times as long as the usual wait for a positive
ENOUGH = 10  # positives to be expected before anything is concluded; doubled by a false alarm,
MOST_ENOUGH = 80  # up to here
FEWER = 3  # an alarm needs less than the expected positives divided by this
TESTS = 30  # explored items without a positive that end an alarm
MEMORY = 3000  # rounds that the rate remembers
PROBABILITY = 0.2  # with which a rejected item is shown during an alarm

_SUMS = ("rate_hits", "rate_rounds", "hits", "rounds", "weight", "enough")
_COUNTS = ("n_tested", "n_found", "n_found_in_alarm", "silent", "n_open")


class Guard(Watch):
    """Compares the rate at which positives are accepted with the rate before.

    Where ten were to be expected and fewer than a third came, the guard is alarmed: one in five of the
    rejected items is then shown. Thirty of these without a positive say that there are fewer positives, and
    none is missed: the new rate replaces the old one, and the next alarm needs twice the evidence. Otherwise
    the alarm ends when positives are accepted as before, and no more are found than accepted.

    The compiled `Watch` counts, and calls `judge` when a count reaches a limit that was set here.

    Examples
    --------
    >>> guard = Guard()
    >>> guard.hits, guard.rounds = 10, 20  # every second item was an accepted positive
    >>> guard.judge()
    >>> guard.rounds = 20  # ten are expected, and none came
    >>> guard.judge()
    >>> guard.alarmed
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self.alarmed = False
        self.rate_hits = self.rate_rounds = 0.0
        self.enough = float(ENOUGH)
        self._limit()

    def state(self) -> list[Any]:
        """Return everything that the guard remembers, as plain numbers."""
        return [self.alarmed, *(getattr(self, name) for name in _SUMS + _COUNTS)]

    def restore(self, state: list[Any]) -> None:
        """Go on from a `state`; raise a ValueError, and stay as before, if it is none."""
        alarmed, sums, counts = _checked(state)
        self.alarmed = alarmed
        for name, value in zip(_SUMS + _COUNTS, [*sums, *counts], strict=True):
            setattr(self, name, value)
        self._limit()

    def judge(self) -> None:
        """Raise or end an alarm where the counts say so, and set the next limits."""
        if self.rate_rounds == 0:
            self._find_rate()
        else:
            expected = self.rate_hits / self.rate_rounds * self.rounds
            if self.alarmed:
                self._test(expected)
            elif expected >= self.enough:
                self._compare(expected)
        self._limit()

    def _find_rate(self) -> None:
        if self.hits >= FIRST:
            self.rate_hits, self.rate_rounds = self.hits, self.rounds
            self.clear()
        elif self.hits > 0 and not self.n_open and self.silent >= self._long_silence:
            self.rate_hits = self.hits
            self.rate_rounds = max(self.rounds - self.silent, SILENCE / MORE_SILENT * self.hits)
            self.alarmed = True
            self.clear()

    def _compare(self, expected: float) -> None:
        # Accepted items without a label yet may all be positive.
        if self.hits + self.n_open < expected / FEWER:
            self.alarmed = True
        else:
            self.rate_hits += self.hits
            self.rate_rounds += self.rounds
            if self.rate_rounds > MEMORY:
                self.rate_hits *= MEMORY / self.rate_rounds
                self.rate_rounds = float(MEMORY)
        self.clear()

    def _test(self, expected: float) -> None:
        if self.n_tested >= TESTS and self.n_found == 0:
            self._end_alarm()
            self.rate_hits, self.rate_rounds = max(self.hits, 1.0), self.rounds
            self.clear()
        elif expected >= self.enough:
            if self.hits >= expected / FEWER and self.hits >= self.weight:
                self._end_alarm()
                self.clear()
            elif self.n_found > 0 or self.n_tested >= TESTS:
                self.clear()

    def _end_alarm(self) -> None:
        self.enough = float(ENOUGH if self.n_found_in_alarm else min(2 * self.enough, MOST_ENOUGH))
        self.alarmed = False
        self.n_found_in_alarm = 0

    @property
    def _long_silence(self) -> float:
        """Rounds without a positive that raise an alarm before there is a first rate."""
        return max(float(SILENCE), MORE_SILENT * (self.rounds - self.silent) / self.hits)

    def _limit(self) -> None:
        """Let the watch call when a rule may apply; a call that comes too early does no harm."""
        self.least_probability = PROBABILITY if self.alarmed else 0.0
        if self.rate_rounds == 0:
            # Another hit changes how long a silence must be.
            self.set_limits(hits=self.hits + 1, silent=self._long_silence if self.hits > 0 else math.inf)
            return
        rate = self.rate_hits / self.rate_rounds
        rounds = (1 - 1e-9) * self.enough / rate if rate > 0 else math.inf  # not late for being rounded
        if self.alarmed and self.n_found == 0:
            self.set_limits(rounds=rounds, tested=TESTS)
        else:
            self.set_limits(rounds=rounds)


def _checked(state: list[Any]) -> tuple[bool, list[float], list[int]]:
    """Return the parts of a state; raise a ValueError if it is none."""
    n_numbers = 1 + len(_SUMS) + len(_COUNTS)
    if not isinstance(state, list) or len(state) != n_numbers:
        raise ValueError(f"a guard remembers a list of {n_numbers} numbers.")
    sums = [real_number("a sum of the guard", value, low=0) for value in state[1 : 1 + len(_SUMS)]]
    counts = [whole_number("a count of the guard", value) for value in state[1 + len(_SUMS) :]]
    return true_or_false("alarmed", state[0]), sums, counts
