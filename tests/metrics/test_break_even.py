import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer

from lopsided.metrics import interpolated_break_even, prbep_score
from reference.ranking import orders_of_ties, positives_in_first

TIES = ["expected", "optimistic", "pessimistic"]
ranked = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=6)


def test_by_hand():
    # three positives, so the three highest count: 9 and 7 are positive, 8 is not
    assert prbep_score([1, 0, 1, 0, 1], [9, 8, 7, 6, 5]) == 2 / 3


def test_ties_by_hand():
    # three positives share two places behind a negative
    y, scores = [0, 1, 1, 1], [5, 2, 2, 2]
    assert [prbep_score(y, scores, ties=ties) for ties in TIES] == [2 / 3, 2 / 3, 2 / 3]
    # one positive and four negatives share the second place
    y, scores = [1, 1, 0, 0, 0, 0], [5, 1, 1, 1, 1, 1]
    assert [prbep_score(y, scores, ties=ties) for ties in TIES] == [(1 + 1 / 5) / 2, 1, 1 / 2]


@settings(max_examples=40, deadline=None)
@given(ranked)
def test_ties_against_every_order(pairs):
    y, scores = zip(*pairs, strict=True)
    k = sum(y)
    if k == 0:
        assert math.isnan(prbep_score(y, scores))
        return
    found = [positives_in_first(y, order, k) / k for order in orders_of_ties(scores)]
    assert prbep_score(y, scores, ties="expected") == pytest.approx(np.mean(found))
    assert prbep_score(y, scores, ties="optimistic") == max(found)
    assert prbep_score(y, scores, ties="pessimistic") == min(found)


def test_expected_is_the_mean_over_random_tie_breaking():
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, 30)
    scores = generator.integers(0, 5, 30)
    k, n_draws = y.sum(), 100_000
    jitter = scores + generator.random((n_draws, 30))  # scores are whole: below 1 it only breaks ties
    top = np.argpartition(-jitter, k, axis=1)[:, :k]
    found = y[top].mean(axis=1)
    assert abs(prbep_score(y, scores) - found.mean()) < 3 * found.std() / np.sqrt(n_draws)


@pytest.mark.parametrize("ties", TIES)
def test_perfect_reversed_and_all_positive(ties):
    y = np.array([1] * 3 + [0] * 5)
    assert prbep_score(y, -np.arange(8), ties=ties) == 1
    assert prbep_score(y, np.arange(8), ties=ties) == 0
    assert prbep_score([1, 1, 1], [3, 3, 1], ties=ties) == 1


def test_constant_scores_give_the_share_of_positives():
    assert prbep_score([1, 0, 0, 0], [7, 7, 7, 7]) == 1 / 4


@given(ranked)
def test_only_the_order_of_scores_matters(pairs):
    y, scores = map(np.array, zip(*pairs, strict=True))
    np.testing.assert_equal(prbep_score(y, scores), prbep_score(y, np.exp(3.0 * scores)))


def test_without_ties_a_whole_number_is_found_and_both_readings_agree():
    generator = np.random.default_rng(1)
    y = np.array([1] * 56 + [0] * 900)
    for _ in range(20):
        scores = generator.permutation(len(y)) + 400 * y
        score = prbep_score(y, scores) * 56
        assert score == pytest.approx(round(score))
        assert interpolated_break_even(y, scores) == pytest.approx(prbep_score(y, scores))


def test_interpolated_by_hand():
    # cuts after 1, 3 and 4: (P, R) = (1, 1/2), (1/3, 1/2), (1/2, 1); gaps 1/2, 1/6, 1/2
    assert interpolated_break_even([1, 0, 0, 1], [3, 2, 2, 1]) == pytest.approx((1 / 3 + 1 / 2) / 2)
    # the first cut finds nothing, P = R = 0: it must not win over the second, (1/3, 1)
    assert interpolated_break_even([0, 0, 1], [2, 1, 1]) == pytest.approx(2 / 3)
    # six positives, cuts after 3 and 4: (1/3, 1/6) and (1/2, 1/3), both with gap 1/6; the better mean counts,
    # although in floating point 1/3 - 1/6 < 1/2 - 1/3
    y = [1, 0, 0, 1] + [1] * 4 + [0] * 90
    assert interpolated_break_even(y, [3, 3, 3, 2] + [1] * 94) == pytest.approx(5 / 12)
    assert math.isnan(interpolated_break_even([0, 0], [1, 2]))


def test_as_scorer_with_text_labels():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "ham", "spam")
    model = LogisticRegression().fit(X, y)
    scorer = make_scorer(prbep_score, response_method="decision_function", pos_label="ham")
    assert scorer(model, X, y) > 0.9


def test_unknown_ties():
    with pytest.raises(ValueError, match="ties must be 'expected', 'optimistic' or 'pessimistic'; got 'x'"):
        prbep_score([1, 0], [1, 0], ties="x")
