import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score as sklearn_auc

from lopsided.metrics import roc_auc_score, roc_curve
from reference.ranking import pairwise_auc


def draws_with_ties(n_draws):
    generator = np.random.default_rng(0)
    for _ in range(n_draws):
        n = generator.integers(2, 40)
        y = generator.integers(0, 2, n)
        y[:2] = 0, 1
        yield y, generator.integers(0, 6, n).astype(float), generator.integers(0, 3, n).astype(float)


def test_by_hand():
    # pairs (0.9, 0.4) won, (0.9, 0.1) won, (0.4, 0.4) tied, (0.4, 0.1) won
    assert roc_auc_score([1, 0, 1, 0], [0.9, 0.4, 0.4, 0.1]) == 3.5 / 4


def test_equals_all_pairs_and_sklearn():
    for y, scores, _ in draws_with_ties(200):
        assert roc_auc_score(y, scores) == pytest.approx(pairwise_auc(y, scores), abs=1e-12)
        assert roc_auc_score(y, scores) == pytest.approx(sklearn_auc(y, scores), abs=1e-12)


def test_weighted_equals_all_pairs():
    for y, scores, weights in draws_with_ties(50):
        if weights[y == 1].any() and weights[y == 0].any():
            expected = pairwise_auc(y, scores, weights)
            assert roc_auc_score(y, scores, sample_weight=weights) == pytest.approx(expected, abs=1e-12)


def test_trapezoids_under_the_curve_are_the_area():
    for y, scores, _ in draws_with_ties(50):
        fpr, tpr, thresholds = roc_curve(y, scores)
        assert len(thresholds) == len(np.unique(scores)) + 1
        assert np.trapezoid(tpr, fpr) == pytest.approx(roc_auc_score(y, scores), abs=1e-12)
        for f, t, threshold in zip(fpr[1:], tpr[1:], thresholds[1:], strict=True):
            assert t == np.mean(scores[y == 1] >= threshold)
            assert f == np.mean(scores[y == 0] >= threshold)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(-20, 20)), min_size=2, max_size=30))
def test_laws(pairs):
    y, scores = map(np.array, zip(*pairs, strict=True))
    area = roc_auc_score(y, scores)
    if len(set(y)) == 1:
        assert math.isnan(area)
    else:
        assert roc_auc_score(y, np.exp(scores / 10)) == area  # only the order matters
        assert roc_auc_score(y, -scores) == pytest.approx(1 - area)
        assert roc_auc_score(y, scores, pos_label=0) == pytest.approx(1 - area)


def test_infinite_scores_tie_with_each_other():
    assert roc_auc_score([1, 0, 1, 0], [np.inf, np.inf, 0, -np.inf]) == (0.5 + 1 + 0 + 1) / 4


def test_tiny_differences_are_not_rounded_away():
    assert roc_auc_score([1, 0], [1 + 1e-15, 1]) == 1


@pytest.mark.parametrize(
    ("y", "scores", "words"),
    [
        ([1, 0], [np.nan, 0], "y_score contains NaN in 1 of 2"),
        ([1, 0], [1, 2, 3], "y_true 2, y_score 3"),
        ([1, 0], ["high", "low"], "must hold numbers; got 'high'"),
        ([1, 0], [[0.1, 0.9], [0.8, 0.2]], r"shape \(2, 2\). Pass one column"),
        ([], [], "no labels"),
    ],
)
def test_bad_input(y, scores, words):
    with pytest.raises(ValueError, match=words):
        roc_auc_score(y, scores)


def test_curve_of_one_class():
    with pytest.raises(ValueError, match="needs both classes; got 2 positives and 0 negatives"):
        roc_curve([1, 1], [0, 1])
