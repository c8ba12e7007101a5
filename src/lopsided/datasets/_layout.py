"""A data set, and the three kinds of file it is kept in."""

import csv
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets._table import CsvTable

Arrays = dict[str, NDArray[Any]]
Counts = dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Copy:
    """One form in which a data set is kept: its files and what is known about them.

    ``count`` takes the contents of the files and returns facts by name. The ``published`` ones must hold
    before a copy converted from ``build`` is kept; the ``peculiar`` ones (repeated texts, cut messages)
    describe the copy that was counted and are compared by ``verify`` as well.
    """

    files: tuple[str, ...]
    fields: tuple[str, ...]
    count: Callable[..., Counts]
    published: Mapping[str, int]
    peculiar: Mapping[str, int] = field(default_factory=dict)
    part: str = ""  # how a fetcher is asked for it, if this copy is not the whole data set
    source: str = ""  # where this copy comes from, if not from the source of the data set
    differs: str = "Nothing: the counts agree with the published ones."
    build: Callable[[Path], tuple[Any, ...]] | None = None  # None: not to be had from a public source
    read: Callable[[Path, tuple[str, ...]], Any] = field(default=lambda path, names: read_file(path, names))


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set: where it comes from, its terms, and its copies, the preferred one first."""

    name: str
    title: str
    source: str
    terms: str
    copies: tuple[Copy, ...]


def read_file(path: Path, names: tuple[str, ...]) -> Any:
    """Read ``.jsonl.xz`` as a list of dicts, ``.csv.xz`` as a CsvTable, ``.npz`` as a dict of arrays.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "two.csv.xz"
    ...     _ = path.write_bytes(encode_file(path, CsvTable(["a", "b"], ["1,x", "2,y"])))
    ...     read_file(path, ("a", "b")).numbers("a")
    array([1., 2.])
    """
    if path.suffix == ".npz":
        return _read_arrays(path, names)
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        if ".csv" in path.suffixes:
            header = next(csv.reader([file.readline()]), [])
            _check_fields(names, header)
            return CsvTable(header, file.read().splitlines())
        records = [json.loads(line) for line in file]
    for record in records:
        if not isinstance(record, dict):
            raise ValueError(f"expected an object with fields on each line, got {record!r:.60}")
        _check_fields(names, record)
    return records


def encode_file(path: Path, content: Any) -> bytes:
    """Return the bytes of a file that :func:`read_file` reads back.

    Examples
    --------
    >>> lzma.decompress(encode_file(Path("x.jsonl.xz"), [{"id": 1}]))
    b'{"id": 1}\\n'
    """
    if path.suffix == ".npz":
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **content)
        return buffer.getvalue()
    if ".csv" in path.suffixes:
        lines = [",".join(content.names), *content.lines()]
    else:
        lines = [json.dumps(record, ensure_ascii=False) for record in content]
    # The fastest level: 45 MB of text would take minutes at the highest, for a tenth of the room.
    return lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=1)


def _read_arrays(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    # NumPy's own errors for these two advise to switch off the protection against code in a file.
    if not zipfile.is_zipfile(path):
        raise ValueError("it is no .npz archive")
    with np.load(path, allow_pickle=False) as archive:
        _check_fields(names, archive.files)
        try:
            return {name: archive[name] for name in names}
        except ValueError as error:
            raise ValueError("one of its arrays is damaged or not of plain numbers or text") from error


def _check_fields(expected: tuple[str, ...], got: Any) -> None:
    missing = [name for name in expected if name not in got]
    if missing:
        raise ValueError(f"expected the fields {', '.join(expected)}; {missing[0]!r} is not there")
