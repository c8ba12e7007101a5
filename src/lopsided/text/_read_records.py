"""Records from whatever holds them, with a preview that says how the columns would be read."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

from lopsided.terminal import one_line
from lopsided.text._documents import Documents, Problem
from lopsided.text._mailbox import is_maildir
from lopsided.text._members import files_in_folder, files_in_zip
from lopsided.text._record_maker import RecordMaker
from lopsided.text._record_rows import (
    FORMATS,
    RecordFile,
    SourceRows,
    recognise,
    recognise_member,
    rows_of_file,
    rows_of_maildir,
)
from lopsided.text._records import Preview, Record, Roles
from lopsided.text._roles import suggest_roles
from lopsided.text._tables import list_columns, require_columns

_N_PREVIEWED = 20
_N_LOOKED_AT = 100  # rows from which roles and columns are told
_MOST_COLUMNS = 200  # that a preview lists, and that a record keeps beside its roles
_LONGEST_CELL = 10_000  # characters of a cell in a preview
_LONGEST_SUMMARY = 300
_MAX_BYTES = 10 * 2**20
_SEVERAL = ("folder", "zip")  # each file in it is read as what it is
_TABLE = "A table needs a header and a row below it."
_NEEDED = {  # in a file for a record to be there
    "bibtex": "In a BibTeX file a record begins with its type, such as @article{.",
    "csv": _TABLE,
    "folder": "A folder needs at least one file with a record.",
    "jsonl": "A file of JSON lines needs an object in braces on each line.",
    "mail": "A message needs a header or a text.",
    "maildir": "A Maildir keeps its messages in the folders cur and new.",
    "mbox": "In an mbox file a message begins with a line 'From '.",
    "parquet": "A Parquet file needs at least one row.",
    "ris": "In a RIS file a record begins with a line 'TY  - '.",
    "text": "A text file needs at least one word.",
    "tsv": _TABLE,
    "xlsx": _TABLE,
    "zip": "An archive needs at least one file with a record.",
}


def preview_records(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    name: str | None = None,
    sheet: str | None = None,
    max_bytes: int = _MAX_BYTES,
) -> Preview:
    r"""Read the first rows of a source, and suggest which columns hold title, text, id and label.

    Parameters
    ----------
    path : str or path-like
        File or folder; see `iter_records` for the formats.
    format : str or None, default=None
        Format of the source, instead of recognising it.
    name : str or None, default=None
        Name of the file where it was brought from, if it lies under another one now.
    sheet : str or None, default=None
        Sheet of a workbook; None for the first.
    max_bytes : int, default=10485760
        Longer lines of tables are skipped, longer texts cut.

    Returns
    -------
    preview : Preview
        Format, columns (at most 200), suggested roles, the first 20 rows, and problems.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pathlib.Path(folder, "found.csv")
    ...     _ = table.write_text("PMID;Title;Abstract;Year\n17;Ships;A ship sank.;2004\n")
    ...     preview = preview_records(table)
    >>> preview.format, preview.columns, preview.roles.text
    ('csv', ('PMID', 'Title', 'Abstract', 'Year'), ('Abstract',))
    """
    source = _open(path, format, name, max_bytes, [])
    known = _format_of(source, format)
    rows: list[Mapping[str, str]] = []
    columns: dict[str, None] = {}
    suggested: Roles | None = None
    for part in _parts_of(source, known):
        with _noting(source, part, known):
            table = _rows_of(part, known, sheet)
            looked_at = [row for _, row in islice(table.rows, _N_LOOKED_AT)]
            here = _columns_of(table, looked_at)
            if looked_at:
                suggested = suggested or table.roles or suggest_roles(here, looked_at)
                columns.update(dict.fromkeys(here))
                rows += looked_at[: _N_PREVIEWED - len(rows)]
        if len(rows) >= _N_PREVIEWED:
            break
    if suggested is None or not rows:
        raise _nothing_in(source, known, 0)
    roles = [suggested.title, *suggested.text, suggested.id, suggested.label]
    kept = dict.fromkeys(list(columns)[:_MOST_COLUMNS])
    kept |= dict.fromkeys(column for column in roles if column is not None)
    if len(columns) > len(kept):
        source.repair(source.name, f"{len(columns):,} columns, of which the first {_MOST_COLUMNS} are listed")
    shown = tuple({c: row[c][:_LONGEST_CELL] for c in kept if c in row} for row in rows)
    return Preview(known, tuple(kept), suggested, shown, tuple(source.problems))


def iter_records(
    path: str | os.PathLike[str],
    roles: Roles | None = None,
    *,
    format: str | None = None,
    name: str | None = None,
    sheet: str | None = None,
    problems: list[Problem] | None = None,
    max_bytes: int = _MAX_BYTES,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Record]:
    r"""Read records one at a time, so that a million of them need not fit in memory.

    Formats are CSV and TSV (separated by comma, semicolon, tab or vertical bar, told from the header), JSON
    lines, Parquet, XLSX, RIS, BibTeX, mbox, a Maildir, .eml, .txt, and a folder or zip archive of these.
    What is broken inside never raises: it is skipped or repaired and listed in `problems`.

    Parameters
    ----------
    path : str or path-like
        File or folder.
    roles : Roles or None, default=None
        Which columns hold title, text, id and label; None for what their names suggest. In a folder or an
        archive, files that have none of the named titles and texts are read as their own names suggest.
    format : str or None, default=None
        "bibtex", "csv", "folder", "jsonl", "mail", "maildir", "mbox", "parquet", "ris", "text", "tsv", "xlsx"
        or "zip", instead of recognising it.
    name : str or None, default=None
        Name of the file where it was brought from, if it lies under another one now.
    sheet : str or None, default=None
        Sheet of a workbook; None for the first.
    problems : list or None, default=None
        A list to which each `Problem` is appended as it is met; up to 10,000 are listed.
    max_bytes : int, default=10485760
        Longer lines of tables are skipped, longer texts cut.
    progress : callable or None, default=None
        Called with the number of bytes that were read from the disk since the last call. Files ending in .gz,
        .xz or .bz2, and the messages of a Maildir, tell nothing.

    Yields
    ------
    record : Record
        Its id is that of the id column, with ``#2`` and so on behind it where an earlier record has the same.
        Empty fields are left out; of more than 200 other columns the first 200 are kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pathlib.Path(folder, "found.csv")
    ...     _ = table.write_text("PMID;Title;Abstract;Year\n17;Ships;A ship sank.;2004\n")
    ...     for record in iter_records(table):
    ...         print(record)
    Record(id='17', title='Ships', text='A ship sank.', fields={'Year': '2004'}, label='')
    """
    source = _open(path, format, name, max_bytes, [] if problems is None else problems, progress)
    return _iter_records(source, roles, format, sheet)


def _iter_records(
    source: RecordFile, roles: Roles | None, format: str | None, sheet: str | None
) -> Iterator[Record]:
    before = len(source.problems)  # the list may be the caller's, with problems of other sources
    maker = RecordMaker(source, _MOST_COLUMNS)
    known = _format_of(source, format)
    found = False
    for part in _parts_of(source, known):
        with _noting(source, part, known):
            for record in _records_of(part, known, sheet, roles, maker):
                found = True
                yield record
    if not found:
        raise _nothing_in(source, known, before)


def _records_of(
    source: RecordFile, known: str, sheet: str | None, roles: Roles | None, maker: RecordMaker
) -> Iterator[Record]:
    """Yield the records of one file or Maildir."""
    table = _rows_of(source, known, sheet)
    looked_at = list(islice(table.rows, _N_LOOKED_AT))
    rows = [row for _, row in looked_at]
    met = dict.fromkeys(_columns_of(table, rows))
    if not looked_at:
        return
    if roles is None or (known in _SEVERAL and not {roles.title, *roles.text} & met.keys()):
        roles = table.roles or suggest_roles(tuple(met), rows)
        if roles.title is None and not roles.text:
            raise ValueError(
                f"no column of {source.name} has the name of a title or text (columns: {list_columns(met)}). "
                "Name one with text= (in the shell: --text)."
            )
    elif table.columns is not None and known not in _SEVERAL:
        require_columns(_named(roles), met, source)
    for place, row in chain(looked_at, table.rows):
        if table.columns is None:
            met.update(dict.fromkeys(row))
        record = maker.make(place, row, roles)
        if record is not None:
            yield record
    # A line of JSON may lack a field; a field that no line has is a misspelt name.
    if known not in _SEVERAL:
        require_columns(_named(roles), met, source)


def _open(
    path: str | os.PathLike[str],
    format: str | None,
    name: str | None,
    max_bytes: int,
    problems: list[Problem],
    progress: Callable[[int], None] | None = None,
) -> RecordFile:
    if format is not None and format not in FORMATS:
        raise ValueError(f"unknown format {format!r}. Known: {', '.join(FORMATS)}.")
    if max_bytes < 1:
        raise ValueError(f"max_bytes must be at least 1; got {max_bytes}.")
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no file or folder '{path}'. Check the path.")
    shown = one_line(name, "utf-8") if name else RecordFile(path, max_bytes).name
    return RecordFile(path, max_bytes, problems, progress, label_of_source=shown)


def _format_of(source: RecordFile, format: str | None) -> str:
    if not source.path.is_dir():
        known = format or recognise(source)
        if known in ("folder", "maildir"):
            raise ValueError(f"'{source.name}' is a file and cannot be read as {known}. Name the folder.")
        return known
    if format is None:
        return "maildir" if is_maildir(source.path) else "folder"
    if format not in ("folder", "maildir"):
        raise ValueError(f"'{source.name}' is a folder and cannot be read as {format}. Name the file in it.")
    return format


def _parts_of(source: RecordFile, known: str) -> Iterator[RecordFile]:
    """Yield the files that a source consists of; most are one."""
    match known:
        case "folder":
            return files_in_folder(source)
        case "zip":
            return files_in_zip(source)
    return iter((source,))


def _rows_of(source: RecordFile, known: str, sheet: str | None) -> SourceRows:
    if known == "maildir":
        return rows_of_maildir(source)
    if known in _SEVERAL:
        known, sheet = recognise_member(source), None
    return rows_of_file(source, known, sheet)


@contextmanager
def _noting(source: RecordFile, part: RecordFile, known: str) -> Iterator[None]:
    """Skip a file among several that cannot be read, with its reason."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        if known not in _SEVERAL:
            raise
        told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        source.skip(part.name, f"unreadable ({told.rstrip('.')})")


def _columns_of(table: SourceRows, rows: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    if table.columns is not None:
        return table.columns
    return tuple(dict.fromkeys(column for row in rows for column in row))


def _named(roles: Roles) -> dict[str, str]:
    named = {"title": roles.title, "id": roles.id, "label": roles.label}
    named |= {"text" if i == 0 else f"text {i + 1}": column for i, column in enumerate(roles.text)}
    return {role: column for role, column in named.items() if column is not None}


def _nothing_in(source: RecordFile, known: str, before: int) -> ValueError:
    skipped = Documents([], [], None, source.problems[before:]).summary().removeprefix("0 documents")
    if len(skipped) > _LONGEST_SUMMARY:
        skipped = f"{skipped[:_LONGEST_SUMMARY]} ..."
    return ValueError(f"no records in '{source.name}'{skipped}. {_NEEDED[known]}")
