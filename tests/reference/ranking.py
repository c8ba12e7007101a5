"""Ranking scores by their definitions: all pairs, all orders of tied samples."""

from itertools import pairwise, permutations

import numpy as np


def pairwise_auc(y, scores, weights=None):
    """Share of (positive, negative) pairs in the right order, ties half; O(n^2)."""
    weights = np.ones(len(y)) if weights is None else weights
    won = total = 0.0
    for i in np.flatnonzero(np.asarray(y) == 1):
        for j in np.flatnonzero(np.asarray(y) != 1):
            pair = weights[i] * weights[j]
            total += pair
            won += pair * (1.0 if scores[i] > scores[j] else 0.5 if scores[i] == scores[j] else 0.0)
    return won / total


def orders_of_ties(scores):
    """Every order of falling scores: permutations of all samples that keep the scores sorted."""
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            yield list(order)


def positives_in_first(y, order, k):
    return sum(y[i] == 1 for i in order[:k])


def reading_until(y, order, wanted):
    """How many items are read until so many positives are found."""
    found = 0
    for position, i in enumerate(order, start=1):
        found += y[i] == 1
        if found == wanted:
            return position
    raise AssertionError("not so many positives")


def discovery_positions(y, order):
    return [position for position, i in enumerate(order, start=1) if y[i] == 1]
