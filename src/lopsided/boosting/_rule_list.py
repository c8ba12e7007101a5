"""A list of rules that can be applied to new rows, stored, and written as SQL or Python."""

from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._apply import RuleInput
from lopsided.boosting._asked import AskedCondition
from lopsided.boosting._export import as_python, as_sql
from lopsided.boosting._input import read_data
from lopsided.boosting._wanted import shorten


class FoundRule(NamedTuple):
    """A rule in words, and what it is worth on the rows that judge it.

    Examples
    --------
    >>> ship = AskedCondition("word", "ship", None, True, ("ship", "ships"))
    >>> rule = FoundRule(1, (ship,), 1.2, 40, 30, 50, 1000)
    >>> rule.whole, rule.precision, rule.recall, rule.lift
    ("'ship' (ships)", 0.75, 0.6, 15.0)
    """

    place: int
    """Place of the rule in the list, from 1."""
    conditions: tuple[AskedCondition, ...]
    """The rule holds where all of them do."""
    points: float
    """Points that the rule adds where it holds."""
    n_holds: int
    """Number of held-out rows for which it holds."""
    n_right: int
    """Number of positives among the held-out rows for which it holds."""
    n_positives: int
    """Number of positives among all held-out rows."""
    n_judged: int
    """Number of held-out rows."""

    @property
    def text(self) -> str:
        """The rule in words."""
        return " and ".join(condition.text for condition in self.conditions)

    @property
    def whole(self) -> str:
        """The text, and the other spellings of its words."""
        return " and ".join(condition.whole for condition in self.conditions)

    @property
    def precision(self) -> float | None:
        """Share of positives where it holds; None where it never does."""
        return self.n_right / self.n_holds if self.n_holds else None

    @property
    def recall(self) -> float | None:
        """Share of the positives for which it holds; None where there are none."""
        return self.n_right / self.n_positives if self.n_positives else None

    @property
    def lift(self) -> float | None:
        """Precision as a multiple of the share of positives; None where either is unknown."""
        if self.precision is None or not self.n_positives:
            return None
        return self.precision * self.n_judged / self.n_positives

    def plain(self) -> dict[str, Any]:
        """Return all fields as values that JSON can hold."""
        return {
            "rule": self.text,
            "points": self.points,
            "holds": self.n_holds,
            "right": self.n_right,
            "precision": self.precision,
            "recall": self.recall,
            "lift": self.lift,
            "conditions": [condition.plain() for condition in self.conditions],
        }


@dataclass(frozen=True)
class RuleList:
    """Rules with points: a row whose rules come to more than the bar is predicted positive.

    `find_rules` makes one, with what each rule is worth; `load_rules` reads one that was stored.

    Parameters
    ----------
    positive : str
        The label that the rules are for.
    column : str or None
        The column whose texts the rules read; None where they read several columns, or texts without a name.
    bar : float
        A row is predicted positive where the points of the rules that hold are more than this.
    rules : list of FoundRule
        The one with the most points first.

    Examples
    --------
    >>> from lopsided import find_rules
    >>> table = {"age": [30, 31, 32, 33, 60, 61, 62, None] * 5}
    >>> labels = ["no", "no", "no", "no", "yes", "yes", "yes", "no"] * 5
    >>> rules = find_rules(table, labels, random_state=0).rule_list
    >>> rules.predict({"age": [70, "", 20]}).tolist()
    [True, False, False]
    >>> print(rules.to_sql())
    ("age" IS NOT NULL AND "age" > 40.0)
    """

    positive: str
    column: str | None
    bar: float
    rules: list[FoundRule]

    @property
    def reads_words(self) -> bool:
        """Whether the rules read texts, and not the cells of a table."""
        return any(condition.kind == "word" for rule in self.rules for condition in rule.conditions)

    @property
    def columns(self) -> list[str]:
        """Columns of a table that the rules look at, each once."""
        if self.reads_words:
            return [] if self.column is None else [self.column]
        return list(dict.fromkeys(c.feature for rule in self.rules for c in rule.conditions))

    @property
    def any_suffices(self) -> bool:
        """Whether each rule alone is enough."""
        return self.least >= 0 and all(rule.points > self.least for rule in self.rules)

    @property
    def least(self) -> float:
        """The bar, and what rounding may add to a sum of points."""
        return self.bar + 1e-9 * (1 + sum(rule.points for rule in self.rules))

    def decision(self) -> str:
        """Return a sentence that says how rows are decided.

        Returns
        -------
        line : str
        """
        name = shorten(self.positive)
        if self.any_suffices:
            return f"A row counts as '{name}' where {'a' if len(self.rules) > 1 else 'the'} rule holds."
        return f"A row counts as '{name}' where the rules that hold add up to more than {self.bar + 0.0:.3g}."

    def holds(self, data: Any) -> NDArray[np.bool_]:
        """Return whether each rule holds for each row.

        Parameters
        ----------
        data : iterable of str or bytes, mapping, data frame or array
            Texts or a table, as for `find_rules`. Other columns than those of the rules do not matter. A
            missing number is below all others, and a category that was never seen is none of those known.

        Returns
        -------
        holds : bool array of shape (n_rules, n_rows)
        """
        texts, table = read_data(data, needed_by="predict")
        rows = RuleInput(texts, table, self.column, self.columns)
        answers = [
            np.logical_and.reduce([rows.holds(condition) for condition in rule.conditions])
            for rule in self.rules
        ]
        return np.array(answers, dtype=bool).reshape(len(self.rules), rows.n)

    def points(self, data: Any) -> NDArray[np.float64]:
        """Return the sum of the points of the rules that hold, for each row.

        Parameters
        ----------
        data : iterable of str or bytes, mapping, data frame or array
            As of `holds`.

        Returns
        -------
        points : array of shape (n_rows,)
        """
        return np.array([rule.points for rule in self.rules]) @ self.holds(data)

    def predict(self, data: Any) -> NDArray[np.bool_]:
        """Return whether each row is predicted positive.

        Parameters
        ----------
        data : iterable of str or bytes, mapping, data frame or array
            As of `holds`.

        Returns
        -------
        positive : bool array of shape (n_rows,)
        """
        return self.decide(self.points(data))

    def decide(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether rows with so many points are predicted positive; none is where there is no rule.

        Parameters
        ----------
        points : array of shape (n_rows,)

        Returns
        -------
        positive : bool array of shape (n_rows,)
        """
        return (points > self.least) & (len(self.rules) > 0)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the rules to a JSON file, which `load_rules` reads.

        Parameters
        ----------
        path : str or path-like
        """
        from lopsided.boosting._rule_file import write_rules

        write_rules(self, path)

    def to_sql(self) -> str:
        """Return the decision as an SQL expression, for WHERE or CASE WHEN.

        Numbers have to be in columns of numbers, and what is missing has to be NULL. Dates are compared as
        they are written.

        Returns
        -------
        expression : str
        """
        self._refuse_words("to_sql")
        return as_sql(self.rules, self.least, self.any_suffices)

    def to_python(self) -> str:
        """Return the decision as Python code that needs nothing else: a function ``is_positive(row)``.

        ``row`` maps the names of columns to cells, as a row of `csv.DictReader` does.

        Returns
        -------
        code : str
        """
        self._refuse_words("to_python")
        return as_python(self.rules, self.least, self.any_suffices, self.positive)

    def _refuse_words(self, method: str) -> None:
        if self.reads_words:
            raise ValueError(
                f"{method} writes rules about columns; these are about words, whose endings only lopsided "
                "takes off. Use predict."
            )
