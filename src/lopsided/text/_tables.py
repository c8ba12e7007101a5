"""Tables of documents: CSV and TSV, JSON lines, Parquet. One row is one document."""

import csv
import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from lopsided.text._documents import Document
from lopsided.text._source import Source


class Columns(NamedTuple):
    """Which columns hold the text, the id and the label; None for an id or label that nobody asked for."""

    text: str
    id: str | None
    label: str | None

    def named(self) -> dict[str, str]:
        """The parameters that were given and the columns they name."""
        return {parameter: column for parameter, column in self._asdict().items() if column is not None}


def iter_csv(source: Source, columns: Columns, delimiter: str) -> Iterator[Document]:
    """Rows of a CSV or TSV file whose first row names the columns."""
    lines = _DecodedLines(source)
    reader = csv.reader(lines, delimiter=delimiter)
    with _long_fields(source.max_bytes):
        try:
            header = next(reader, [])
        except csv.Error as error:
            raise ValueError(
                f"{source.name} has no readable header row ({error}). Is it a CSV file?"
            ) from None
    require_columns(columns.named(), header, source)
    place = {parameter: header.index(column) for parameter, column in columns.named().items()}
    while True:
        lines.first = None
        try:
            with _long_fields(source.max_bytes):
                row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            source.skip(f"{source.name}:{lines.first}", f"not CSV ({error})")
            continue
        if not row:  # a blank line
            continue
        id = f"{source.name}:{lines.first}"
        if len(row) != len(header):
            source.skip(id, f"{len(row)} fields where the header has {len(header)}")
            continue
        # an empty cell is a missing label, not a label spelled ''
        label = row[place["label"]] or None if "label" in place else None
        if "id" in place:
            id = source.identify(id, row[place["id"]])
        yield Document(id, source.clean(id, row[place["text"]]), label)


def iter_jsonl(source: Source, columns: Columns) -> Iterator[Document]:
    """Lines that are each a JSON object."""
    fields: dict[str, None] = {}  # in the order in which they are met
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
        fields.update(dict.fromkeys(record))
        if columns.text not in record:
            source.skip(id, f"no field '{columns.text}'")
            continue
        if columns.id is not None:
            id = source.identify(id, record.get(columns.id))
        label = record.get(columns.label) if columns.label is not None else None
        yield Document(id, source.clean(id, record[columns.text]), label)
    # A line may lack a field; a field that no line has is a misspelt name.
    if fields:
        require_columns(columns.named(), fields, source)


def iter_parquet(source: Source, columns: Columns) -> Iterator[Document]:
    """Rows of a Parquet file, one batch in memory at a time."""
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
            require_columns(columns.named(), table.schema_arrow.names, source)
            number = 0
            for batch in table.iter_batches(batch_size=1024, columns=list(set(columns.named().values()))):
                for record in batch.to_pylist():
                    number += 1
                    yield _row_of_parquet(source, columns, f"{source.name}:{number}", record)
        except (pyarrow.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(
                f"{source.name} is not a whole Parquet file ({reason}). Write it again."
            ) from None


def require_columns(named: Mapping[str, str], present: Iterable[str], source: Source) -> None:
    """Raise unless every named column is there; the message serves Python and the shell."""
    present = list(present)
    for parameter, column in named.items():
        if column not in present:
            listed = ", ".join(present) or "none"
            raise ValueError(
                f"no column '{column}' in {source.name} (columns: {listed}). "
                f"Name one with {parameter}= (in the shell: --{parameter})."
            )


def _row_of_parquet(source: Source, columns: Columns, id: str, record: dict[str, Any]) -> Document:
    if columns.id is not None:
        id = source.identify(id, record[columns.id])
    text = source.clean(id, record[columns.text])
    if len(text) > source.max_bytes:
        text = text[: source.max_bytes]
        source.repair(id, f"cut to {source.max_bytes:,} characters")
    return Document(id, text, record[columns.label] if columns.label is not None else None)


class _DecodedLines:
    """Iterator over the lines of a source as text; `first` is the first one given since it was None."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = source.lines()
        self.first: int | None = None

    def __iter__(self) -> "_DecodedLines":
        return self

    def __next__(self) -> str:
        number, line = next(self._lines)
        if self.first is None:
            self.first = number
        return self._source.decode(f"{self._source.name}:{number}", line)


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
