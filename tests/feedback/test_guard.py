"""The guard: it notices a ratchet, costs little where there is none, and lets go of a false alarm."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lopsided import MarginPerceptron, OneSidedFilter, run_stream
from lopsided.feedback import _gate
from lopsided.feedback._guard import Guard


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


class JudgeEveryRound(Guard):
    """The slow twin: no limits, so that the rules are looked at in every round."""

    n_calls = 0

    def judge(self):
        type(self).n_calls += 1
        super().judge()

    def set_limits(self, **_):
        super().set_limits(rounds=0.0)


def changing_stream(seed):
    """Positives that are frequent, rare, gone, and frequent again elsewhere."""
    rng = np.random.default_rng(seed)
    X, y = make_stream(6000, noise=0.05, seed=seed)
    part = np.arange(len(y)) // 1500
    kept = (y == 0) | (rng.random(len(y)) < np.array([0.3, 0.02, 0.0, 1.0])[part])
    X[part == 3, 0] *= -1
    return X[kept], y[kept]


@pytest.mark.parametrize("delay", [0, 1, 40])
@pytest.mark.parametrize("seed", range(4))
def test_limits_miss_nothing(monkeypatch, seed, delay):
    """Called when a count reaches its limit, the guard concludes as if it were called in every round."""
    X, y = changing_stream(seed)
    found = []
    for guard in (Guard, JudgeEveryRound):
        monkeypatch.setattr(_gate, "Guard", guard)
        filter = OneSidedFilter(MarginPerceptron(margin=0.0), guard=True, random_state=seed)
        alarmed, waiting = [], []
        for i in range(len(y)) if delay else ():
            decision = filter.decide(X[i : i + 1])
            alarmed.append(filter.is_alarmed)
            waiting += [(i, decision)] if decision.show[0] else []
            while len(waiting) > delay:
                at, shown = waiting.pop(seed % len(waiting))
                filter.learn(X[at : at + 1], y[at : at + 1], shown)
        report = run_stream(filter, X, y)
        found.append((filter.__getstate__()["_gate"]["guard"], alarmed, report.probability.tolist()))
    assert found[0] == found[1]
    assert delay == 40 or 0.2 in found[0][2]  # so many open ones may all be positive


def test_the_rules_are_looked_at_rarely(monkeypatch):
    monkeypatch.setattr(JudgeEveryRound, "set_limits", Guard.set_limits)
    monkeypatch.setattr(JudgeEveryRound, "n_calls", 0)
    monkeypatch.setattr(_gate, "Guard", JudgeEveryRound)
    X, y = make_stream(noise=0.0)
    run(X, y, guard=True, margin=2.0)
    assert 10 < JudgeEveryRound.n_calls < len(y) / 10


def test_a_guard_that_raises_has_begun_no_round(monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    X, y = make_stream(500)
    filter, _ = run(X, y, guard=True)
    before = filter.n_rounds
    monkeypatch.setattr(Guard, "judge", interrupt)
    with pytest.raises(KeyboardInterrupt) as error:
        run_stream(filter, X, y)
    assert filter.n_rounds == before + len(error.value.report)
