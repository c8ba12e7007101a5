import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lopsided.metrics import average_time_to_discovery, roc_auc_score, work_saved_over_sampling
from reference.ranking import discovery_positions, orders_of_ties, reading_until

ranked = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=6)


def test_by_hand():
    y = np.zeros(100, int)
    y[[0, 1, 2, 9]] = 1  # in reading order
    order = -np.arange(100)
    # 3 of 4 are found after 3, all 4 after 10
    assert work_saved_over_sampling(y, order, recall=0.75) == pytest.approx(0.97 - 0.25)
    assert work_saved_over_sampling(y, order, recall=0.95) == pytest.approx(0.90 - 0.05)
    assert average_time_to_discovery(y, order) == pytest.approx((1 + 2 + 3 + 10) / 4 / 100)


@settings(max_examples=40, deadline=None)
@given(ranked, st.sampled_from([0.3, 0.5, 0.95, 1.0]))
def test_ties_against_every_order(pairs, recall):
    y, scores = zip(*pairs, strict=True)
    n, n_positive = len(y), sum(y)
    if n_positive == 0:
        assert math.isnan(work_saved_over_sampling(y, scores))
        assert math.isnan(average_time_to_discovery(y, scores))
        return
    orders = list(orders_of_ties(scores))
    read = np.mean([reading_until(y, order, math.ceil(recall * n_positive)) for order in orders])
    found = np.mean([discovery_positions(y, order) for order in orders])
    assert work_saved_over_sampling(y, scores, recall=recall) == pytest.approx((n - read) / n - (1 - recall))
    assert average_time_to_discovery(y, scores) == pytest.approx(found / n)


def test_random_reading_saves_nothing():
    y = np.arange(10_000) < 500
    assert work_saved_over_sampling(y, np.zeros(10_000)) == pytest.approx(0, abs=0.002)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=30))
def test_time_to_discovery_is_the_roc_area_in_other_units(pairs):
    y, scores = map(np.array, zip(*pairs, strict=True))
    n_positive = y.sum()
    n_negative = len(y) - n_positive
    if n_positive and n_negative:
        # a positive waits for the positives before it and for each negative that beats it
        expected = (n_positive + 1) / 2 + n_negative * (1 - roc_auc_score(y, scores))
        assert average_time_to_discovery(y, scores) * len(y) == pytest.approx(expected)


def test_recall_is_rounded_up_but_not_by_floating_point():
    y = np.arange(1000) < 100
    assert 0.07 * 100 > 7
    assert work_saved_over_sampling(y, -np.arange(1000), recall=0.07) == pytest.approx(0.993 - 0.93)


@pytest.mark.parametrize("recall", [0, 1.1, math.nan])
def test_bad_recall(recall):
    with pytest.raises(ValueError, match=r"recall must be in \(0, 1\]"):
        work_saved_over_sampling([1, 0], [1, 0], recall=recall)
