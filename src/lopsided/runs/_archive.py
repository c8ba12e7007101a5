"""Results as small text files that can be kept under version control."""

import json
import lzma
import os
from itertools import groupby
from pathlib import Path

from lopsided._files import write_atomically
from lopsided.runs._results import Results, UnitRecord

_SUFFIX = ".jsonl.xz"


def write_archive(results: Results, folder: str | os.PathLike[str]) -> None:
    """Write all results into a folder, one compressed file of JSON lines per module of units.

    Equal results give equal files: lines are sorted by key, and no date is kept.
    """
    folder = Path(folder)
    for module, rows in groupby(results.rows(), key=lambda row: _module_of(row[0])):
        with (
            write_atomically(folder / f"{module}{_SUFFIX}") as file,
            lzma.open(file, "wb", preset=9) as packed,
        ):
            for key, record, version in rows:
                packed.write(json.dumps([key, *record, version]).encode() + b"\n")


def read_archive(folder: str | os.PathLike[str]) -> Results:
    """Read the files of `write_archive` into results that are held in memory."""
    results = Results()
    for path in sorted(Path(folder).glob(f"*{_SUFFIX}")):
        try:
            with lzma.open(path, "rb") as file:
                lines = map(json.loads, file)
                results.enter_all(
                    (key, UnitRecord(status, text, float(seconds)), version)
                    for key, status, text, seconds, version in lines
                )
        except (lzma.LZMAError, EOFError, OSError, TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no results: {error!r}. Remove it or restore it.") from error
    return results


def _module_of(key: str) -> str:
    """Return the module of a unit.

    Examples
    --------
    >>> _module_of('math.sqrt {"~": "tuple", "is": [16.0]}')
    'math'
    """
    return key.split()[0].rpartition(".")[0]
