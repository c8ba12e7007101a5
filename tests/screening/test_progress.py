"""The recall curve and its band, and what the next relevant item will cost."""

import numpy as np
import pytest

from lopsided.screening import Screened, estimate_remaining, expected_labels_for_next, recall_curve


def screen(relevant, reasons, n_items):
    n = len(relevant)
    rows = np.arange(n)
    return Screened(
        rows, np.array(relevant, bool), list(reasons), np.full(n, np.nan), n_items - rows, n_items
    )


def falling(n, n_items=4000):
    """Return a search whose relevant items become rarer, with one random check in twenty."""
    i = np.arange(n)
    reasons = np.where(i % 20 == 19, "random check", "most likely")
    hits = np.unique(np.round(1.12 ** np.arange(80)).astype(int))
    return screen(np.isin(i, hits) & (reasons == "most likely"), reasons, n_items)


def test_curve_ends_at_the_recall_of_the_estimate():
    screened = falling(400)
    curve, told = recall_curve(screened), estimate_remaining(screened)
    assert told.can_tell
    assert curve.n_labels.tolist() == list(range(1, 401))
    assert curve.recall[-1] == pytest.approx(told.found / (told.found + told.left))
    assert curve.low[-1] == pytest.approx(told.found / (told.found + told.high))
    assert (curve.low <= curve.recall).all()
    assert (curve.recall <= curve.high).all()
    assert (np.diff(curve.recall) >= 0).all()


def test_more_confidence_is_a_wider_band():
    narrow, wide = (recall_curve(falling(400), confidence=c) for c in (0.5, 0.99))
    assert wide.low[-1] < narrow.low[-1]
    assert wide.high[-1] >= narrow.high[-1]
    assert wide.recall[-1] == narrow.recall[-1]


def test_curve_is_nan_where_nobody_can_tell_and_empty_without_labels():
    curve = recall_curve(falling(30))
    assert np.isnan(curve.recall).all()
    assert curve.found[-1] > 5
    assert [len(values) for values in recall_curve(screen([], [], 10))] == [0] * 5


def test_the_next_one_takes_longer_as_the_search_goes_on():
    waits = [expected_labels_for_next(falling(n)) for n in (60, 120, 240, 480)]
    assert waits == sorted(waits)
    assert 1 < waits[0] < waits[-1] < 400


def test_the_next_one_is_not_told_where_it_is_not_known():
    assert expected_labels_for_next(screen([], [], 10)) is None
    assert expected_labels_for_next(screen([True] * 3, ["most likely"] * 3, 10)) is None
    assert expected_labels_for_next(screen([True] * 9, ["given"] * 9, 10)) is None
    assert expected_labels_for_next(screen([True] * 9, ["most likely"] * 9, 9)) is None


def test_the_next_one_is_among_those_left():
    assert expected_labels_for_next(screen([True] * 5 + [False] * 90, ["most likely"] * 95, 98)) == 3
