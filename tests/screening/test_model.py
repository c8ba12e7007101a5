"""The model is an SVM of the labels and of some unlabeled records that count as irrelevant."""

import numpy as np
import pytest

from lopsided import make_topics
from lopsided.screening._features import Features
from lopsided.screening._model import fit


@pytest.fixture(scope="module")
def vectors():
    texts, topics = make_topics(n_samples=500, random_state=0)
    features = Features()
    features.add([text.decode() if isinstance(text, bytes) else text for text in texts])
    return features.vectors, np.asarray(topics) == 0


def fit_some(vectors, rows, seed=0, left=None):
    of_all, relevant = vectors
    rows = np.asarray(rows)
    left = np.setdiff1d(np.arange(len(relevant)), rows) if left is None else np.asarray(left)
    return fit(of_all, rows, relevant[rows], left=left, seed=seed)


def test_weights_are_those_of_another_solver(vectors):
    of_all, relevant = vectors
    rows, left = np.arange(60), np.arange(60, 72)  # all twelve are borrowed
    model = fit_some(vectors, rows, left=left)
    y = relevant[:72] & (np.arange(72) < 60)
    X = of_all.rows(np.arange(72)).toarray().astype(float)
    X = np.column_stack([X, np.ones(72)])  # the intercept is a weight like the others
    C = 0.02 * np.where(y, 10 / y.sum(), 1 / (~y).sum()) * 72 / 2
    slow = np.zeros(X.shape[1])
    for _ in range(3000):  # steps down the slope of the squared hinge loss
        short = np.maximum(0, 1 - np.where(y, 1, -1) * (X @ slow))
        slow -= 0.01 * (slow - 2 * X.T @ (C * np.where(y, 1, -1) * short))
    np.testing.assert_allclose(model.weights, slow[:-1], atol=2e-3)
    np.testing.assert_allclose(model.scores[:72], X @ slow, atol=5e-3)


def test_one_record_is_borrowed_for_five_labels(vectors):
    _, relevant = vectors
    rows = [*np.flatnonzero(relevant)[:1], *np.flatnonzero(~relevant)[:19]]
    left = np.setdiff1d(np.arange(500), rows)

    def spread(n_left):
        return np.ptp(
            [fit_some(vectors, rows, seed, left[:n_left]).scores for seed in range(8)], axis=0
        ).max()

    assert spread(4) < 1e-3  # the seed chooses nothing: all four are borrowed
    assert spread(5) > 1e-2  # four of five


def test_other_records_are_borrowed_for_each_fit_and_seed(vectors):
    first, again, other = (fit_some(vectors, range(60), seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.weights, again.weights)
    assert not np.array_equal(first.weights, other.weights)


def test_only_records_that_are_left_are_borrowed(vectors):
    alone = fit_some(vectors, range(60), left=[])
    one = fit_some(vectors, range(60), left=[499])
    assert not np.array_equal(alone.weights, one.weights)


def test_support_vectors_are_counted_among_the_labels(vectors):
    assert 1 <= fit_some(vectors, range(60)).n_support <= 60


def test_without_a_relevant_record_nothing_is_learned(vectors):
    _, relevant = vectors
    assert fit_some(vectors, np.flatnonzero(~relevant)[:9]) is None
    assert fit_some(vectors, np.flatnonzero(relevant)[:9]) is not None
    assert fit_some(vectors, np.flatnonzero(relevant)[:9], left=[]) is None
