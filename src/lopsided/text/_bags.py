"""Documents of many or large files as a Dask bag, read on the workers."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from lopsided.text._decode import marked_encoding, printable
from lopsided.text._documents import Document
from lopsided.text._mailbox import is_maildir
from lopsided.text._readers import Format, files_below, format_of_name, iter_documents
from lopsided.text._source import COMPRESSED, DocumentFile
from lopsided.text._tables import Columns, iter_jsonl, iter_parquet

_FILES = 500  # that are a document each: so many in a partition
_BYTES = 2**22  # of JSONL in a partition, up to the end of a line
_ROWS = 2**14  # of Parquet in a partition at least; a group of rows is not divided


def read_bag(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    format: Format | None = None,
    mail: Literal["bytes", "text"] = "bytes",
    max_bytes: int = 10 * 2**20,
    delimiter: str | None = None,
) -> Any:
    r"""Return the documents of files and folders as a Dask bag; workers read them when it is computed.

    The formats are those of `read_documents`. A folder may hold tables and mailboxes here, too. JSONL is
    divided at ends of lines, Parquet between groups of rows; any other file of many documents is one
    partition, as is a compressed file. Workers read the files by the same paths as this process.

    Parameters
    ----------
    paths : str, path-like or iterable of them
        What to read.
    text, id, label : str or None, default=None
        Columns or tags of the text, the ids and the labels, as in `read_documents`, but for "folder".
    format : str or None, default=None
        Format of all files, as in `read_documents`.
    mail : {"bytes", "text"}, default="bytes"
        Whether messages are raw bytes or their words.
    max_bytes : int, default=10485760
        Longer files and messages are cut, longer lines of tables skipped.
    delimiter : str or None, default=None
        Character between the cells of CSV and TSV files, as in `read_documents`.

    Returns
    -------
    bag : dask.bag.Bag of Document
        The documents in the order of the paths. ``bag.map(lambda document: document.text)`` is what a
        vectorizer takes. What had to be skipped is not listed.

    See Also
    --------
    read_documents : The same in the memory of this process, with a list of problems.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a.jsonl", "b.jsonl"):
    ...         _ = pathlib.Path(folder, name).write_text('{"text": "hello"}\n{"text": "bye"}\n')
    ...     bag = read_bag(folder)
    ...     documents = bag.compute(scheduler="synchronous")
    >>> bag.npartitions, [document.id for document in documents]
    (2, ['a.jsonl:1', 'a.jsonl:2', 'b.jsonl:1', 'b.jsonl:2'])
    """
    try:
        bags: Any = import_module("dask.bag")
        dask: Any = import_module("dask")
    except ImportError:
        raise ImportError("read_bag needs Dask. Install it with: pip install 'lopsided[dask]'") from None
    sources = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    asked = {"text": text, "id": id, "label": label, "mail": mail, "max_bytes": max_bytes}
    asked["delimiter"] = delimiter
    parts = [part for source in sources for part in list_parts(Path(source), format, max_bytes)]
    if not parts:
        raise ValueError("read_bag found no files. Check the path; hidden files do not count.")
    read = dask.delayed(partial(read_part, asked=asked), pure=False)
    return bags.from_delayed([read(part) for part in parts])


class ArchivePart(NamedTuple):
    """The documents that a worker reads at a time: files of one each, a file, or a piece of it."""

    folder: Path  # ids are told from here
    files: tuple[Path, ...]
    format: Format | None
    first: int = 0  # byte of JSONL, group of rows of Parquet
    last: int | None = None  # behind the last one; None: all of the file
    n_before: int = 0  # lines or rows of the file before the first one
    otherwise: Format | None = None  # the format where neither `format` nor the name of a file says it


def list_parts(path: Path, format: Format | None, max_bytes: int) -> Iterator[ArchivePart]:
    """Yield the parts of a file or folder in the order of its documents."""
    if not path.exists():
        raise FileNotFoundError(f"no file or folder '{path}'. Check the path.")
    if not path.is_dir():
        yield from _parts_of_file(path.parent, path, format or format_of_name(path))
        return
    if format == "maildir" or (format is None and is_maildir(path)):
        yield ArchivePart(path.parent, (path,), "maildir")
        return
    small: list[Path] = []
    for file in files_below(DocumentFile(path, max_bytes, [])):
        if not file.is_file():  # a named pipe or a device would block, or never end
            continue
        known = format or format_of_name(file) or "text"
        if known in ("text", "mail"):
            small.append(file)
        if small and (len(small) == _FILES or known not in ("text", "mail")):
            yield ArchivePart(path, tuple(small), format, otherwise="text")
            small = []
        if known not in ("text", "mail"):
            yield from _parts_of_file(path, file, known)
    if small:
        yield ArchivePart(path, tuple(small), format, otherwise="text")


def read_part(part: ArchivePart, asked: dict[str, Any]) -> list[Document]:
    """Read the documents of a part."""
    return list(iter_part(part, asked))


def iter_part(part: ArchivePart, asked: dict[str, Any]) -> Iterator[Document]:
    """Yield the documents of a part."""
    for file in part.files:
        try:
            documents = _iter_file(part, file, asked)
            for document in documents:
                yield _with_folder(document, part, file, asked)
        except PermissionError:
            if len(part.files) == 1:
                raise


def _iter_file(part: ArchivePart, file: Path, asked: dict[str, Any]) -> Iterator[Document]:
    if part.last is None:
        known = part.format or format_of_name(file) or part.otherwise
        one = known in ("text", "mail", "maildir", "mbox")
        named: dict[str, Any] = (
            {} if one else {name: asked.get(name) for name in ("text", "id", "label", "delimiter")}
        )
        return iter_documents(file, format=known, mail=asked["mail"], max_bytes=asked["max_bytes"], **named)
    columns = Columns("text" if asked["text"] is None else asked["text"], asked["id"], asked["label"])
    if part.format == "jsonl":
        source = _NumberedLines(file, asked["max_bytes"], part)
        return iter_jsonl(source, columns)
    groups = range(part.first, part.last)
    return iter_parquet(DocumentFile(file, asked["max_bytes"], []), columns, groups, part.n_before)


def _with_folder(document: Document, part: ArchivePart, file: Path, asked: dict[str, Any]) -> Document:
    """Return the document with the folders of its file in an id that is a place."""
    folders = file.parent.relative_to(part.folder).parts
    if not folders or asked["id"] is not None:
        return document
    return document._replace(id="/".join([*map(printable, folders), document.id]))


def _parts_of_file(folder: Path, file: Path, known: Format | None) -> Iterator[ArchivePart]:
    whole = ArchivePart(folder, (file,), known)
    if known == "parquet" and file.suffix.lower() not in COMPRESSED:
        yield from _row_groups(whole)
    elif known == "jsonl" and file.suffix.lower() not in COMPRESSED and file.stat().st_size > _BYTES:
        yield from _ranges_of_lines(whole)
    else:
        yield whole


def _ranges_of_lines(whole: ArchivePart) -> Iterator[ArchivePart]:
    """Divide a file at ends of lines, and count the lines before each piece."""
    with open(whole.files[0], "rb") as file:
        if marked_encoding(file.read(4)) is not None:
            yield whole
            return
        file.seek(0)
        first = n_before = 0
        while piece := file.read(_BYTES):
            n_lines = piece.count(b"\n")
            if not piece.endswith(b"\n") and (rest := file.readline()):
                n_lines += rest.endswith(b"\n")
            last = file.tell()
            yield whole._replace(first=first, last=last, n_before=n_before)
            first, n_before = last, n_before + n_lines


def _row_groups(whole: ArchivePart) -> Iterator[ArchivePart]:
    try:
        parquet: Any = import_module("pyarrow.parquet")
        groups = parquet.ParquetFile(whole.files[0]).metadata
    except (ImportError, ValueError, OSError):  # pyarrow's errors are these: reading says what is wrong
        yield whole
        return
    first = n_rows = n_before = 0
    for group in range(groups.num_row_groups):
        n_rows += groups.row_group(group).num_rows
        if n_rows >= _ROWS or group == groups.num_row_groups - 1:
            yield whole._replace(first=first, last=group + 1, n_before=n_before)
            first, n_before, n_rows = group + 1, n_before + n_rows, 0


class _NumberedLines(DocumentFile):
    """The lines of a piece of a file, with the numbers they have in the file."""

    def __init__(self, path: Path, max_bytes: int, part: ArchivePart) -> None:
        super().__init__(path, max_bytes, [])
        self._part = part

    def lines(self, *, lone_cr: bool = False) -> Iterator[tuple[int, bytes]]:
        """Yield numbered lines."""
        part = self._part
        with open(self.path, "rb") as file:
            file.seek(part.first)
            number, left = part.n_before, (part.last or 0) - part.first
            while left > 0:
                line = file.readline()
                number, left = number + 1, left - len(line)
                if len(line) <= self.max_bytes:
                    yield number, line
