"""Claims of a paper: what each says, which results it needs, and the rule that judges it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from lopsided.experiments import words
from lopsided.experiments._answers import Answer
from lopsided.experiments._texts import read_texts
from lopsided.experiments._tidy import Measurements

HOLDS, FAILS, NOISE, UNTESTED = "holds", "does not hold", "within noise", "cannot be tested here"
VERDICTS = (HOLDS, FAILS, NOISE, UNTESTED)
OWN, STAND_IN = "own data", "stand-in"


@dataclass(frozen=True)
class ClaimVerdict:
    """The verdict on a claim, and the numbers it was judged by."""

    id: str
    verdict: str
    """One of ``VERDICTS``; within noise: as close to what is asked as the runs are to each other."""
    measured: str
    """The figures that it was judged by."""
    asked: str
    """The rule; for a claim that cannot be tested, what is missing."""
    why: str = ""
    """One sentence that says, with a number, why the claim does not hold."""
    basis: str = ""
    """``OWN`` or ``STAND_IN``: whether all data were the paper's; "" where it was not judged."""
    stand_ins: tuple[str, ...] = ()
    """What stands in for the paper's data."""
    on_own: tuple[str, str] = (UNTESTED, "")
    """Verdict and figures by the paper's own data alone."""


@dataclass(frozen=True)
class StandIn:
    """Data that stand in for those of a paper."""

    axis: str
    text: str
    labels: tuple[str, ...] = ("*",)
    """Labels of the axis, which may end in a star."""

    def covers(self, at: Mapping[str, Any]) -> bool:
        """Return whether a measurement is of these data."""
        return self.axis in at and any(fnmatchcase(str(at[self.axis]), label) for label in self.labels)


@dataclass(frozen=True)
class Change:
    """A change of a rule after numbers were seen."""

    first: str
    """What was asked first."""
    why: str


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
    judged : bool
        False: these results are only shown.

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
    judged: bool = True

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


Check = Callable[..., tuple[Any, ...]]
"""Returns the answer, an `Answer` or a bool; the figures; and where the claim may fail, figures by name for
the sentence that says why."""


@dataclass(frozen=True)
class Claim:
    """A claim of a paper."""

    id: str
    where: str
    """Section, table or figure."""
    text: str
    """What the paper says there, in our words."""
    criterion: str
    """The rule that is read from that, with the numbers of the check."""
    needs: tuple[Needs, ...]
    check: Check
    why: str = ""
    """The sentence about why it does not hold; figures that the check returns stand in curly brackets."""
    changed: tuple[Change, ...] = ()
    """Changes of the rule after numbers were seen, the first one first."""
    stand_ins: tuple[StandIn, ...] = ()
    """Data of the paper that are not its own."""

    @property
    def items(self) -> tuple[str, ...]:
        """Return the names of the tables and figures that the claim is judged by."""
        return tuple(dict.fromkeys(need.item for need in self.needs))

    def judge(self, results: Mapping[str, Any]) -> ClaimVerdict:
        """Return the verdict from the tables and figures there are, and that from the paper's own data."""
        found = [need.find(results) for need in self.needs]
        if missing := self._missing(found):
            return ClaimVerdict(self.id, UNTESTED, "", f"needs {', '.join(missing)}")
        verdict = self._decide(found)
        pairs = zip(self.needs, found, strict=True)
        judged = [one for need, table in pairs if need.judged for one in table or ()]
        used = [stand_in for stand_in in self.stand_ins if any(stand_in.covers(one.at) for one in judged)]
        if not used:
            return replace(verdict, basis=OWN, on_own=(verdict.verdict, verdict.measured))
        told = tuple(_tell_stand_in(stand_in, judged) for stand_in in used)
        return replace(verdict, basis=STAND_IN, stand_ins=told, on_own=self._on_own(results))

    def _decide(self, found: Sequence[Measurements | None]) -> ClaimVerdict:
        holds, measured, *figures = self.check(*found)
        answer = Answer.of(holds)
        verdict = HOLDS if answer.is_yes else NOISE if answer.is_noise else FAILS
        told = self.why.format(**figures[0]) if figures and self.why and not answer.is_yes else ""
        decided = f"Decided by {answer.told}." if answer.told and not answer.is_yes else ""
        why = " ".join(filter(None, [decided, told])) if answer.is_noise else told or decided
        return ClaimVerdict(self.id, verdict, measured, self.criterion, why)

    def _on_own(self, results: Mapping[str, Any]) -> tuple[str, str]:
        own = {
            item: Measurements(
                [one for one in results[item] if not any(s.covers(one.at) for s in self.stand_ins)]
            )
            for item in self.items
            if results.get(item)
        }
        found = [need.find(own) for need in self.needs]
        if self._missing(found):
            return UNTESTED, ""
        verdict = self._decide(found)
        return verdict.verdict, verdict.measured

    def _missing(self, found: Sequence[Measurements | None]) -> list[str]:
        pairs = zip(self.needs, found, strict=True)
        return [str(need) for need, table in pairs if table is None and need.judged]


