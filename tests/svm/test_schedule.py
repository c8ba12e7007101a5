"""The schedules alone, without the estimator: what they read, in which order, and when they end."""

import numpy as np

from lopsided._kernels.rows import Rows
from lopsided.datasets import make_lopsided
from lopsided.svm import _schedule
from lopsided.svm._active import ActiveSchedule
from lopsided.svm._costs import ClassCosts
from lopsided.svm._machines import Machines
from lopsided.svm._oracle import Oracle
from lopsided.svm._schedule import FixedSchedule, finish, run_epochs

X, y = make_lopsided(300, 4, 0.2, random_state=0)
CLASSES = np.array([0, 1])


def new_machines(n_classes):
    kernel = {"kernel": "rbf", "gamma": 0.5, "coef0": 0.0, "degree": 3, "n_columns": 4}
    return Machines(n_classes, kernel | {"sparse": False, "wide": False}, 1e-3, 2**20, None)


def in_order(bounds=None, **how):
    how = {"shuffled": False, "max_labels": None, "rng": np.random.default_rng(0)} | how
    bounds = np.ones(len(y)) if bounds is None else bounds
    return FixedSchedule(Rows(X), CLASSES, y, bounds, new_machines(2), **how)


def asking(oracle=None, candidates=None, class_weight=None, **how):
    how = {"selection": "active", "pool_size": 20, "stopping": None, "most_labels": 40} | how
    return ActiveSchedule(
        Rows(X),
        np.arange(len(y)) if candidates is None else candidates,
        Oracle(oracle) if oracle else (lambda row: y[row].item()),
        [] if oracle else [0, 1],
        None,
        new_machines=new_machines,
        costs=ClassCosts(1.0, class_weight, all_known=oracle is None),
        tol=1e-3,
        rng=np.random.default_rng(0),
        **how,
    )


def follow(schedule):
    while (reason := schedule.reason_to_stop()) is None:
        schedule.learn_next()
    return reason


def test_all_rows_in_order_a_few_of_each_class_first(monkeypatch):
    monkeypatch.setattr(_schedule, "_CHUNK", 64)  # several chunks
    schedule = in_order()
    assert follow(schedule) == "exhausted"
    queried = schedule.record().queried
    first = np.sort(np.concatenate([np.flatnonzero(y == code)[:5] for code in CLASSES]))
    np.testing.assert_array_equal(queried, [*first, *np.setdiff1d(np.arange(len(y)), first)])


def test_a_limit_takes_the_first_rows():
    schedule = in_order(max_labels=70)
    assert schedule.most_labels == 70
    assert follow(schedule) == "max_labels"
    np.testing.assert_array_equal(schedule.record().queried, np.arange(70))


def test_rows_without_weight_are_absent():
    bounds = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    schedule = in_order(bounds, shuffled=True)
    assert follow(schedule) == "exhausted"
    np.testing.assert_array_equal(np.sort(schedule.record().queried), np.flatnonzero(bounds))


def test_asking_reads_no_label_but_those_it_asks_for():
    asked = []

    def oracle(rows):
        asked.extend(rows.tolist())
        return y[rows]

    schedule = asking(oracle=oracle)
    assert follow(schedule) == "max_labels"
    assert asked == schedule.record().queried.tolist()
    assert len(set(asked)) == 40 == schedule.n_labels
    codes, bounds = schedule.codes_and_bounds()
    np.testing.assert_array_equal(codes[asked], y[asked])
    assert (np.delete(codes, asked) == -1).all()
    assert (np.delete(bounds, asked) == 0).all()


def test_asking_ends_when_nobody_is_left():
    schedule = asking(candidates=np.arange(30), most_labels=300)
    assert follow(schedule) == "exhausted"
    assert sorted(schedule.record().queried) == list(range(30))


def test_asking_that_sees_one_class_says_so():
    schedule = asking(oracle=lambda rows: np.zeros(len(rows), dtype=int), most_labels=3)
    follow(schedule)
    assert schedule.machines is None
    assert schedule.record().n_rows == 0
    assert "all 3 labels read were of one class" in schedule.end()
    assert schedule.machines.n_support == (0, 0)
    assert schedule.record().n_labels == 3
    assert schedule.classes.tolist() == [0]


def test_some_rows_come_first():
    first = np.array([*np.flatnonzero(y == 1)[:2], 7, 3])
    schedule = asking(first=first, most_labels=30)
    assert follow(schedule) == "max_labels"
    queried = schedule.record().queried
    np.testing.assert_array_equal(queried[:4], first)
    assert len(set(queried)) == 30
    assert np.isnan(schedule.record().history["distance"][:4]).all()
    assert np.isfinite(schedule.record().history["distance"][4:]).all()


def test_the_rows_that_come_first_are_enough():
    schedule = asking(first=np.arange(30), candidates=np.arange(30), most_labels=300)
    assert follow(schedule) == "exhausted"
    assert schedule.record().queried.tolist() == list(range(30))


def test_balanced_costs_follow_the_labels_read():
    schedule = asking(class_weight="balanced", most_labels=60)
    while schedule.reason_to_stop() is None:
        schedule.learn_next()
        codes, bounds = schedule.codes_and_bounds()
        read = codes >= 0
        totals = np.array([bounds[read & (codes == code)].sum() for code in (0, 1)])
        if (totals > 0).all():
            assert totals.max() < 1.25 * totals.min()  # each of two costs may be 1.1 times off
    assert schedule.end() is None
    codes, bounds = schedule.codes_and_bounds()
    counts = np.bincount(codes[codes >= 0])
    np.testing.assert_allclose(bounds[codes >= 0], (60 / (2 * counts))[codes[codes >= 0]])


def test_machines_at_new_costs_are_those_of_a_fresh_start():
    """The slow twin: new machines that learn the labels read so far, in the order of the questions."""
    schedule = asking(class_weight="balanced", most_labels=45)
    follow(schedule)
    schedule.end()
    codes, bounds = schedule.codes_and_bounds()
    read = schedule.record().queried
    fresh = new_machines(2)
    fresh.learn(Rows(X), read, read, codes[read], bounds[read])
    for machines in (fresh, schedule.machines):
        machines.finish()
    np.testing.assert_allclose(schedule.machines.scores(Rows(X)), fresh.scores(Rows(X)), atol=5e-3)


def test_epochs_until_nothing_violates_the_conditions():
    schedule = in_order()
    follow(schedule)
    codes, bounds = schedule.codes_and_bounds()
    read = schedule.record().queried
    finished = run_epochs(schedule.machines, Rows(X), read, codes, bounds, "converge")
    assert finished.converged
    assert finished.complaint is None
    assert schedule.machines.admit_violators(Rows(X), read, codes, bounds)[0] == 0
    assert finished.dual_gap <= 1e-3 * len(y)


def test_too_few_epochs_are_told(monkeypatch):
    monkeypatch.setattr(_schedule, "_MOST_EPOCHS", 1)
    monkeypatch.setattr(Machines, "admit_violators", lambda self, *_: (1, 7.0))
    schedule = in_order()
    follow(schedule)
    finished = run_epochs(
        schedule.machines, Rows(X), schedule.record().queried, *schedule.codes_and_bounds(), "converge"
    )
    assert not finished.converged
    assert "stopped after 1 epochs, duality gap 7" in finished.complaint


def test_finish_without_a_border_has_not_converged():
    assert not finish(new_machines(2)).converged
