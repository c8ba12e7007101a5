"""Documents from whatever holds them: one entry point that recognises the format."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Literal

from lopsided.text._decode import printable
from lopsided.text._documents import Document, Documents, Problem
from lopsided.text._mail import iter_maildir, iter_mbox, iter_message
from lopsided.text._mailbox import is_maildir
from lopsided.text._ris import iter_ris
from lopsided.text._source import COMPRESSED, DocumentFile
from lopsided.text._tables import Columns, check_delimiter, iter_csv, iter_jsonl, iter_parquet

Format = Literal["text", "mail", "mbox", "maildir", "csv", "tsv", "jsonl", "parquet", "xlsx", "ris"]

_FORMAT_OF_SUFFIX: dict[str, Format] = {
    ".txt": "text",
    ".eml": "mail",
    ".mbox": "mbox",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
    ".ris": "ris",
}
_ONE_DOCUMENT_A_FILE = ("text", "mail")
_FORMATS = sorted({*_FORMAT_OF_SUFFIX.values(), "maildir"})


def read_documents(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    format: Format | None = None,
    mail: Literal["bytes", "text"] = "bytes",
    max_bytes: int = 10 * 2**20,
    delimiter: str | None = None,
    rows: bool = False,
) -> Documents:
    r"""Read all documents of a folder, a mailbox, a table or a file.

    The format is that of the suffix (also with .gz, .xz or .bz2 behind it): .txt, .eml, .mbox, .csv, .tsv,
    .jsonl, .ndjson, .parquet, .xlsx, .ris. A folder with ``cur`` and ``new`` inside is a Maildir; in any
    other folder each file is a document, in the order of the paths, hidden ones left out. A file with another
    name that starts with ``From `` is an mbox. What is broken inside (encodings, malformed mail, rows,
    lines, files without permission) never raises: it is skipped or repaired and listed in ``problems``.
    Only a source in which no document is found at all is an error, which says what was skipped.

    Parameters
    ----------
    path : str or path-like
        What to read.
    text : str or None, default=None
        Tables: the column of the text, "text" if not given. RIS: a tag; if not given, title and abstract.
    id : str or None, default=None
        The column or tag of the ids. If not given, they say where the document stands.
    label : str or None, default=None
        The column or tag of the labels; "folder" takes the first subfolder's name in a folder of files.
        If not given, no labels are read. In CSV and TSV each label is taken for itself: a number as JSON
        spells it is an int or a float, true and false are booleans in any case, an empty cell is None,
        anything else is str.
    format : str or None, default=None
        "text", "mail", "mbox", "maildir", "csv", "tsv", "jsonl", "parquet", "xlsx" or "ris", instead of
        recognising it. For a folder, "text" or "mail" says what every file in it is.
    mail : {"bytes", "text"}, default="bytes"
        Messages as raw bytes, headers and all, or as their words (see `mail_text`). Everything else
        is str in any case.
    max_bytes : int, default=10485760
        Longer files and messages are cut, longer lines of tables skipped; both are listed in `problems`.
    delimiter : str or None, default=None
        Character between the cells of CSV and TSV files. If not given, it is detected from the header.
    rows : bool, default=False
        Whether to keep all cells of each row of a table, in ``documents.rows``.

    Returns
    -------
    documents : Documents
        Texts, ids, labels and problems.

    See Also
    --------
    iter_documents : The same, one document in memory at a time.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pathlib.Path(folder, "mail.csv")
    ...     _ = table.write_text("text,y\nhello,1\nragged\nbye,0\n")
    ...     documents = read_documents(table, label="y")
    >>> list(documents), documents.labels
    (['hello', 'bye'], [1, 0])
    >>> documents.summary()
    '2 documents, 1 skipped (1 with 1 fields where the header has 2)'
    """
    problems: list[Problem] = []
    found = list(
        iter_documents(
            path,
            text=text,
            id=id,
            label=label,
            format=format,
            mail=mail,
            max_bytes=max_bytes,
            problems=problems,
            delimiter=delimiter,
            rows=rows,
        )
    )
    labels = None if label is None else [document.label for document in found]
    kept = [document.row for document in found if document.row is not None]
    return Documents(
        [document.text for document in found],
        [document.id for document in found],
        labels,
        problems,
        kept if rows and kept else None,
    )


def iter_documents(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    format: Format | None = None,
    mail: Literal["bytes", "text"] = "bytes",
    max_bytes: int = 10 * 2**20,
    problems: list[Problem] | None = None,
    delimiter: str | None = None,
    rows: bool = False,
) -> Iterator[Document]:
    r"""Read documents one at a time, so that a mailbox of millions need not fit in memory.

    Parameters
    ----------
    path : str or path-like
        File or folder to read; see `read_documents` for the formats.
    text, id, label : str or None, default=None
        Columns or tags of the text, the ids and the labels, as in `read_documents`.
    format : str or None, default=None
        Format of the source, as in `read_documents`.
    mail : {"bytes", "text"}, default="bytes"
        Whether messages are raw bytes or their words.
    max_bytes : int, default=10485760
        Longer files and messages are cut, longer lines of tables skipped.
    problems : list or None, default=None
        A list to which each `Problem` is appended as it is met.
    delimiter : str or None, default=None
        Character between two cells of CSV and TSV, as in `read_documents`.
    rows : bool, default=False
        Tables: whether each document has all cells of its row, in ``row``.

    Yields
    ------
    document : Document
        Id, text and label.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = pathlib.Path(folder, "mail.jsonl")
    ...     _ = lines.write_text('{"text": "hello"}\n{"text": "bye"}\n')
    ...     for document in iter_documents(lines):
    ...         print(document.id, document.text)
    mail.jsonl:1 hello
    mail.jsonl:2 bye
    """
    path = Path(path)
    if format is not None and format not in _FORMATS:
        raise ValueError(f"unknown format {format!r}. Known: {', '.join(_FORMATS)}.")
    if mail not in ("bytes", "text"):
        raise ValueError(f"mail must be 'bytes' or 'text'; got {mail!r}.")
    if max_bytes < 1:
        raise ValueError(f"max_bytes must be at least 1; got {max_bytes}.")
    if not path.exists():
        raise FileNotFoundError(f"no file or folder '{path}'. Check the path.")
    check_delimiter(delimiter)
    source = DocumentFile(path, max_bytes, [] if problems is None else problems, delimiter=delimiter)
    source.keeps_rows = rows
    as_text = mail == "text"
    if path.is_dir():
        return _at_least_one(source, _iter_directory(source, text, id, label, format, as_text))
    known = format or _recognise(source)
    return _at_least_one(source, _iter_file(source, text, id, label, known, as_text))


def _at_least_one(source: DocumentFile, documents: Iterator[Document]) -> Iterator[Document]:
    before = len(source.problems)  # the list may be the caller's, with problems of other sources
    found = False
    for document in documents:
        found = True
        yield document
    if not found:
        skipped = Documents([], [], None, source.problems[before:]).summary().removeprefix("0 documents")
        raise ValueError(
            f"no documents in '{source.path}'{skipped}. Check the path; hidden files do not count."
        )


def _recognise(source: DocumentFile) -> Format:
    known = format_of_name(source.path)
    if known is not None:
        return known
    piece, _ = next(source.pieces(), (b"", True))
    if piece.startswith(b"From "):
        return "mbox"
    raise ValueError(
        f"cannot tell the format of '{source.name}' from its name (known: {', '.join(_FORMAT_OF_SUFFIX)}, "
        f"a folder, a Maildir). Name one of {', '.join(_FORMATS)} with format= (in the shell: --format)."
    )


def format_of_name(path: PurePath) -> Format | None:
    """Return the format that a suffix stands for, or None."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return _FORMAT_OF_SUFFIX.get(suffixes[-1]) if suffixes else None


