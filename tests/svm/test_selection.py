"""Which example is asked about next, and that nothing else is read."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lopsided import LASVC, make_lopsided, make_waveform, pool_size_for
from reference import lasvm as slow


class Oracle:
    """Answers for the rows asked about, and remembers which they were."""

    def __init__(self, y):
        self.y = np.asarray(y)
        self.asked = []

    def __call__(self, indices):
        self.asked.extend(np.asarray(indices).tolist())
        return self.y[indices]


@pytest.fixture
def data():
    return make_lopsided(300, 5, 0.1, separation=2.0, random_state=0)


def model(**parameters):
    return LASVC(**{"gamma": 0.2, "selection": "active", "random_state": 0, **parameters})


def test_59_candidates_by_default():
    assert LASVC().pool_size == pool_size_for() == slow.pool_size() == 59
    assert pool_size_for(top=0.01, risk=0.05) == slow.pool_size(miss=0.05, top=0.01) == 299


@pytest.mark.parametrize("parameters", [{"selection": "exhaustive"}, {"pool_size": 300}, {"pool_size": 3000}])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_closest_of_all_unseen(data, parameters, form):
    X, y = data
    K = slow.rbf(X, X, gamma=0.2)
    fitted = model(**parameters).fit(form(X), y)
    order = fitted.queried_
    n_checked = 0
    for t, twins in enumerate(slow.replay(fitted, K, np.where(y == 1, 1, -1), np.ones(len(y)))):
        if t < len(y) and len(set(y[order[:t]])) == 2:
            distances = [np.abs(twin.f(K[order[t:]])) for twin in twins]
            assert any(d[0] <= d.min() + 1e-4 for d in distances)  # the first is the one that was chosen
            assert any(abs(d[0] - fitted.history_["distance"][t]) < 1e-3 for d in distances)
            n_checked += 1
    assert n_checked > 280


def test_of_equal_candidates_the_lowest_row():
    # rows 2 to 11 are the same point, as far from one class as from the other
    X = np.array([[-1.0], [1.0], *[[0.0]] * 10])
    y = np.array([0, 1] + [0, 1] * 5)
    fitted = LASVC(kernel="linear", selection="exhaustive", random_state=0).fit(X, y)
    zeros = [k for k in fitted.queried_ if k > 1]
    first_chosen = int(np.flatnonzero(np.isfinite(fitted.history_["distance"]))[0])
    chosen = [k for k in fitted.queried_[first_chosen:] if k > 1]
    assert len(zeros) == 10
    assert chosen == sorted(chosen)
    assert slow.closest(np.zeros(12), [7, 3, 9]) == 3


def test_the_closest_of_a_pool_is_among_the_best_twentieth(data):
    X, y = data
    candidates, _ = make_lopsided(2000, 5, 0.1, separation=2.0, random_state=1)
    fitted = model(random_state=np.random.RandomState(0)).fit(X, y)
    rank = np.argsort(np.argsort(np.abs(fitted.decision_function(candidates))))
    drawn = np.array([fitted.query(candidates)[0] for _ in range(10_000)])
    assert np.mean(rank[drawn] < 100) >= 0.945
    assert len(np.unique(drawn)) > 100  # by chance, not the same each time


def test_query_of_everything_is_the_closest(data):
    X, y = data
    candidates, _ = make_lopsided(200, 5, 0.1, separation=2.0, random_state=1)
    for parameters in ({"selection": "exhaustive"}, {"pool_size": 200}):
        fitted = model(**parameters).fit(X, y)
        by_distance = np.argsort(np.abs(fitted.decision_function(candidates)))
        assert_array_equal(fitted.query(candidates), by_distance[:1])
        assert sorted(fitted.query(candidates, n=7)) == sorted(by_distance[:7])
        assert_array_equal(fitted.query(sparse.csr_array(candidates)), by_distance[:1])


@pytest.mark.parametrize("n", [1, 3, 59, 100])
def test_query_gives_distinct_rows(data, n):
    X, y = data
    fitted = model(max_labels=50).fit(X, y)
    for learner in (fitted, model()):  # at random as long as nothing is known
        rows = learner.query(X[:100], n=n)
        assert len(rows) == n
        assert len(set(rows.tolist())) == n
        assert rows.dtype.kind == "i"
        assert (rows >= 0).all()
        assert (rows < 100).all()


def test_a_person_as_the_oracle(data):
    """``query`` and ``partial_fit``, one answer at a time."""
    X, y = data
    learner = model()
    unseen = np.arange(len(y))
    for _ in range(120):
        place = learner.query(X[unseen])[0]
        k, unseen = unseen[place], np.delete(unseen, place)
        learner.partial_fit(X[[k]], y[[k]], classes=[0, 1])
    assert learner.n_labels_ == 120
    learner.finish()
    whole = model(selection="random").fit(X, y)
    assert np.mean(learner.predict(X) == whole.predict(X)) > 0.97


@pytest.mark.parametrize("selection", ["active", "exhaustive"])
@pytest.mark.parametrize("max_labels", [40, None])
def test_labels_never_asked_for_are_never_read(data, selection, max_labels):
    X, y = data
    oracle = Oracle(y)
    fitted = model(selection=selection, max_labels=max_labels).fit(X, oracle)
    assert len(oracle.asked) == len(set(oracle.asked)) == (max_labels or len(y))
    assert fitted.n_labels_ == len(oracle.asked)
    assert_array_equal(fitted.queried_, oracle.asked)
    assert fitted.stop_reason_ == ("max_labels" if max_labels else "exhausted")
    assert set(fitted.support_) <= set(oracle.asked)
    array = model(selection=selection, max_labels=max_labels).fit(X, y)
    assert_array_equal(array.queried_, fitted.queried_)
    assert_array_equal(array.decision_function(X), fitted.decision_function(X))


def test_random_draws_until_both_classes_are_seen_are_counted():
    X, y = make_lopsided(400, 5, 0.02, separation=6.0, random_state=3)
    waits = []
    for seed in range(10):
        oracle = Oracle(y)
        fitted = model(max_labels=200, random_state=seed).fit(X, oracle)
        labels = y[oracle.asked]
        n_random = int(np.flatnonzero(labels != labels[0])[0]) + 1
        assert np.isnan(fitted.history_["distance"][:n_random]).all()
        assert np.isfinite(fitted.history_["distance"][n_random:]).all()
        assert fitted.n_labels_ == 200
        waits.append(n_random)
    assert 5 < np.mean(waits) < 150  # about 400 / 9 draws for the first of 8


def test_labels_of_any_kind(data):
    X, y = data
    for names in (np.array(["ham", "spam"]), np.array([-1, 1]), np.array([False, True])):
        for answer in (np.asarray, list):
            fitted = model(max_labels=60).fit(X, lambda rows, a=answer, names=names: a(names[y[rows]]))
            assert_array_equal(fitted.classes_, names)
            assert set(fitted.predict(X)) <= set(names)


@pytest.mark.parametrize("selection", ["active", "exhaustive"])
def test_many_classes_share_one_budget(selection):
    X, y = make_waveform(300, random_state=0)
    oracle = Oracle(y)
    fitted = LASVC(gamma=0.02, selection=selection, max_labels=90, random_state=0).fit(X, oracle)
    assert len(oracle.asked) == len(set(oracle.asked)) == fitted.n_labels_ == 90
    assert_array_equal(fitted.classes_, [0, 1, 2])
    assert np.mean(fitted.predict(X) == y) > 0.7
    assert {len(values) for values in fitted.history_.values()} == {90}


def test_many_classes_ask_about_the_nearest_of_any_machine():
    X, y = make_waveform(120, random_state=0)
    X = np.round(X * 8) / 8  # float32 holds all products exactly, however they are computed
    # so small a C that every step ends at a bound: no gradients become equal, rounding decides nothing
    fitted = LASVC(kernel="linear", C=1e-4, selection="exhaustive", random_state=0).fit(X, y)
    order = fitted.queried_
    streamed = LASVC(kernel="linear", C=1e-4)
    n_checked = 0
    for t, k in enumerate(order):
        if len(set(y[order[:t]])) == 3:
            distances = np.abs(streamed.decision_function(X[order[t:]])).min(axis=1)
            assert distances[0] <= distances.min() + 1e-4
            assert fitted.history_["distance"][t] == pytest.approx(distances[0], abs=1e-4)
            n_checked += 1
        streamed.partial_fit(X[[k]], y[[k]], classes=[0, 1, 2])
    assert n_checked > 100


def test_a_class_nobody_has_seen_may_come_late():
    X, y = make_waveform(200, random_state=0)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    fitted = LASVC(gamma=0.02, selection="sequential").fit(X, y)
    assert_array_equal(fitted.classes_, [0, 1, 2])
    assert np.mean(fitted.predict(X) == y) > 0.6
