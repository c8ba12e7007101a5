"""The report of a stream of values, as numbers and as a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.feedback._counts import CountedReport
from lopsided.plot._canvas import count_curves, draw_curve, given_axes, legend_of, new_axes


@dataclass(frozen=True, eq=False)
class ValueReport(CountedReport):
    """The report of a stream of values, item by item and in sum.

    An item is worth showing if its value is at least the threshold. Showing it gains its value minus the
    threshold, which is a loss where it is worth less.

    Parameters
    ----------
    value : array of shape (n_samples,)
        What each item is worth.
    show, explored : bool arrays of shape (n_samples,)
        Whether it was shown; whether by the explorer alone.
    predicted : array of shape (n_samples,)
        What it was thought to be worth when it came; the threshold before anything was learned.
    probability : array of shape (n_samples,)
        With which it was shown.
    revealed : bool array of shape (n_samples,)
        Whether its value was learned.
    threshold : float
        What an item must be worth.

    Examples
    --------
    >>> show = np.array([True, True, False])
    >>> report = ValueReport(
    ...     value=np.array([5.0, 1.0, 4.0]), show=show, explored=~show & show, probability=show * 1.0,
    ...     predicted=np.array([3.0, 2.0, 1.0]), revealed=show, threshold=2.0,
    ... )
    >>> report.won, report.lost, report.wasted, report.regret
    (3.0, 2.0, 1.0, 3.0)
    >>> report.tp, report.fp, report.fn, report.mae_shown
    (1, 1, 1, 1.5)
    """

    value: NDArray[np.float64]
    show: NDArray[np.bool_]
    explored: NDArray[np.bool_]
    predicted: NDArray[np.float64]
    probability: NDArray[np.float64]
    revealed: NDArray[np.bool_]
    threshold: float

    def __len__(self) -> int:
        return len(self.value)

    @property
    def value_shown(self) -> float:
        """Sum of the values of what was shown."""
        return float(self.value[self.show].sum())

    @property
    def value_missed(self) -> float:
        """Sum of the values of what was hidden."""
        return float(self.value[~self.show].sum())

    @property
    def won(self) -> float:
        """Value above the threshold that was shown."""
        return float(self._above[self.show].sum())

    @property
    def lost(self) -> float:
        """Value above the threshold that was hidden."""
        return float(self._above[~self.show].sum())

    @property
    def wasted(self) -> float:
        """The sum by which the values of shown items fell short of the threshold."""
        return float(np.maximum(self.threshold - self.value, 0.0)[self.show].sum())

    @property
    def regret(self) -> float:
        """The gain of showing exactly what is worth it, less that of the filter: lost + wasted."""
        return self.lost + self.wasted

    @property
    def mae_shown(self) -> float:
        """Mean absolute error of the predictions, over what was shown; NaN if nothing was."""
        return self._mean_error(self.show)

    @property
    def mae_all(self) -> float:
        """Mean absolute error of the predictions, over all items."""
        return self._mean_error(np.ones(len(self), dtype=bool))

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each item is worth the threshold."""
        return self.value >= self.threshold

    def summary(self) -> str:
        """Return the report as a few lines of text."""
        possible = self.won + self.lost
        share = f" ({100 * self.won / possible:.1f} % of what was there)" if possible else ""
        worth, shown = self.tp + self.fn, self.tp + self.fp
        return "\n".join(
            [
                f"{len(self):,} items, {worth:,} of them worth {self.threshold:g} or more; {shown:,} shown, "
                f"{self.n_explored:,} of them explored; {self.n_labels:,} values learned",
                f"shown: {self.tp:,} worth it, {self.fp:,} not; hidden: {self.fn:,} and {self.tn:,}",
                f"precision {self.precision:.4f}, recall {self.recall:.4f}, F1 {self.f1:.4f}",
                f"above the threshold: won {self.won:,.6g}{share}, lost {self.lost:,.6g}, "
                f"wasted {self.wasted:,.6g}; regret {self.regret:,.6g}",
                f"mean absolute error: {self.mae_shown:.4g} on what was shown, {self.mae_all:.4g} on all",
            ]
        )

    def plot(self, ax: Any = None) -> "ValueDisplay":
        """Draw what was gained against what could have been.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default a new figure.

        Returns
        -------
        display : ValueDisplay
        """
        return ValueDisplay(self).plot(ax)

    @property
    def _above(self) -> NDArray[np.float64]:
        return np.maximum(self.value - self.threshold, 0.0)

    def _mean_error(self, which: NDArray[np.bool_]) -> float:
        errors = np.abs(self.value - self.predicted)[which]
        return float(errors.mean()) if len(errors) else float("nan")


class ValueDisplay:
    """Gain so far of a stream of values: of the filter, and of showing exactly what is worth it.

    Made by `ValueReport.plot`. The distance between the lines is the regret.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
    lines_ : list of matplotlib lines
        The filter's, and the best possible.
    """

    def __init__(self, report: ValueReport) -> None:
        self.report = report

    def plot(self, ax: Any = None) -> "ValueDisplay":
        """Draw on the given axes, or in a new figure."""
        self.ax_ = (new_axes(1) if ax is None else given_axes(ax, 1, type(self).__name__))[0]
        self.figure_ = self.ax_.figure
        excess = self.report.value - self.report.threshold
        seen = np.arange(1, len(excess) + 1)
        gains = {
            "gained by what was shown": np.cumsum(np.where(self.report.show, excess, 0.0)),
            "best possible": np.cumsum(np.maximum(excess, 0.0)),
        }
        first = count_curves(self.ax_)
        self.lines_ = [
            draw_curve(self.ax_, seen, gain, first + k, name) for k, (name, gain) in enumerate(gains.items())
        ]
        self.ax_.set_xlabel("items seen")
        self.ax_.set_ylabel("value above the threshold, so far")
        self.ax_.grid(visible=True, alpha=0.25)
        legend_of(self.ax_)
        return self
