"""The guard: it notices a ratchet, costs little where there is none, and lets go of a false alarm."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided import MarginPerceptron, OneSidedFilter, run_stream


def make_stream(n=6000, rate=0.4, noise=0.05, seed=0):
    """Two clouds of directions and a constant column; some labels are wrong."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < rate
    X = rng.normal(size=(n, 20))
    X[:, 0] += np.where(y, 3, -3)
    X[:, -1] = 1
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, (y ^ (rng.random(n) < noise)).astype(int)


def run(X, y, *, guard, margin=0.0, seed=0):
    filter = OneSidedFilter(MarginPerceptron(margin=margin), guard=guard, random_state=seed)
    return filter, run_stream(filter, X, y)


def test_it_is_off_by_default():
    X, y = make_stream(500)
    assert OneSidedFilter(MarginPerceptron()).guard is False
    filter, report = run(X, y, guard=False)
    assert report.n_explored == 0
    assert not filter.is_alarmed


def test_it_cures_the_ratchet_of_the_perceptron():
    recalls = {guard: [] for guard in (False, True)}
    for seed in range(5):
        X, y = make_stream(seed=seed)
        for guard in recalls:
            recalls[guard].append(run(X, y, guard=guard, seed=seed)[1].recall)
    assert np.mean(recalls[False]) < 0.2
    assert np.mean(recalls[True]) > 2 * np.mean(recalls[False])


def test_it_costs_little_where_nothing_ratchets():
    X, y = make_stream(noise=0.0)
    (_, plain), (_, guarded) = (run(X, y, guard=guard, margin=2.0) for guard in (False, True))
    assert plain.recall > 0.95
    assert guarded.n_explored < 0.01 * len(y)
    assert guarded.f1 > plain.f1 - 0.01


def test_a_world_that_has_changed_is_no_ratchet():
    """Positives cease: the guard looks at some thirty of the rest, and lets go; then it waits longer."""
    X, y = make_stream(noise=0.0)
    changed = np.where(np.arange(len(y)) < 2000, True, y == 0)
    filter, report = run(X[changed], y[changed], guard=True, margin=2.0)
    assert 0 < report.n_explored < 150
    assert not filter.is_alarmed


def test_it_goes_on_where_it_was_when_it_is_stored():
    X, y = make_stream()
    whole, _ = run(X, y, guard=True)
    half, _ = run(X[:900], y[:900], guard=True)
    stored = pickle.loads(pickle.dumps(half))
    reports = [run_stream(one, X[900:], y[900:]) for one in (half, stored)]
    assert_array_equal(reports[0].show, reports[1].show)
    assert half.n_explored == stored.n_explored == whole.n_explored


@pytest.mark.parametrize("p", [0.2])
def test_an_alarm_raises_the_probability_and_reports_it(p):
    X, y = make_stream()
    _, report = run(X, y, guard=True)
    rejected = ~report.show | report.explored
    assert set(np.unique(report.probability[rejected])) == {0.0, p}
    assert abs(report.explored[report.probability == p].mean() - p) < 0.05
