"""The recall curve of a screening, with what is not known about it as a band."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

_LEFT, _TOP, _WIDTH, _HEIGHT = 46.0, 12.0, 620.0, 250.0
_POINTS = 300


class Tick(NamedTuple):
    """A number at an axis."""

    at: float
    text: str


class StopLine(NamedTuple):
    """The place at which a stopping rule would have stopped."""

    at: float
    name: str
    text_at: float
    anchor: str


class CurvePicture(NamedTuple):
    """The coordinates that the template draws, in a picture that is 680 wide and 300 high."""

    line: str
    band: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    stops: list[StopLine]
    is_recall: bool
    left: float
    right: float
    top: float
    bottom: float


def draw_curve(curve: Any, stop_reasons: Sequence[Any]) -> CurvePicture | None:
    """Return the picture of found items against labels; None before the first label.

    Parameters
    ----------
    curve : Curve
        Where it has a recall, that is drawn, with its band.
    stop_reasons : sequence of StopReason
    """
    n = np.concatenate([[0], curve.n_labels])
    if len(n) < 2:
        return None
    is_recall = bool(np.isfinite(curve.recall[-1]))
    found = np.concatenate([[0], curve.recall if is_recall else curve.n_found]).astype(float)
    some = np.unique(np.linspace(0, len(n) - 1, _POINTS).astype(int))
    last = float(n[-1])

    def x(labels: float) -> float:
        return round(_LEFT + _WIDTH * labels / last, 1)

    def y(share: float) -> float:
        return round(_TOP + _HEIGHT * (1 - min(share, 1.0)), 1)

    top = 1.0 if is_recall else max(found[-1], 1.0)
    line = " ".join(f"{x(n[i])},{y(found[i] / top)}" for i in some)
    band = ""
    if is_recall:
        low, high = np.concatenate([[0], curve.low]), np.concatenate([[0], curve.high])
        upper = [f"{x(n[i])},{y(high[i])}" for i in some]
        band = " ".join([*upper, *(f"{x(n[i])},{y(low[i])}" for i in some[::-1])])
        y_ticks = [Tick(y(share / 4), f"{25 * share} %") for share in range(5)]
    else:
        y_ticks = [Tick(y(value / top), f"{value:,.0f}") for value in _round_steps(top)]
    stops = [
        StopLine(
            x(reason.since),
            reason.rule,
            x(reason.since) + (-5 if reason.since > 0.6 * last else 5),
            "end" if reason.since > 0.6 * last else "start",
        )
        for reason in stop_reasons
        if reason.since is not None and reason.since <= last
    ]
    return CurvePicture(
        line=line,
        band=band,
        x_ticks=[Tick(x(value), f"{value:,.0f}") for value in _round_steps(last)],
        y_ticks=y_ticks,
        stops=stops,
        is_recall=is_recall,
        left=_LEFT,
        right=_LEFT + _WIDTH,
        top=_TOP,
        bottom=_TOP + _HEIGHT,
    )


class RecallPicture(NamedTuple):
    """Recall against labels, a line for each strategy."""

    lines: list[tuple[str, str]]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    left: float
    right: float
    bottom: float


def draw_recalls(recalls: Mapping[str, Any]) -> RecallPicture:
    """Return the picture of several recall curves.

    Parameters
    ----------
    recalls : dict of str to array
        For each strategy the recall after each label.
    """
    last = float(max(len(recall) for recall in recalls.values()))
    lines = []
    for name, recall in recalls.items():
        values = np.concatenate([[0.0], recall])
        some = np.unique(np.linspace(0, len(values) - 1, _POINTS).astype(int))
        points = [
            f"{_LEFT + _WIDTH * i / last:.1f},{_TOP + _HEIGHT * (1 - values[i]):.1f}" for i in some.tolist()
        ]
        lines.append((name, " ".join(points)))
    return RecallPicture(
        lines=lines,
        x_ticks=[Tick(round(_LEFT + _WIDTH * n / last, 1), f"{n:,.0f}") for n in _round_steps(last)],
        y_ticks=[Tick(_TOP + _HEIGHT * (1 - share / 4), f"{25 * share} %") for share in range(5)],
        left=_LEFT,
        right=_LEFT + _WIDTH,
        bottom=_TOP + _HEIGHT,
    )


def _round_steps(last: float) -> list[float]:
    """Return about five round numbers from 0 to a number.

    Examples
    --------
    >>> _round_steps(93)
    [0.0, 20.0, 40.0, 60.0, 80.0]
    """
    rough = max(last, 1.0) / 5
    size = 10.0 ** np.floor(np.log10(rough))
    step = max(1.0, float(size * next(m for m in (1, 2, 5, 10) if m * size >= rough)))
    return [float(value) for value in np.arange(0, last + 1e-9, step)]
