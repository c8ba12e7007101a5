"""Tables of documents: CSV and TSV, XLSX, JSON lines, Parquet. One row is one document."""

import csv
import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from lopsided.terminal import one_line
from lopsided.text._decode import clean_text
from lopsided.text._documents import Document
from lopsided.text._source import DAMAGE, DocumentFile
from lopsided.text._xlsx import read_xlsx

_LISTED = 20  # so many columns does a message list
_NAME_LENGTH = 100
_DELIMITERS = (",", ";", "\t", "|")
_QUOTED = re.compile(r'"[^"]*+"?')
_SEPARATOR_LINE = re.compile(r"sep=([,;\t|])[\r\n]*", re.IGNORECASE)
_TORN = "behind a stray quote, maybe a piece of the row above"
_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?")


def check_delimiter(delimiter: str | None) -> None:
    """Raise ValueError for what cannot stand between two cells."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ValueError(f"delimiter must be one character such as ';' or a tab; got {delimiter!r}.")


class Columns(NamedTuple):
    """The columns that hold the text, the id and the label; None for an id or label nobody asked for."""

    text: str
    id: str | None
    label: str | None

    def named(self) -> dict[str, str]:
        """Return the parameters that were given and the columns they name."""
        return {parameter: column for parameter, column in self._asdict().items() if column is not None}


def iter_csv(source: DocumentFile, columns: Columns, format: str) -> Iterator[Document]:
    """Yield the rows of a CSV, TSV or XLSX file whose first row names the columns."""
    header, rows = _read_cells(source, format)
    if not header:
        return
    require_columns(columns.named(), header, source)
    place = {parameter: header.index(column) for parameter, column in columns.named().items()}
    for id, row, repair in rows:
        if "id" in place:
            id = source.identify(id, row[place["id"]])
        if repair is not None:
            source.repair(id, repair)
        label = _label(row[place["label"]]) if "label" in place else None
        cells = dict(zip(header, row, strict=True)) if source.keeps_rows else None
        yield Document(id, source.clean(id, row[place["text"]]), label, cells)


def iter_jsonl(source: DocumentFile, columns: Columns) -> Iterator[Document]:
    """Yield the documents of lines that are each a JSON object."""
    fields: dict[str, None] = {}  # in the order in which they are met
    for id, record in read_jsonl(source):
        fields.update(dict.fromkeys(record))
        if columns.text not in record:
            source.skip(id, f"no field '{columns.text}'")
            continue
        yield from _of_record(source, columns, id, record)
    # A line may lack a field; a field that no line has is a misspelt name.
    if fields:
        require_columns(columns.named(), fields, source)


def iter_parquet(
    source: DocumentFile, columns: Columns, groups: Sequence[int] | None = None, n_before: int = 0
) -> Iterator[Document]:
    """Yield the rows of a Parquet file, or of some of its groups of rows, one batch in memory at a time."""
    named, whole = columns.named(), source.keeps_rows
    for id, record in read_parquet(source, named, whole=whole, groups=groups, n_before=n_before):
        yield from _of_record(source, columns, id, record)


def iter_rows(
    source: DocumentFile, format: str, named: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place of each row of a table, and all its cells; those of CSV and XLSX are str or None.

    ``named`` are columns that must be there. A row of JSON lines may lack some that others have.
    """
    if format in ("csv", "tsv", "xlsx"):
        header, rows = _read_cells(source, format)
        if header:
            require_columns(named, header, source)
            name, times = Counter(header).most_common(1)[0]
            if times > 1:
                raise ValueError(f"{source.name} has two columns called '{_short(name)}'. Rename one.")
        for id, row, repair in rows:
            if repair is not None:
                source.repair(id, repair)
            # of two columns with one name the first counts, as it does for `iter_csv`
            cells = dict.fromkeys(header)
            for name, cell in zip(reversed(header), reversed(row), strict=True):
                cells[name] = cell or None
            yield id, cells
    elif format == "jsonl":
        fields: dict[str, None] = {}
        for id, record in read_jsonl(source):
            fields.update(dict.fromkeys(record))
            yield id, record
        if fields:
            require_columns(named, fields, source)
    else:
        for id, record in read_parquet(source, named, whole=True):
            texts = {k: source.decode(id, v) if isinstance(v, bytes) else v for k, v in record.items()}
            yield id, texts


