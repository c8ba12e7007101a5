"""Choose rankers by how they rank known positives that were hidden from them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lopsided.pu._folds import PositiveUnlabeledFold

FEWEST_POSITIVES = 5  # a fold hides one of them at least, and leaves four in five to learn from
MOST_UNLABELED = 50_000  # unlabeled rows that the choice looks at; the chosen models rank all

Scorer = Callable[[Any], NDArray[np.float64]]
Ranker = Callable[[Any, NDArray[Any]], Scorer]
"""Learns from rows and from which of them are known positives; returns what scores rows."""


class RankerTrial(NamedTuple):
    """The trial of one model: how it ranked known positives that were hidden from it.

    Examples
    --------
    >>> RankerTrial("RocSVM", 0.02, True).held_out
    0.02
    """

    name: str
    held_out: float
    """Geometric mean, over the hidden positives, of the share of unlabeled rows ranked above each."""
    chosen: bool


def try_rankers(
    rankers: Mapping[str, Ranker], X: Any, y: NDArray[Any], *, n_errors: float = 1.0
) -> tuple[RankerTrial, ...]:
    """Hide the known positives in turn among the unlabeled rows, and see how each model ranks them.

    The rank of a positive does not depend on what else is positive, so no negative label is needed. All
    models within so many standard errors of the best are chosen (with one, the one-standard-error rule of
    Breiman et al., 1984). With fewer than five positives nothing can be held out, and there are no trials.
    """
    if y.sum() < FEWEST_POSITIVES:
        return ()
    looked_at = _thin(y)
    log_ranks = {
        name: _hidden_log_ranks(learn, X[looked_at], y[looked_at]) for name, learn in rankers.items()
    }
    chosen = choose(log_ranks, n_errors)
    return tuple(
        RankerTrial(name, float(np.exp(values.mean())), name in chosen) for name, values in log_ranks.items()
    )


def choose(log_ranks: Mapping[str, NDArray[np.float64]], n_errors: float) -> list[str]:
    """Return the names whose mean is within so many standard errors of the lowest, over the same rows."""
    best = min(log_ranks, key=lambda name: float(log_ranks[name].mean()))
    chosen = []
    for name, values in log_ranks.items():
        above = values - log_ranks[best]
        if above.mean() <= n_errors * above.std(ddof=1) / np.sqrt(len(above)):
            chosen.append(name)
    return chosen


def names_chosen(trials: Sequence[RankerTrial]) -> list[str]:
    """Return the names of the models that were chosen."""
    return [trial.name for trial in trials if trial.chosen]


def _thin(y: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows of all positives and of at most so many unlabeled ones, in their order."""
    positives, unlabeled = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    if len(unlabeled) > MOST_UNLABELED:
        unlabeled = np.random.default_rng(0).choice(unlabeled, MOST_UNLABELED, replace=False)
    return np.sort(np.concatenate([positives, unlabeled]))


def _hidden_log_ranks(learn: Ranker, X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the logarithm of the relative rank of each positive among the unlabeled rows of its fold.

    The logarithm makes the top of the list count: from rank 10 to 5 is as much as from 1,000 to 500.
    """
    log_ranks = []
    n_folds = min(5, int((y == 0).sum()))
    for train, test in PositiveUnlabeledFold(n_folds, random_state=0).split(X, y):
        scores = learn(X[train], y[train])(X[test])
        hidden, others = scores[y[test] == 1], np.sort(scores[y[test] == 0])
        # A tie counts half; one more row keeps the logarithm finite.
        below = (np.searchsorted(others, hidden, "left") + np.searchsorted(others, hidden, "right")) / 2
        log_ranks.append(np.log((len(others) - below + 1) / (len(others) + 1)))
    return np.concatenate(log_ranks)
