"""Data within the margin are less unequal than all data: as numbers and as a picture (figure 3 of [1])."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import encode_against, encode_two_classes
from lopsided._validation import as_numbers, check_same_length
from lopsided.plot._canvas import COLORS, as_ratio, given_axes, legend_of, new_axes

_TOL = 1e-3  # of the solvers, unless they say otherwise


@dataclass(frozen=True)
class MarginImbalance:
    """The number of samples of each class, in all and within the margin (|f(x)| <= 1).

    Parameters
    ----------
    n_positive, n_negative : int
        Counts in all data.
    n_inside_positive, n_inside_negative : int
        Counts within the margin.

    Examples
    --------
    >>> imbalance = MarginImbalance(n_positive=10, n_negative=190, n_inside_positive=8, n_inside_negative=16)
    >>> imbalance.ratio_all, imbalance.ratio_margin, imbalance.n_inside
    (19.0, 2.0, 24)
    """

    n_positive: int
    n_negative: int
    n_inside_positive: int
    n_inside_negative: int

    @property
    def ratio_all(self) -> float:
        """Negatives for each positive in all data; infinity without a positive."""
        return _ratio(self.n_negative, self.n_positive)

    @property
    def ratio_margin(self) -> float:
        """Negatives for each positive within the margin; infinity without a positive, NaN if it is empty."""
        return _ratio(self.n_inside_negative, self.n_inside_positive)

    @property
    def n_inside(self) -> int:
        """The number of samples within the margin."""
        return self.n_inside_positive + self.n_inside_negative


def margin_imbalance(estimator: Any, X: Any, y: ArrayLike, *, tol: float | None = None) -> MarginImbalance:
    """Count the classes of the data that a fitted model sees on or within its margin.

    Parameters
    ----------
    estimator : fitted classifier of two classes
        Any with a ``decision_function`` whose margin is from -1 to 1, such as LASVC and SVC.
    X : array-like or sparse of shape (n_samples, n_features)
        All data, not only what was labeled.
    y : array-like of shape (n_samples,)
        Their classes.
    tol : float, optional
        What is up to ``tol`` outside counts as on the margin; by default ``tol`` of the estimator. Free
        support vectors stand on the margin as exactly as the solver cared, half of them a little outside.

    Returns
    -------
    imbalance : MarginImbalance

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from lopsided import make_lopsided
    >>> X, y = make_lopsided(n_samples=1000, positive_rate=0.05, random_state=0)
    >>> imbalance = margin_imbalance(SVC(kernel="linear").fit(X, y), X, y)
    >>> imbalance.ratio_all, imbalance.ratio_margin < 5
    (19.0, True)
    """
    scores, signs, _ = _judge(estimator, X, y)
    return _count(scores, signs > 0, _tolerance(estimator, tol))


class MarginImbalanceDisplay:
    """Picture of the distances of each class from the border: counts of f(x), the margin shaded.

    Counts are on a logarithmic scale, so that a rare class can be seen.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        f(x), the margin being from -1 to 1.
    is_positive : array-like of bool of shape (n_samples,)
        The classes.
    names : pair of str, default=("negative", "positive")
        What the legend calls them.
    tol : float, default=1e-3
        What is up to ``tol`` outside counts as on the margin.

    Attributes
    ----------
    imbalance : MarginImbalance
        The numbers behind the picture.
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    bars_ : pair of matplotlib artists
        The counts of the negatives and of the positives.
    margin_ : matplotlib artist
        The shaded margin.

    References
    ----------
    .. [1] S. Ertekin, J. Huang, L. Bottou, C. L. Giles, "Learning on the Border: Active Learning in
       Imbalanced Data Classification", CIKM 2007.

    Examples
    --------
    >>> display = MarginImbalanceDisplay.from_predictions([1, 0, 0, 0], [0.3, -0.4, -1.5, -2.0])
    >>> display.imbalance.ratio_all, display.imbalance.ratio_margin
    (3.0, 1.0)
    """

    def __init__(
        self,
        scores: ArrayLike,
        is_positive: ArrayLike,
        *,
        names: tuple[str, str] = ("negative", "positive"),
        tol: float = _TOL,
    ) -> None:
        self.scores = as_numbers(scores, "scores")
        self.is_positive = np.asarray(is_positive, dtype=bool)
        check_same_length(scores=len(self.scores), is_positive=len(self.is_positive))
        self.names = names
        self.tol = tol
        self.imbalance = _count(self.scores, self.is_positive, tol)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        tol: float | None = None,
        n_bins: int = 60,
        ax: Any = None,
    ) -> "MarginImbalanceDisplay":
        """Draw what a fitted model says of the data.

        Parameters
        ----------
        estimator, X, y, tol
            As in :func:`margin_imbalance`.
        n_bins, ax
            As in :meth:`plot`.

        Returns
        -------
        display : MarginImbalanceDisplay
        """
        scores, signs, classes = _judge(estimator, X, y)
        names = (f"negative class {classes[0]}", f"positive class {classes[1]}")
        return cls(scores, signs > 0, names=names, tol=_tolerance(estimator, tol)).plot(ax, n_bins=n_bins)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = 1,
        tol: float = _TOL,
        n_bins: int = 60,
        ax: Any = None,
    ) -> "MarginImbalanceDisplay":
        """Draw scores that are known already.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True labels.
        y_score : array-like of shape (n_samples,)
            f(x), the margin being from -1 to 1.
        pos_label : scalar, default=1
            The label of the positive class.
        tol : float, default=1e-3
            What is up to ``tol`` outside counts as on the margin.
        n_bins, ax
            As in :meth:`plot`.

        Returns
        -------
        display : MarginImbalanceDisplay
        """
        (signs,) = encode_against(pos_label, y_true=y_true)
        return cls(y_score, signs > 0, tol=tol).plot(ax, n_bins=n_bins)

    def plot(self, ax: Any = None, *, n_bins: int = 60) -> "MarginImbalanceDisplay":
        """Draw the counts.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default a new figure.
        n_bins : int, default=60
            About how many bars; borders of the margin are borders of bars, so that none stands on both sides.

        Returns
        -------
        display : MarginImbalanceDisplay
        """
        if n_bins < 1:
            raise ValueError(f"n_bins must be 1 or more; got {n_bins}.")
        (self.ax_,) = new_axes(1) if ax is None else given_axes(ax, 1, type(self).__name__)
        self.figure_ = self.ax_.figure
        found = self.imbalance
        self.margin_ = self.ax_.axvspan(
            -1,
            1,
            color="0.88",
            linewidth=0,
            zorder=0,
            label=f"margin, |f(x)| ≤ 1: {found.n_inside:,} samples",
        )
        edges = _edges(self.scores, n_bins, 1 + self.tol)
        counts = [(found.n_negative, found.n_inside_negative), (found.n_positive, found.n_inside_positive)]
        self.bars_ = tuple(
            self._draw_class(side, edges, color, f"{name}: {inside:,} of {n:,} within the margin")
            for side, color, name, (n, inside) in zip(
                (~self.is_positive, self.is_positive), COLORS, self.names, counts, strict=False
            )
        )
        self.ax_.axvline(0, color="0.25", linewidth=1.0, linestyle=":")
        self.ax_.set_xlim(edges[0], edges[-1])
        _label_axes(self.ax_)
        legend_of(
            self.ax_,
            title=f"negative : positive = {as_ratio(found.ratio_margin)} within the margin, "
            f"{as_ratio(found.ratio_all)} in all data",
        )
        return self

    def _draw_class(self, side: NDArray[np.bool_], edges: NDArray[Any], color: str, label: str) -> Any:
        counts, _ = np.histogram(self.scores[side], edges)
        return self.ax_.stairs(counts, edges, fill=True, alpha=0.55, color=color, label=label, baseline=0.1)


def _judge(
    estimator: Any, X: Any, y: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.int8], NDArray[Any]]:
    """Return f of each row, its sign, and both classes."""
    from sklearn.utils.validation import check_is_fitted

    from lopsided._sparse import checked_sparse

    check_is_fitted(estimator)
    if len(estimator.classes_) != 2:
        raise ValueError(
            f"A margin needs a model of two classes; this {type(estimator).__name__} has "
            f"{len(estimator.classes_)}. Compare y with one label before fit."
        )
    signs, classes = encode_two_classes(y, estimator.classes_)
    scores = as_numbers(estimator.decision_function(checked_sparse(X)), "f(X)")
    check_same_length(X=len(scores), y=len(signs))
    return scores, signs, classes


def _tolerance(estimator: Any, tol: float | None) -> float:
    return float(getattr(estimator, "tol", _TOL)) if tol is None else tol


def _count(scores: NDArray[np.float64], positive: NDArray[np.bool_], tol: float) -> MarginImbalance:
    if not tol >= 0:
        raise ValueError(f"tol must be 0 or more; got {tol}.")
    inside = np.abs(scores) <= 1 + tol
    return MarginImbalance(
        n_positive=int(positive.sum()),
        n_negative=int((~positive).sum()),
        n_inside_positive=int((inside & positive).sum()),
        n_inside_negative=int((inside & ~positive).sum()),
    )


def _ratio(negative: int, positive: int) -> float:
    if positive == 0:
        return float("inf") if negative else float("nan")
    return negative / positive


def _edges(scores: NDArray[np.float64], n_bins: int, border: float) -> NDArray[Any]:
    """Return the borders of about ``n_bins`` bars, those of the margin among them, all scores within them."""
    low, high = min(scores.min(), -border), max(scores.max(), border)
    inside = max(1, round(2 * border * n_bins / (high - low)))  # bars within the margin
    width = 2 * border / inside
    if (high - low) / width > 2 * n_bins:  # the margin is thinner than a bar
        return np.unique([*np.linspace(low, high, n_bins + 1), -border, border])
    below, above = np.ceil((-border - low) / width), np.ceil((high - border) / width)
    edges = -border + width * np.arange(-below, inside + above + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)  # rounding must not shut anyone out
    return edges


def _label_axes(ax: Any) -> None:
    from matplotlib.ticker import StrMethodFormatter

    ax.set_yscale("log")
    ax.set_ylim(bottom=0.7)  # below 1, so that a single sample is a bar of some height
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.set_xlabel("f(x), the border being at 0")
    ax.set_ylabel("samples in a bar")
