"""More like these, for the rows of a table: which rows are like the positives, and which cells say so."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from lopsided.boosting._cells import Numbers, Values, sort_columns
from lopsided.boosting._columns import standardize
from lopsided.boosting._wanted import is_missing, shorten
from lopsided.pu._find_report import FindReport
from lopsided.pu._row_rankers import rank_rows
from lopsided.pu._threshold import draw_line, estimate_share
from lopsided.report._reasons import Found, Reasons
from lopsided.text._decode import clean_text
from lopsided.text._input import name_texts

Columns = Mapping[str, Sequence[Any]]

_RUNNING_TEXT = "running text; to learn from its words, pass that column alone (in the shell: --text)"
_LISTED = 8  # so many columns does a line name
_MOST_BINS = 10  # of a column of numbers, where the positives are compared with the unlabeled rows
_LEAST_RATIO = 1.5  # how much more frequent a value must be among the positives to be a reason


def find_rows(positives: Columns, unlabeled: Columns, ids: Sequence[str] | None, source: Any) -> FindReport:
    """Rank the rows of a table by how much they are like those of another.

    Parameters
    ----------
    positives, unlabeled : mapping
        The cells of each column.
    ids : sequence of str or None
        A name for each unlabeled row.
    source : object
        The unlabeled rows as they were given, which may have names.
    """
    names = name_texts("unlabeled", source, ids, _count(unlabeled))
    table = _Table(positives, unlabeled)
    scores, trials = rank_rows(table.X, table.y)
    share = estimate_share(table.X, table.y)
    order = np.argsort(-scores, kind="stable")
    rows = table.rows[order]
    return FindReport(
        share=share,
        n_positives=table.n_positives,
        n_unlabeled=len(names),
        n_known=table.n_known,
        n_wordless=0,
        trials=trials,
        scores=scores[order] - draw_line(scores, share.n_hidden if share else 0),
        items="rows",
        remarks=table.remarks,
        _rows=rows,
        _ids=names,
        _texts=_Lines(table.columns, unlabeled),
        _evidence=csr_array(table.evidence()[order]),
        _reasons=Reasons(np.array([column.name for column in table.columns]), table.locate),
    )


class _Table:
    """Rows of the positives, then the unlabeled rows that equal none of them, as numbers."""

    def __init__(self, positives: Columns, unlabeled: Columns) -> None:
        shared = [name for name in unlabeled if name in positives]
        if not shared:
            raise ValueError(
                f"the two tables have no column in common (positives: {_list(positives)}; unlabeled: "
                f"{_list(unlabeled)}). Give columns of the same names."
            )
        known, rows = _tell_apart([positives[name] for name in shared], [unlabeled[name] for name in shared])
        self.n_positives, self.n_known = len(known), _count(unlabeled) - len(rows)
        if self.n_positives < 2:
            raise ValueError(
                f"two positives that differ are needed to tell what they have in common; got "
                f"{self.n_positives} (rows: {_count(positives):,}). Add some."
            )
        if len(rows) < 2:
            raise ValueError(
                f"two unlabeled rows at least that equal no positive are needed to rank them; got "
                f"{len(rows)} (rows: {_count(unlabeled):,}). Give others."
            )
        # What is the same in all unlabeled rows, or numbers them, ranks none above another; but where the
        # positives differ from it, it would tell the two tables apart.
        without = sort_columns({name: unlabeled[name] for name in shared}, rows)
        kept = [name for name in shared if name not in without.left_out]
        joined = {
            name: [*(positives[name][i] for i in known), *(unlabeled[name][i] for i in rows)] for name in kept
        }
        found = sort_columns(joined)
        left_out = without.left_out | found.left_out
        left_out |= dict.fromkeys(found.texts, _RUNNING_TEXT)
        left_out |= dict.fromkeys([*positives.keys() ^ unlabeled.keys()], "in one of the tables only")
        if not found.usable:
            reasons = "; ".join(f"{shorten(name)}: {why}" for name, why in left_out.items())
            raise ValueError(f"no column can be learned from ({reasons}).")
        self.X, self.rows = standardize(found.usable), np.array(rows, dtype=np.intp)
        self.y = (np.arange(len(self.X)) < len(known)).astype(int)
        self.columns = found.usable
        self.remarks = _explain_left_out(left_out)

    def evidence(self) -> NDArray[np.float64]:
        """Return how much more frequent each cell is among the positives, as a logarithm; 0 if it is not."""
        n = self.n_positives
        parts = np.column_stack([_log_ratios(_bins(column, n), n)[n:] for column in self.columns])
        return np.where(parts >= np.log(_LEAST_RATIO), parts, 0.0)

    def locate(self, text: str) -> Iterator[Found]:
        """Yield the column of each cell of a line, and where the cell starts and ends."""
        start = 0
        for column, cell in zip(self.columns, text.split("\n"), strict=True):
            yield column.name, start, start + len(cell.removesuffix(","))
            start += len(cell) + 1


class _Lines(Sequence[str]):
    """Unlabeled rows as texts: a line for each cell that is used."""

    def __init__(self, columns: Sequence[Numbers | Values], table: Columns) -> None:
        self._cells = [(shorten(column.name), table[column.name]) for column in columns]

    def __len__(self) -> int:
        return len(self._cells[0][1])

    def __getitem__(self, row: Any) -> Any:
        return ",\n".join(f"{name} = {_written(cells[row])}" for name, cells in self._cells)


def _written(cell: Any) -> str:
    if is_missing(cell):
        return "missing"
    if isinstance(cell, float | np.floating):
        return f"{float(cell):.6g}"
    return shorten(clean_text(str(cell))[0])


def _tell_apart(
    positives: list[Sequence[Any]], unlabeled: list[Sequence[Any]]
) -> tuple[list[int], list[int]]:
    """Return the places of the positives that differ, and of the unlabeled rows that equal none of them.

    The positives are sorted, so that the order in which they were given does not matter.
    """
    first: dict[tuple[Any, ...], int] = {}
    for i, cells in enumerate(zip(*positives, strict=True)):
        first.setdefault(_key(cells), i)
    rows = [i for i, cells in enumerate(zip(*unlabeled, strict=True)) if _key(cells) not in first]
    return [first[key] for key in sorted(first, key=lambda key: tuple(map(str, key)))], rows


def _key(cells: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        None if is_missing(cell) else str(cell) if isinstance(cell, list | dict | set) else cell
        for cell in cells
    )


def _bins(column: Numbers | Values, n_positives: int) -> NDArray[np.intp]:
    """Return the bin of each row: a category, or a range that holds as many rows as any other."""
    if isinstance(column, Values):
        return np.where(column.missing, len(column.names), column.codes) + 1
    missing = np.isnan(column.values)
    n_bins = min(_MOST_BINS, max(2, n_positives // 4))
    edges = np.unique(np.nanquantile(column.values, np.arange(1, n_bins) / n_bins))
    return np.where(missing, len(edges) + 1, np.searchsorted(edges, column.values, side="right"))


def _log_ratios(bins: NDArray[np.intp], n_positives: int) -> NDArray[np.float64]:
    """Return the logarithm of the share of positives in the bin of a row over the share of unlabeled rows."""
    n_bins = int(bins.max()) + 1
    of_positives = np.bincount(bins[:n_positives], minlength=n_bins)
    of_unlabeled = np.bincount(bins[n_positives:], minlength=n_bins)
    # One row more of either kind, spread as the unlabeled ones are: few positives say little.
    expected = (of_unlabeled + 1) / (of_unlabeled.sum() + n_bins)
    seen = (of_positives + expected) / (n_positives + 1)
    return np.asarray(np.log(seen / expected)[bins])


def _explain_left_out(left_out: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        f"Not looked at: {_list([name for name in left_out if left_out[name] == why])} ({why})."
        for why in dict.fromkeys(left_out.values())
    )


def _list(names: Any) -> str:
    names = list(names)
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{', '.join(map(shorten, names[:_LISTED]))}{more}"


def _count(table: Columns) -> int:
    return len(next(iter(table.values())))
