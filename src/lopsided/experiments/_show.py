"""Tables and curves of measurements, with the published values beside ours."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from lopsided.experiments._published import Published
from lopsided.experiments._tidy import Measurements
from lopsided.report import Block, Cell, Series, Table


class ShownMetric(NamedTuple):
    """A metric as a table shows it."""

    metric: str
    title: str
    digits: int = 1


def cell(
    t: Measurements, metric: str, *, published: float | None = None, digits: int = 1, note: str = ""
) -> Cell | str:
    """Return mean and standard deviation of a metric over the runs; empty where there are no runs."""
    if not t.values(metric):
        return ""
    return Cell(t.mean(metric), published, t.std(metric) or None, note, digits)


def compare_table(
    index: str,
    columns: str,
    scores: Sequence[ShownMetric],
    published: Published | None = None,
    order: Sequence[str] = (),
) -> Callable[[Measurements], list[Block]]:
    """Return a function that shows one table for each score: a line for each label, a column for each other.

    Parameters
    ----------
    index, columns : str
        Axes whose labels are the lines and the columns.
    scores : sequence of Score
        One table each.
    published : Published, optional
        Values with the same axes that stand beside ours.
    order : sequence of str, optional
        Order of the columns; None: as they came.

    A line, a column or a table without a single value is left out.
    """

    def one(t: Measurements, heads: Sequence[str], score: ShownMetric) -> Table:
        lines = []
        for line, row in t.split(index).items():
            at = [{index: line, columns: head} for head in heads]
            beside = [published.value(score.metric, **place) if published else None for place in at]
            cells = [
                cell(row.only(**place), score.metric, published=value, digits=score.digits)
                for place, value in zip(at, beside, strict=True)
            ]
            if any(cells):
                lines.append((str(line), cells))
        kept = [k for k in range(len(heads)) if any(cells[k] for _, cells in lines)]
        lines = [(name, [cells[k] for k in kept]) for name, cells in lines]
        return Table(tuple(heads[k] for k in kept), lines, score.title)

    def show(t: Measurements) -> list[Block]:
        there = t.labels(columns)
        heads = [head for head in order if head in there] or there
        tables = [one(t, heads, score) for score in scores]
        return [table for table in tables if table.lines]

    return show


class Column(NamedTuple):
    """A column of a table: a metric at some labels."""

    title: str
    metric: str
    at: Mapping[str, Any] = MappingProxyType({})
    """Axis -> label."""
    digits: int = 1
    over: Mapping[str, Any] | None = None
    """Axis -> label: where the metric is that this one is divided by; None: it is shown as it is."""


def columns(
    title: str, metric: str, methods: Iterable[str], digits: int = 1, names: Mapping[str, str] | None = None
) -> list[Column]:
    """Return a column of a metric for each method, whose name replaces the ``{}`` of the title.

    Examples
    --------
    >>> from lopsided.experiments import columns
    >>> [column.title for column in columns("F1, {}", "f1", ["svm", "knn"], names={"svm": "SVM"})]
    ['F1, SVM', 'F1, knn']
    """
    names = names or {}
    return [Column(title.format(names.get(m, m)), metric, {"method": m}, digits) for m in methods]


def column_table(
    t: Measurements,
    index: str,
    columns: Sequence[Column],
    title: str = "",
    published: Published | None = None,
    *,
    whole: bool = True,
) -> Table:
    """Return a table with a line for each label: of those alone that have a value in every column, if whole.

    Examples
    --------
    >>> from lopsided.experiments import Column, Measurement, Measurements, column_table
    >>> t = Measurements([
    ...     Measurement({"row": "a", "method": "SVM"}, {"f1": 0.9, "seconds": 6.0}),
    ...     Measurement({"row": "a", "method": "kNN"}, {"f1": 0.8, "seconds": 2.0}),
    ... ])
    >>> svm, knn = {"method": "SVM"}, {"method": "kNN"}
    >>> columns = [Column("F1, SVM", "f1", svm), Column("kNN is faster, times", "seconds", svm, over=knn)]
    >>> [(name, [cell.ours for cell in cells]) for name, cells in column_table(t, "row", columns).lines]
    [('a', [0.9, 3.0])]
    """
    lines = []
    for label, row in t.split(index).items():
        beside = partial(published.value, **{index: label}) if published else lambda metric, **at: None
        cells = [_column_cell(row, column, beside) for column in columns]
        if all(cells) or not whole:
            lines.append((str(label), cells))
    return Table(tuple(column.title for column in columns), lines, title)


def _column_cell(row: Measurements, column: Column, published: Callable[..., float | None]) -> Cell | str:
    _, metric, at, digits, over = column
    if over is None:
        return cell(row.only(**at), metric, published=published(metric, **at), digits=digits)
    if not (row.values(metric, **at) and row.values(metric, **over)):
        return ""
    theirs = published(metric, **at), published(metric, **over)
    beside = theirs[0] / theirs[1] if theirs[0] and theirs[1] else None
    return Cell(row.mean(metric, **at) / row.mean(metric, **over), beside, digits=digits)


def cross_table(
    t: Measurements,
    index: str,
    heads: Sequence[str],
    make: Callable[[Measurements, str], Cell | str],
    title: str = "",
) -> Table:
    """Return a table with a line for each label of an axis; ``make`` returns its cell under each head."""
    lines = [(str(label), [make(part, head) for head in heads]) for label, part in t.split(index).items()]
    return Table(tuple(heads), lines, title)


def metric_table(
    t: Measurements,
    index: str,
    title: str = "",
    *,
    digits: Mapping[str, int] | None = None,
    hidden: Sequence[str] = (),
) -> Table:
    """Return a table with a line for each label of an axis, a column for each metric that is not hidden."""
    metrics = [metric for metric in t.metrics() if metric not in hidden]
    places = dict.fromkeys(metrics, 3) | dict(digits or {})
    table = cross_table(t, index, metrics, lambda part, m: cell(part, m, digits=places[m]), title)
    return replace(table, columns=tuple(metric.replace("_", " ") for metric in metrics))


def curve(name: str, t: Measurements, index: str, x: str, y: str) -> Series:
    """Return the means of two metrics over the runs at each label of an axis, ordered by the first."""
    parts = [t.only(**{index: label}) for label in t.labels(index)]
    points: list[tuple[Any, ...]] = sorted((part.mean(x), part.mean(y), part.std(y)) for part in parts)
    spread = [point[2] for point in points]
    return Series(name, [p[0] for p in points], [p[1] for p in points], spread if any(spread) else ())


def curves(
    t: Measurements, of: str, index: str, x: str, y: str, *, names: Iterable[Any] | None = None
) -> list[Series]:
    """Return a `curve` for each label of an axis, or for some of its labels."""
    return [curve(str(name), t.only(**{of: name}), index, x, y) for name in names or t.labels(of)]


def for_each(
    axis: str, block: Callable[..., Block], title: str = "{}"
) -> Callable[[Measurements], list[Block]]:
    """Return a function that shows one block for each label of an axis, under a title that has the label."""
    return lambda t: [block(part, title=title.format(label)) for label, part in t.split(axis).items()]
