"""only_finds: explored negatives are counted, and teach nothing."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from lopsided import (
    EpsilonGreedy,
    MarginPerceptron,
    OneSidedFilter,
    RelaxedOnlineSVM,
    make_lopsided,
    make_one_sided,
    run_stream,
)


def stream(n=1500, seed=0):
    return make_lopsided(n_samples=n, positive_rate=0.3, random_state=seed)


def make(learner=MarginPerceptron, only_finds=True, guard=False, epsilon=0.2, seed=1):
    return OneSidedFilter(
        learner(), EpsilonGreedy(epsilon), random_state=seed, guard=guard, only_finds=only_finds
    )


@pytest.mark.parametrize("learner", [MarginPerceptron, RelaxedOnlineSVM])
def test_the_learner_is_that_of_all_labels_but_those(learner):
    X, y = stream()
    filter = make(learner)
    report = run_stream(filter, X, y)
    begun = np.arange(len(y)) >= np.flatnonzero(y)[0]
    taught = report.show & (begun | (y == 1)) & ~(report.explored & (y == 0))
    assert (report.explored & (y == 0)).sum() > 30
    assert (report.explored & (y == 1)).sum() > 3
    twin = learner()
    for i in np.flatnonzero(taught):
        twin.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    np.testing.assert_array_equal(filter.learner.coef_, twin.coef_)
    assert report.n_labels == report.show.sum() == filter.n_labels  # the labels count all the same


@pytest.mark.parametrize("guard", [False, True])
@pytest.mark.parametrize("learner", [MarginPerceptron, lambda: SGDClassifier(random_state=0)])
def test_item_by_item_is_the_same(learner, guard):
    X, y = stream(600)
    at_once, by_hand = (make(learner, guard=guard) for _ in range(2))
    report = run_stream(at_once, X, y)
    for i in range(len(y)):
        decision = by_hand.decide(X[i : i + 1])
        assert (decision.show[0], decision.explored[0]) == (report.show[i], report.explored[i])
        if decision.show[0]:
            by_hand.learn(X[i : i + 1], y[i : i + 1], decision)
    np.testing.assert_array_equal(at_once.learner.coef_, by_hand.learner.coef_)
    assert at_once.missed() == by_hand.missed()


def test_a_changed_mind_is_learned():
    X, y = stream(400)
    filter = make(epsilon=1.0)
    run_stream(filter, X, y)
    decision = filter.decide(X)
    i = int(np.flatnonzero(decision.explored & (y == 0))[0])
    before = filter.learner.coef_.copy()
    filter.learn(X[[i]], [0], decision[i])
    np.testing.assert_array_equal(filter.learner.coef_, before)  # as the learner said
    filter.learn(X[[i]], [1], decision[i])
    found = filter.learner.coef_.copy()
    assert (found != before).any()
    filter.learn(X[[i]], [0], decision[i])  # now it is to be unlearned
    assert (filter.learner.coef_ != found).any()


def test_it_keeps_exploring_from_driving_the_border_into_the_positives():
    recalls = {False: [], True: []}
    for seed in range(5):
        X, y = make_one_sided("overlap", random_state=seed)
        for only_finds in recalls:
            recalls[only_finds].append(run_stream(make(only_finds=only_finds), X, y).recall)
    assert np.mean(recalls[True]) > np.mean(recalls[False])


def test_it_is_kept():
    X, y = stream()
    whole, half = make(), make()
    run_stream(whole, X, y)
    run_stream(half, X[:700], y[:700])
    half = pickle.loads(pickle.dumps(half))
    assert half.only_finds
    run_stream(half, X[700:], y[700:])
    np.testing.assert_array_equal(half.learner.coef_, whole.learner.coef_)


def test_filters_saved_before_it_was_there_do_without():
    old = make(only_finds=False)
    state = old.__getstate__()
    del state["only_finds"]
    new = OneSidedFilter.__new__(OneSidedFilter)
    new.__setstate__(state)
    assert new.only_finds is False


def test_off_by_default_and_said_when_on():
    assert OneSidedFilter(MarginPerceptron()).only_finds is False
    assert "only_finds=True" in repr(make())
    with pytest.raises(ValueError, match="only_finds must be True or False; got 'no'"):
        OneSidedFilter(MarginPerceptron(), only_finds="no")
