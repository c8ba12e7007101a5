"""When to stop asking."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided import LASVC, make_lopsided
from reference import lasvm as slow


def separated(n=1000):
    return make_lopsided(n, 2, 0.1, separation=10.0, random_state=0)


def model(**parameters):
    return LASVC(**{"gamma": 0.1, "C": 10.0, "selection": "active", "random_state": 0, **parameters})


def test_the_rule_of_saturation_by_hand():
    # one support vector a label up to 200: the window of 50 is flat (at most 2 more) from label 248 on,
    # and three hits in a row are wanted
    assert slow.saturation_label(np.minimum(np.arange(1, 1001), 200)) == 250
    assert slow.saturation_label(np.arange(1, 5001)) is None
    assert slow.saturation_label(np.zeros(99)) is None
    assert slow.saturation_label(np.zeros(200)) == 102  # not before two windows
    # later the window is a tenth of the labels: at 2210 it holds 221, of which 11 were support vectors
    assert slow.saturation_label(np.minimum(np.arange(1, 5001), 2000)) == 2212


@pytest.mark.parametrize("selection", ["active", "exhaustive"])
def test_margin_stops_before_a_fifth_of_well_separated_data(selection):
    X, y = separated()
    fitted = model(selection=selection, stopping="margin").fit(X, y)
    assert fitted.stop_reason_ == "margin"
    assert 0 < fitted.n_labels_ / len(y) < 0.2
    assert np.mean(fitted.predict(X) == y) > 0.999


def test_margin_of_all_candidates_stops_at_the_first_hit():
    X, y = separated()
    fitted = model(selection="exhaustive", stopping="margin").fit(X, y)
    unseen = np.setdiff1d(np.arange(len(y)), fitted.queried_)
    # finished or not, no unseen example is nearer than the margin
    assert np.abs(fitted.decision_function(X[unseen])).min() >= 1 - 5e-2
    seen = fitted.history_["distance"][:-1]
    assert (seen[np.isfinite(seen)] < 1 - 1e-3).all()


def test_saturation_does_not_fire_while_support_vectors_grow_with_every_label():
    # far apart from each other: nothing is explained by anything else, so each label adds a support vector
    n = 600
    X = 100.0 * np.arange(n)[:, None]
    y = (np.arange(n) % 2).astype(int)
    fitted = model(C=1000.0, gamma=1.0, stopping="saturation").fit(X, y)
    counts = fitted.history_["n_support_positive"] + fitted.history_["n_support_negative"]
    assert np.diff(counts[50:]).min() >= 0
    assert counts[-1] > 0.9 * n
    assert fitted.stop_reason_ == "exhausted"
    assert fitted.n_labels_ == n


@pytest.mark.parametrize("selection", ["active", "exhaustive"])
def test_saturation_stops_on_a_plateau_and_keeps_the_quality(selection):
    X, y = make_lopsided(4000, 5, 0.05, separation=4.0, random_state=0)
    fitted = model(C=1.0, stopping="saturation", selection=selection).fit(X, y)
    assert fitted.stop_reason_ == "saturation"
    assert 100 <= fitted.n_labels_ < 0.5 * len(y)
    counts = fitted.history_["n_support_positive"] + fitted.history_["n_support_negative"]
    plateau = slow.saturation_label(counts)
    assert plateau is not None
    assert plateau <= fitted.n_labels_
    batch = model(C=1.0, selection="random").fit(X, y)
    assert np.mean(fitted.predict(X) == batch.predict(X)) > 0.99


@pytest.mark.parametrize("stopping", ["saturation", "margin"])
def test_a_stopped_run_is_the_beginning_of_the_whole(stopping):
    X, y = separated(600)
    stopped = model(stopping=stopping).fit(X, y)
    whole = model().fit(X, y)
    n = stopped.n_labels_
    assert n < whole.n_labels_ == len(y)
    for name, values in whole.history_.items():
        assert_array_equal(values[:n], stopped.history_[name])
    # max_labels cuts at the same place and leaves the same model
    cut = model(max_labels=n).fit(X, y)
    assert cut.stop_reason_ == "max_labels"
    assert_array_equal(cut.decision_function(X), stopped.decision_function(X))


@pytest.mark.parametrize("stopping", ["saturation", "margin"])
def test_max_labels_comes_first(stopping):
    X, y = separated()
    fitted = model(stopping=stopping, max_labels=15).fit(X, y)
    assert fitted.n_labels_ == 15
    assert fitted.stop_reason_ == "max_labels"


def test_few_rows_are_read_to_the_end():
    X, y = separated(60)
    fitted = model(stopping="saturation").fit(X, y)
    assert fitted.stop_reason_ == "exhausted"
    assert fitted.n_labels_ == 60


@pytest.mark.parametrize("selection", ["sequential", "random"])
@pytest.mark.parametrize("stopping", ["saturation", "margin"])
def test_stopping_needs_a_selection(selection, stopping):
    with pytest.raises(ValueError, match="active"):
        model(selection=selection, stopping=stopping).fit(*separated(60))