def _iter_file(
    source: DocumentFile, text: str | None, id: str | None, label: str | None, format: Format, as_text: bool
) -> Iterator[Document]:
    columns = Columns("text" if text is None else text, id, label)
    match format:
        case "csv" | "tsv" | "xlsx":
            return iter_csv(source, columns, format)
        case "jsonl":
            return iter_jsonl(source, columns)
        case "parquet":
            return iter_parquet(source, columns)
        case "ris":
            return iter_ris(source, text, id, label)
    _refuse_columns(source, f"a file of the format {format}", text=text, id=id, label=label)
    match format:
        case "mbox":
            return iter_mbox(source, as_text=as_text)
        case "maildir":
            raise ValueError(f"'{source.name}' is a file, and a Maildir is a folder. Name the folder.")
    return _iter_one(source, source.name, None, format, as_text)


def _iter_one(
    source: DocumentFile, id: str, label: str | None, format: Format, as_text: bool
) -> Iterator[Document]:
    """Yield the document that a file is."""
    if format == "mail":
        yield from iter_message(source, id, label, as_text=as_text)
        return
    raw, cut = source.read(id)
    text = source.decode(id, raw, cut=cut)
    if not text.strip():
        source.repair(id, "empty")
    yield Document(id, text, label)


def _iter_directory(
    source: DocumentFile,
    text: str | None,
    id: str | None,
    label: str | None,
    format: Format | None,
    as_text: bool,
) -> Iterator[Document]:
    folder = source.path
    if format == "maildir" or (format is None and is_maildir(folder)):
        _refuse_columns(source, "a Maildir", text=text, id=id, label=label)
        return iter_maildir(folder, source, as_text=as_text)
    _refuse_columns(source, "a folder of files", text=text, id=id)
    if format not in (None, *_ONE_DOCUMENT_A_FILE):
        raise ValueError(f"'{folder}' is a folder and cannot be read as {format}. Name the file in it.")
    if label not in (None, "folder"):
        raise ValueError(
            f"label={label!r} names a column, and '{folder}' is a folder. Use label='folder' or none."
        )
    return _iter_files(source, label is not None, format, as_text)


