"""Rows that rules are applied to: the answers to conditions, with cells read as in training."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.boosting._asked import AskedCondition
from lopsided.boosting._cells import as_number
from lopsided.boosting._dates import as_dates
from lopsided.boosting._wanted import is_missing, shorten, spell
from lopsided.text import StemmedVectorizer
from lopsided.text._decode import clean_text, decode_bytes

_LISTED = 8  # so many columns does a message name


class RuleInput:
    """Texts or the columns of a table, each column read once.

    Parameters
    ----------
    texts : list of str or None
        None where there is a table.
    table : dict of lists
    column : str or None
        The column of the texts, where a table has them.
    columns : sequence of str
        The columns that rules look at.
    """

    def __init__(
        self,
        texts: list[str] | None,
        table: dict[str, list[Any]],
        column: str | None,
        columns: Sequence[str],
    ) -> None:
        if texts is None:
            missing = [shorten(name) for name in columns if name not in table]
            if missing:
                s, are = ("", "is") if len(missing) == 1 else ("s", "are")
                there = ", ".join(map(shorten, list(table)[:_LISTED]))
                more = f" and {len(table) - _LISTED:,} more" if len(table) > _LISTED else ""
                raise ValueError(
                    f"the column{s} {', '.join(missing)} of the rules {are} missing (columns: {there}{more}"
                    "). Add what is missing, or rename a column."
                )
            if column is not None:
                texts = [_as_text(cell) for cell in table[column]]
        elif column is None and columns:
            raise ValueError("these rules are about the columns of a table; got texts. Pass a table.")
        self.n = len(texts) if texts is not None else len(next(iter(table.values())))
        self._texts, self._table = texts, table
        self._numbers: dict[tuple[str, str], NDArray[np.float64]] = {}
        self._names: dict[str, NDArray[np.object_]] = {}
        self._stems: dict[str, NDArray[np.intp]] | None = None

    def holds(self, condition: AskedCondition) -> NDArray[np.bool_]:
        """Return whether a condition holds, for each row."""
        yes = self._answers(condition)
        return yes if condition.says_yes else ~yes

    def _answers(self, condition: AskedCondition) -> NDArray[np.bool_]:
        name = condition.feature
        match condition.kind:
            case "word":
                return self._has_word(name)
            case "category":
                return np.asarray(self._spelled(name) == condition.value)
            case "missing" if condition.value == "category":
                return np.asarray(self._spelled(name) == "")
            case "missing":
                return np.isnan(self._values(name, str(condition.value)))
            case "date":
                limit = condition.seconds
            case _:
                limit = float(condition.value or 0.0)
        with np.errstate(invalid="ignore"):
            return self._values(name, condition.kind) > limit

    def _values(self, name: str, kind: str) -> NDArray[np.float64]:
        """Return numbers, or dates as seconds since 1970; NaN where one is missing."""
        if (name, kind) not in self._numbers:
            read = _read_date if kind == "date" else as_number
            found = np.empty(self.n)
            for i, cell in enumerate(self._table[name]):
                value = read(cell)
                if value is None:
                    raise ValueError(
                        f"the column {shorten(name)} has {kind}s in the rules, but row {i + 1:,} has "
                        f"'{shorten(str(cell))}'. Correct the cell, or leave it empty."
                    )
                found[i] = value
            self._numbers[name, kind] = found
        return self._numbers[name, kind]

    def _spelled(self, name: str) -> NDArray[np.object_]:
        """Return categories as they are written, '' where one is missing."""
        if name not in self._names:
            cells = ["" if is_missing(cell) else spell(cell) for cell in self._table[name]]
            self._names[name] = np.array(cells, dtype=object)
        return self._names[name]

    def _has_word(self, stem: str) -> NDArray[np.bool_]:
        if self._texts is None:
            raise ValueError("these rules are about the words of texts; got a table. Pass the texts.")
        if self._stems is None:
            vectorizer = StemmedVectorizer(weighting="binary", norm=None)
            self._stems = {}
            if any(text.strip() for text in self._texts):
                try:
                    rows: Any = vectorizer.fit_transform(self._texts)
                except ValueError:  # not a word in any of them
                    rows = None
                if rows is not None:
                    columns = rows.tocsc()
                    self._stems = {
                        found: columns.indices[columns.indptr[j] : columns.indptr[j + 1]]
                        for found, j in vectorizer.vocabulary_.items()
                    }
        there = np.zeros(self.n, dtype=bool)
        there[self._stems.get(stem, [])] = True
        return there


def _read_date(cell: Any) -> float | None:
    if is_missing(cell):
        return float("nan")
    found = as_dates([cell])
    return None if found is None else float(found[0])


def _as_text(cell: Any) -> str:
    if is_missing(cell):
        return ""
    return clean_text(decode_bytes(cell)[0] if isinstance(cell, bytes) else str(cell))[0]
