"""A file of records whose labels are known, and its records."""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from lopsided.text import Problem, Record, Roles, iter_records, preview_records

_YES = {"1", "1.0", "y", "yes", "true", "t", "relevant", "include", "included"}
_NO = {"0", "0.0", "-1", "n", "no", "false", "f", "irrelevant", "not relevant", "exclude", "excluded"}


class LabeledTable(NamedTuple):
    """A file and its columns: all that a worker needs to read it.

    Examples
    --------
    >>> LabeledTable("review.csv", label="included", title="title", text=("abstract",)).positive is None
    True
    """

    path: str
    label: str
    title: str | None
    text: tuple[str, ...]
    id: str | None = None
    positive: str | None = None
    """The label of a relevant record; None for 1, yes, true and the like."""
    format: str | None = None
    digest: str = ""
    """Of the records, so that results of another content are not taken for those of this one."""


class LabeledRecords(NamedTuple):
    """The records of a table that have a label.

    Examples
    --------
    >>> LabeledRecords([], [], 3, []).n_unlabeled
    3
    """

    records: list[Record]
    relevant: list[bool]
    n_unlabeled: int
    problems: list[Problem]

    @property
    def digest(self) -> str:
        """A short hash of the records and their labels."""
        hashed = blake2b(digest_size=12)
        for record, relevant in zip(self.records, self.relevant, strict=True):
            hashed.update(repr((record, relevant)).encode("utf-8", "surrogatepass"))
        return hashed.hexdigest()


def find_columns(
    path: Path, label: str, text: Sequence[str] = (), *, positive: str | None, format: str | None
) -> LabeledTable:
    """Return a table with its columns; raises ValueError where one is missing.

    Parameters
    ----------
    path : path
    label : str
        Column of the labels.
    text : sequence of str
        Columns to read; empty for title and abstract.
    positive, format : str or None
        As in `LabeledTable`.
    """
    preview = preview_records(path, format=format)
    missing = [name for name in (label, *text) if name not in preview.columns]
    if missing:
        raise ValueError(
            f"no column '{missing[0]}' in '{path}' (columns: {', '.join(preview.columns)}). "
            f"Name one with {'--label' if missing[0] == label else '--text'}."
        )
    title = preview.roles.title
    if text:
        title = title if title in text else None
        texts = tuple(name for name in text if name != title)
    else:
        texts = tuple(name for name in preview.roles.text if name != label)
    id_column = None if preview.roles.id in (label, title, *texts) else preview.roles.id
    return LabeledTable(str(path), label, title, texts, id_column, positive, format)


def read_labeled(table: LabeledTable) -> LabeledRecords:
    """Return the records that have a label, and whether each is relevant.

    Raises ValueError where the content is not that of the table's digest.
    """
    problems: list[Problem] = []
    roles = Roles(title=table.title, text=table.text, id=table.id, label=table.label)
    everything = list(iter_records(Path(table.path), roles, format=table.format, problems=problems))
    records = [record for record in everything if record.label.strip()]
    relevant = [_is_relevant(record.label.strip(), table) for record in records]
    found = LabeledRecords(records, relevant, len(everything) - len(records), problems)
    if table.digest and found.digest != table.digest:
        raise ValueError(f"'{table.path}' has changed since the simulation began. Start it again.")
    return found


def _is_relevant(value: str, table: LabeledTable) -> bool:
    if table.positive is not None:
        return value == table.positive
    if value.lower() in _YES:
        return True
    if value.lower() in _NO:
        return False
    raise ValueError(
        f"'{value}' in column '{table.label}' is neither yes nor no. Name the label of a relevant record "
        "with --positive."
    )
