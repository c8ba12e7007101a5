"""What `find_more` found: a ranked list with reasons, for Python, tables, JSON and a page."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.pu._find_page import render_page
from lopsided.pu._reasons import Reasons, Snippet
from lopsided.pu._share import PositiveShare

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute
_NUMBERS = ("n_hidden", "n_hidden_low", "n_hidden_high")
_COLUMNS = ("rank", "id", "score", "found", "words", "text")


class FindRecord(NamedTuple):
    """One unlabeled text, and how much it is like the positives.

    Examples
    --------
    >>> record = FindRecord(1, "a.txt", 0, 0.3, True, ("Ships",), Snippet("Ships sail.", ((0, 5),)))
    >>> record.plain()["text"]
    'Ships sail.'
    """

    rank: int
    id: str
    row: int  # its place among the unlabeled texts as given, from 0
    score: float  # 0 is the line
    found: bool  # whether it is over the line
    words: tuple[str, ...]  # that speak for it, the weightiest first, as the text spells them
    snippet: Snippet

    def plain(self) -> dict[str, Any]:
        """Rank, id, score, found, words and a piece of the text, as JSON can hold them."""
        about = {"rank": self.rank, "id": self.id, "score": self.score, "found": self.found}
        return about | {"words": list(self.words), "text": self.snippet.text}


@dataclass(frozen=True, eq=False, repr=False)
class FindReport:
    """What `find_more` found, the best first.

    Parameters
    ----------
    share : PositiveShare
        Estimated share of positives among the ranked texts, with an interval, and their number ``n_hidden``.
    n_positives : int
        Positives that differ from each other.
    n_unlabeled : int
        Unlabeled texts as given.
    n_known : int
        Unlabeled texts that are equal to a positive, and therefore not ranked.
    n_wordless : int
        Unlabeled texts that are not ranked because no word of theirs is in another text.

    scores : array
        Score of each ranked text, the best first; 0 is the line.

    Attributes
    ----------
    n_found : int
        Texts over the line.
    records : list of FindRecord
        All ranked texts, the best first.

    Examples
    --------
    >>> from lopsided import find_more, make_topics
    >>> texts, topic = make_topics(300, random_state=0)
    >>> wanted = [text for text, t in zip(texts, topic) if t == 0]
    >>> others = [text for text, t in zip(texts, topic) if t != 0]
    >>> report = find_more(wanted[:8], wanted[8:] + others)
    >>> all(record.row < 7 for record in report.first(5))  # where the hidden ones are
    True
    """

    share: PositiveShare
    n_positives: int
    n_unlabeled: int
    n_known: int
    n_wordless: int
    scores: NDArray[np.float64]
    _rows: NDArray[np.intp]
    _ids: Sequence[str]
    _texts: Sequence[str]
    _vectors: Any
    _reasons: Reasons

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<FindReport: {self.summary()}>"

    @property
    def n_found(self) -> int:
        """Texts over the line."""
        return int((self.scores >= 0).sum())

    @cached_property
    def records(self) -> list[FindRecord]:
        """All ranked texts; where only some are wanted, `first` is faster."""
        return self._records(len(self))

    def first(self, n: int | None = None) -> list[FindRecord]:
        """The best n, or all.

        Parameters
        ----------
        n : int or None, default=None
            How many.

        Returns
        -------
        records : list of FindRecord
        """
        if n is None or "records" in self.__dict__:
            return self.records[:n]
        return self._records(min(n, len(self)))

    def summary(self) -> str:
        """One line: how many texts there are, and how many of them should be positive.

        Returns
        -------
        line : str
        """
        share = self.share
        return (
            f"{len(self):,} texts compared with {self.n_positives:,} positives; about {share.n_hidden:,} "
            f"of them should be positive too ({share.n_hidden_low:,} to {share.n_hidden_high:,} at "
            f"{100 * share.confidence:g} % confidence)"
        )

    def left_out(self) -> list[str]:
        """What was not ranked, and why: a line each.

        Returns
        -------
        lines : list of str
        """
        lines = []
        if self.n_known:
            lines.append(f"Not listed: {self.n_known:,} equal to a known positive.")
        if self.n_wordless:
            lines.append(f"Not listed: {self.n_wordless:,} without a word that tells them from others.")
        return lines

    def to_pandas(self, n: int | None = None) -> Any:
        """A data frame of the best n texts, or of all: rank, id, row, score, found, words, text.

        Parameters
        ----------
        n : int or None, default=None
            How many.

        Returns
        -------
        frame : pandas.DataFrame
            ``words`` are lists, ``text`` is the piece that shows them.
        """
        import pandas as pd

        records = self.first(n)
        columns = [_COLUMNS[0], _COLUMNS[1], "row", *_COLUMNS[2:]]
        return pd.DataFrame([record.plain() | {"row": record.row} for record in records], columns=columns)

    def to_json(self, n: int | None = None) -> str:
        """The counts, the estimate and the best n texts, or all, as one JSON object.

        Parameters
        ----------
        n : int or None, default=None
            How many.

        Returns
        -------
        json : str
        """
        return json.dumps(self.plain(n), indent=2)

    def plain(self, n: int | None = None) -> dict[str, Any]:
        """What `to_json` writes, before it is written.

        Parameters
        ----------
        n : int or None, default=None
            How many.

        Returns
        -------
        report : dict
        """
        counts = ("n_positives", "n_unlabeled", "n_known", "n_wordless", "n_found")
        return {
            **{name: getattr(self, name) for name in counts},
            "n_ranked": len(self),
            "share": asdict(self.share) | {name: getattr(self.share, name) for name in _NUMBERS},
            "records": [record.plain() for record in self.first(n)],
        }

    def to_csv(self, n: int | None = None, *, delimiter: str = ",") -> str:
        """The best n texts, or all, as a table: rank, id, score, found (1 or 0), words, text.

        A cell that a spreadsheet would take for a formula gets an apostrophe in front.

        Parameters
        ----------
        n : int or None, default=None
            How many.
        delimiter : str, default=","
            What stands between two cells.

        Returns
        -------
        table : str
        """
        file = io.StringIO()
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(_COLUMNS)
        for record in self.first(n):
            cells = (record.id, ", ".join(record.words), record.snippet.text)
            id, words, text = (f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells)
            writer.writerow((record.rank, id, f"{record.score:.6g}", int(record.found), words, text))
        return file.getvalue()

    def to_html(
        self, n: int | None = None, *, title: str = "More like these", notes: Sequence[str] = ()
    ) -> str:
        """The best n texts, or all, as a page that needs nothing else: no network, no other file.

        Parameters
        ----------
        n : int or None, default=None
            How many.
        title : str, default="More like these"
            What stands above.
        notes : sequence of str, default=()
            Lines that stand below the list.

        Returns
        -------
        page : str
        """
        return render_page(self, self.first(n), title=title, notes=notes)

    def _records(self, n: int) -> list[FindRecord]:
        return [self._record(place) for place in range(n)]

    def _record(self, place: int) -> FindRecord:
        row, score = int(self._rows[place]), float(self.scores[place])
        mine = slice(*self._vectors.indptr[place : place + 2])
        vector = self._vectors.indices[mine], self._vectors.data[mine]
        words, snippet = self._reasons.explain(self._texts[row], *vector)
        return FindRecord(place + 1, self._ids[row], row, score, score >= 0, words, snippet)
