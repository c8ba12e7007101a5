"""Helpers of the commands that compare two sources of texts and answer with a ranked list."""

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from lopsided._files import write_atomically
from lopsided.pu._archives import Archive, BagArchive, FileArchive
from lopsided.report._csv import write_records
from lopsided.report._ranked import RankedReport
from lopsided.report._ranked_page import RankedText
from lopsided.terminal import Styled, abbreviate, print_table, remark, say, status
from lopsided.text import Documents, read_documents
from lopsided.text._bags import ArchivePart, iter_part, list_parts, read_bag
from lopsided.text._readers import files_below, format_of_name
from lopsided.text._roles import suggest_roles
from lopsided.text._source import COMPRESSED, DocumentFile
from lopsided.text._whole import TABLES, WholeTable, read_table

PATH = click.Path(path_type=Path)
_TOP = {"terminal": 20, ".html": 500}  # so many are listed if nothing else is asked for; elsewhere all
_TOP_OF_ARCHIVE = 10_000  # the same, of what is not in memory, where else all would be listed
LARGE = 2**28  # bytes of a source that is read in parts: some 300,000 texts of 150 words
_PACKED = 4  # how many times as large compressed texts are, about
_MOST_BYTES = 10 * 2**20  # of one document
_SUFFIXES = (".html", ".csv", ".tsv", ".json", ".jsonl")
_TEXT = "text"  # the column that is read as texts where none is named
_OPTIONS = (
    click.option("--text", metavar="COLUMN", multiple=True, help="Column of the text. [default: text]"),
    click.option("--id", metavar="COLUMN", multiple=True, help="Column of the ids. [default: file:line]"),
    click.option(
        "--format",
        metavar="NAME",
        multiple=True,
        help="Format of the input (csv, mbox, ...) if its name does not tell.",
    ),
    click.option(
        "--delimiter",
        metavar="CHAR",
        multiple=True,
        help="Character between the cells of a CSV or TSV file, such as ';' or '\\t'. [default: recognised]",
    ),
    click.option(
        "--top",
        type=click.IntRange(1),
        metavar="N",
        help=f"Number of results to print or to show in a page. Files of data hold all of them. "
        f"[default: {_TOP['terminal']} here, {_TOP['.html']} in a page]",
    ),
    click.option(
        "--out",
        type=PATH,
        metavar="FILE",
        multiple=True,
        help=f"Also write the results to this file: {' '.join(_SUFFIXES)}. May be repeated.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
)


def ranked_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options whose values are the fields of `RankedInputs`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class RankedInputs:
    """Two sources of texts by the names of their arguments, and what was asked about them."""

    sources: dict[str, Path]
    text: tuple[str, ...]
    id: tuple[str, ...]
    format: tuple[str, ...]
    delimiter: tuple[str, ...]
    top: int | None
    out: tuple[Path, ...]
    as_json: bool

    def read(self, *, label: str | None = None) -> tuple[Documents, Documents]:
        """Read both sources, the first with labels if asked for; columns are for tables, if one is."""
        self._check_out()
        with status("reading ..."):
            return self._read(0, label), self._read(1, None)

    def open_archive(self, *, always: bool) -> tuple[Documents, Archive] | None:
        """Read the first source, and open the second to be read in parts; None where it fits in memory.

        Parameters
        ----------
        always : bool
            Open it, on the Dask cluster that is connected, however small it is.
        """
        path = list(self.sources.values())[1]
        if not always and (not path.exists() or _n_bytes(path) < LARGE):
            return None
        self._check_out()
        asked: dict[str, Any] = {"mail": "text", "max_bytes": _MOST_BYTES, **self._chosen(1)}
        format = asked.pop("format")
        parts = list(list_parts(path, format, _MOST_BYTES))
        if not self._holds_texts(parts, asked | {"label": None}):
            if always:
                raise click.UsageError(
                    f"--dask is for texts, and '{path}' has no column '{_TEXT}'. Name one with --text."
                )
            return None
        with status("reading ..."):
            known = self._read(0, None)
        if always:
            return known, BagArchive(read_bag(path, format=format, **asked))
        return known, FileArchive(parts, {"text": None, "id": None, "label": None, "delimiter": None} | asked)

    def _holds_texts(self, parts: Sequence[ArchivePart], asked: dict[str, Any]) -> bool:
        """Return whether two tables are compared by their texts."""
        if self.text or not all(name in TABLES for name in self._formats()):
            return True
        try:
            next(iter_part(parts[0], {"text": None, "id": None, "delimiter": None} | asked), None)
        except ValueError:
            return False
        return True

    def _read(self, i: int, label: str | None) -> Documents:
        path = list(self.sources.values())[i]
        return read_documents(path, mail="text", label=label, rows=i == 1, **self._chosen(i))

    def _chosen(self, i: int) -> dict[str, Any]:
        """Return the format and the columns of one source; columns are for tables, if one is."""
        text, id, format = (self._pair(option) for option in ("text", "id", "format"))
        is_table = [name in (*TABLES, "ris") for name in self._formats()]
        chosen: dict[str, Any] = {"format": format[i]}
        if is_table[i] or not any(is_table):
            chosen |= {"text": text[i], "id": id[i], "delimiter": self._delimiters()[i]}
        return chosen

    def read_tables(self) -> tuple[WholeTable, WholeTable] | None:
        """Read both sources with all their columns; None where one is no table, or has a column of texts."""
        if self.text or not all(name in TABLES for name in self._formats()):
            return None
        self._check_out()
        read = []
        with status("reading ..."):
            for path, id, format, delimiter in zip(
                self.sources.values(),
                self._pair("id"),
                self._pair("format"),
                self._delimiters(),
                strict=True,
            ):
                read.append(read_table(path, id=id, format=format, delimiter=delimiter))
                if _TEXT in read[-1].columns:
                    return None
        return read[0], read[1]

    def deliver(
        self,
        report: RankedReport[Any],
        documents: Sequence[Documents | WholeTable | Archive],
        *,
        title: str,
        notes: Sequence[str] = (),
        item: str = "text",
    ) -> None:
        """Print the list, then write the files that were asked for: one that cannot be loses nothing."""
        both = list(zip(self.sources.items(), documents, strict=True))
        notes = [
            *(f"{path}: {source.summary()}" for (_, path), source in both if source.problems),
            *notes,
        ]
        n_titles = self.top or max(_TOP.values())
        titles = titles_of(documents[1], [record.row for record in report.first(n_titles)])
        for note in notes:
            say(note)
        most = _TOP_OF_ARCHIVE if isinstance(documents[1], Archive) else None
        if self.as_json:
            sources = {name.lower(): describe_source(path, source) for (name, path), source in both}
            files = [str(file) for file in self.out]
            click.echo(json.dumps({**sources, **report.plain(self.top or most), "files": files}, indent=2))
        else:
            listed = report.first(self.top or _TOP["terminal"])
            _print_table(listed, item, titles)
            over = "" if report.n_over is None else f" Over the line (score 0): {report.n_over:,}."
            lines = [f"{report.summary()}.", f"Listed: {len(listed):,}.{over}", *report.left_out()]
            remark("\n".join(lines))
        for file in self.out:
            with status(f"writing {file.name} ..."):
                if file.suffix.lower() == ".html":
                    n = self.top or _TOP[".html"]
                    written = report.to_html(n, title=title, notes=notes, titles=titles)
                else:
                    written = _export(report, file.suffix.lower(), documents[1])
                with write_atomically(file) as target:
                    target.write(written.encode())
            if not self.as_json:
                remark(f"Written: {file}")

    def _delimiters(self) -> tuple[str | None, str | None]:
        """Return the delimiters as characters: a shell passes a tab as two."""
        first, second = self._pair("delimiter")
        return read_delimiter(first), read_delimiter(second)

    def _check_out(self) -> None:
        for file in self.out:
            check_out(file, _SUFFIXES, self.sources.values())

    def _formats(self) -> list[str | None]:
        """Return the format of each source, as it was named or as its name says; None for a folder."""
        return [
            None if path.is_dir() else name or format_of_name(path)
            for path, name in zip(self.sources.values(), self._pair("format"), strict=True)
        ]

    def _pair(self, option: str) -> tuple[str | None, str | None]:
        """Return what was said about the first source and about the second; said once, it holds for both."""
        values: tuple[str, ...] = getattr(self, option)
        if len(values) > 2:
            raise click.UsageError(
                f"--{option} is given {len(values)} times; once, or once each for "
                f"{' and '.join(self.sources)}."
            )
        return (values[0], values[-1]) if values else (None, None)


def _n_bytes(path: Path) -> int:
    """Return how large a source is; compressed files count as what they are likely to hold."""
    files = files_below(DocumentFile(path, _MOST_BYTES)) if path.is_dir() else [path]
    return sum(
        file.stat().st_size * (_PACKED if file.suffix.lower() in COMPRESSED else 1)
        for file in files
        if file.is_file()
    )


def read_delimiter(named: str | None) -> str | None:
    r"""Return the character that --delimiter names; a tab may be written as \\t or tab."""
    if named is None:
        return None
    character = "\t" if named in ("\\t", "tab") else named
    if len(character) != 1 or character in '"\r\n':
        raise click.UsageError(f"--delimiter takes one character, such as ';' or '\\t'; got '{named}'.")
    return character


def check_out(file: Path, suffixes: Sequence[str], sources: Iterable[Path]) -> None:
    """Say before the work what would go wrong behind it: sources are not written over."""
    if file.suffix.lower() not in suffixes:
        raise click.UsageError(f"--out writes {', '.join(suffixes)}; got '{file.name}'. Rename it.")
    if file.is_dir():
        raise click.UsageError(f"--out '{file}' is a folder. Name a file in it.")
    there = next(folder for folder in file.absolute().parents if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise click.UsageError(f"--out '{file}': nothing can be written to '{there}'. Name another.")
    for source in sources:
        if source.resolve() in (file.resolve(), *(file.resolve().parents if source.is_dir() else ())):
            raise click.UsageError(
                f"--out '{file}' is '{source}' or lies in it, which is read here. Name another file."
            )


def describe_source(path: Path, documents: Any) -> dict[str, Any]:
    """Return a description of what was read, as JSON can hold it."""
    skipped = len({problem.id for problem in documents.problems if problem.skipped})
    repaired = len({problem.id for problem in documents.problems if not problem.skipped})
    return {"path": str(path), "documents": len(documents), "skipped": skipped, "repaired_or_odd": repaired}


def titles_of(documents: Documents | WholeTable | Archive, rows_shown: Sequence[int]) -> Mapping[int, str]:
    """Return titles of the rows shown: a column of titles or subjects, else the beginning of the text."""
    if isinstance(documents, Archive):
        return {row: _first_line(document.text) for row, document in documents.fetch(rows_shown).items()}
    if isinstance(documents, WholeTable):
        columns: Sequence[str] = list(documents.columns)
        column = suggest_roles(columns, []).title
        cells: Sequence[Any] = [None] * len(documents) if column is None else documents.columns[column]
        return {row: "" if cells[row] is None else str(cells[row]) for row in rows_shown}
    rows = documents.rows or [{}] * len(documents)
    column = suggest_roles(list(next(iter(rows), {})), []).title
    return {
        row: str(rows[row].get(column) or "") if column else _first_line(documents.texts[row])
        for row in rows_shown
    }


def _first_line(text: str | bytes) -> str:
    start = str(text)[:1000].strip()
    return start.partition("\n")[0].strip()


def _export(report: RankedReport[Any], suffix: str, documents: Documents | WholeTable | Archive) -> str:
    """Return all records with their whole texts, and the columns of the table they come from.

    Of an archive, which is not in memory, the first are returned, without the other columns.
    """
    records = []
    columns: dict[str, None] = {}
    exported = report.first(_TOP_OF_ARCHIVE if isinstance(documents, Archive) else None)
    fetched = documents.fetch(record.row for record in exported) if isinstance(documents, Archive) else {}
    for record in exported:
        plain = record.plain()
        if isinstance(documents, WholeTable):
            own = {name: cells[record.row] for name, cells in documents.columns.items()}
        elif isinstance(documents, Archive):
            plain["text"], own = str(fetched[record.row].text), {}
        else:
            plain["text"] = str(documents.texts[record.row])
            own = documents.rows[record.row] if documents.rows else {}
        for name, cell in own.items():
            if name in plain and str(cell) == str(plain[name]):
                continue  # the column of the text or of the ids
            plain[name if name not in record.plain() else f"original_{name}"] = cell
        columns |= dict.fromkeys(plain)
        records.append(plain)
    if suffix == ".jsonl":
        return "".join(json.dumps(record, default=str) + "\n" for record in records)
    if suffix == ".json":
        return json.dumps(report.plain(0) | {"records": records}, indent=2, default=str) + "\n"
    empty = dict.fromkeys(columns or report.columns, "")
    rows = ({**empty, **{name: "" if c is None else c for name, c in one.items()}} for one in records)
    return write_records(list(empty), rows, "\t" if suffix == ".tsv" else ",")


def _print_table(records: Sequence[RankedText], item: str, titles: Mapping[int, str]) -> None:
    """Print the records; what is over the threshold is coloured on a terminal, what is below is dim."""
    rows = []
    for record in records:
        style, colour = "dim" if record.over is False else "", "green" if record.over else ""
        numbers = [Styled(number, colour or style) for number in record.figures().values()]
        title = "" if titles[record.row] == record.id else titles[record.row]
        cells = [record.id, abbreviate(title), ", ".join(record.words)]
        rows.append([Styled(str(record.rank), style), *numbers, *(Styled(cell, style) for cell in cells)])
    figures = list(records[0].figures()) if records else ["score"]
    header = ["rank", *figures, item, "title", "because of"]
    print_table(header, rows, right=range(len(figures) + 1), cut=(len(header) - 3, len(header) - 2))
