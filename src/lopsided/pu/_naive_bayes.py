"""Multinomial naive Bayes with soft memberships, in logs (Li, Liu and Ng, IJCAI 2007, equations 1 to 3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from lopsided._blocks import score_rows


class ClassCounts(NamedTuple):
    """Rows and words of each class, each row counted by its membership."""

    rows: NDArray[np.float64]
    """How many, one number a class."""
    words: NDArray[np.float64]
    """How often each word occurs, one row a class."""


@dataclass(frozen=True)
class NaiveBayes:
    """A naive Bayes model: the frequency of each class, and of each word in it.

    A row adds up the logs of its words, so that no product of small numbers is ever formed:

        log_joint(c, d) = ln Pr(c) + sum_w N(w, d) ln Pr(w|c)          (eq. 3)

    Examples
    --------
    >>> X = as_counts([[2, 1, 0], [1, 1, 0], [0, 0, 2]])
    >>> model = NaiveBayes.from_memberships(X, np.array([[0, 1], [0, 1], [1, 0]]))
    >>> model.log_odds(X) > 0
    array([ True,  True, False])
    """

    log_prior: NDArray[np.float64]
    """ln Pr(c), one a class."""
    log_word: NDArray[np.float64]
    """ln Pr(w|c), one row a class; 0 in each for a word outside the vocabulary, which then says nothing."""

    @classmethod
    def from_memberships(
        cls,
        X: csr_array,
        memberships: NDArray[Any],
        *,
        smoothing: float = 1.0,
        words: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Count rows and words, each row in each class by its membership.

        Parameters
        ----------
        X : csr_array of shape (n_samples, n_features)
            N(w, d): how often each word occurs, or another weight of 0 and above.
        memberships : array of shape (n_samples, n_classes)
            Pr(c|d). A row of zeros takes no part; one that adds up to 2 counts as two equal rows.
        smoothing : float, default=1.0
            What is added to each count (lambda).
        words : bool array of shape (n_features,), optional
            The vocabulary V; by default, the words that occur in X.

        Returns
        -------
        NaiveBayes
        """
        words = words_in(X) if words is None else words
        return cls.from_counts(count_members(X, memberships), smoothing=smoothing, words=words)

    @classmethod
    def from_counts(cls, counts: ClassCounts, *, smoothing: float = 1.0, words: NDArray[np.bool_]) -> Self:
        """Return the model of rows and words that were counted, by parts of the rows say."""
        share = counts.rows / counts.rows.sum()  # eq. 1
        # A class that nobody is left in keeps a finite log, so that scores still order the rows.
        log_prior = np.log(np.maximum(share, np.finfo(np.float64).tiny))
        return cls(log_prior, log_word_shares(counts.words, words, smoothing))

    def log_joint(self, X: csr_array) -> NDArray[np.float64]:
        """Return ln Pr(c, d), one row a document, one column a class, up to a constant of the document."""
        return X @ self.log_word.T + self.log_prior

    def log_odds(self, X: csr_array) -> NDArray[np.float64]:
        """Return the log odds of the second of two classes, which do not end at 0 and 1 as posteriors do."""
        return odds_of(self.log_joint(X))

    def scores(self, X: Any) -> NDArray[np.float64]:
        """Return the log odds of rows of any kind, in memory or in blocks, a band of them at a time."""
        return score_rows(self._scorer, X)

    def _scorer(self) -> Callable[[Any], NDArray[np.float64]]:
        return self._band_odds

    def _band_odds(self, X: Any) -> NDArray[np.float64]:
        return self.log_odds(as_counts(X))


def count_members(X: csr_array, memberships: NDArray[Any]) -> ClassCounts:
    """Count rows and words, each row in each class by its membership.

    Examples
    --------
    >>> count_members(as_counts([[2, 1], [0, 3]]), np.array([[1.0, 0.0], [0.5, 0.5]])).words.tolist()
    [[2.0, 2.5], [0.0, 1.5]]
    """
    return ClassCounts(memberships.sum(axis=0), (X.T @ memberships).T)


def log_word_shares(
    counts: NDArray[np.float64], words: NDArray[np.bool_], smoothing: float = 1.0
) -> NDArray[np.float64]:
    """Return ln Pr(w|c) of eq. 2, from how often each word occurs in each class; 0 outside the vocabulary.

    Examples
    --------
    >>> np.exp(log_word_shares(np.array([[3.0, 0.0, 0.0]]), np.array([True, True, False]))).tolist()
    [[0.8, 0.2, 1.0]]
    """
    smoothed = counts[:, words] + smoothing
    logs = np.zeros_like(counts)
    logs[:, words] = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
    return logs


def odds_of(log_joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log odds of the second of two classes."""
    return log_joint[:, 1] - log_joint[:, 0]


def normalized(log_joint: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the posteriors Pr(c|d), and ln Pr(d) by which they were divided.

    Examples
    --------
    >>> posterior, _ = normalized(np.log([[0.1, 0.3]]))
    >>> posterior.round(12).tolist()
    [[0.25, 0.75]]
    """
    evidence = np.logaddexp.reduce(log_joint, axis=1)
    return np.exp(log_joint - evidence[:, None]), evidence


def words_in(X: csr_array) -> NDArray[np.bool_]:
    """Return which columns some row uses."""
    return np.bincount(X.indices, weights=X.data != 0, minlength=X.shape[1]) > 0


def as_counts(X: Any) -> csr_array:
    """Return rows as sparse float64, dense ones too: equal rows then have exactly equal scores."""
    return csr_array(X, dtype=np.float64)
