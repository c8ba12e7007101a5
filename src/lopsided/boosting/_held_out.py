"""Scores of rows by boosters that were learned without them, and the probabilities that these give."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided._probabilities import Sigmoids, held_out_scores
from lopsided.boosting._stumps import choose_kind, index_stumps
from lopsided.boosting._training import TrainingSet, boost_classes
from lopsided.metrics import RoundRobinFold

_MOST_FOLDS = 5


def fit_sigmoids(booster: Any, training: TrainingSet) -> Sigmoids:
    """Fit the sigmoids that turn scores into probabilities, one for each class against the rest.

    The rows of each class are dealt out to five folds, or to as many as the class has rows.
    """
    rows = training.rows.tocsr() if hasattr(training.rows, "tocsr") else training.rows
    kind = choose_kind(booster.stumps, rows)

    def score_rest(
        signs: NDArray[np.int8], train: NDArray[np.intp], test: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        if abs(int(signs[train].sum())) == len(train):  # the only row of a class is held out
            return np.zeros(len(test))
        weights = training.weights[train]
        some = training._replace(rows=rows[train], tasks=[signs[train]], weights=weights / weights.mean())
        stumps = index_stumps(kind, some.rows) if isinstance(booster.weak_learner, str) else None
        (ensemble,) = boost_classes(booster, some, stumps)
        return ensemble.scores(rows[test])

    columns = []
    for signs in training.tasks:
        fewest = min(int((signs > 0).sum()), int((signs < 0).sum()))
        folds = RoundRobinFold(int(np.clip(fewest, 2, _MOST_FOLDS)), random_state=0).split(signs, signs)
        columns.append(held_out_scores(partial(score_rest, signs), folds, len(signs), 1))
    return Sigmoids.fit(np.hstack(columns), np.column_stack(training.tasks) > 0, training.weights)
