"""A list of rules as a person reads it: where the score begins, and what each yes adds to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from lopsided.boosting._ensemble import Ensemble

_NOTHING = 1e-9  # share of the most points that is not worth a line


class Points(NamedTuple):
    """A question, and the points that a yes adds to the score."""

    question: str
    points: float
    feature: int | None
    """The column that is asked about; None where a classifier is."""
    threshold: float | None
    """The question is whether the number is above it; None: whether it is there at all."""


class Explanation(NamedTuple):
    """The rules for one class: the score is ``start`` and the points of every question with answer yes.

    Above 0 the row is of the class.
    """

    label: Any
    start: float
    rows: list[Points]
    """The weightiest first; a question that came several times stands here once."""

    def __str__(self) -> str:
        width = max(len(row.question) for row in [Points("start", 0, None, None), *self.rows])
        lines = [f"{self.label} where the sum is above 0", f"  {'start':{width}}  {self.start:+.3f}"]
        return "\n".join(lines + [f"  {row.question:{width}}  {row.points:+.3f}" for row in self.rows])

    def _repr_html_(self) -> str:
        cells = [("start", self.start), *((row.question, row.points) for row in self.rows)]
        body = "".join(f"<tr><td>{escape(name)}</td><td>{points:+.3f}</td></tr>" for name, points in cells)
        title = escape(f"{self.label} where the sum is above 0")
        return f"<table><caption>{title}</caption><tr><th>if</th><th>points</th></tr>{body}</table>"


@dataclass(frozen=True)
class Explanations:
    """An explanation for each class."""

    of_each: list[Explanation]

    def __iter__(self) -> Any:
        return iter(self.of_each)

    def __len__(self) -> int:
        return len(self.of_each)

    def __getitem__(self, place: int) -> Explanation:
        return self.of_each[place]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.of_each))

    def _repr_html_(self) -> str:
        return "".join(explanation._repr_html_() for explanation in self.of_each)


def explain_ensemble(ensemble: Ensemble, label: Any, names: Sequence[Any] | None) -> Explanation:
    """Return start, the sum of weight * absent, and for each yes its points, weight * (present - absent)."""
    start = size = 0.0
    points: dict[tuple[int, float | None], float] = {}
    for rule in ensemble.rules():
        start += rule.weight * rule.absent
        size += abs(rule.weight) * (abs(rule.present) + abs(rule.absent))
        if not rule.is_constant:
            key = (rule.feature, rule.threshold)
            points[key] = points.get(key, 0.0) + rule.weight * (rule.present - rule.absent)
    rows = [
        Points(_question(feature, threshold, names), gain, feature, threshold)
        for (feature, threshold), gain in points.items()
    ]
    for estimator, weight in ensemble.classifiers():
        start -= weight
        rows.append(Points(f"{type(estimator).__name__} says so", 2 * weight, None, None))
    rows.sort(key=lambda row: -abs(row.points))
    # Measured by what is added up: where the sums cancel, what is left is rounding.
    least = _NOTHING * max([size, *(abs(row.points) for row in rows)])
    return Explanation(label, start, [row for row in rows if abs(row.points) > least])


def _question(feature: int, threshold: float | None, names: Sequence[Any] | None) -> str:
    name = f"column {feature}" if names is None else str(names[feature])
    return name if threshold is None else f"{name} > {threshold:.12g}"
