"""Claims of a paper: what each says, which results it needs, and the rule that judges it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lopsided.experiments._tidy import Measurements

UNTESTED = "cannot be tested here"

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


@dataclass(frozen=True)
class Verdict:
    """How a claim was judged."""

    id: str
    verdict: str
    """"holds", "does not hold" or "cannot be tested here"."""
    measured: str
    """The figures behind it."""
    why: str
    """What was asked of them; for a claim that cannot be tested, what is missing."""


@dataclass(frozen=True)
class Needs:
    """Results that a claim is judged by: those of a table or figure, or a part of them.

    Parameters
    ----------
    item : str
        Name of the table or figure.
    index : str
        The axis whose labels are its rows.
    only : mapping, optional
        Axis -> labels: other measurements are not looked at.
    every : mapping, optional
        Axis -> labels: rows that lack one of these are not looked at.
    min_rows : int
        With fewer rows the claim cannot be tested.

    Examples
    --------
    >>> str(Needs("table3", every={"method": ("SMC", "SVMC")}, min_rows=9))
    'table3 (9 rows or more, each with SMC, SVMC)'
    """

    item: str
    index: str = "row"
    only: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    every: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    min_rows: int = 1

    def find(self, results: Mapping[str, Any]) -> Measurements | None:
        """Return what the claim is given; None where there is too little of it."""
        found = results.get(self.item)
        if not found:
            return None
        found = found.only(**self.only)
        if self.every:
            found = found.with_every(self.index, **self.every)
        return found if len(found.labels(self.index)) >= self.min_rows else None

    def __str__(self) -> str:
        parts = [f"{self.min_rows} rows or more"] if self.min_rows > 1 else []
        parts += [f"each with {', '.join(map(str, labels))}" for labels in self.every.values()]
        parts += [f"of {', '.join(map(str, labels))}" for labels in self.only.values()]
        return f"{self.item} ({', '.join(parts)})" if parts else self.item


Check = Callable[..., tuple[bool, str]]
"""Returns whether the claim holds, and the figures."""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper."""

    id: str
    text: str
    needs: tuple[Needs, ...]
    criterion: str
    check: Check

    @property
    def items(self) -> tuple[str, ...]:
        """The tables and figures that it is judged by."""
        return tuple(dict.fromkeys(need.item for need in self.needs))

    def judge(self, results: Mapping[str, Any]) -> Verdict:
        """Return the verdict from the tables and figures there are."""
        found = [need.find(results) for need in self.needs]
        missing = [str(need) for need, result in zip(self.needs, found, strict=True) if result is None]
        if missing:
            return Verdict(self.id, UNTESTED, "", f"needs {', '.join(missing)}")
        holds, measured = self.check(*found)
        return Verdict(self.id, "holds" if holds else "does not hold", measured, self.criterion)


class Claims(dict[str, Claim]):
    """The claims of one paper by their ids.

    Examples
    --------
    >>> from lopsided.experiments import Measurement
    >>> claims = Claims()
    >>> @claims.enter("X1", "SVMC is better than SMC.", "higher mean F1", "table1")
    ... def is_better(t):
    ...     smc, svmc = t.mean("f1", method="SMC"), t.mean("f1", method="SVMC")
    ...     return svmc > smc, f"{svmc} against {smc}"
    >>> runs = {"SMC": 0.5, "SVMC": 0.6}
    >>> table = Measurements([Measurement({"row": "a", "method": m}, {"f1": f1}) for m, f1 in runs.items()])
    >>> claims["X1"].judge({"table1": table})
    Verdict(id='X1', verdict='holds', measured='0.6 against 0.5', why='higher mean F1')
    """

    def enter(self, id_: str, text: str, criterion: str, *needs: Needs | str) -> Callable[[Check], Check]:
        """Enter a check under the id of its claim; the name of a table stands for all of its results."""
        wanted = tuple(Needs(need) if isinstance(need, str) else need for need in needs)

        def enter(check: Check) -> Check:
            self[id_] = Claim(id_, text, wanted, criterion, check)
            return check

        return enter
