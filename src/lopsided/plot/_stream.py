"""A picture of a filter along a stream: precision and recall so far, and the labels that they took."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lopsided.plot._canvas import count_curves, draw_curve, given_axes, legend_of, new_axes, zoom_behind

_AXIS = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "recent_recall": "recent recall",
    "n_labels": "labels",
    "n_explored": "explorations",
    "cost": "cost",
}
_COUNTS = ("n_labels", "n_explored", "cost")
_STEEP = 0.05  # share of the stream within which shares of so few items jump


class StreamDisplay:
    """Precision and recall along a stream of items, and the labels they took.

    One report is drawn in two panels: precision and recall of all items so far with the recall of the last
    tenth of the stream, which falls at once when a filter stops finding; below, labels received and items
    shown by exploration. Several reports are compared in three: recall, F1, labels.

    Parameters
    ----------
    reports : dict of str to StreamReport, or one StreamReport
        What `run_stream` returned. Anything with its method ``curve`` will do.

    Attributes
    ----------
    axes_ : array of matplotlib axes
        The panels, top to bottom; ``ax_`` is the first.
    figure_ : matplotlib figure
    lines_ : dict of str to dict of str to matplotlib line
        For each report its lines, by the column of ``curve``. A report without a name is called "stream".

    Examples
    --------
    >>> class Report:
    ...     def curve(self, n_points=100):
    ...         half = [0.5, 0.6]
    ...         shares = dict.fromkeys(["precision", "recall", "f1", "recent_recall"], half)
    ...         return {"n_seen": [10, 20], "n_labels": [4, 9], "n_explored": [1, 2], **shares}
    >>> display = StreamDisplay.from_reports(Report())
    >>> [ax.get_ylabel() for ax in display.axes_]
    ['precision, recall', 'labels']
    >>> display.lines_["stream"]["n_labels"].get_ydata()
    array([4, 9])
    """

    def __init__(self, reports: Any) -> None:
        self.reports = reports

    @classmethod
    def from_reports(
        cls,
        reports: Any,
        *,
        scores: str | Sequence[str] | None = None,
        n_points: int = 100,
        zoom: bool = True,
        ax: Any = None,
    ) -> "StreamDisplay":
        """Draw one report, or several for comparison.

        Parameters
        ----------
        reports
            As in the class.
        scores, n_points, zoom, ax
            As in :meth:`plot`.

        Returns
        -------
        display : StreamDisplay
        """
        return cls(reports).plot(ax, scores=scores, n_points=n_points, zoom=zoom)

    def plot(
        self,
        ax: Any = None,
        *,
        scores: str | Sequence[str] | None = None,
        n_points: int = 100,
        zoom: bool = True,
    ) -> "StreamDisplay":
        """Draw the panels.

        Parameters
        ----------
        ax : matplotlib axes or array of them, optional
            As many as there are panels; by default a new figure.
        scores : str or list of str, optional
            One panel for each of them instead: ``"precision"``, ``"recall"``, ``"f1"``, ``"recent_recall"``,
            ``"n_labels"``, ``"n_explored"``, ``"cost"``.
        n_points : int, default=100
            Points of a line.
        zoom : bool, default=True
            Let the first twentieth of the stream, where shares jump, leave the picture below, so that the
            rest can be told apart.

        Returns
        -------
        display : StreamDisplay
        """
        reports = self.reports if isinstance(self.reports, Mapping) else {"stream": self.reports}
        if not reports:
            raise ValueError("A picture needs at least one StreamReport; got none.")
        for report in reports.values():
            if not hasattr(report, "curve"):
                raise ValueError(
                    "reports must be one StreamReport, or several as a dict: {name: report}; got one of type "
                    f"{type(report).__name__}."
                )
        panels = _panels(scores, several=len(reports) > 1)
        curves = {name: report.curve(n_points) for name, report in reports.items()}
        self.axes_ = new_axes(len(panels)) if ax is None else given_axes(ax, len(panels), type(self).__name__)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure

        self.lines_: dict[str, dict[str, Any]] = {name: {} for name in reports}
        for panel, columns in zip(self.axes_, panels, strict=True):
            for name, curve in curves.items():
                for column in columns:
                    label = name if len(columns) == 1 else _describe(column, curve[column])
                    values = np.asarray(curve[column])
                    there = ~np.isnan(values)  # there is no recall where no positive was
                    x = np.asarray(curve["n_seen"])[there]
                    line = draw_curve(panel, x, values[there], count_curves(panel), label)
                    if column == "recent_recall" and len(columns) > 1:
                        same = self.lines_[name]["recall"].get_color()  # as it is one, of fewer items
                        line.set(color=same, linestyle=":", marker="")
                    self.lines_[name][column] = line
            _label_axes(panel, columns)
            drawn = any(len(line.get_xdata()) for line in panel.get_lines())
            if zoom and drawn and columns[0] not in _COUNTS:
                zoom_behind(panel, _STEEP)
            if count_curves(panel) > 1 and (panel is self.ax_ or len(columns) > 1):
                legend_of(panel)
        return self


def _panels(scores: str | Sequence[str] | None, *, several: bool) -> list[tuple[str, ...]]:
    """Return the columns that are drawn in each panel."""
    if scores is None:
        if several:
            return [("recall",), ("f1",), ("n_labels",)]
        return [("precision", "recall", "recent_recall"), ("n_labels", "n_explored")]
    scores = [scores] if isinstance(scores, str) else list(scores)
    unknown = [score for score in scores if score not in _AXIS]
    if unknown or not scores:
        raise ValueError(f"scores must be among {', '.join(_AXIS)}; got {', '.join(unknown) or 'none'}.")
    return [(score,) for score in scores]


def _describe(column: str, values: Any) -> str:
    """Return what the legend says of a line: its name, and where it ends."""
    if column == "recent_recall":
        return "recall of the last tenth"
    if len(values) == 0:
        return _AXIS[column]
    end = f"{values[-1]:,.0f}" if column in _COUNTS else f"{100 * values[-1]:.3g}%"
    return f"{_AXIS[column]} ({end})"


def _label_axes(panel: Any, columns: tuple[str, ...]) -> None:
    from matplotlib.ticker import FuncFormatter, StrMethodFormatter

    if columns[0] in _COUNTS:
        panel.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        panel.set_ylim(bottom=0, auto=None)
        panel.set_ylabel(_AXIS[columns[0]])
    else:
        panel.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.3g}%"))
        panel.set_ylabel(", ".join(_AXIS[column] for column in columns[:2]))  # the third is a recall too
    panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    panel.set_xlim(left=0, auto=None)  # the right end stays free for what is drawn later
    if panel.xaxis.get_tick_params()["labelbottom"]:  # not for a panel above another that shares its axis
        panel.set_xlabel("items seen")
    panel.grid(visible=True, alpha=0.25)
