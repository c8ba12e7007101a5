"""Values that a paper reports, as tidy tables in CSV."""

import csv
from importlib.resources import files
from typing import Any

from lopsided.experiments._tidy import Measurement, Measurements


class Published:
    """The values of one table: a column ``metric``, a column ``value``, and others that are axes.

    Lines that begin with # are comments. A value with an empty label does not lie on that axis.

    Examples
    --------
    >>> table = Published([{"row": "a", "method": "SVM", "metric": "f1", "value": "0.9"}])
    >>> table.value("f1", row="a", method="SVM"), table.value("f1", row="b", method="SVM")
    (0.9, None)
    >>> Published([{"metric": "documents", "value": "12902"}])["documents"]
    12902.0
    """

    def __init__(self, lines: list[dict[str, str]]) -> None:
        self._values: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
        self._labels: dict[str, dict[str, None]] = {}
        for line in lines:
            metric, value = line.pop("metric"), float(line.pop("value"))
            at = {axis: label for axis, label in line.items() if label}
            for axis, label in at.items():
                self._labels.setdefault(axis, {})[label] = None
            self._values[metric, frozenset(at.items())] = value

    @classmethod
    def read(cls, package: str, name: str) -> "Published":
        """Read ``published/NAME.csv`` of a paper's package."""
        text = files(package).joinpath("published", f"{name}.csv").read_text("utf-8")
        return cls(list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))))

    def labels(self, axis: str) -> tuple[str, ...]:
        """Return the labels of an axis, in the order of the file."""
        return tuple(self._labels.get(axis, ()))

    def value(self, metric: str, **at: Any) -> float | None:
        """Return a value, or None where the paper reports none."""
        return self._values.get((metric, frozenset((axis, str(label)) for axis, label in at.items())))

    def __getitem__(self, metric: str) -> float:
        """Return a value that lies on no axis, such as one that the text of the paper states."""
        return self._values[metric, frozenset()]

    def measurements(self) -> Measurements:
        """Return the values as if they were measured, in one run."""
        return Measurements(
            [Measurement(dict(at), {metric: value}) for (metric, at), value in self._values.items()]
        )
