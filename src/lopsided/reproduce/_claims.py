"""What the files of all papers share: seeds of runs, the claims' words as numbers, claims and verdicts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lopsided.experiments._claims import (
    ABOUT_HALF,
    AS_PRINTED,
    COLLAPSED,
    COMPETITIVE,
    FAR,
    MAJORITY,
    NOT_FAR,
    SIMILAR,
    SLIGHTLY,
    WIDE_MAJORITY,
    Verdict,
)
from lopsided.experiments._extent import N_RUNS, seeds

__all__ = [
    "ABOUT_HALF",
    "AS_PRINTED",
    "COLLAPSED",
    "COMPETITIVE",
    "FAR",
    "MAJORITY",
    "NOT_FAR",
    "N_RUNS",
    "SIMILAR",
    "SLIGHTLY",
    "WIDE_MAJORITY",
    "Claim",
    "Claims",
    "Verdict",
    "seeds",
]

Check = Callable[..., tuple[bool, str]]  # whether the claim holds, and the figures


@dataclass(frozen=True)
class Claim:
    """A claim of a paper; called with what it needs, in that order, it gives a verdict."""

    id: str
    text: str
    needs: tuple[str, ...]
    criterion: str
    check: Check

    @property
    def items(self) -> tuple[str, ...]:
        """The tables and figures that it is judged by."""
        return tuple(dict.fromkeys(need.split()[0] for need in self.needs))

    def judge(self, results: Mapping[str, Any]) -> Verdict:
        """Return the verdict from the tables and figures there are."""
        return self(*(results.get(need) for need in self.needs))

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