def _iter_files(
    source: DocumentFile, labelled: bool, format: Format | None, as_text: bool
) -> Iterator[Document]:
    for file in files_below(source):
        parts = [printable(part) for part in file.relative_to(source.path).parts]
        id = "/".join(parts)
        known = format or format_of_name(file) or "text"
        if known not in _ONE_DOCUMENT_A_FILE:
            source.skip(id, f"a {known} file holds many documents: read it by itself")
            continue
        label = parts[0] if labelled and len(parts) > 1 else None
        if labelled and label is None:
            source.repair(id, "in no subfolder, so without a label")
        try:
            # a named pipe or a device would block, or never end
            if not stat.S_ISREG(file.stat().st_mode):
                source.skip(id, "not a file")
                continue
            document = next(
                _iter_one(DocumentFile(file, source.max_bytes, source.problems), id, label, known, as_text)
            )
        except OSError as error:
            source.skip(id, f"unreadable ({error.strerror})")
            continue
        yield document


def files_below(source: DocumentFile) -> list[Path]:
    """Return all files below a folder in the order of their paths; linked folders are not followed."""
    files = []

    def note(error: OSError) -> None:
        source.skip(printable(str(error.filename)), f"unreadable ({error.strerror})")

    for folder, subfolders, names in os.walk(source.path, onerror=note):
        subfolders[:] = [name for name in subfolders if not name.startswith(".")]
        files += [Path(folder, name) for name in names if not name.startswith(".")]
    return sorted(files)


def _refuse_columns(source: DocumentFile, what: str, **named: str | None) -> None:
    for parameter, column in named.items():
        if column is not None:
            raise ValueError(
                f"{parameter}={column!r} names a column, and '{source.name}' is {what}, which has none. "
                f"Leave {parameter} out."
            )
