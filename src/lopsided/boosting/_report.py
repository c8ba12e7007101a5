"""The report of `find_rules`: a short list of rules, how far each can be trusted, and rows that show it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._material import Answered, Material, Piece
from lopsided.boosting._rule_list import FoundRule, RuleList
from lopsided.boosting._wanted import shorten
from lopsided.metrics import Counts
from lopsided.report._csv import write_records

CaseKind = Literal["found", "missed", "false alarm"]
OUTCOMES: tuple[CaseKind, ...] = ("found", "missed", "false alarm")


class Case(NamedTuple):
    """A row that was found, rightly or not, or missed.

    Examples
    --------
    >>> Case("a.txt", 0, "missed", 0.4, (2,), [("a ", ""), ("ship", "for")]).plain()["text"]
    'a ship'
    """

    id: str
    row: int
    """Its place as given, from 0."""
    outcome: CaseKind
    points: float
    """Sum of the points of the rules that hold for the row."""
    holding: tuple[int, ...]
    """Places of those rules in the list."""
    pieces: list[Piece]
    """What the rules look at, with what speaks for and against it."""

    def plain(self) -> dict[str, Any]:
        """Return all fields as values that JSON can hold."""
        about = {"id": self.id, "row": self.row, "outcome": self.outcome, "points": self.points}
        text = "".join(text for text, _ in self.pieces)
        return about | {"rules": list(self.holding), "text": text}


@dataclass(frozen=True, eq=False, repr=False)
class RuleReport:
    """The rules that `find_rules` found, and what they are worth on rows held out.

    Parameters
    ----------
    positive : str
        The label that the rules are for.
    chosen : str
        How it was chosen, or '' where it was named.
    n_rows, n_positives : int
        Rows with a label, and those of them with the wanted one.
    n_learned, n_learned_positives : int
        Rows that the rules were learned from.
    held_out : bool
        Whether the rows that judge were held out. If not, there were too few positives, the rules are judged
        on the rows they were learned from, and new rows will fare worse.
    rule_list : RuleList
        The rules, which can be applied to new rows, stored, and written as SQL or Python.
    counts : Counts
        The decisions on the rows that judge.
    cv_f1 : float or None
        F1 in the cross validation that chose the parameters; None where there was none.
    parameters : dict
        The ``form`` of the rules ("tree": branches of a tree, or "list"), ``n_questions`` that were asked,
        and the ``positive_weight`` while learning, as cross validation chose them.
    source : str
        What the rules were learned from, in words.
    remarks : list of str
        What else to know: a line each.

    Attributes
    ----------
    n_judged, n_judged_positives : int
        Number of rows that the rules were judged on, and of positives among them.

    Examples
    --------
    >>> from lopsided import find_rules, make_topics
    >>> texts, topic = make_topics(400, n_topics=8, random_state=0)
    >>> report = find_rules(texts, topic, positive=3, random_state=0)
    >>> report.n_judged, report.counts.f() > 0.5
    (100, True)
    """

    positive: str
    chosen: str
    n_rows: int
    n_positives: int
    n_learned: int
    n_learned_positives: int
    held_out: bool
    rule_list: RuleList
    counts: Counts
    cv_f1: float | None
    parameters: dict[str, Any]
    source: str
    remarks: list[str]
    _answers: list[tuple[NDArray[np.bool_], list[Answered]]]  # of each rule, and of its conditions
    _material: Material
    _ids: Sequence[str]
    _judged: NDArray[np.intp]  # places of the rows that judge, as given
    _inside: NDArray[np.intp]  # their places among the rows with a label
    _points: NDArray[np.float64]  # of each of them
    _truth: NDArray[np.bool_]
    _found: NDArray[np.bool_]

    @property
    def rules(self) -> list[FoundRule]:
        """The rules, the one with the most points first."""
        return self.rule_list.rules

    @property
    def bar(self) -> float:
        """A row is predicted positive where the points of the rules that hold are more than this."""
        return self.rule_list.bar

    @property
    def n_judged(self) -> int:
        """Number of rows that the rules were judged on."""
        return len(self._judged)

    @property
    def n_judged_positives(self) -> int:
        """Number of positives among the rows that the rules were judged on."""
        return int(self._truth.sum())

    def __repr__(self) -> str:
        return f"<RuleReport: {self.summary()}>"

    def summary(self) -> str:
        """Return one line: how many rules there are for which label, and how good they are.

        Returns
        -------
        line : str
        """
        n = len(self.rules)
        rules = f"{n} rule{'' if n == 1 else 's'}" if n else "no rule"
        return f"{rules} for '{shorten(self.positive)}'; {self.verdict()}"

    def about(self) -> list[str]:
        """Return what the rules are for, what they were learned from and what they are judged on, as lines.

        Returns
        -------
        lines : list of str
        """
        name = shorten(self.positive)
        chosen = f" ({self.chosen})" if self.chosen else ""
        share = f"{100 * self.n_positives / self.n_rows:.2g} %"
        lines = [f"Wanted: '{name}'{chosen}, {self.n_positives:,} of {self.n_rows:,} rows, {share}."]
        rows = f"{self.n_learned:,} rows, {self.n_learned_positives:,} wanted"
        learned = f"Learned from {self.source} of {rows}"
        if self.held_out:
            return [
                *lines,
                f"{learned}; judged on {self.n_judged:,} others, {self.n_judged_positives:,} wanted.",
            ]
        return [*lines, f"{learned}. {self.caveat()}"]

    def caveat(self) -> str:
        """Return why no rows were held out, or ''.

        Returns
        -------
        line : str
        """
        if self.held_out:
            return ""
        return (
            "There are too few different rows of a class to hold some out: all figures are of the rows "
            "learned from, and new rows will fare worse."
        )

    def verdict(self) -> str:
        """Return how good the decisions are on the rows that judge, as part of a line.

        Returns
        -------
        line : str
        """
        counts = self.counts
        where = "rows held out" if self.held_out else "rows learned from, NOT held out"
        scores = f"precision {counts.precision():.3f}, recall {counts.recall():.3f}, F1 {counts.f():.3f}"
        alarms = f"{counts.fp:,.0f} false alarm{'' if counts.fp == 1 else 's'}"
        return f"{counts.tp:,.0f} of {self.n_judged_positives:,} found and {alarms} ({scores}; {where})"

    def predict(self, data: Any) -> NDArray[np.bool_]:
        """Return whether the rules predict a positive, for each of new rows.

        Parameters
        ----------
        data : iterable of str or bytes, mapping, data frame or array
            Texts or a table, as for `find_rules`; the columns of the rules must be there. A missing number is
            below all others, and a category that was never seen is none of those known.

        Returns
        -------
        positive : bool array of shape (n_rows,)
        """
        return self.rule_list.predict(data)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rules to a JSON file, which `load_rules` reads; no rows are in it.

        Parameters
        ----------
        path : str or path-like
        """
        self.rule_list.save(path)

    def to_sql(self) -> str:
        """Return the decision as an SQL expression, as `RuleList.to_sql` does."""
        return self.rule_list.to_sql()

    def to_python(self) -> str:
        """Return the decision as Python code, as `RuleList.to_python` does."""
        return self.rule_list.to_python()

    def cases(self, outcome: CaseKind, n: int | None = None) -> list[Case]:
        """Return rows found, missed or found by mistake: the clearest first, or those nearest to the bar.

        Parameters
        ----------
        outcome : {"found", "missed", "false alarm"}
        n : int or None, default=None
            So many at most.

        Returns
        -------
        cases : list of Case
        """
        mask = {
            "found": self._truth & self._found,
            "missed": self._truth & ~self._found,
            "false alarm": ~self._truth & self._found,
        }[outcome]
        places = np.flatnonzero(mask)
        places = places[np.argsort(-self._points[places], kind="stable")][:n]
        return [self._case(int(place), outcome) for place in places]

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each rule."""
        import pandas as pd

        return pd.DataFrame(self._table(), columns=_COLUMNS)

    def to_csv(self, *, delimiter: str = ",") -> str:
        """Return the rules as CSV; a cell that a spreadsheet would compute gets an apostrophe in front."""
        return write_records(_COLUMNS, self._table(), delimiter)

    def to_json(self, n: int | None = None) -> str:
        """Return all of it as one JSON object; ``n`` rows of each outcome at most."""
        return json.dumps(self.plain(n), indent=2)

    def plain(self, n: int | None = None) -> dict[str, Any]:
        """Return the dict that `to_json` writes."""
        counts = self.counts
        names = ("positive", "chosen", "n_rows", "n_positives", "n_learned", "n_learned_positives")
        return {
            **{name: getattr(self, name) for name in names},
            "judged": {
                "held_out": self.held_out,
                "n": self.n_judged,
                "n_positives": self.n_judged_positives,
                **{name: int(count) for name, count in asdict(counts).items()},
                "precision": counts.precision(),
                "recall": counts.recall(),
                "f1": counts.f(),
            },
            "cv_f1": self.cv_f1,
            "parameters": self.parameters,
            "bar": self.bar,
            "decision": self.rule_list.decision() if self.rules else "",
            "rules": [rule.plain() for rule in self.rules],
            "cases": [case.plain() for outcome in OUTCOMES for case in self.cases(outcome, n)],
            "remarks": self.remarks,
        }

    def to_html(self, n: int | None = 50, *, title: str | None = None, notes: Sequence[str] = ()) -> str:
        """Return the rules and the rows that show them, as a page that needs nothing else.

        Parameters
        ----------
        n : int or None, default=50
            So many rows of each outcome at most.
        title : str or None, default=None
            What stands above.
        notes : sequence of str, default=()
            Lines that stand below.

        Returns
        -------
        page : str
        """
        from lopsided.boosting._page import render_rules

        title = f"Rules for {shorten(self.positive)}" if title is None else title
        return render_rules(self, n, title=title, notes=[*self.remarks, *notes])

    def _table(self) -> list[dict[str, Any]]:
        return [{name: rule.plain()[name] for name in _COLUMNS} for rule in self.rules]

    def _case(self, place: int, outcome: CaseKind) -> Case:
        row, inside = int(self._judged[place]), int(self._inside[place])
        holding = tuple(
            rule.place for rule, (holds, _) in zip(self.rules, self._answers, strict=True) if holds[inside]
        )
        conditions = [condition for _, conditions in self._answers for condition in conditions]
        pieces = self._material.show(inside, conditions)
        return Case(self._ids[row], row, outcome, float(self._points[place]), holding, pieces)


_COLUMNS = ("rule", "points", "holds", "right", "precision", "recall", "lift")