def _read_cells(
    source: DocumentFile, format: str
) -> tuple[list[str], Iterator[tuple[str, list[str], str | None]]]:
    """Return the header, and of each row the place, the cells and what was repaired."""
    if format != "xlsx":
        return read_csv(source, format)
    header, rows = read_xlsx(source)
    return header, ((id, cells, None) for id, cells in rows)


def read_csv(
    source: DocumentFile, format: str
) -> tuple[list[str], Iterator[tuple[str, list[str], str | None]]]:
    """Return the header, and of each row as long as it the place, the cells and what was repaired.

    The delimiter is that of the source if it was named, else the one of comma, semicolon, tab and vertical
    bar that separates most names of the header; where two separate equally many, that of the format.
    """
    rows = _rows(source, source.delimiter or _delimiter(source, "\t" if format == "tsv" else ","))
    header = next(rows, _TableRow(0, 0, [])).fields
    if header is not None and len(header) == 2 and header[0].lower() == "sep=" and not header[1]:
        header = next(rows, _TableRow(0, 0, [])).fields
    if header is None:
        raise ValueError(f"{source.name} has no readable header row (a stray quote). Is it a CSV file?")
    return header, _whole_rows(source, rows, len(header))


def _delimiter(source: DocumentFile, usual: str) -> str:
    """Return the delimiter of a file: that of its line `sep=;`, as Excel has it, or that of its header."""
    unwatched = replace(source, problems=[])  # what is wrong with the first line is noted when it is read
    line = next((line for _, line in unwatched.lines(lone_cr=True) if line.strip()), b"")
    text = unwatched.decode("", line)
    if told := _SEPARATOR_LINE.fullmatch(text):
        return told[1]
    text = _QUOTED.sub("", text)
    return max((usual, *_DELIMITERS), key=text.count)


def _whole_rows(
    source: DocumentFile, rows: Iterator["_TableRow"], n_columns: int
) -> Iterator[tuple[str, list[str], str | None]]:
    for first, last, row, repair in rows:
        id = f"{source.name}:{first}"
        if row is None:
            source.skip(id, "not CSV (a stray quote)")
        elif len(row) != n_columns:
            where = id if first == last else f"{id}-{last}"
            source.skip(where, f"with {len(row)} fields where the header has {n_columns}")
        else:
            yield id, row, repair


