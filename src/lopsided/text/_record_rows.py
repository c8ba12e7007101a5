"""The rows of any source as columns and cells of text, before anybody says which column is what."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import NamedTuple

from lopsided.text._bibtex import iter_bibtex
from lopsided.text._cells import write_cell
from lopsided.text._decode import decode_bytes
from lopsided.text._documents import Document, Problem
from lopsided.text._mail import iter_maildir, iter_mbox, iter_message, parse_mail_fields
from lopsided.text._readers import format_of_name
from lopsided.text._records import Roles
from lopsided.text._ris_fields import iter_ris_rows
from lopsided.text._source import COMPRESSED, DocumentFile
from lopsided.text._tables import read_csv, read_jsonl, read_parquet
from lopsided.text._xlsx import read_xlsx

_SUFFIXES = {
    ".tab": "tsv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".zip": "zip",
}
FORMATS = (
    *("bibtex", "csv", "folder", "jsonl", "mail", "maildir", "mbox", "parquet", "ris", "text", "tsv", "xlsx"),
    "zip",
)
_FIRST_BYTES = 4096
_BIBTEX = re.compile(r"\s*(%[^\n]*\n\s*)*@\s*[A-Za-z]+\s*[{(]")
_RIS = re.compile(r"\s*TY {1,2}-")
_MOST_PROBLEMS = 10_000


@dataclass
class RecordFile(DocumentFile):
    """A file of records: problems are listed up to a number, and what is not UTF-8 is Windows-1252.

    A million rows may have a problem each.
    """

    label_of_source: str = ""  # name of the upload, or of the archive and the file inside

    @property
    def name(self) -> str:
        """The name as messages and ids show it."""
        return self.label_of_source or super().name

    def skip(self, id: str, reason: str) -> None:
        """Note that something was left out."""
        self._note(Problem(id, reason, skipped=True))

    def repair(self, id: str, *reasons: str) -> None:
        """Note that something was odd but kept."""
        for reason in reasons:
            self._note(Problem(id, reason, skipped=False))

    def _note(self, problem: Problem) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem)
        elif len(self.problems) == _MOST_PROBLEMS:
            self.problems.append(Problem(self.name, "more problems are not listed", skipped=False))

    def decode(self, id: str, raw: bytes, *, cut: bool = False) -> str:
        """Return the text of bytes in any encoding; repairs are noted."""
        text, repairs = decode_bytes(raw, cut=cut)
        if repairs:
            if repairs[0] == _LATIN:
                # Windows-1252 differs from latin-1 in characters that text never holds
                text, repairs[0] = text.translate(_WINDOWS), "not UTF-8, read as Windows-1252"
            self.repair(id, *repairs)
        return text


_LATIN = "not UTF-8, read as latin-1"
_WINDOWS = {
    code: bytes([code]).decode("cp1252") for code in range(0x80, 0xA0) if code not in b"\x81\x8d\x8f\x90\x9d"
}


class SourceRows(NamedTuple):
    """SourceRows of a source with their places; `columns` is None where each row has its own."""

    columns: tuple[str, ...] | None
    rows: Iterator[tuple[str, Mapping[str, str]]]
    roles: Roles | None = None  # where the format itself says them


def recognise(source: RecordFile) -> str:
    """Return the format of a file by its first bytes where they tell, else by the suffix of its name."""
    name = PurePath(source.name)
    known = format_of_name(name) or _SUFFIXES.get(name.suffix.lower())
    with source.open() as file:
        first = file.read(_FIRST_BYTES)
    if first.startswith(b"PK\x03\x04"):
        return known if known in ("xlsx", "zip") else "xlsx" if b"xl/" in first else "zip"
    if first.startswith(b"\xd0\xcf\x11\xe0"):
        raise ValueError(f"'{source.name}' is an old Excel file. Save it as .xlsx or .csv.")
    if first.startswith(b"PAR1"):
        return "parquet"
    if known in (None, "text"):
        text = decode_bytes(first, cut=True)[0]
        if _RIS.match(text):
            return "ris"
        if _BIBTEX.match(text):
            return "bibtex"
        if first.startswith(b"From "):
            return "mbox"
    if known is None:
        raise ValueError(
            f"cannot tell the format of '{source.name}' from its name. Name one of {', '.join(FORMATS)} "
            "with format= (in the shell: --format)."
        )
    return known


def recognise_member(source: RecordFile) -> str:
    """Return the format of a file in a folder or an archive; one that nothing tells is a text."""
    name = PurePath(source.name)
    known = format_of_name(name) or _SUFFIXES.get(name.suffix.lower())
    if known is None and name.parent.name in ("cur", "new"):  # of a Maildir
        return "mail"
    if known in (None, "text"):
        source = replace(source, label_of_source=f"{source.name}.txt", problems=[])
    known = recognise(source)
    if known == "zip":
        raise ValueError("an archive in the archive: unpack it first")
    return known


def rows_of_file(source: RecordFile, format: str, sheet: str | None = None) -> SourceRows:
    """Return the rows of a file."""
    match format:
        case "csv" | "tsv":
            header, rows = read_csv(source, format)
            columns = _tell_apart(header)
            return SourceRows(columns, _cells_of_csv(source, columns, rows))
        case "xlsx":
            header, cells = read_xlsx(source, sheet)
            columns = _tell_apart(header)
            return SourceRows(columns, _cells_of_xlsx(columns, cells))
        case "jsonl":
            return SourceRows(None, _as_text(read_jsonl(source)))
        case "parquet":
            return SourceRows(None, _as_text(read_parquet(source, {}, whole=True)))
        case "ris":
            return SourceRows(None, iter_ris_rows(source))
        case "bibtex":
            return SourceRows(None, iter_bibtex(source))
        case "mbox":
            return rows_of_mail(source, iter_mbox(source, as_text=False))
        case "mail":
            return rows_of_mail(source, iter_message(source, source.name, None, as_text=False))
        case "text":
            return _rows_of_text(source)
    raise ValueError(f"'{source.name}' is a file and cannot be read as {format}. Name a folder.")


def rows_of_maildir(source: DocumentFile) -> SourceRows:
    """Return the messages of a Maildir."""
    return rows_of_mail(source, iter_maildir(source.path, source, as_text=False))


def rows_of_mail(source: DocumentFile, messages: Iterator[Document]) -> SourceRows:
    """Return raw messages by subject, body, sender, date and message id."""

    def rows() -> Iterator[tuple[str, Mapping[str, str]]]:
        for message in messages:
            fields, repairs = parse_mail_fields(_raw(message))
            source.repair(message.id, *repairs)
            yield message.id, fields

    columns = ("subject", "from", "date", "message-id", "body")
    return SourceRows(columns, rows(), Roles(title="subject", text=("body",), id="message-id"))


def _raw(message: Document) -> bytes:
    return message.text if isinstance(message.text, bytes) else message.text.encode()


def _rows_of_text(source: DocumentFile) -> SourceRows:
    """Return the text that a file is; its title is the name of the file."""

    def rows() -> Iterator[tuple[str, Mapping[str, str]]]:
        raw, cut = source.read(source.name)
        # UTF-16 has NUL bytes too, and a byte order mark
        if b"\x00" in raw[:_FIRST_BYTES] and not raw.startswith(
            (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
        ):
            source.skip(source.name, "not text")
            return
        yield (
            source.name,
            {"title": PurePath(source.name).name, "text": source.decode(source.name, raw, cut=cut)},
        )

    return SourceRows(("title", "text"), rows(), Roles(title="title", text=("text",)))


def _tell_apart(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, each once: an empty one by its number, a repeated one with a number."""
    seen: dict[str, int] = {}
    for number, name in enumerate(header, start=1):
        plain = " ".join(name.split()) or f"column {number}"
        unique, times = plain, 1
        while unique in seen:
            times = seen[plain] = seen[plain] + 1
            unique = f"{plain} ({times})"
        seen[unique] = 1
    return tuple(seen)


def _cells_of_csv(
    source: DocumentFile, columns: Sequence[str], rows: Iterator[tuple[str, list[str], str | None]]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    for id, cells, repair in rows:
        if repair is not None:
            source.repair(id, repair)
        yield id, dict(zip(columns, cells, strict=True))


def _cells_of_xlsx(
    columns: Sequence[str], rows: Iterator[tuple[str, list[str]]]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    for id, cells in rows:
        yield id, dict(zip(columns, cells, strict=True))


def _as_text(rows: Iterator[tuple[str, Mapping[str, object]]]) -> Iterator[tuple[str, Mapping[str, str]]]:
    for id, row in rows:
        yield id, {write_cell(name): write_cell(cell) for name, cell in row.items()}


def compressed(name: str) -> bool:
    """Return whether a file is compressed by its name, or an archive."""
    return PurePath(name).suffix.lower() in (*COMPRESSED, ".zip", ".7z", ".rar", ".tar", ".tgz", ".zst")
