"""Claims of a paper: what each says, which results it needs, and the rule that judges it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lopsided.experiments._texts import read_texts
from lopsided.experiments._tidy import Measurements

UNTESTED = "cannot be tested here"


@dataclass(frozen=True)
class ClaimVerdict:
    """Whether a claim holds, and what that was judged by."""

    id: str
    verdict: str
    """"holds", "does not hold" or "cannot be tested here"."""
    measured: str
    """The figures that it was judged by."""
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
        """Return the names of the tables and figures that the claim is judged by."""
        return tuple(dict.fromkeys(need.item for need in self.needs))

    def judge(self, results: Mapping[str, Any]) -> ClaimVerdict:
        """Return the verdict from the tables and figures there are."""
        found = [need.find(results) for need in self.needs]
        missing = [str(need) for need, result in zip(self.needs, found, strict=True) if result is None]
        if missing:
            return ClaimVerdict(self.id, UNTESTED, "", f"needs {', '.join(missing)}")
        holds, measured = self.check(*found)
        return ClaimVerdict(self.id, "holds" if holds else "does not hold", measured, self.criterion)


class Claims(dict[str, Claim]):
    """The claims of one paper by their ids.

    Parameters
    ----------
    texts : mapping
        Id -> the ``text`` of the claim, and the ``criterion`` that it is judged by.

    Examples
    --------
    >>> from lopsided.experiments import Measurement
    >>> claims = Claims({"X1": {"text": "SVMC is better than SMC.", "criterion": "higher mean F1"}})
    >>> @claims.enter("X1", "table1")
    ... def is_better(t):
    ...     smc, svmc = t.mean("f1", method="SMC"), t.mean("f1", method="SVMC")
    ...     return svmc > smc, f"{svmc} against {smc}"
    >>> runs = {"SMC": 0.5, "SVMC": 0.6}
    >>> table = Measurements([Measurement({"row": "a", "method": m}, {"f1": f1}) for m, f1 in runs.items()])
    >>> claims["X1"].judge({"table1": table})
    ClaimVerdict(id='X1', verdict='holds', measured='0.6 against 0.5', why='higher mean F1')
    """

    def __init__(self, texts: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__()
        self._texts = texts

    @classmethod
    def read(cls, package: str) -> "Claims":
        """Return the claims of a paper's package, which has their texts in ``paper.toml``."""
        return cls(read_texts(package)["claims"])

    def enter(
        self,
        id_: str,
        *needs: Needs | str,
        each: str = "",
        form: str = "{label} {told}",
        alone: str = "",
        among: str = "{}",
    ) -> Callable[[Check], Check]:
        """Return a decorator that enters a check under the id of its claim.

        Parameters
        ----------
        id_ : str
            Id of a claim that has a text.
        *needs : Needs or str
            Results that the check is given; the name of a table stands for all of its results.
        each : str, optional
            An axis: the check is made at each of its labels, and the claim holds if it holds at all of them.
        form : str
            How the figures of one label are told; ``{mark}`` says that the claim does not hold there.
        alone : str, optional
            How they are told where there is one label only, if differently.
        among : str
            The sentence around the figures.
        """
        wanted = tuple(Needs(need) if isinstance(need, str) else need for need in needs)

        def enter(check: Check) -> Check:
            made = _at_each(each, check, form, alone or form) if each else check

            def told(*tables: Measurements) -> tuple[bool, str]:
                holds, measured = made(*tables)
                return holds, among.format(measured)

            self[id_] = Claim(id_, needs=wanted, check=told, **self._texts[id_])
            return check

        return enter

    @property
    def unchecked(self) -> list[str]:
        """Return the ids of the claims that have a text but no check."""
        return [id_ for id_ in self._texts if id_ not in self]


def _at_each(axis: str, check: Check, form: str, alone: str) -> Check:
    def check_all(*tables: Measurements) -> tuple[bool, str]:
        holds, shown, labels = True, [], tables[0].labels(axis)
        for label in labels:
            is_so, told = check(*(table.only(**{axis: label}) for table in tables))
            holds &= is_so
            mark = "" if is_so else " (not so)"
            shown.append((form if len(labels) > 1 else alone).format(label=label, mark=mark, told=told))
        return holds, "; ".join(shown)

    return check_all


def listed(
    values: Mapping[Any, float],
    names: Iterable[Any] | None = None,
    form: str = ".1f",
    link: str = " ",
    between: str = ", ",
) -> str:
    """Return numbers with their names, of some names or of all: "SMC 0.5, SVMC 0.6".

    Examples
    --------
    >>> listed({"SMC": 0.5, "SVMC": 0.625}, form=".2f"), listed({"SMC": 0.5, "SVMC": 0.6}, ["SVMC", "SVM"])
    ('SMC 0.50, SVMC 0.62', 'SVMC 0.6')
    """
    chosen = values if names is None else [name for name in names if name in values]
    return between.join(f"{name}{link}{values[name]:{form}}" for name in chosen)


def ranged(values: Mapping[Any, float], form: str = "{:.1f}") -> str:
    """Return the smallest and the largest number with their names.

    Examples
    --------
    >>> ranged({"corn": 3.0, "ship": 1.0, "wheat": 2.0}, "{:.0f} %")
    '1 % (ship) to 3 % (corn)'
    """
    low, high = (choose(values, key=values.__getitem__) for choose in (min, max))
    return f"{form.format(values[low])} ({low}) to {form.format(values[high])} ({high})"


def against(
    values: Mapping[Any, float], others: Mapping[Any, float], form: str = ".2f", between: str = "; "
) -> str:
    """Return numbers with their names, each against another of the same name.

    Examples
    --------
    >>> against({"corn": 3.0, "ship": 1.0}, {"ship": 2.0, "corn": 2.5}, ".1f")
    'corn 3.0 against 2.5; ship 1.0 against 2.0'
    """
    return between.join(
        f"{name} {value:{form}} against {others[name]:{form}}" for name, value in values.items()
    )
