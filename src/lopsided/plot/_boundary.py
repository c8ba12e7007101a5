"""The boundary around the positives in the plane, as it closes in from iteration to iteration (Yu 2003)."""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lopsided._labels import encode_positive_unlabeled
from lopsided._validation import as_numbers, check_same_length
from lopsided.plot._canvas import COLORS, given_axes, legend_of, new_axes

_MOST = 7  # lines that can still be told apart
_ROOM = 0.06  # of the width of the data, around them


class BoundaryDisplay:
    """Picture of the decision boundaries of a classifier from positives and unlabeled rows, first to last.

    The lines go from light to dark; what the last one encloses is shaded. Labeled positives are large dots,
    all others small ones.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        The points.
    y : array-like of shape (n_samples,)
        1 for a labeled positive, 0 (or -1, NaN, None) for the others.
    scores : dict of str to array of shape (n, n)
        For each boundary the scores on the grid, which are 0 on it and above 0 inside.
    grid : pair of arrays of shape (n,)
        The first and second feature of the points of the grid; row i of ``scores`` is at ``grid[1][i]``.

    Attributes
    ----------
    ax_ : matplotlib axes
    figure_ : matplotlib figure
    lines_ : dict of str to matplotlib contour set or None
        None for a boundary that has everything on one side.
    shade_ : matplotlib contour set or None
        What the last boundary encloses.

    References
    ----------
    .. [1] H. Yu, "SVMC: Single-Class Classification With Support Vector Machines",
       IJCAI 2003, figures 1, 2 and 5.

    Examples
    --------
    >>> from lopsided import SVMC, make_islands
    >>> X, y, is_positive = make_islands(random_state=0)
    >>> model = SVMC(kappa=4).fit(X, y)
    >>> list(BoundaryDisplay.from_estimator(model, X, y).lines_)[:3]
    ['mapping', 'iteration 1', 'iteration 2']
    """

    def __init__(
        self, X: ArrayLike, y: ArrayLike, scores: Mapping[str, Any], grid: tuple[ArrayLike, ArrayLike]
    ) -> None:
        self.X = _in_the_plane(X)
        self.is_labeled = encode_positive_unlabeled(y) > 0
        check_same_length(X=len(self.X), y=len(self.is_labeled))
        self.scores = scores
        self.grid = grid

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        iterations: Iterable[int] | None = None,
        n_grid: int = 200,
        ax: Any = None,
    ) -> "BoundaryDisplay":
        """Draw the boundaries of a fitted model.

        An estimator keeps its last boundary only. The others are found again by fitting clones of it that end
        earlier, so this takes as long as ``fit`` does, several times.

        Parameters
        ----------
        estimator : fitted `MappingConvergence`, `SVMC` or `SMC`
            Anything else with a ``decision_function`` has one boundary.
        X : array-like of shape (n_samples, 2)
            The rows it was fitted to.
        y : array-like of shape (n_samples,)
            Their labels: 1 for a known positive, 0 (or -1, NaN, None) for all others.
        iterations : iterable of int, optional
            Which boundaries; 0 is the mapping. By default all of them, or seven from first to last.
        n_grid : int, default=200
            Points of the grid along each axis.
        ax : matplotlib axes, optional
            By default a new figure.

        Returns
        -------
        display : BoundaryDisplay
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        points = _in_the_plane(X)
        if n_grid < 2:
            raise ValueError(f"n_grid must be 2 or more; got {n_grid}.")
        room = _ROOM * np.ptp(points, axis=0)
        low, high = points.min(axis=0) - room, points.max(axis=0) + room
        grid = (np.linspace(low[0], high[0], n_grid), np.linspace(low[1], high[1], n_grid))
        square = np.column_stack([part.ravel() for part in np.meshgrid(*grid)])
        scores = {
            name: np.asarray(score(square), dtype=np.float64).reshape(n_grid, n_grid)
            for name, score in _boundaries(estimator, points, y, iterations)
        }
        return cls(points, y, scores, grid).plot(ax)

    def plot(self, ax: Any = None, *, names: Iterable[str] | None = None) -> "BoundaryDisplay":
        """Draw points and boundaries.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default a new figure.
        names : iterable of str, optional
            Which of ``scores``; by default all.

        Returns
        -------
        display : BoundaryDisplay
        """
        names = list(self.scores if names is None else names)
        unknown = [name for name in names if name not in self.scores]
        if unknown or not names:
            known = ", ".join(self.scores)
            raise ValueError(f"names must be among {known}; got {', '.join(unknown) or 'none'}.")
        if ax is None:
            (self.ax_,) = new_axes(1, width=6.0, height=6.4)
        else:
            (self.ax_,) = given_axes(ax, 1, type(self).__name__)
        self.figure_ = self.ax_.figure
        self._draw_points()

        colors = _light_to_dark(len(names))
        self.lines_ = {name: self._draw_line(name, color) for name, color in zip(names, colors, strict=True)}
        last = np.asarray(self.scores[names[-1]])
        self.shade_ = None
        if last.max() > 0:
            self.shade_ = self.ax_.contourf(
                *self.grid, last, levels=[0.0, last.max()], colors=[colors[-1]], alpha=0.1
            )
        self.ax_.set_aspect("equal")
        self.ax_.set(xticks=[], yticks=[])
        legend_of(self.ax_)
        return self

    def _draw_points(self) -> None:
        for which, size, color, label in (
            (~self.is_labeled, 2.5, "0.55", f"unlabeled: {(~self.is_labeled).sum():,}"),
            (self.is_labeled, 5.0, COLORS[1], f"labeled positives: {self.is_labeled.sum():,}"),
        ):
            self.ax_.plot(*self.X[which].T, "o", markersize=size, color=color, markeredgewidth=0, label=label)

    def _draw_line(self, name: str, color: Any) -> Any:
        scores = np.asarray(self.scores[name])
        is_there = scores.min() < 0 <= scores.max()
        side = "" if is_there else ": everything" if scores.min() >= 0 else ": nothing"
        self.ax_.plot([], [], color=color, linewidth=1.8, label=name + side)  # contours have no legend
        if not is_there:
            return None
        return self.ax_.contour(*self.grid, scores, levels=[0.0], colors=[color], linewidths=1.8)


def _in_the_plane(X: Any) -> NDArray[np.float64]:
    from lopsided._sparse import checked_sparse

    points = np.asarray(checked_sparse(X).toarray() if hasattr(X, "toarray") else X)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0:
        raise ValueError(
            f"A boundary is drawn in the plane, so X must have the shape (n, 2); got {points.shape}. "
            "Choose two features before fit."
        )
    return as_numbers(points.ravel(), "X").reshape(-1, 2)


def _boundaries(
    estimator: Any, X: NDArray[np.float64], y: ArrayLike, iterations: Iterable[int] | None
) -> Iterable[tuple[str, Any]]:
    """Yield the names of boundaries and what scores points by them."""
    if not hasattr(estimator, "mapping_"):
        if iterations is not None:
            raise ValueError(
                f"{type(estimator).__name__} has one boundary; iterations are those of MappingConvergence. "
                "Leave them out."
            )
        yield type(estimator).__name__, estimator.decision_function
        return
    last = int(estimator.n_iter_)
    if iterations is None:
        iterations = np.unique(np.linspace(0, last, min(last + 1, _MOST)).round().astype(int)).tolist()
    chosen = list(iterations)
    if not chosen or min(chosen) < 0 or max(chosen) > last:
        raise ValueError(f"iterations must be from 0 (the mapping) to {last}, the last; got {chosen}.")
    for k in chosen:
        if k == 0:
            yield "mapping", _mapping(estimator, X)
        else:
            yield f"iteration {k}", _after(k, estimator, X, y).decision_function


def _mapping(estimator: Any, X: NDArray[np.float64]) -> Any:
    """Score by the mapping, less what makes the strong negatives negative that it did not reject itself."""
    scores = estimator.mapping_.scores
    most = float(np.max(scores(X[estimator.strong_negatives_]), initial=-np.inf))
    threshold = np.nextafter(most, np.inf) if most >= 0 else 0.0
    return lambda points: scores(points) - threshold


def _after(k: int, estimator: Any, X: NDArray[np.float64], y: ArrayLike) -> Any:
    """Return the estimator as it was after k iterations."""
    from sklearn.base import clone
    from sklearn.exceptions import ConvergenceWarning

    if k == estimator.n_iter_:
        return estimator
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is meant to end early
        return clone(estimator).set_params(max_iter=k).fit(X, y)


def _light_to_dark(n: int) -> list[Any]:
    """Return the colours of n lines in order; the last is the darkest."""
    from matplotlib import colormaps

    return list(colormaps["YlGnBu"](np.linspace(0.35, 1.0, n) if n > 1 else [1.0]))
