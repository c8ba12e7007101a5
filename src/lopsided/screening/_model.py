"""The model of the labels: a score for every record, larger is more likely relevant."""

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from lopsided.screening._features import Vectors

# The relevant records together weigh ten times as much as the irrelevant ones, and the fit is soft: both
# as ASReview's default has it, which was tuned on 26 other reviews. Measured: docs/screening.md
_C = 0.02
_PREFERENCE = 10.0
# Unlabeled records, other ones for each fit, that count as irrelevant beside those that are known to be:
# what was asked so far is all alike, and these show what the other records look like. One for every five
# labels: more of them would outvote the first labels.
_LABELS_TO_BORROW = 5
_MOST_BORROWED = 100
_BORROWED_FIRST = 300  # while no irrelevant one is known


class Fitted(NamedTuple):
    """A linear model and what it says about every record. Nothing of it is ever changed."""

    weights: NDArray[np.float32]
    """One weight a column: above 0 speaks for relevant."""
    scores: NDArray[np.float32]
    """Signed distance of every record to the border, in units of the margin."""
    ranking: NDArray[np.float32]
    """What the records are ranked by."""
    log_odds: float
    """Logarithm of the odds of a relevant one among the labeled records."""
    n_support: float
    """How many of the labeled records lie at the border or on its wrong side."""

    def probability(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return rough probabilities that records are relevant, given how rare these are among the labels."""
        return 1 / (1 + np.exp(-(2 * self.scores[rows].astype(float) + self.log_odds)))


def fit(
    vectors: Vectors,
    rows: NDArray[np.intp],
    relevant: NDArray[np.bool_],
    *,
    left: NDArray[np.intp],
    seed: int,
) -> Fitted | None:
    """Learn from labels; None where no relevant record is known, or where there are no words.

    Some unlabeled records, drawn at random for each fit, count as irrelevant: most of them are.
    """
    if not relevant.any() or vectors.n_columns == 0:
        return None
    n_labels = len(rows)
    rng = np.random.default_rng([seed, n_labels, 1])  # other numbers than those that draw the questions
    most = _BORROWED_FIRST if relevant.all() else min(n_labels // _LABELS_TO_BORROW, _MOST_BORROWED)
    borrowed = rng.choice(left, size=min(most, len(left)), replace=False)
    rows = np.concatenate([rows, borrowed])
    relevant = np.concatenate([relevant, np.zeros(len(borrowed), dtype=bool)])
    if relevant.all():
        return None
    X = vectors.rows(rows)
    n_relevant = int(relevant.sum())
    # with class_weight scikit-learn would take longer than the fit
    shares = np.where(relevant, n_relevant / _PREFERENCE, len(rows) - n_relevant)
    svm = LinearSVC(C=_C, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm.fit(X, relevant, sample_weight=len(rows) / 2 / shares)
    weights = svm.coef_[0].astype(np.float32)
    scores = vectors.project(weights) + np.float32(svm.intercept_[0])
    margins = np.where(relevant, 1, -1) * (X @ svm.coef_[0] + svm.intercept_[0])
    return Fitted(
        weights=weights,
        scores=scores,
        ranking=scores,
        log_odds=float(np.log(n_relevant / (len(rows) - n_relevant) / _PREFERENCE)),
        n_support=float((margins[:n_labels] < 1).sum()),
    )
