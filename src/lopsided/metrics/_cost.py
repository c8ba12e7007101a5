"""The total cost of mistakes and labels."""

import math
from typing import Protocol


class HasMistakes(Protocol):
    """The protocol of objects that count false positives and negatives, as `Counts` and stream reports do."""

    @property
    def fp(self) -> float:
        """The number of false positives."""

    @property
    def fn(self) -> float:
        """The number of false negatives."""


def label_cost(
    counts: HasMistakes,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
    label: float = 0.0,
    *,
    n_labels: int | None = None,
) -> float:
    """Return the price of a run: its false positives, its false negatives and the labels it read.

    Parameters
    ----------
    counts : Counts or stream report
        Has ``fp`` and ``fn``.
    false_positive, false_negative : float, default=1.0
        Price of one mistake of each kind.
    label : float, default=0.0
        Price of one label.
    n_labels : int, optional
        How many labels reached the learner, each counted once. By default ``counts.n_labels``, which a
        stream report has; only needed where labels have a price.

    Returns
    -------
    cost : float

    Examples
    --------
    >>> from lopsided.metrics import Counts
    >>> label_cost(Counts(tp=5, fp=2, fn=1), false_negative=10.0, label=0.1, n_labels=7)
    12.7
    """
    for name, price in (
        ("false_positive", false_positive),
        ("false_negative", false_negative),
        ("label", label),
    ):
        if not 0 <= price < math.inf:
            raise ValueError(f"{name} must be a finite price, 0 or more; got {price}.")
    cost = false_positive * counts.fp + false_negative * counts.fn
    if label == 0:
        return float(cost)
    if n_labels is None:
        n_labels = getattr(counts, "n_labels", None)
    if n_labels is None:
        raise ValueError("label_cost with a price for labels needs their number. Pass n_labels.")
    return float(cost + label * n_labels)
