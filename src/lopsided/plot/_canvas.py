"""Axes, colours, legends and stopping points of all pictures. No setting of matplotlib is changed."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

# Okabe and Ito's colours, which colour-blind readers tell apart; the marker says it a second time.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# Written on what we draw, so that a second display on the same axes knows what is there.
_CURVE, _BAND, _STOP, _SHADE = ("lopsided curve", "lopsided band", "lopsided stop", "lopsided shade")


def new_axes(n: int, *, width: float = 7.0, height: float = 4.2) -> "NDArray[Any]":
    """Make ``n`` axes below each other in a new figure, the horizontal axis shared."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'lopsided[plot]'") from error
    tall = height if n == 1 else 1.0 + 2.3 * n
    _, axes = pyplot.subplots(n, 1, sharex=True, squeeze=False, figsize=(width, tall), layout="constrained")
    return np.asarray(axes[:, 0])


def given_axes(ax: Any, n: int, what: str) -> "NDArray[Any]":
    """Return the axes a caller passed, one or an array of them; another number than needed is an error."""
    axes = np.ravel(np.asarray(ax, dtype=object))
    if len(axes) != n:
        raise ValueError(f"{what} draws {n} panels; ax holds {len(axes)}. Pass one axes for each panel.")
    return axes


def draw_curve(ax: "Axes", x: Any, y: Any, style: int, label: str) -> "Line2D":
    """Draw one line in the colour and with the marker of the given number."""
    (line,) = ax.plot(
        x,
        y,
        color=COLORS[style % len(COLORS)],
        marker=MARKERS[style % len(MARKERS)],
        markevery=1 if len(x) <= 60 else len(x) // 12,  # a long line needs only a few
        markersize=4.0,
        linewidth=1.6,
        label=label,
        gid=_CURVE,
    )
    return line


def count_curves(ax: "Axes") -> int:
    """Return how many of our curves are there already: the number of the next one's colour."""
    return sum(line.get_gid() == _CURVE for line in ax.get_lines())


def draw_band(ax: "Axes", x: Any, low: Any, high: Any, color: Any) -> None:
    """Fill what lies between two lines."""
    ax.fill_between(x, low, high, color=color, alpha=0.2, linewidth=0, gid=_BAND)


def zoom_behind(ax: "Axes", share: float) -> None:
    """Begin the vertical axis at the lowest of our curves and bands behind the first ``share`` of labels."""
    points = [line.get_xydata() for line in ax.get_lines() if line.get_gid() == _CURVE]
    for band in [band for band in ax.collections if band.get_gid() == _BAND]:
        points.extend(path.vertices for path in band.get_paths())
    x, y = np.concatenate([np.asarray(part, dtype=float) for part in points]).T
    low, high = y[x >= share * x.max()].min(), y.max()
    room = max(0.01, 0.06 * (high - low))
    ax.set_ylim(low - room, high + room)


def mark_stop(ax: "Axes", n_labels: float, color: Any, *, shade: bool = True) -> "Line2D":
    """Draw a vertical line where learning stopped; all before it is shaded while it is the only one."""
    others = [line for line in ax.get_lines() if line.get_gid() == _STOP]
    for patch in [patch for patch in ax.patches if patch.get_gid() == _SHADE]:
        patch.remove()
    if shade and not others:
        ax.axvspan(0, n_labels, color=color, alpha=0.08, linewidth=0, zorder=0, gid=_SHADE)
    return ax.axvline(n_labels, color=color, linestyle="--", linewidth=1.2, zorder=1, gid=_STOP)


def label_spent(ax: "Axes") -> None:
    """Make the horizontal axis one of labels spent, from 0."""
    from matplotlib.ticker import StrMethodFormatter

    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_xlim(left=0, auto=None)  # the right end stays free for what is drawn later
    if ax.xaxis.get_tick_params()["labelbottom"]:  # not for a panel above another that shares its axis
        ax.set_xlabel("labels spent")
    ax.grid(visible=True, alpha=0.25)


def legend_of(ax: "Axes", title: str | None = None) -> None:
    """Put the legend above the axes, where it hides no curve, if the figure makes room for it."""
    # Axes that are drawn on belong to a figure; matplotlib's types allow for those that were taken off it.
    if ax.get_figure(root=True).get_layout_engine() is None:  # type: ignore[union-attr]
        ax.legend(loc="best", fontsize="small", title=title, title_fontsize="small")
    else:
        ax.legend(
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.3,
            frameon=False,
            fontsize="small",
            title=title,
            title_fontsize="small",
            alignment="left",
        )


def name_of(estimator: Any) -> str:
    """Return what the legend calls an estimator that was given no name."""
    name, selection = type(estimator).__name__, getattr(estimator, "selection", None)
    return f"{name}, {selection}" if isinstance(selection, str) else name


def as_ratio(value: float) -> str:
    """Return a negative to positive ratio as text.

    Examples
    --------
    >>> as_ratio(18.97), as_ratio(2.0), as_ratio(150.2)
    ('19:1', '2:1', '150:1')
    """
    if not np.isfinite(value):
        return "no positive" if np.isinf(value) else "no data"
    digits = f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 1 else f"{value:.2g}"
    return f"{digits}:1"
