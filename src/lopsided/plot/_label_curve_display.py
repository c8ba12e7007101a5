"""Labels spent against scores and support vectors, many methods a picture (figures 2, 4-6, 9 of [1])."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lopsided.plot._canvas import (
    count_curves,
    draw_band,
    draw_curve,
    given_axes,
    label_spent,
    legend_of,
    mark_stop,
    new_axes,
    zoom_behind,
)
from lopsided.plot._label_curve import (
    SCORES,
    LabelCurve,
    common_checkpoints,
    label_curve,
    mean_label_curve,
    stack_runs,
)

_AXIS = {
    "g_mean": "g-means",
    "prbep": "PRBEP",
    "n_support": "support vectors",
    "n_support_positive": "positive support vectors",
    "n_support_negative": "negative support vectors",
}
_SHARES = ("g_mean", "prbep")  # between 0 and 1, shown in per cent
_STEEP = 0.05  # share of the labels within which curves rise too steeply to be of use


class LabelCurveDisplay:
    """Picture of g-means, PRBEP and support vectors against labels spent.

    Make one with :meth:`from_estimator` or :meth:`from_curves`. The vertical line is where the stopping rule
    ended learning; what it spent is shaded, if only one method stops.

    Parameters
    ----------
    curves : list of LabelCurve
        Curves of one name are runs of one method: their mean is drawn, in a band of one standard deviation.

    Attributes
    ----------
    axes_ : array of matplotlib axes
        One panel for each score, top to bottom; ``ax_`` is the first.
    figure_ : matplotlib figure
    lines_ : list of lists of matplotlib lines
        For each panel its curves, one a method.
    stops_ : list of lists of matplotlib lines
        For each panel its stopping points.

    References
    ----------
    .. [1] S. Ertekin, J. Huang, L. Bottou, C. L. Giles, "Learning on the Border: Active Learning in
       Imbalanced Data Classification", CIKM 2007.

    Examples
    --------
    >>> curve = LabelCurve("active", [10, 20], [0.5, 0.9], [0.4, 0.8], [8, 12], [3, 5], [5, 7], stopped_at=20)
    >>> display = LabelCurveDisplay.from_curves([curve])
    >>> [ax.get_ylabel() for ax in display.axes_]
    ['g-means', 'PRBEP', 'support vectors']
    """

    def __init__(self, curves: Sequence[LabelCurve]) -> None:
        self.curves = list(curves)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        X_test: Any,
        y_test: ArrayLike,
        *,
        n_points: int = 30,
        max_labels: int | None = None,
        name: str | None = None,
        ax: Any = None,
        scores: str | Sequence[str] = ("g_mean", "prbep", "n_support"),
        shade: bool = True,
        zoom: bool = True,
    ) -> "LabelCurveDisplay":
        """Learn label by label, score on a test set, and draw. The estimator itself is not fitted.

        A second method goes into the same picture by ``ax=first.axes_``.

        Parameters
        ----------
        estimator, X, y, X_test, y_test, n_points, max_labels, name
            As in :func:`label_curve`.
        ax, scores, shade, zoom
            As in :meth:`plot`.

        Returns
        -------
        display : LabelCurveDisplay
        """
        curve = label_curve(estimator, X, y, X_test, y_test, n_points, max_labels=max_labels, name=name)
        return cls([curve]).plot(ax, scores=scores, shade=shade, zoom=zoom)

    @classmethod
    def from_curves(
        cls,
        curves: Sequence[LabelCurve],
        *,
        ax: Any = None,
        scores: str | Sequence[str] = ("g_mean", "prbep", "n_support"),
        shade: bool = True,
        zoom: bool = True,
    ) -> "LabelCurveDisplay":
        """Draw curves that :func:`label_curve` made.

        Parameters
        ----------
        curves : list of LabelCurve
            Several of one name are averaged.
        ax, scores, shade, zoom
            As in :meth:`plot`.

        Returns
        -------
        display : LabelCurveDisplay
        """
        return cls(curves).plot(ax, scores=scores, shade=shade, zoom=zoom)

    def plot(
        self,
        ax: Any = None,
        *,
        scores: str | Sequence[str] = ("g_mean", "prbep", "n_support"),
        shade: bool = True,
        zoom: bool = True,
    ) -> "LabelCurveDisplay":
        """Draw one panel a score.

        Parameters
        ----------
        ax : matplotlib axes or array of them, optional
            As many as there are scores; by default a new figure.
        scores : str or list of str, default=("g_mean", "prbep", "n_support")
            Which of them, and ``"n_support_positive"``, ``"n_support_negative"``.
        shade : bool, default=True
            Shade what was spent before the stop, if only one method stops.
        zoom : bool, default=True
            Let the steep beginning of g-means and PRBEP, the first twentieth of the labels, leave the picture
            below, so that the rest can be told apart.

        Returns
        -------
        display : LabelCurveDisplay
        """
        scores = [scores] if isinstance(scores, str) else list(scores)
        unknown = [score for score in scores if score not in SCORES]
        if unknown or not scores:
            raise ValueError(f"scores must be among {', '.join(SCORES)}; got {', '.join(unknown) or 'none'}.")
        methods = _group_by_name(self.curves)
        means = [mean_label_curve(runs) for runs in methods]
        self.axes_ = new_axes(len(scores)) if ax is None else given_axes(ax, len(scores), type(self).__name__)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure

        self.lines_: list[list[Any]] = []
        self.stops_: list[list[Any]] = []
        for panel, score in zip(self.axes_, scores, strict=True):
            lines, stops = [], []
            for runs, mean in zip(methods, means, strict=True):
                label = _describe(mean, len(runs))
                line = draw_curve(panel, mean.n_labels, getattr(mean, score), count_curves(panel), label)
                lines.append(line)
                if len(runs) > 1:
                    _draw_band(panel, runs, score, line.get_color())
                if mean.stopped_at is not None:
                    stops.append(mark_stop(panel, mean.stopped_at, line.get_color(), shade=shade))
            self.lines_.append(lines)
            self.stops_.append(stops)
            _label_axis(panel, score)
            if zoom and score in _SHARES:
                zoom_behind(panel, _STEEP)
            label_spent(panel)
        band = any(len(runs) > 1 for runs in methods)
        legend_of(self.ax_, title="line and band: mean and standard deviation over runs" if band else None)
        return self


def _group_by_name(curves: Sequence[LabelCurve]) -> list[list[LabelCurve]]:
    if not curves:
        raise ValueError("A picture needs at least one LabelCurve; got none.")
    by_name: dict[str, list[LabelCurve]] = {}
    for curve in curves:
        by_name.setdefault(curve.name, []).append(curve)
    return list(by_name.values())


def _describe(mean: LabelCurve, n_runs: int) -> str:
    notes = [f"{n_runs} runs"] if n_runs > 1 else []
    if mean.stopped_at is not None:
        notes.append(f"stops at {mean.stopped_at:,.0f} labels")
    return f"{mean.name} ({', '.join(notes)})" if notes else mean.name


def _draw_band(panel: Any, runs: Sequence[LabelCurve], score: str, color: Any) -> None:
    n_labels = common_checkpoints(runs)
    values = stack_runs(runs, score, n_labels)
    mean, deviation = values.mean(axis=0), values.std(axis=0, ddof=1)
    low, high = np.clip([mean - deviation, mean + deviation], 0, 1 if score in _SHARES else None)
    draw_band(panel, n_labels, low, high, color)


def _label_axis(panel: Any, score: str) -> None:
    from matplotlib.ticker import FuncFormatter, StrMethodFormatter

    panel.set_ylabel(_AXIS[score])
    if score in _SHARES:
        panel.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
    else:
        panel.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.set_ylim(bottom=0, auto=None)
