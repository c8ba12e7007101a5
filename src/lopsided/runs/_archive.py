"""Results as small text files that can be kept under version control."""

import csv
import lzma
import os
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import Any

from lopsided._files import write_atomically
from lopsided.runs._results import Record, Results

_COLUMNS = ("key", "status", "text", "seconds", "version")
_SUFFIX = ".csv.xz"
_MOST_OF_A_FIELD = 2**30  # bytes; the csv module refuses fields above 128 KiB unless told otherwise


def write_archive(results: Results, folder: str | os.PathLike[str]) -> None:
    """Write all results into a folder, one compressed CSV file per module of units.

    Equal results give equal files: rows are sorted by key, and no date is kept.
    """
    folder = Path(folder)
    for module, rows in groupby(results.rows(), key=lambda row: _module_of(row[0])):
        with (
            write_atomically(folder / f"{module}{_SUFFIX}") as file,
            lzma.open(file, "wb", preset=9) as packed,
            TextIOWrapper(packed, encoding="utf-8", newline="") as text,
        ):
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(_COLUMNS)
            writer.writerows((key, *record, version) for key, record, version in rows)


def read_archive(folder: str | os.PathLike[str]) -> Results:
    """Read the files of `write_archive` into results that are held in memory."""
    csv.field_size_limit(_MOST_OF_A_FIELD)
    results = Results()
    for path in sorted(Path(folder).glob(f"*{_SUFFIX}")):
        try:
            with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
                results.enter_all((row["key"], _record(row), row["version"]) for row in csv.DictReader(file))
        except (lzma.LZMAError, EOFError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no results: {error!r}. Remove it or restore it.") from error
    return results


def _record(row: dict[str, Any]) -> Record:
    return Record(row["status"], row["text"], float(row["seconds"]))


def _module_of(key: str) -> str:
    """Return the module of a unit.

    Examples
    --------
    >>> _module_of('math.sqrt {"~": "tuple", "is": [16.0]}')
    'math'
    """
    return key.split()[0].rpartition(".")[0]
