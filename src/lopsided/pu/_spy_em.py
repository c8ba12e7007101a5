"""S-EM: spies find negatives among the unlabeled, EM goes on from there (Liu, Lee, Yu and Li, ICML 2002)."""

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from lopsided._blocks import map_blocks
from lopsided._compat import Interval, StrOptions, fit_context
from lopsided._stored import Check, columns, flag, length, numbers, places, real, whole
from lopsided._validation import as_generator
from lopsided.pu._base import PositiveUnlabeledClassifier
from lopsided.pu._history import as_columns
from lopsided.pu._naive_bayes import (
    ClassCounts,
    NaiveBayes,
    as_counts,
    count_members,
    normalized,
    odds_of,
    words_in,
)

_NEGATIVE, _POSITIVE = 0, 1  # columns of memberships


class SpyEM(PositiveUnlabeledClassifier):
    """Naive Bayes from positives and unlabeled rows of word counts, by spies and EM (S-EM).

    A share of the positives goes among the unlabeled rows as spies. Unlabeled rows that look less positive
    than nearly all spies are taken for negative, and from these and the positives EM learns two classes; it
    ends where the estimated error begins to rise. Nothing has to be tuned, and an iteration costs two passes
    over the nonzeros. Each class is one bag of words: where the unlabeled rows are about many topics, the
    rows taken for negative are still nearly pure, but the classifier accepts too much. Give it counts: in
    rows of unit length (tf-idf) the smoothing outweighs the words.

    A Dask array of NumPy or CSR blocks or a memory-mapped array is read in passes, one an iteration: the
    classifier and two bits a row are sent to each block, and counts of words come back, and once the log odds
    of each row.

    Parameters
    ----------
    spy_share : float in (0, 1), default=0.15
        Share of the positives that become spies (s in [1]_); at least one does, and not all of them.
    noise : float in [0, 1), default=0.15
        Share of the spies that may be less positive than the negatives that are found (l in [1]_).
    max_iter : int, default=50
        Most iterations of each of the two EMs.
    tol : float, default=1e-4
        EM ends where the memberships of the rows it may move change by no more than this on average.
    selection : {"error_change", "none"}, default="error_change"
        Whether EM ends before the estimated error would rise, or goes on until it converges.
    smoothing : float, default=1.0
        Added to the count of each word in each class (lambda).
    random_state : None, int, Generator or RandomState, default=None
        Chooses the spies.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The second is the positive one.
    class_log_prior_ : array of shape (2,)
        Log of the share of each class.
    feature_log_prob_ : array of shape (2, n_features)
        Log of the share of each word in each class; 0 for a word that no row of `fit` holds.
    spies_ : array of shape (n_spies,)
        Rows of `fit` that were spies.
    n_spies_ : int
        How many.
    threshold_ : float
        Log odds that divide the rows taken for negative from the others, set by the spies.
    reliable_negatives_ : array
        Rows of `fit` taken for negative after the first step.
    n_reliable_negatives_ : int
        How many.
    n_iter_ : int
        Iterations of the second EM.
    converged_ : bool
        Whether it ended by itself, by ``tol`` or ``selection``.
    selected_iteration_ : int
        The one whose classifier was kept; 0 is the classifier that EM began with.
    history_ : dict of arrays
        An entry for each iteration of either EM: ``step`` ("spies" or "em"), ``iteration``,
        ``log_likelihood`` of the rows, ``log_posterior`` (the same with the smoothing as a prior, which is
        what EM raises), ``accepted_unlabeled`` (share of the unlabeled rows that it predicts positive),
        ``rejected_positives`` (share of the labeled that it does not), ``error_change`` (of the estimated
        error, in the second EM) and ``membership_change`` (both NaN in iteration 0), ``seconds``, ``notes``
        (a text that tells of a fallback, else empty). ``pandas.DataFrame(model.history_)`` makes a table.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] B. Liu, W. S. Lee, P. S. Yu, X. Li, "Partially Supervised Classification of Text Documents",
       ICML 2002.

    Examples
    --------
    Twenty documents about one topic are known; among 780 others are 20 more:

    >>> import numpy as np
    >>> from lopsided import SpyEM, StemmedVectorizer, make_topics
    >>> documents, topic = make_topics(800, random_state=0)
    >>> X = StemmedVectorizer(weighting="counts", norm=None).fit_transform(documents)
    >>> y = (topic == 3) & (np.cumsum(topic == 3) <= 20)
    >>> found = SpyEM(random_state=0).fit(X, y).predict(X[~y]) == 1
    >>> bool(found[topic[~y] == 3].mean() >= 0.75 and found[topic[~y] != 3].mean() < 0.01)
    True
    """

    _counts_only: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "spy_share": [Interval(Real, 0, 1, closed="neither")],
        "noise": [Interval(Real, 0, 1, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "selection": [StrOptions({"error_change", "none"})],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "random_state": ["random_state", np.random.Generator],
    }

    _stored: ClassVar[dict[str, Check]] = {
        "class_log_prior_": numbers(2),
        "feature_log_prob_": numbers(2, "n_features"),
        "spies_": places("n_spies"),
        "n_spies_": length("n_spies"),
        "reliable_negatives_": places("n_reliable"),
        "n_reliable_negatives_": length("n_reliable"),
        "threshold_": real(),
        "converged_": flag(),
        "n_iter_": whole(),
        "selected_iteration_": whole(),
        "history_": columns,
    }

    def __init__(
        self,
        spy_share: float = 0.15,
        noise: float = 0.15,
        max_iter: int = 50,
        tol: float = 1e-4,
        selection: str = "error_change",
        smoothing: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.spy_share = spy_share
        self.noise = noise
        self.max_iter = max_iter
        self.tol = tol
        self.selection = selection
        self.smoothing = smoothing
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from labeled positives and unlabeled rows.

        Parameters
        ----------
        X : array-like, CSR or Dask array of shape (n_samples, n_features)
            Counts of words, or other weights of 0 and above.
        y : array-like of shape (n_samples,)
            1 for a labeled positive; 0, -1, False, NaN or None for unlabeled, one spelling at a time.

        Returns
        -------
        self
        """
        rows, positive = self._read(X, y)
        # One vocabulary for all steps: it is part of the smoothing.
        words = np.any(map_blocks(_words, rows), axis=0)
        if not words.any():
            raise ValueError(
                f"fit needs rows with words in them; all {rows.shape[0]} rows of X are zero. "
                "Look at what the vectorizer left."
            )
        generator = as_generator(self.random_state)
        first = self._send_spies(rows, words, positive, generator)
        second = self._choose(rows, words, positive)
        self.history_ = as_columns([*first, *second])
        return self

    def _scorer(self) -> Callable[[Any], NDArray[np.float64]]:
        return NaiveBayes(self.class_log_prior_, self.feature_log_prob_).scores

    def _send_spies(
        self,
        rows: Any,
        words: NDArray[np.bool_],
        positive: NDArray[np.bool_],
        generator: np.random.Generator,
    ) -> list[dict[str, Any]]:
        """Find the unlabeled rows that are less positive than nearly all spies; return what EM did."""
        n_positive = int(positive.sum())
        # All but one at most: a class without a row cannot be learned.
        self.n_spies_ = max(1, min(round(self.spy_share * n_positive), n_positive - 1))
        chosen = generator.choice(n_positive, self.n_spies_, replace=False)
        self.spies_ = np.sort(np.flatnonzero(positive)[chosen])
        known, open_ = positive.copy(), ~positive
        open_[self.spies_] = True
        if n_positive > 1:
            known[self.spies_] = False
            notes = []
        else:
            notes = ["the only positive is also its own spy"]  # a copy of it: rows both known and open
        problem = _Problem(rows, words, positive, known, open_, float(self.smoothing))
        steps = []
        for fitted in problem.iterate(open_):
            steps.append(fitted.as_step("spies"))
            # Without a warning at max_iter: these scores are only compared with each other.
            if fitted.has_converged(self.tol) or fitted.iteration == self.max_iter:
                break
        # Not posteriors: those of long rows are all 0 or 1.
        odds = fitted.model.scores(rows)
        self.threshold_ = float(np.sort(odds[self.spies_])[_floor(self.noise * self.n_spies_)])
        self.reliable_negatives_ = np.flatnonzero(~positive & (odds < self.threshold_))
        if not len(self.reliable_negatives_):
            unlabeled = np.flatnonzero(~positive)
            self.reliable_negatives_ = unlabeled[[np.argmin(odds[unlabeled])]]
            notes.append("no unlabeled row is below the spies: the least positive one is taken")
        self.n_reliable_negatives_ = len(self.reliable_negatives_)
        steps[-1]["notes"] = notes
        return steps

    def _choose(
        self, rows: Any, words: NDArray[np.bool_], positive: NDArray[np.bool_]
    ) -> list[dict[str, Any]]:
        """Run EM from the positives and these negatives, keep one of its classifiers; return what EM did."""
        negative = np.zeros(rows.shape[0], dtype=bool)
        negative[self.reliable_negatives_] = True
        problem = _Problem(rows, words, positive, positive, ~positive, float(self.smoothing))
        self.converged_ = True
        steps: list[dict[str, Any]] = []
        before: _Fitted | None = None
        for fitted in problem.iterate(negative):
            error_change = None if before is None else fitted.error_change(before)
            steps.append(fitted.as_step("em", error_change))
            before = fitted
            if self.selection == "error_change" and error_change is not None and error_change > 0:
                break  # and keep the classifier before
            kept = fitted
            if fitted.has_converged(self.tol):
                break
            if fitted.iteration == self.max_iter:
                self.converged_ = False
                warnings.warn(
                    f"SpyEM stopped after {self.max_iter} iterations of EM; memberships still changed by "
                    f"{fitted.change:.2g} > tol on average. Raise max_iter or tol.",
                    ConvergenceWarning,
                    stacklevel=4,
                )
                break
        self.n_iter_ = fitted.iteration
        self.selected_iteration_ = kept.iteration
        self.class_log_prior_, self.feature_log_prob_ = kept.model.log_prior, kept.model.log_word
        return steps


@dataclass(frozen=True)
class _Fitted:
    """A classifier of EM, and what it makes of the rows."""

    iteration: int
    model: NaiveBayes
    log_likelihood: float
    log_posterior: float
    accepted_unlabeled: float
    rejected_positives: float
    change: float | None
    seconds: float

    def has_converged(self, tol: float) -> bool:
        # The mean over the open rows has no unit, and one undecided row among a million does not hold it up.
        return self.change is not None and self.change <= tol

    def error_change(self, before: "_Fitted") -> float:
        """Return by how much the estimated error has changed since the classifier before this one."""
        # Error = Pr(f=+) - Pr(Y=+) + 2 Pr(f=-|Y=+) Pr(Y=+), with the share accepted for Pr(Y=+).
        more_accepted = self.accepted_unlabeled - before.accepted_unlabeled
        more_rejected = self.rejected_positives - before.rejected_positives
        return more_accepted + 2 * more_rejected * self.accepted_unlabeled

    def as_step(self, step: str, error_change: float | None = None) -> dict[str, Any]:
        """Return the entry of ``history_`` for this iteration."""
        return {
            "step": step,
            "iteration": self.iteration,
            "log_likelihood": self.log_likelihood,
            "log_posterior": self.log_posterior,
            "accepted_unlabeled": self.accepted_unlabeled,
            "rejected_positives": self.rejected_positives,
            "error_change": error_change,
            "membership_change": self.change,
            "seconds": self.seconds,
            "notes": [],
        }


class _Expected(NamedTuple):
    """Sums over the rows of a block by one classifier: all that leaves the block."""

    rows: NDArray[np.float64]
    words: NDArray[np.float64]
    log_likelihood: float
    n_accepted: int
    n_rejected: int
    moved: float
    """By how much the memberships of open rows differ from those by the classifier before."""


@dataclass(frozen=True)
class _Problem:
    """Rows that are known to be positive, and rows that EM may move; a row that is both counts twice."""

    rows: Any
    words: NDArray[np.bool_]
    positive: NDArray[np.bool_]  # all that are labeled: spies too, so that shares mean the same in both steps
    known: NDArray[np.bool_]
    open: NDArray[np.bool_]
    smoothing: float

    def iterate(self, negative: NDArray[np.bool_]) -> Iterator[_Fitted]:
        """Yield classifiers of EM without end, the first learned from the known rows and these negatives."""
        start = perf_counter()
        counts = ClassCounts(*_summed(map_blocks(_count, self.rows, negative, self.known)))
        models: list[NaiveBayes] = []
        iteration = 0
        while True:
            model = NaiveBayes.from_counts(counts, smoothing=self.smoothing, words=self.words)
            models = [model, *models[:1]]
            sides = (self.positive, self.known, self.open)
            found = _Expected(*_summed(map_blocks(partial(_expect, models), self.rows, *sides)))
            yield self._describe(iteration, model, found, start)
            counts = ClassCounts(found.rows, found.words)
            iteration, start = iteration + 1, perf_counter()

    def _describe(self, iteration: int, model: NaiveBayes, found: _Expected, start: float) -> _Fitted:
        n_positive = int(self.positive.sum())
        return _Fitted(
            iteration,
            model,
            float(found.log_likelihood),
            # EM with smoothed counts climbs the posterior under a Dirichlet prior, not the likelihood itself.
            float(found.log_likelihood) + self.smoothing * float(model.log_word.sum()),
            found.n_accepted / (len(self.positive) - n_positive),
            found.n_rejected / n_positive,
            float(found.moved) / int(self.open.sum()) if iteration else None,
            perf_counter() - start,
        )


def _summed(parts: list[Any]) -> list[Any]:
    return [sum(values) for values in zip(*parts, strict=True)]


def _words(X: Any, chosen: None) -> NDArray[np.bool_]:
    return words_in(as_counts(X))


def _count(X: Any, chosen: None, negative: NDArray[np.bool_], known: NDArray[np.bool_]) -> ClassCounts:
    """Count the rows that are known, and those that are taken for negative."""
    return count_members(as_counts(X), np.stack([negative, known], axis=1).astype(np.float64))


def _expect(
    models: list[NaiveBayes],
    X: Any,
    chosen: None,
    positive: NDArray[np.bool_],
    known: NDArray[np.bool_],
    open_: NDArray[np.bool_],
) -> _Expected:
    """Return what a classifier makes of the rows of a block; ``models`` are it and the one before."""
    counts = as_counts(X)
    both = counts @ np.concatenate([model.log_word for model in models]).T  # in one pass over the nonzeros
    joint = both[:, :2] + models[0].log_prior
    memberships, evidence = normalized(joint)
    moved = 0.0
    if len(models) > 1:
        before, _ = normalized(both[:, 2:] + models[1].log_prior)
        moved = float(np.abs(memberships - before)[open_, _POSITIVE].sum())
    memberships[~open_] = 0.0
    memberships[known, _POSITIVE] += 1.0
    odds = odds_of(joint)
    return _Expected(
        *count_members(counts, memberships),
        float(joint[known, _POSITIVE].sum() + evidence[open_].sum()),
        int(np.count_nonzero(odds[~positive] > 0)),
        int(np.count_nonzero(odds[positive] <= 0)),
        moved,
    )


def _floor(share: float) -> int:
    return math.floor(share + 1e-9)  # 0.29 * 100 is a little below 29
