"""Questions about the columns of a table: is the number above this, is the value that?"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._asked import AskedCondition, Kind
from lopsided.boosting._dates import as_dates, date_between, write_date
from lopsided.boosting._material import Answered, Piece
from lopsided.boosting._round import round_between
from lopsided.boosting._wanted import is_missing, shorten, spell

NO_NUMBER = {"", "na", "n/a", "nan", "null", "none", "?"}  # in a column of numbers
_MOST_VALUES = 100  # of a column of categories that are asked for


class Numbers(NamedTuple):
    """A column of numbers; NaN where one is missing."""

    name: str
    values: NDArray[np.float64]
    dates: bool = False
    """Whether they are dates, as seconds since 1970."""

    @property
    def kind(self) -> Kind:
        """The kind of its conditions."""
        return "date" if self.dates else "number"

    def threshold(self, low: float, high: float) -> tuple[float, str]:
        """Return what parts two numbers and is short to write, and how it is written."""
        if self.dates:
            return date_between(low, high)
        t = round_between(low, high)
        return t, f"{t:.15g}"

    def cell(self, row: int) -> str:
        """Return the number of a row as it is written, or "missing"."""
        value = self.values[row]
        if math.isnan(value):
            return "missing"
        return write_date(value) if self.dates else f"{value:.12g}"


class Values(NamedTuple):
    """A column of categories by the places of their names; -1 where one is missing or not asked for."""

    name: str
    names: list[str]
    codes: NDArray[np.intp]
    missing: NDArray[np.bool_]


class Sorted(NamedTuple):
    """The columns of a table by what can be asked of them."""

    usable: list[Numbers | Values]
    texts: list[str]
    """Columns of running text, the one with the most words first."""
    left_out: dict[str, str]
    """Reason why each of the other columns is not used."""


def sort_columns(
    columns: Mapping[str, Sequence[Any]], rows: Sequence[int] | NDArray[np.intp] | None = None
) -> Sorted:
    """Tell numbers, dates, categories, running text and what says nothing apart, of all rows or of some.

    Examples
    --------
    >>> table = {"n": [1, 2, 3, 4], "age": ["4", "?", "5", "5"], "kind": ["a", "b", "a", "a"], "c": [1] * 4}
    >>> found = sort_columns(table)
    >>> [column.name for column in found.usable], found.left_out
    (['age', 'kind'], {'n': 'it counts the rows', 'c': 'one value'})
    """
    usable: list[Numbers | Values] = []
    texts: dict[str, float] = {}
    left_out: dict[str, str] = {}
    for name, whole in columns.items():
        cells = whole if rows is None else [whole[i] for i in rows]
        numbers = as_numbers(cells)
        dates = as_dates(cells) if numbers is None else None
        if any(isinstance(cell, list | dict) for cell in cells):
            left_out[name] = "lists or objects"
        elif numbers is not None:
            if len(np.unique(numbers)) < 2:  # all NaN count as one
                left_out[name] = "one value"
            elif _counts_rows(numbers) or (rows is not None and _counts_rows(as_numbers(whole))):
                left_out[name] = "it counts the rows"
            else:
                usable.append(Numbers(name, numbers))
        elif dates is not None and len(np.unique(dates)) > 1:
            usable.append(Numbers(name, dates, dates=True))
        else:
            spelled = ["" if is_missing(cell) else spell(cell) for cell in cells]
            counts = Counter(spelled)
            n_words = sum(len(cell.split()) for cell in spelled) / len(spelled)
            if len(counts) < 2:
                left_out[name] = "one value"
            elif name.lower() == "text" or _is_text(n_words, len(counts) / len(spelled)):
                texts[name] = n_words
            elif len(counts) > max(len(spelled) / 2, 2):
                left_out[name] = "nearly each row has a value of its own"
            else:
                usable.append(_as_values(name, spelled, counts))
    return Sorted(usable, sorted(texts, key=lambda name: -texts[name]), left_out)


class Cells:
    """Thresholds of numbers and values of categories.

    For a booster numbers are replaced by their ranks, because their order is all it asks for: so infinite and
    huge ones are no trouble. A missing number is below all others, which makes "is missing" a question, too.

    Parameters
    ----------
    columns : list of Numbers and Values
    learned_from : array of int
        Places of the rows to learn from.
    """

    stumps = "threshold"

    def __init__(self, columns: list[Numbers | Values], learned_from: NDArray[np.intp]) -> None:
        self._columns = {column.name: column for column in columns}
        self._asked: list[tuple[str, NDArray[np.float64] | int]] = []  # values of a number, or a category
        ranks: list[NDArray[np.float64]] = []
        for column in columns:
            if isinstance(column, Numbers):
                values = column.values[learned_from]
                known = np.unique(values[~np.isnan(values)])
                place = np.searchsorted(known, values).astype(np.float64)
                ranks.append(np.where(np.isnan(values), -1.0, place))
                self._asked.append((column.name, known))
            else:
                codes = column.codes[learned_from]
                for code in range(len(column.names)):
                    if (codes == code).any():
                        ranks.append((codes == code).astype(np.float64))
                        self._asked.append((column.name, code))
                if column.missing[learned_from].any():
                    ranks.append(column.missing[learned_from].astype(np.float64))
                    self._asked.append((column.name, -1))
        self.X = np.column_stack(ranks)

    def condition(self, feature: int, threshold: float | None, yes: bool) -> Answered:
        """Write a condition; numbers are compared with the roundest threshold that gives the same answers."""
        name, what = self._asked[feature]
        column = self._columns[name]
        if isinstance(column, Values):
            assert isinstance(what, int)
            if what < 0:
                return _answered(AskedCondition("missing", name, "category", yes), column.missing)
            return _answered(AskedCondition("category", name, column.names[what], yes), column.codes == what)
        assert not isinstance(what, int)
        assert threshold is not None
        gone = np.isnan(column.values)
        rank = math.floor(threshold)
        if rank < 0:
            return _answered(AskedCondition("missing", name, column.kind, not yes), gone)
        t, written = column.threshold(float(what[rank]), float(what[rank + 1]))
        with np.errstate(invalid="ignore"):
            above = column.values > t
        value: float | str = written if column.dates else t
        or_missing = not yes and bool(gone.any())
        return _answered(AskedCondition(column.kind, name, value, yes, (), or_missing), above)

    def show(self, row: int, conditions: Sequence[Answered]) -> list[Piece]:
        """Return the cells that the rules look at."""
        holding = {condition.asked.feature: False for condition in conditions}
        for condition in conditions:
            holding[condition.asked.feature] |= bool(condition.holds[row])
        pieces: list[Piece] = []
        for name, holds in holding.items():
            pieces.append((", " if pieces else "", ""))
            pieces.append((f"{shorten(name)} = {self._cell(name, row)}", "for" if holds else ""))
        return pieces[1:]

    def _cell(self, name: str, row: int) -> str:
        column = self._columns[name]
        if isinstance(column, Numbers):
            return column.cell(row)
        if column.missing[row]:
            return "missing"
        code = column.codes[row]
        return f"'{shorten(column.names[code])}'" if code >= 0 else "another value"


def as_numbers(cells: Sequence[Any]) -> NDArray[np.float64] | None:
    """Return floats, NaN where one is missing; None where a cell is no number, or none is."""
    found = np.array([as_number(cell) for cell in cells], dtype=object)
    if any(number is None for number in found):
        return None
    numbers = found.astype(np.float64)
    return None if np.isnan(numbers).all() and any(isinstance(cell, str) for cell in cells) else numbers


def as_number(cell: Any) -> float | None:
    """Return a float, NaN where the cell is missing; None where it is no number.

    Examples
    --------
    >>> as_number("1e3"), as_number("n/a"), as_number("many")
    (1000.0, nan, None)
    """
    if isinstance(cell, bool | np.bool_ | list | dict):
        return None
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in NO_NUMBER):
        return math.nan
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _answered(condition: AskedCondition, yes: NDArray[np.bool_]) -> Answered:
    return Answered(condition, yes if condition.says_yes else ~yes)


def _is_text(n_words: float, share_different: float) -> bool:
    """Return whether cells of so many words on average, so many of them different, are running text."""
    return (n_words >= 4 and share_different > 0.1) or (n_words >= 2 and share_different > 0.5)


def _counts_rows(numbers: NDArray[np.float64] | None) -> bool:
    if numbers is None or len(numbers) < 4:
        return False
    return bool((numbers == numbers[0] + np.arange(len(numbers))).all())


def _as_values(name: str, spelled: list[str], counts: Counter[str]) -> Values:
    """Return the most common values, the first by name of equally common ones."""
    ranked = sorted((value for value in counts if value), key=lambda value: (-counts[value], value))
    names = ranked[:_MOST_VALUES]
    code = {value: i for i, value in enumerate(names)}
    codes = np.array([code.get(value, -1) for value in spelled], dtype=np.intp)
    return Values(name, names, codes, np.array([not value for value in spelled]))
