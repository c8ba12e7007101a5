"""What the files of all papers share: seeds of runs, the claims' words as numbers, claims and verdicts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

N_RUNS = 10  # the papers' figures are means of ten runs

# Words of the claims as numbers; points are hundredths of a score, or percent in tables.
FAR = 5.0  # points, at least: far behind, much better, dramatically
SLIGHTLY = 2.0  # points, at most
SIMILAR = 1.5  # points, at most: similar, comparable, equal, level, close, agrees
NOT_FAR = 1.0  # points of F1, at most: not far
COMPETITIVE = 1.0  # points of F1, less than: below the best and still competitive
AS_PRINTED = 5.0  # points: a published value
ABOUT_HALF = (0.35, 0.65)  # ratio
MAJORITY, WIDE_MAJORITY = 0.5, 0.7  # more than, at least
COLLAPSED = 0.5  # part of another's recall, less than: collapses, defeated, ratchets


def seeds(n: int = N_RUNS, master: int = 0) -> tuple[int, ...]:
    """The seeds of ``n`` runs; run r has the same one whatever ``n`` is.

    Examples
    --------
    >>> seeds(2) == seeds(5)[:2], len(set(seeds(10)))
    (True, 10)
    """
    return tuple(int(child.generate_state(1)[0]) for child in np.random.SeedSequence(master).spawn(n))


@dataclass(frozen=True)
class Verdict:
    """What became of a claim."""

    id: str
    verdict: str
    """"holds", "does not hold" or "cannot be tested here"."""
    measured: str
    """The figures behind it."""
    why: str
    """What was asked of them; for a claim that cannot be tested, what is missing."""


Check = Callable[..., tuple[bool, str]]  # whether the claim holds, and the figures


@dataclass(frozen=True)
class Claim:
    """A claim of a paper; called with what it needs, in that order, it gives a verdict."""

    id: str
    text: str
    needs: tuple[str, ...]
    criterion: str
    check: Check

    def __call__(self, *results: Any) -> Verdict:
        """Judge the tables and figures named by ``needs``; None or empty stands for one that is missing."""
        missing = [name for name, result in zip(self.needs, results, strict=True) if not result]
        if missing:
            return Verdict(self.id, "cannot be tested here", "", f"needs {', '.join(missing)}")
        holds, measured = self.check(*results)
        return Verdict(self.id, "holds" if holds else "does not hold", measured, self.criterion)


class Claims(dict[str, Claim]):
    """The claims of one paper by their ids.

    Examples
    --------
    >>> claims = Claims()
    >>> @claims.enter("X1", "Two is more than one.", ("numbers",), "strictly")
    ... def check(numbers):
    ...     return numbers[1] > numbers[0], f"{numbers[1]} against {numbers[0]}"
    >>> claims.judge({"numbers": (1, 2)})
    [Verdict(id='X1', verdict='holds', measured='2 against 1', why='strictly')]
    """

    def enter(self, id_: str, text: str, needs: tuple[str, ...], criterion: str) -> Callable[[Check], Check]:
        """Enter a check under the id of its claim."""

        def enter(check: Check) -> Check:
            self[id_] = Claim(id_, text, needs, criterion, check)
            return check

        return enter

    def judge(self, results: Mapping[str, Any]) -> list[Verdict]:
        """A verdict on every claim from the tables and figures at hand."""
        return [claim(*(results.get(name) for name in claim.needs)) for claim in self.values()]
