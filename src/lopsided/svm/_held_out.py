"""Scores of labelled rows by machines that were learned without them, and the probabilities they give."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._kernels.rows import Rows
from lopsided._probabilities import Sigmoids, held_out_scores
from lopsided.metrics import RoundRobinFold
from lopsided.svm._machines import Machines
from lopsided.svm._schedule import run_epochs

_MOST_FOLDS = 5


def fit_probabilities(
    matrix: Any,
    read: NDArray[np.int64],
    codes: NDArray[np.intp],
    bounds: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    *,
    new_machines: Callable[[], Machines],
    n_epochs: int | str,
) -> Sigmoids:
    """Fit the sigmoids that turn the scores of the machines into probabilities.

    Parameters
    ----------
    matrix : array or CSR array
        All rows.
    read : int array
        The rows whose labels were read, in the order in which they were learned.
    codes, bounds : arrays
        Class and C of every row.
    weights : array or None
        Sample weights of every row.
    new_machines : callable
        Makes machines that have learned nothing.
    n_epochs : int or "converge"
        Passes over the rows.
    """
    read = read[bounds[read] > 0]
    labels = codes[read]
    positive = new_machines().positive
    counts = np.bincount(labels)
    # A class of one row is in no fold and in all others: its row is scored by machines that never saw it.
    n_folds = int(np.clip(counts[counts > 0].min(), 2, _MOST_FOLDS))

    def score_rest(train: NDArray[np.intp], test: NDArray[np.intp]) -> NDArray[np.float64]:
        machines, rows = new_machines(), Rows(matrix)
        some = read[train]
        machines.learn(rows, some, some, codes[some], bounds[some])
        run_epochs(machines, rows, some, codes, bounds, n_epochs)
        return machines.scores(Rows(matrix[read[test]]))

    folds = RoundRobinFold(n_folds, random_state=0).split(labels, labels)
    scores = held_out_scores(score_rest, folds, len(read), len(positive))
    truth = labels[:, None] == np.array(positive)
    return Sigmoids.fit(scores, truth, None if weights is None else weights[read])
