"""When to stop asking."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided import LASVC, fetch_uci, geometric_mean_score, make_lopsided
from lopsided.svm._stopping import Saturation, Settling


def separated(n=1000):
    return make_lopsided(n, 2, 0.1, separation=10.0, random_state=0)


def model(**parameters):
    return LASVC(**{"gamma": 0.1, "C": 10.0, "selection": "active", "random_state": 0, **parameters})


def labels_until_look(counts, saturation=None):
    saturation = saturation or Saturation()
    for t, count in enumerate(counts, start=1):
        if saturation.wants_to_look(count, missed=False):
            return t
    return None


def test_a_flat_curve_by_hand():
    # one support vector a label up to 200: at label 225 the window of 50 holds 25 of them, and three such
    # labels in a row are wanted
    assert labels_until_look(np.minimum(np.arange(1, 1001), 200)) == 227
    assert labels_until_look(np.arange(1, 5001)) is None
    assert labels_until_look(np.zeros(99)) is None
    assert labels_until_look(np.zeros(200)) == 102  # not before two windows
    # later the window is a tenth of the labels: at 2106 it holds 211, of which 105 were support vectors
    assert labels_until_look(np.minimum(np.arange(1, 5001), 2000)) == 2108


def flat(n=200):
    saturation = Saturation()
    assert labels_until_look(np.minimum(np.arange(1, 1001), n), saturation) is not None
    return saturation


FAR, NEAR = np.array([-1.5, 1.0, 0.9]), np.array([-1.5, 1.0, -0.89])


def test_somebody_within_the_margin_means_asking_on_and_a_later_look():
    saturation = flat()
    assert not saturation.is_done(NEAR, 0.1)
    assert not saturation.is_probing
    # 227 labels: not before 11 more
    assert labels_until_look([200] * 100, saturation) == 11


def test_a_plateau_is_probed_by_random_labels():
    saturation = flat()
    assert not saturation.is_done(FAR, 0.1)
    assert saturation.is_probing
    # 27 of 227 labels added no support vector: the border is not simple, 10 / 0.1 labels are enough
    assert labels_until_look([200] * 500, saturation) == 100
    assert not saturation.is_probing
    assert saturation.is_done(FAR, 0.1)


def test_a_simple_border_is_probed_three_times_as_long_but_not_longer_than_all_before():
    for n_support, share, expected in ((40, 0.1, 102), (40, 0.2, 102), (40, 0.5, 60), (0, 0.5, 60)):
        saturation = flat(n_support)
        assert not saturation.is_done(FAR, share)
        assert labels_until_look([n_support] * 500, saturation) == expected


def probe(saturation, missed):
    """Run through a probe of 100 labels, one of which was perhaps on the wrong side."""
    looks = [saturation.wants_to_look(200, missed=missed and k == 50) for k in range(100)]
    assert not any(looks[:-1])
    assert looks[-1]


@pytest.mark.parametrize("missed", [False, True])
def test_a_probe_that_fills_no_margin_is_the_end(missed):
    saturation = flat()
    saturation.is_done(FAR, 0.1)
    probe(saturation, missed)
    assert saturation.is_done(FAR, 0.1)


@pytest.mark.parametrize("missed", [False, True])
def test_a_probe_that_fills_the_margin_means_asking_on(missed):
    saturation = flat()
    saturation.is_done(FAR, 0.1)
    probe(saturation, missed)
    assert not saturation.is_done(NEAR, 0.1)
    assert not saturation.is_probing
    assert labels_until_look([200] * 500, saturation) is not None
    # and another probe is due only if the first one missed something
    assert saturation.is_done(FAR, 0.1) != missed
    assert saturation.is_probing == missed


def test_nothing_is_believed_before_five_of_the_rarer_class_are_known():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (1500, 2)), rng.normal(8, 0.1, (4, 2))])
    y = np.repeat([0, 1], [1500, 4])
    assert model(stopping="saturation").fit(X, y).stop_reason_ == "exhausted"
    y[:300] = 1  # and with enough of them it stops
    X[:300] += 8
    assert model(stopping="saturation").fit(X, y).stop_reason_ == "saturation"


def test_islands_of_the_rare_class_are_found_by_the_probe(need):
    """Letter A: the margin is exhausted early, while a few dozen As lie far out on the wrong side."""
    need("letter")
    table = fetch_uci("letter")
    X, y = table.data.astype(float), table.target == list(table.target_names).index("A")
    test = np.arange(len(y)) >= 18_000

    def score(stopping, seed):
        fitted = model(gamma=0.01, stopping=stopping, random_state=seed).fit(X[~test], y[~test])
        return geometric_mean_score(y[test], fitted.predict(X[test]), pos_label=True)

    by_margin, by_saturation = (
        np.mean([score(stopping, seed) for seed in range(8)]) for stopping in ("margin", "saturation")
    )
    assert by_saturation > 0.97  # a batch SVM has 0.98
    assert by_saturation - by_margin > 0.01


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
    assert counts[-1] - counts[-51] <= 25
    batch = model(C=1.0, selection="random").fit(X, y)
    assert np.mean(fitted.predict(X) == batch.predict(X)) > 0.99


def test_a_stopped_run_is_the_beginning_of_the_whole():
    X, y = separated(600)
    stopped = model(stopping="margin").fit(X, y)
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
    fitted = model(stopping=stopping, max_labels=25).fit(X, y)
    assert fitted.n_labels_ == 25
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


def test_an_empty_margin_ends_the_asking_only_when_five_of_the_rarer_class_are_known():
    rng = np.random.default_rng(0)
    for n_positive, reason in ((3, "exhausted"), (100, "margin")):
        y = np.repeat([0, 1], [300, n_positive])
        X = rng.normal(size=(len(y), 2)) * 0.1 + 10 * y[:, None]
        model = LASVC(kernel="linear", selection="active", stopping="margin", random_state=0).fit(X, y)
        assert model.stop_reason_ == reason


def settled_at(predictions, share=0.1, most=2000):
    """Labels after which `Settling` stops, where `predictions(t)` are the scores after t labels."""
    rule = Settling()
    for t in range(1, most + 1):
        if rule.wants_to_look(t, missed=False) and rule.is_done(predictions(t), share):
            return t
    return None


def test_settled_predictions_stop_after_three_looks_and_a_probe():
    same = np.r_[np.ones(20), -np.ones(180)]
    # looks after 50, 75, 100 and 125 labels, then 10 / 0.1 random ones
    assert settled_at(lambda t: same) == 125 + 100


def test_predictions_that_change_go_on():
    rng = np.random.default_rng(0)
    assert settled_at(lambda t: rng.permutation(np.r_[np.ones(20), -np.ones(180)])) is None


def test_a_change_during_the_probe_counts():
    before, after = np.r_[np.ones(20), -np.ones(180)], np.r_[-np.ones(180), np.ones(20)]
    assert settled_at(lambda t: before if t < 200 else after) > 300


@pytest.mark.parametrize(("n_changed", "stops"), [(5, True), (9, False)])
def test_some_rows_of_the_rarer_side_may_change(n_changed, stops):
    def scores(t):
        positive = np.r_[np.ones(40), -np.ones(160)]
        if (t // 25) % 2:
            positive[:n_changed] = -1
        return positive

    assert (settled_at(scores, most=400) is not None) is stops


def test_either_side_may_be_the_rarer_one():
    mostly_positive = np.r_[np.ones(180), -np.ones(20)]
    assert settled_at(lambda t: mostly_positive if t % 2 else mostly_positive + 0.1) is not None


def test_without_rows_to_watch_nothing_settles():
    assert settled_at(lambda t: np.empty(0), most=300) is None


def test_saturation_comes_with_class_weights_where_classes_overlap():
    rng = np.random.default_rng(0)
    y = (rng.random(6000) < 0.1).astype(int)
    X = rng.normal(size=(6000, 2)) + 1.5 * y[:, None]
    for class_weight in ("balanced", {1: 9.0}):
        model = LASVC(selection="active", stopping="saturation", class_weight=class_weight, random_state=0)
        model.fit(X, y)
        assert model.stop_reason_ == "saturation"
        assert model.n_labels_ < 3000
        everything = LASVC(class_weight="balanced", random_state=0).fit(X, y)
        assert np.mean(model.predict(X) == everything.predict(X)) > 0.85