def _tell_stand_in(stand_in: StandIn, judged: Sequence[Any]) -> str:
    labels = list(dict.fromkeys(one.at[stand_in.axis] for one in judged if stand_in.axis in one.at))
    n = sum(stand_in.covers({stand_in.axis: label}) for label in labels)
    return stand_in.text if n == len(labels) else f"{n} of {len(labels)}: {stand_in.text}"


class Claims(dict[str, Claim]):
    """The claims of one paper by their ids.

    Parameters
    ----------
    texts : mapping
        Id -> what `Claim` has as text: ``where``, ``text``, ``criterion``, and if there are any ``why`` and
        ``changed``.
    stand_ins : sequence of StandIn
        Data of the paper that are not its own.
    numbers : mapping, optional
        Name -> number: a criterion or a ``why`` takes the numbers of its check by their names in curly
        brackets, ``{FAR:g} points``. Those of `words` need not be given.

    Examples
    --------
    >>> from lopsided.experiments import Measurement
    >>> texts = {"where": "Table 1", "text": "SVMC is better than SMC.", "criterion": "higher mean F1"}
    >>> claims = Claims({"X1": texts})
    >>> @claims.enter("X1", "table1")
    ... def is_better(t):
    ...     smc, svmc = t.mean("f1", method="SMC"), t.mean("f1", method="SVMC")
    ...     return svmc > smc, f"{svmc} against {smc}"
    >>> runs = {"SMC": 0.5, "SVMC": 0.6}
    >>> table = Measurements([Measurement({"row": "a", "method": m}, {"f1": f1}) for m, f1 in runs.items()])
    >>> found = claims["X1"].judge({"table1": table})
    >>> found.verdict, found.measured, found.asked, found.basis
    ('holds', '0.6 against 0.5', 'higher mean F1', 'own data')
    """

    def __init__(
        self,
        texts: Mapping[str, Mapping[str, Any]],
        stand_ins: Sequence[StandIn] = (),
        numbers: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._texts, self._stand_ins = texts, tuple(stand_ins)
        self._numbers = {name: value for name, value in vars(words).items() if name.isupper()}
        self._numbers |= numbers or {}

    @classmethod
    def read(cls, package: str, **numbers: Any) -> "Claims":
        """Return the claims of a paper's package, which has their texts in ``paper.toml``.

        ``numbers`` are those of its checks that criteria name.
        """
        about = read_texts(package)
        lent = [
            StandIn(s["axis"], s["text"], tuple(s.get("labels", "*"))) for s in about.get("stand_ins", [])
        ]
        return cls(about["claims"], lent, numbers)

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
            How the figures of one label are told; ``{mark}`` says where the claim does not hold, or is within
            noise.
        alone : str, optional
            How they are told where there is one label only, if differently.
        among : str
            The sentence around the figures.
        """
        wanted = tuple(Needs(need) if isinstance(need, str) else need for need in needs)

        def enter(check: Check) -> Check:
            made = _at_each(each, check, form, alone or form) if each else check

            def told(*tables: Measurements) -> tuple[Any, ...]:
                holds, measured, *figures = made(*tables)
                return holds, among.format(measured), *({**self._numbers, **one} for one in figures)

            texts = dict(self._texts[id_])
            texts["criterion"] = texts["criterion"].format(**self._numbers)
            texts["changed"] = tuple(Change(**change) for change in texts.get("changed", ()))
            self[id_] = Claim(id_, needs=wanted, check=told, stand_ins=self._stand_ins, **texts)
            return check

        return enter

    @property
    def unchecked(self) -> list[str]:
        """Return the ids of the claims that have a text but no check."""
        return [id_ for id_ in self._texts if id_ not in self]


def _at_each(axis: str, check: Check, form: str, alone: str) -> Check:
    def check_all(*tables: Measurements) -> tuple[Any, ...]:
        answer, shown = Answer.of(True), []
        figures: Mapping[str, Any] = {}
        labels = tables[0].labels(axis)
        for label in labels:
            holds, told, *more = check(*(table.only(**{axis: label}) for table in tables))
            here = Answer.of(holds)
            if here.level < answer.level:  # the label that decides, for the sentence that says why
                answer = replace(here, told=f"{label}: {here.told}")
                figures = {"label": label, **(more[0] if more else {})}
            how = form if len(labels) > 1 else alone
            shown.append(how.format(label=label, mark=_MARKS[here.level], told=told))
        return answer, "; ".join(shown), figures

    return check_all


_MARKS = " (not so)", " (within noise)", ""


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
