"""The four counts of a two-class decision, and the scores that are ratios of them."""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lopsided._labels import encode_against
from lopsided._validation import as_weights, check_same_length

Undefined = Literal["zero", "nan", "one"]

_VALUE_OF = {"zero": 0.0, "nan": math.nan, "one": 1.0}


@dataclass(frozen=True)
class Counts:
    """True and false positives and negatives; every other count-based score follows from them.

    Counts add up, so ``sum(runs, Counts())`` pools several runs. Where a ratio is 0/0, ``undefined`` says
    what stands for it: ``"zero"``, ``"nan"`` or ``"one"``.

    Parameters
    ----------
    tp, fp, fn, tn : int or float, default=0
        The counts; sums of weights where samples are weighted.

    Examples
    --------
    >>> counts = Counts.from_predictions([1, 1, 0, 0, 0], [1, 0, 1, 0, 0])
    >>> counts
    Counts(tp=1, fp=1, fn=1, tn=2)
    >>> counts.precision(), counts.recall(), counts.f(), counts.accuracy()
    (0.5, 0.5, 0.5, 0.6)
    """

    tp: float = 0
    fp: float = 0
    fn: float = 0
    tn: float = 0

    def __post_init__(self) -> None:
        if not all(0 <= count < math.inf for count in (self.tp, self.fp, self.fn, self.tn)):
            raise ValueError(f"Counts must be finite and not negative; got {self}.")

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        pos_label: Any = 1,
        sample_weight: ArrayLike | None = None,
    ) -> "Counts":
        """Count predictions against the truth.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted labels, spelled alike.
        pos_label : scalar, default=1
            The label counted as positive.
        sample_weight : array-like of shape (n_samples,), optional
            How much each sample counts.

        Examples
        --------
        >>> Counts.from_predictions(["ham", "spam"], ["ham", "ham"], pos_label="ham")
        Counts(tp=1, fp=1, fn=0, tn=0)
        """
        true, predicted = encode_against(pos_label, y_true=y_true, y_pred=y_pred)
        check_same_length(y_true=len(true), y_pred=len(predicted))
        weights = as_weights(sample_weight, len(true))
        cell = 2 * (true > 0) + (predicted > 0)
        tn, fp, fn, tp = np.bincount(cell, weights, minlength=4).tolist()
        return cls(tp=tp, fp=fp, fn=fn, tn=tn)

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn)

    @property
    def n_positive(self) -> float:
        """The number of samples that are truly positive."""
        return self.tp + self.fn

    @property
    def n_negative(self) -> float:
        """The number of samples that are truly negative."""
        return self.tn + self.fp

    @property
    def n(self) -> float:
        """The number of samples."""
        return self.n_positive + self.n_negative

    def precision(self, undefined: Undefined = "zero") -> float:
        """Return the share of the predicted positives that are positive.

        Examples
        --------
        >>> Counts(tp=3, fp=1).precision()
        0.75
        """
        return _ratio(self.tp, self.tp + self.fp, undefined)

    def recall(self, undefined: Undefined = "zero") -> float:
        """Return the share of the positives that were predicted positive.

        Examples
        --------
        >>> Counts(tp=3, fn=1).recall()
        0.75
        """
        return _ratio(self.tp, self.tp + self.fn, undefined)

    def f(self, beta: float = 1.0, undefined: Undefined = "zero") -> float:
        """Return F: the harmonic mean of precision and recall, recall weighing ``beta`` times as much.

        Examples
        --------
        >>> Counts(tp=2, fp=1, fn=3).f()
        0.5
        """
        if not 0 <= beta < math.inf:
            raise ValueError(f"beta must be a finite number, 0 or more; got {beta}.")
        # A single division: a precision of 0/0 beside a recall of 0 needs no convention here.
        b2 = beta * beta
        return _ratio((1 + b2) * self.tp, (1 + b2) * self.tp + b2 * self.fn + self.fp, undefined)

    def accuracy(self) -> float:
        """Return the share of the samples decided rightly.

        Examples
        --------
        >>> Counts(tp=1, tn=98, fn=1).accuracy()
        0.99
        """
        if self.n == 0:
            raise ValueError("accuracy needs at least one sample; got none. Count some predictions first.")
        return (self.tp + self.tn) / self.n

    def geometric_mean(self) -> float:
        """Return the root of sensitivity times specificity; NaN with a warning where a class is absent.

        Examples
        --------
        >>> Counts(tn=999, fn=1).geometric_mean()  # says "negative" to all
        0.0
        """
        if self.n_positive == 0 or self.n_negative == 0:
            from sklearn.exceptions import UndefinedMetricWarning

            warnings.warn(
                f"The geometric mean needs both classes; got {self.n_positive} positives and "
                f"{self.n_negative} negatives. The score is NaN.",
                UndefinedMetricWarning,
                stacklevel=2,
            )
            return math.nan
        return math.sqrt(self.tp / self.n_positive * (self.tn / self.n_negative))


def fbeta_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
    undefined: Undefined = "zero",
) -> float:
    """Return the F score of one class, computed from counts with a single division.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels, spelled alike.
    beta : float, default=1.0
        How many times as much recall weighs as precision.
    pos_label : scalar, default=1
        The label counted as positive.
    sample_weight : array-like of shape (n_samples,), optional
        How much each sample counts.
    undefined : {"zero", "nan", "one"}, default="zero"
        What stands for 0/0: no positive in the truth and none predicted.

    Returns
    -------
    score : float between 0 and 1

    Examples
    --------
    >>> fbeta_score([1, 1, 0, 0], [1, 0, 1, 0])
    0.5
    """
    counts = Counts.from_predictions(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return counts.f(beta, undefined)


def geometric_mean_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    pos_label: Any = 1,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the geometric mean of the recalls of both classes (g-means).

    Blind to how unequal the classes are: predicting the larger class for all scores 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels, spelled alike.
    pos_label : scalar, default=1
        The label counted as positive.
    sample_weight : array-like of shape (n_samples,), optional
        How much each sample counts.

    Returns
    -------
    score : float between 0 and 1
        NaN with a warning where the truth holds one class only.

    Examples
    --------
    >>> geometric_mean_score([1, 0, 0, 0], [0, 0, 0, 0])
    0.0
    """
    counts = Counts.from_predictions(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return counts.geometric_mean()


def macro_fbeta(runs: Iterable[Counts], *, beta: float = 1.0, undefined: Undefined = "zero") -> float:
    """Return the mean of the F scores of several runs (not the F of mean precision and mean recall).

    Examples
    --------
    >>> macro_fbeta([Counts(tp=1), Counts(fn=1)])
    0.5
    """
    return float(np.mean([counts.f(beta, undefined) for counts in _at_least_one(runs)]))


def micro_fbeta(runs: Iterable[Counts], *, beta: float = 1.0, undefined: Undefined = "zero") -> float:
    """Return the F score of the summed counts of several runs.

    Examples
    --------
    >>> micro_fbeta([Counts(tp=3), Counts(fn=2)])
    0.75
    """
    return sum(_at_least_one(runs), Counts()).f(beta, undefined)


def _ratio(part: float, whole: float, undefined: Undefined) -> float:
    if undefined not in _VALUE_OF:
        raise ValueError(f"undefined must be 'zero', 'nan' or 'one'; got {undefined!r}.")
    return part / whole if whole else _VALUE_OF[undefined]


def _at_least_one(runs: Iterable[Counts]) -> list[Counts]:
    counts = list(runs)
    if not counts:
        raise ValueError("An average needs at least one Counts; got none.")
    return counts
