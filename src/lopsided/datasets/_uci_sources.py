"""The UCI tables from OpenML, or from the UCI archive where OpenML's are not whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lopsided.datasets._download import download, from_openml
from lopsided.datasets._table import CsvTable
from lopsided.datasets._unix_compress import decompress_z

UCI_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
SHUTTLE_CLASSES = ("Rad.Flow", "Fpv.Close", "Fpv.Open", "High", "Bypass", "Bpv.Close", "Bpv.Open")
Build = Callable[[Path], tuple[CsvTable]]


def openml_builder(data_id: int, names: tuple[str, ...], *, target_first: bool = False) -> Build:
    """Make a builder for a table that OpenML holds whole, its target in the last or the first column."""

    def build(folder: Path) -> tuple[CsvTable]:
        X, y = from_openml(data_id, folder)
        rows = ([_cell(v) for v in row] for row in X)
        lines = [
            ",".join([_cell(label), *row] if target_first else [*row, _cell(label)])
            for row, label in zip(rows, y, strict=True)
        ]
        return (CsvTable(names, lines),)

    return build


def abalone_builder(names: tuple[str, ...]) -> Build:
    """Make a builder for abalone, whose OpenML file codes the sex as a position in (M, F, I)."""
    plain = openml_builder(183, names)

    def build(folder: Path) -> tuple[CsvTable]:
        lines = list(plain(folder)[0].lines())
        code = {"0": "M", "1": "F", "2": "I"}
        cells = (line.split(",", 1) for line in lines)
        return (CsvTable(names, [f"{code.get(sex, sex)},{rest}" for sex, rest in cells]),)

    return build


def uci_builder(files: dict[str, str], names: tuple[str, ...], parse: Callable[[str], list[str]]) -> Build:
    """Make a builder for files of the UCI archive, given as split -> file below its address.

    Where there is a split, it becomes the first column.
    """

    def build(folder: Path) -> tuple[CsvTable]:
        lines = []
        for split, name in files.items():
            raw = download(UCI_URL + name, folder).read_bytes()
            text = (decompress_z(raw) if name.endswith(".Z") else raw).decode("ascii")
            lines += [f"{split},{line}" if split else line for line in parse(text)]
        return (CsvTable(names, lines),)

    return build


def parse_spaces(text: str) -> list[str]:
    """Read rows of numbers with spaces between them (satimage).

    Examples
    --------
    >>> parse_spaces("11 22 3 \\n44 55 7\\n")
    ['11,22,3', '44,55,7']
    """
    return [",".join(line.split()) for line in text.splitlines() if line.strip()]


def parse_shuttle(text: str) -> list[str]:
    """Read rows of numbers whose last is a class from 1 to 7, and give the class its name.

    Examples
    --------
    >>> parse_shuttle("1 2 3 4 5 6 7 8 9 2\\n")
    ['1,2,3,4,5,6,7,8,9,Fpv.Close']
    """
    rows = (line.rsplit(",", 1) for line in parse_spaces(text))
    return [f"{values},{SHUTTLE_CLASSES[int(label) - 1]}" for values, label in rows]


def parse_commas(text: str) -> list[str]:
    """Read comma separated rows, without spaces, comments (``|``) and the dot after adult's test labels.

    Examples
    --------
    >>> parse_commas("|a comment\\n99, Pirate, ?, <=50K.\\n\\n")
    ['99,Pirate,?,<=50K']
    """
    lines = (line.strip().removesuffix(".") for line in text.splitlines() if not line.startswith("|"))
    return [",".join(cell.strip() for cell in line.split(",")) for line in lines if line]


def _cell(value: Any) -> str:
    """Write a number as the original files do: no more digits than it has."""
    return value if isinstance(value, str) else format(float(value), ".15g")
