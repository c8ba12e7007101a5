"""The imbalance of the support vectors while learning, beside that of the data (figure 8 of [1])."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import encode_two_classes
from lopsided._validation import as_numbers, check_same_length
from lopsided.plot._canvas import (
    as_ratio,
    count_curves,
    draw_curve,
    given_axes,
    label_spent,
    legend_of,
    mark_stop,
    name_of,
    new_axes,
)

_COLUMNS = ("n_labels", "n_support_positive", "n_support_negative")


class SupportRatioDisplay:
    """Negative support vectors for each positive one, against labels spent.

    Asked at the border, a model sees less unequal classes than the data hold, from the first labels on; read
    at random, its support vectors start as unequal as the data. The scale is logarithmic: 2:1 and 1:2 are
    equally far from 1:1.

    Parameters
    ----------
    histories : dict of str to history
        For each method ``history_`` of a fitted LASVC: a dict with the arrays ``n_labels``,
        ``n_support_positive`` and ``n_support_negative``.
    class_ratio : float, optional
        Negatives for each positive in the data: the dashed line.
    stopped_at : dict of str to int, optional
        For methods that stopped by themselves: after how many labels.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    lines_ : dict of str to matplotlib line
        The curve of each method.
    stops_ : dict of str to matplotlib line
        The stopping point of each method that has one.
    class_ratio_line_ : matplotlib line or None

    References
    ----------
    .. [1] S. Ertekin, J. Huang, L. Bottou, C. L. Giles, "Learning on the Border: Active Learning in
       Imbalanced Data Classification", CIKM 2007.

    Examples
    --------
    >>> history = {"n_labels": [1, 2, 3], "n_support_positive": [0, 1, 1], "n_support_negative": [1, 1, 2]}
    >>> display = SupportRatioDisplay.from_histories({"active": history}, class_ratio=19)
    >>> display.lines_["active"].get_ydata()
    array([nan,  1.,  2.])
    """

    def __init__(
        self,
        histories: Mapping[str, Mapping[str, ArrayLike]],
        class_ratio: float | None = None,
        *,
        stopped_at: Mapping[str, float | None] | None = None,
    ) -> None:
        self.histories = histories
        self.class_ratio = class_ratio
        self.stopped_at = stopped_at

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        y: ArrayLike | None = None,
        class_ratio: float | None = None,
        name: str | None = None,
        ax: Any = None,
    ) -> "SupportRatioDisplay":
        """Draw the ratio of a fitted model, which remembers it in ``history_``.

        A second method goes into the same picture by ``ax=first.ax_``.

        Parameters
        ----------
        estimator : fitted LASVC
        y : array-like of shape (n_samples,), optional
            All labels, to count the classes.
        class_ratio : float, optional
            Negatives for each positive, where ``y`` is not known.
        name : str, optional
            For the legend; by default class and selection of the estimator.
        ax : matplotlib axes, optional
            By default a new figure.

        Returns
        -------
        display : SupportRatioDisplay
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator, "history_")
        if y is not None:
            if class_ratio is not None:
                raise ValueError("y and class_ratio both say how unequal the classes are. Pass one of them.")
            signs, _ = encode_two_classes(y, estimator.classes_)
            class_ratio = _divide(np.sum(signs < 0), np.sum(signs > 0)).item()
        name = name or name_of(estimator)
        stopped = getattr(estimator, "stop_reason_", None) in ("saturation", "margin", "max_labels")
        stopped_at = {name: int(estimator.n_labels_)} if stopped else None
        return cls({name: estimator.history_}, class_ratio, stopped_at=stopped_at).plot(ax)

    @classmethod
    def from_histories(
        cls,
        histories: Mapping[str, Mapping[str, ArrayLike]],
        class_ratio: float | None = None,
        *,
        stopped_at: Mapping[str, float | None] | None = None,
        ax: Any = None,
    ) -> "SupportRatioDisplay":
        """Draw the ratios of several methods.

        Parameters
        ----------
        histories, class_ratio, stopped_at
            As in the class.
        ax : matplotlib axes, optional
            By default a new figure.

        Returns
        -------
        display : SupportRatioDisplay
        """
        return cls(histories, class_ratio, stopped_at=stopped_at).plot(ax)

    def plot(self, ax: Any = None) -> "SupportRatioDisplay":
        """Draw the ratios.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default a new figure.

        Returns
        -------
        display : SupportRatioDisplay
        """
        if not self.histories:
            raise ValueError("A picture needs at least one history; got none.")
        ratios = {name: support_ratio(history) for name, history in self.histories.items()}
        (self.ax_,) = new_axes(1) if ax is None else given_axes(ax, 1, type(self).__name__)
        self.figure_ = self.ax_.figure
        stopped_at = self.stopped_at or {}

        self.lines_, self.stops_ = {}, {}
        for name, (n_labels, ratio) in ratios.items():
            n_stop = stopped_at.get(name)
            label = name if n_stop is None else f"{name} (stops at {n_stop:,.0f} labels)"
            line = draw_curve(self.ax_, n_labels, ratio, count_curves(self.ax_), label)
            self.lines_[name] = line
            if n_stop is not None:
                self.stops_[name] = mark_stop(self.ax_, n_stop, line.get_color())
        self.class_ratio_line_ = None
        if self.class_ratio is not None:
            self.class_ratio_line_ = self.ax_.axhline(
                self.class_ratio,
                color="0.25",
                linestyle=(0, (5, 3)),
                linewidth=1.2,
                label=f"classes in the data ({as_ratio(self.class_ratio)})",
            )
        _label_axes(self.ax_)
        legend_of(self.ax_)
        return self


def support_ratio(history: Mapping[str, ArrayLike]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return labels spent, and negative support vectors for each positive one; NaN while one class has none.

    Examples
    --------
    >>> support_ratio({"n_labels": [1, 2], "n_support_positive": [0, 1], "n_support_negative": [1, 1]})
    (array([1., 2.]), array([nan,  1.]))
    """
    missing = [column for column in _COLUMNS if column not in history]
    if missing:
        raise ValueError(
            f"A history must hold {', '.join(_COLUMNS)}; {', '.join(missing)} is missing. "
            "Pass history_ of a fitted LASVC."
        )
    n_labels, positive, negative = (as_numbers(history[column], column) for column in _COLUMNS)
    check_same_length(**dict(zip(_COLUMNS, map(len, (n_labels, positive, negative)), strict=True)))
    ratio = _divide(negative, positive)
    return n_labels, np.where(ratio > 0, ratio, np.nan)


def _divide(negative: Any, positive: Any) -> NDArray[np.float64]:
    positive = np.asarray(positive, dtype=float)
    return np.divide(negative, positive, out=np.full(positive.shape, np.nan), where=positive > 0)


def _label_axes(ax: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_yscale("log")
    low, high = ax.get_ylim()
    subs = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0) if high < 10 * low else (1.0, 2.0, 5.0)
    ax.yaxis.set_major_locator(LogLocator(subs=subs))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: as_ratio(value)))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_ylabel("negative : positive support vectors")
    label_spent(ax)
