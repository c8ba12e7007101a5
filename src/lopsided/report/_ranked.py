"""A ranked list of texts with reasons, as records, data frame, JSON, CSV and page."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from lopsided.report._csv import write_records
from lopsided.report._ranked_page import RankedPage, RankedText, render_ranked
from lopsided.report._reasons import Reasons, Snippet

R = TypeVar("R", bound=RankedText)


@dataclass(frozen=True, eq=False, repr=False)
class RankedReport(ABC, Generic[R]):
    """Texts ranked by score, the highest first; words and snippets are computed when asked for.

    Methods that take ``n`` give the first n texts, or all of them where it is None. A subclass defines its
    records, and the texts of its page.

    Parameters
    ----------
    scores : array
        Score of each ranked text, the highest first; 0 is the threshold.
    """

    _columns: ClassVar[tuple[str, ...]]  # of a record in a table
    _title: ClassVar[str]  # of the page, where no other is given
    _advice: ClassVar[str]  # on the page, where nothing is over the threshold

    scores: NDArray[np.float64]
    _rows: NDArray[np.intp]  # index of each ranked text among the texts
    _ids: Sequence[str]
    _texts: Sequence[str]
    _evidence: Any  # CSR, a row for each ranked text: what each word adds to its score
    _reasons: Reasons

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    @abstractmethod
    def summary(self) -> str:
        """Return one line: what was compared, and the result."""

    @abstractmethod
    def left_out(self) -> list[str]:
        """Return which texts were not ranked, and why: a line each."""

    @property
    @abstractmethod
    def n_over(self) -> int | None:
        """Number of texts over the threshold; None where there is no threshold."""

    @cached_property
    def records(self) -> list[R]:
        """All ranked texts; `first` is faster for some of them."""
        return self._make(len(self))

    def first(self, n: int | None = None) -> list[R]:
        """Return the first n records, or all."""
        if n is None or "records" in self.__dict__:
            return self.records[:n]
        return self._make(min(n, len(self)))

    def to_pandas(self, n: int | None = None) -> Any:
        """Return a data frame of the records; ``row`` is the index of a text as given."""
        import pandas as pd

        columns = [*self._columns[:2], "row", *self._columns[2:]]
        rows = [record.plain() | {"row": record.row} for record in self.first(n)]
        return pd.DataFrame(rows, columns=columns)

    def to_json(self, n: int | None = None) -> str:
        """Return the counts and the records as one JSON object."""
        return json.dumps(self.plain(n), indent=2)

    def plain(self, n: int | None = None) -> dict[str, Any]:
        """Return what `to_json` writes, as Python values."""
        records = [record.plain() for record in self.first(n)]
        return self._facts() | {"records": records}

    def to_csv(self, n: int | None = None, *, delimiter: str = ",") -> str:
        """Return the records as CSV; a cell that a spreadsheet would compute gets an apostrophe in front."""
        return write_records(self._columns, (record.plain() for record in self.first(n)), delimiter)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the values of a record."""
        return self._columns

    def to_html(
        self,
        n: int | None = None,
        *,
        title: str | None = None,
        notes: Sequence[str] = (),
        titles: Mapping[int, str] | None = None,
    ) -> str:
        """Return the records as a page that needs nothing else: no network, no other file.

        Parameters
        ----------
        n : int or None, default=None
            Number of records; None for all.
        title : str or None, default=None
            Title; None for that of this kind of report.
        notes : sequence of str, default=()
            Lines below the list.
        titles : mapping from row to str, default=None
            A title for each text as given, shown beside its id.

        Returns
        -------
        page : str
        """
        below = [*self.left_out(), *notes]
        title = self._title if title is None else title
        page = self._page()
        if not self.n_over:
            page = page._replace(advice=self._advice)
        return render_ranked(page, self.scores, self.first(n), title=title, notes=below, titles=titles)

    @abstractmethod
    def _facts(self) -> dict[str, Any]:
        """Return the counts as values that JSON can hold."""

    @abstractmethod
    def _page(self) -> RankedPage:
        """Return what the page says beside the list."""

    @abstractmethod
    def _record(self, place: int, row: int, words: tuple[str, ...], snippet: Snippet) -> R:
        """Return the record at a place of the list."""

    def _make(self, n: int) -> list[R]:
        records = []
        for place in range(n):
            row = int(self._rows[place])
            mine = slice(*self._evidence.indptr[place : place + 2])
            reasons = self._reasons.explain(
                self._texts[row], self._evidence.indices[mine], self._evidence.data[mine]
            )
            records.append(self._record(place, row, *reasons))
        return records
