"""The sigmoids that turn held-out scores into probabilities."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from lopsided._probabilities import Sigmoids, held_out_scores


def overlapping(n=400, seed=0, share=0.2):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    return rng.normal(size=n) + 2 * positive, positive


def smoothed_loss(parameters, scores, positive, weights):
    n_positive, n_negative = weights[positive].sum(), weights[~positive].sum()
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    z = parameters[0] * scores + parameters[1]
    return weights @ (np.logaddexp(0, z) - targets * z)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e5])
@pytest.mark.parametrize("seed", range(3))
def test_a_generic_optimiser_finds_the_same_sigmoid(seed, scale):
    scores, positive = overlapping(seed=seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(scores))
    found = minimize(smoothed_loss, [0, 0], (scores, positive, weights), method="BFGS", tol=1e-10).x
    sigmoids = Sigmoids.fit(scores * scale, positive, weights)
    np.testing.assert_allclose([sigmoids.slopes[0] * scale, sigmoids.offsets[0]], found, rtol=1e-4, atol=1e-5)


def test_weight_two_is_the_row_twice_and_weight_zero_none():
    scores, positive = overlapping(n=50)
    weights = np.random.default_rng(1).integers(0, 3, 50).astype(float)
    repeated = np.repeat(np.arange(50), weights.astype(int))
    weighted = Sigmoids.fit(scores, positive, weights)
    copied = Sigmoids.fit(scores[repeated], positive[repeated])
    np.testing.assert_allclose(weighted.slopes, copied.slopes, rtol=1e-6)
    np.testing.assert_allclose(weighted.offsets, copied.offsets, rtol=1e-6)


def test_probabilities_are_calibrated_where_the_model_is_right():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=20_000)
    positive = rng.random(len(scores)) < expit(1.5 * scores - 2)
    sigmoids = Sigmoids.fit(scores, positive)
    assert sigmoids.slopes[0] == pytest.approx(1.5, abs=0.1)
    assert sigmoids.offsets[0] == pytest.approx(-2, abs=0.1)


def test_separable_scores_give_a_finite_slope():
    sigmoids = Sigmoids.fit([-1.0, -1.0, 1.0, 1.0], [0, 0, 1, 1])
    p = sigmoids.probabilities([-1.0, 1.0])[:, 1]
    np.testing.assert_allclose(p, [1 / 4, 3 / 4], rtol=1e-6)  # the smoothed labels themselves


@pytest.mark.parametrize("scores", [[2.0, 1.0, -1.0, -2.0], [0.5] * 4, [0.0] * 4])
def test_scores_that_tell_nothing_give_the_share_of_the_class(scores):
    sigmoids = Sigmoids.fit(scores, [0, 0, 0, 1])
    assert sigmoids.slopes[0] >= 0
    p = sigmoids.probabilities(scores)[:, 1]
    np.testing.assert_allclose(p, 2 / 6, atol=0.02)


def test_a_probability_never_falls_as_the_score_rises():
    scores, positive = overlapping(n=12, seed=3)
    p = Sigmoids.fit(scores, positive).probabilities(np.linspace(-1e9, 1e9, 101))[:, 1]
    assert (np.diff(p) >= 0).all()
    assert p.min() >= 0
    assert p.max() <= 1


def test_several_classes_are_normalised_even_where_all_underflow():
    sigmoids = Sigmoids(np.ones(3), np.zeros(3))
    p = sigmoids.probabilities([[0.0, 1.0, 2.0], [-1e6, -1e6, -1e6]])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(p[0], expit([0, 1, 2]) / expit([0, 1, 2]).sum())
    np.testing.assert_allclose(p[1], 1 / 3)


def test_labels_of_their_own_are_not_normalised():
    p = Sigmoids(np.ones(2), np.zeros(2)).probabilities([[0.0, 0.0]], multilabel=True)
    np.testing.assert_allclose(p, [[0.5, 0.5]])


def test_every_row_is_scored_by_a_model_without_it():
    folds = [(np.array([2, 3]), np.array([0, 1])), (np.array([0, 1]), np.array([2, 3]))]
    scores = held_out_scores(lambda train, test: np.full(len(test), train.sum()), folds, 4, 1)
    assert scores.tolist() == [[5.0], [5.0], [1.0], [1.0]]
