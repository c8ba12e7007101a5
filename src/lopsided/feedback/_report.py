"""The report of a stream: counts, scores along the way, costs, and what was missed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lopsided._validation import is_finite
from lopsided.feedback._counts import CountedReport
from lopsided.feedback._missed import MissedEstimate, missed_positives
from lopsided.metrics import label_cost, roc_auc_score

if TYPE_CHECKING:
    from lopsided.plot import StreamDisplay


@dataclass(frozen=True, eq=False)
class StreamReport(CountedReport):
    """Report of a whole stream, from its first item on; an item shown by exploring counts as shown.

    Parameters
    ----------
    y : bool array of shape (n_items,)
        Whether the item was positive.
    show, explored : bool arrays
        Whether it was shown, and whether by chance alone.
    score, probability : float arrays
        f(x) before its label was known, and the probability with which it was shown.
    revealed : bool array
        Whether its label came back, and was learned.
    n_updates : int
        Examples that changed the learner.

    Examples
    --------
    >>> from lopsided import MarginPerceptron, OneSidedFilter, make_lopsided, run_stream
    >>> X, y = make_lopsided(n_samples=1000, positive_rate=0.3, random_state=0)
    >>> report = run_stream(OneSidedFilter(MarginPerceptron()), X, y)
    >>> report.n_labels == report.tp + report.fp
    True
    """

    y: NDArray[np.bool_]
    show: NDArray[np.bool_]
    explored: NDArray[np.bool_]
    score: NDArray[np.float64]
    probability: NDArray[np.float64]
    revealed: NDArray[np.bool_]
    n_updates: int = 0

    def __len__(self) -> int:
        return len(self.y)

    @property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether each item was positive."""
        return self.y

    def f_beta(self, beta: float) -> float:
        """Return the F measure of what was shown.

        Parameters
        ----------
        beta : float
            Recall weighs beta times as much as precision.

        Returns
        -------
        f : float
        """
        return self.counts.f(beta)

    @property
    def roc_auc(self) -> float:
        """Area under the ROC curve of the scores at their time: of a one-sided run only a sanity check."""
        if self.y.all() or not self.y.any():
            return float("nan")
        return float(roc_auc_score(self.y, self.score, pos_label=True))

    @property
    def n_explored_positive(self) -> int:
        """Number of positives shown by chance."""
        return int(np.sum(self.explored & self.y))

    def cost(self, false_positive: float = 1.0, false_negative: float = 1.0, label: float = 0.0) -> float:
        """Return the price of the run.

        A negative shown by exploring is a false positive; a positive costs nothing.

        Parameters
        ----------
        false_positive : float, default=1.0
            Price of a negative that is shown.
        false_negative : float, default=1.0
            Price of a positive that is hidden.
        label : float, default=0.0
            Price of a label that came back.

        Returns
        -------
        cost : float
        """
        prices = (("false_positive", false_positive), ("false_negative", false_negative), ("label", label))
        for name, price in prices:
            if not is_finite(price):
                raise ValueError(f"{name} must be a finite price, 0 or more; got {price!r}.")
        return label_cost(self, false_positive, false_negative, label)

    def missed(self, confidence: float = 0.95) -> MissedEstimate:
        """Estimate how many positives were hidden, without a look at their labels: what a user could know.

        Parameters
        ----------
        confidence : float, default=0.95
            Confidence of the interval.

        Returns
        -------
        estimate : MissedEstimate
        """
        rejected = ~self.show | self.explored
        return missed_positives(
            self.probability, rejected, self.explored, self.explored & self.y & self.revealed, confidence
        )

    def curve(self, n_points: int = 100) -> dict[str, NDArray[Any]]:
        """Return scores along the stream.

        Parameters
        ----------
        n_points : int, default=100
            Number of points of the stream at which they are told, at most.

        Returns
        -------
        curve : dict of arrays
            "n_seen"; "precision", "recall", "f1" of everything so far; "recent_recall" of the last tenth of
            the stream up to there (NaN where it held no positive); "n_labels", "n_explored", "cost" so far.
        """
        if not (isinstance(n_points, int | np.integer) and n_points >= 0):
            raise ValueError(f"n_points must be a whole number, 0 or more; got {n_points!r}.")
        n = len(self)
        ends = np.unique(np.linspace(1, n, min(n_points, n)).astype(int)) if n else np.empty(0, dtype=int)
        starts = np.maximum(0, ends - max(1, n // 10))
        sums = {
            "tp": self.show & self.y,
            "fp": self.show & ~self.y,
            "positive": self.y,
            "n_labels": self.revealed,
            "n_explored": self.explored,
        }
        total = {name: np.append(0, np.cumsum(values)) for name, values in sums.items()}
        tp, fp, positive = (total[name][ends] for name in ("tp", "fp", "positive"))
        recent_positive = positive - total["positive"][starts]
        recent = np.full(len(ends), np.nan)
        np.divide(tp - total["tp"][starts], recent_positive, out=recent, where=recent_positive > 0)
        return {
            "n_seen": ends,
            "precision": tp / np.maximum(tp + fp, 1),
            "recall": tp / np.maximum(positive, 1),
            "f1": 2 * tp / np.maximum(tp + fp + positive, 1),
            "recent_recall": recent,
            "n_labels": total["n_labels"][ends],
            "n_explored": total["n_explored"][ends],
            "cost": fp + positive - tp,
        }

    def summary(self) -> str:
        """Return the report as a few lines of text."""
        lines = [
            f"{len(self):,} items, {self.tp + self.fp:,} shown, {self.n_labels:,} labels, "
            f"{self.n_updates:,} updates",
            f"precision {self.precision:.4f}, recall {self.recall:.4f}, F1 {self.f1:.4f}, "
            f"area under the ROC curve {self.roc_auc:.4f}",
            f"cost {self.cost():,.0f} ({self.fp:,} negatives shown, {self.fn:,} positives hidden)",
        ]
        if self.n_explored:
            lines.append(
                f"{self.n_explored:,} shown by exploring, {self.n_explored_positive:,} of them positive; "
                f"positives hidden by estimate: {self.missed()}"
            )
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> "StreamDisplay":
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; None: axes of a new figure.

        Returns
        -------
        display : StreamDisplay
        """
        from lopsided.plot import StreamDisplay

        return StreamDisplay.from_reports(self, ax=ax)