def read_jsonl(source: DocumentFile) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place and the object of each line that is one."""
    for number, line in source.lines():
        id = f"{source.name}:{number}"
        if not line.strip():
            continue
        try:
            record = json.loads(source.decode(id, line))
        except (ValueError, RecursionError):
            source.skip(id, "not JSON")
            continue
        if not isinstance(record, dict):
            source.skip(id, "not a JSON object")
            continue
        yield id, record


def read_parquet(
    source: DocumentFile,
    named: Mapping[str, str],
    *,
    whole: bool = False,
    groups: Sequence[int] | None = None,
    n_before: int = 0,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the place of each row, and its cells in the named columns or in all; text as bytes.

    Of some groups of rows alone, ``n_before`` rows stand before the first one.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "reading Parquet needs pyarrow. Install it with: pip install 'lopsided[tables]'"
        ) from None
    with source.open() as file:
        try:
            table = pyarrow.parquet.ParquetFile(file)
            require_columns(named, table.schema_arrow.names, source)
            wanted = None if whole else list(set(named.values()))
            number = n_before
            for batch in table.iter_batches(batch_size=1024, row_groups=groups, columns=wanted):
                for record in _texts_as_bytes(batch).to_pylist():
                    number += 1
                    yield f"{source.name}:{number}", record
        except (pyarrow.ArrowException, UnicodeDecodeError, *DAMAGE) as error:
            # what stands there may be a byte of the file
            reason = one_line(str(error).partition("\n")[0], "utf-8") or type(error).__name__
            raise ValueError(
                f"{source.name} is not a whole Parquet file ({reason}). Write it again."
            ) from None


def require_columns(named: Mapping[str, str], present: Iterable[str], source: DocumentFile) -> None:
    """Raise unless every named column is there; the message serves Python and the shell."""
    present = list(present)
    for parameter, column in named.items():
        if column not in present:
            raise ValueError(
                f"no column '{_short(column)}' in {source.name} (columns: {list_columns(present)}). "
                f"Name one with {parameter}= (in the shell: --{parameter})."
            )


def list_columns(names: Iterable[str]) -> str:
    """Return the first names of columns for a message."""
    names = list(names)
    listed = ", ".join(map(_short, names[:_LISTED])) or "none"
    return listed if len(names) <= _LISTED else f"{listed} and {len(names) - _LISTED:,} more"


def _short(name: str) -> str:
    """Return a column name as a message of one line can hold it, free of what drives a terminal."""
    return one_line(clean_text(name[:_NAME_LENGTH])[0], "utf-8") + ("..." if len(name) > _NAME_LENGTH else "")


def _of_record(source: DocumentFile, columns: Columns, id: str, record: dict[str, Any]) -> Iterator[Document]:
    """Yield the document of a JSON object or a Parquet row, unless its text is a list or an object."""
    if columns.id is not None:
        id = source.identify(id, record.get(columns.id))
    value = record[columns.text]
    if isinstance(value, list | dict):
        source.skip(id, f"'{columns.text}' holds a {type(value).__name__}, not text")
        return
    text = source.clean(id, value)
    if len(text) > source.max_bytes:
        text = text[: source.max_bytes]
        source.repair(id, f"cut to {source.max_bytes:,} characters")
    label = record.get(columns.label) if columns.label is not None else None
    cells = record if source.keeps_rows else None
    yield Document(id, text, source.decode(id, label) if isinstance(label, bytes) else label, cells)


def _texts_as_bytes(batch: Any) -> Any:
    """Return a batch of Parquet rows with its text as bytes, because nobody checked that it is UTF-8."""
    import pyarrow

    bytes_of = {pyarrow.string(): pyarrow.binary(), pyarrow.large_string(): pyarrow.large_binary()}
    columns = [
        column.dictionary_decode() if pyarrow.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    columns = [
        column.cast(bytes_of[column.type]) if column.type in bytes_of else column for column in columns
    ]
    return pyarrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _label(cell: str) -> Any:
    """Return a label out of a table that knows only text: a number, a boolean, None, or the text itself.

    Each cell for itself, not the column as a whole: where rows are read one at a time, nobody knows yet
    what the others hold. Codes such as 007 stay text.
    """
    if not cell:
        return None
    if number := _NUMBER.fullmatch(cell):
        return int(cell) if number["fraction"] is number["exponent"] is None else float(cell)
    return {"true": True, "false": False}.get(cell.lower(), cell)


class _TableRow(NamedTuple):
    """First line, last line and fields of a row, None for a line with a stray quote; what was repaired."""

    first: int
    last: int
    fields: list[str] | None
    repair: str | None = None


def _rows(source: DocumentFile, delimiter: str) -> Iterator[_TableRow]:
    """Yield each row that is not blank.

    A stray quote draws the lines behind it into its field. So where a record of several lines turns out
    not to be CSV, its first line is given up and the others are read again: the last, which brought the
    error to light, as the start of a record, and those between each for itself. In this way no line is
    read more than three times, however many quotes are astray.
    """
    lines = _RecordLines(source, delimiter)
    restarted = None  # the line that brought a stray quote to light, and may be a piece of a row
    while True:
        lines.start_record()
        try:
            with _long_fields(source.max_bytes):
                row = next(csv.reader(lines, delimiter=delimiter, strict=True))
        except StopIteration:
            return
        except csv.Error:
            alone = lines.record
            repair = "text behind a closing quote" if len(alone) == 1 else None
            if len(alone) > 1:
                (first, _), *alone, last = lines.record
                lines.again.append(last)
                restarted = last[0] if '"' in last[1] else None
                yield _TableRow(first, first, None)
            for number, line in alone:
                fields = _row_of_line(line, delimiter, source.max_bytes)
                yield _TableRow(number, number, fields, _TORN if number == restarted else repair)
        else:
            if row:
                first, last_number = lines.record[0][0], lines.record[-1][0]
                yield _TableRow(first, last_number, row, _TORN if first == restarted else None)


def _row_of_line(line: str, delimiter: str, max_bytes: int) -> list[str] | None:
    """Return the fields of one line, also with text behind a closing quote; None where it goes on."""
    reader = csv.reader([line, ""], delimiter=delimiter)
    try:
        with _long_fields(max_bytes):
            row = next(reader)
    except csv.Error:
        return None
    return row if reader.line_num == 1 else None


def _close_up(line: str, delimiter: str, *, quoted: bool) -> str:
    """Draw white space between a closing quote and the end of its field inside the quotes.

    The csv module, when strict, takes it for the text behind a stray quote.
    """
    if '"' not in line:
        return line
    delimiter = re.escape(delimiter)
    space = rf"[^\S\r\n{delimiter}]++(?=[{delimiter}\r\n]|\Z)"
    if not re.search(f'"{space}', line):
        return line
    inside = '"[^"]*+(?:""[^"]*+)*+'
    field = rf'(?:({inside})"({space})|{inside}"?+)?+([^{delimiter}]*+{delimiter}?+)'
    closed = re.sub(
        field,
        lambda match: match[0] if match[1] is None else f'{match[1]}{match[2]}"{match[3]}',
        f'"{line}' if quoted else line,
    )
    return closed[1:] if quoted else closed


class _RecordLines:
    """Iterator over the decoded lines of a source that remembers those of the record at hand.

    A record ends as if the file did where it grows over `max_bytes`, so that a stray quote cannot fill the
    memory, and at a line left out for its length, so that no row comes out with a hole.
    """

    def __init__(self, source: DocumentFile, delimiter: str) -> None:
        self._source = source
        self._delimiter = delimiter
        self._lines = source.lines(lone_cr=True)
        self.again: list[tuple[int, str]] = []  # lines to be given once more, the next one last

    def start_record(self) -> None:
        self.record: list[tuple[int, str]] = []
        self._size = 0

    def __iter__(self) -> "_RecordLines":
        return self

    def __next__(self) -> str:
        if self._size > self._source.max_bytes:
            raise StopIteration
        if self.again:
            number, line = self.again.pop()
        else:
            number, raw = next(self._lines)
            line = self._source.decode(f"{self._source.name}:{number}", raw)
        if self.record and number != self.record[-1][0] + 1:
            self.again.append((number, line))
            raise StopIteration
        self.record.append((number, line))
        self._size += len(line)
        # the csv module asks for another line of a record only inside quotes
        return _close_up(line, self._delimiter, quoted=len(self.record) > 1)


_field_limit = threading.Lock()


@contextmanager
def _long_fields(limit: int) -> Iterator[None]:
    """Let the csv module accept fields of `limit` characters; its own limit belongs to the whole process."""
    with _field_limit:
        previous = csv.field_size_limit(min(limit, 2**31 - 1))  # it is stored as a C long
        try:
            yield
        finally:
            csv.field_size_limit(previous)
