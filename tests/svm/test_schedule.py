"""The schedules alone, without the estimator: what they read, in which order, and when they end."""

import numpy as np
import pytest

from lopsided._kernels.rows import Rows
from lopsided.datasets import make_lopsided
from lopsided.svm import _schedule
from lopsided.svm._asking import Asking
from lopsided.svm._machines import Machines
from lopsided.svm._schedule import InOrder, finish, run_epochs

X, y = make_lopsided(300, 4, 0.2, random_state=0)
CLASSES = np.array([0, 1])


def new_machines(n_classes):
    kernel = {"kernel": "rbf", "gamma": 0.5, "coef0": 0.0, "degree": 3, "n_columns": 4}
    return Machines(n_classes, kernel | {"sparse": False, "wide": False}, 1e-3, 2**20, None)


def in_order(bounds=None, **how):
    how = {"shuffled": False, "max_labels": None, "rng": np.random.default_rng(0)} | how
    return InOrder(Rows(X), CLASSES, y, np.ones(len(y)) if bounds is None else bounds, new_machines(2), **how)


def asking(labels=y, oracle=None, candidates=None, **how):
    how = {"selection": "active", "pool_size": 20, "stopping": None, "most_labels": 40} | how
    return Asking(
        Rows(X),
        np.arange(len(y)) if candidates is None else candidates,
        oracle,
        None if oracle else labels,
        None,
        new_machines=new_machines,
        class_costs=lambda classes: np.ones(len(classes)),
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


def test_asking_needs_two_classes():
    schedule = asking(oracle=lambda rows: np.zeros(len(rows), dtype=int), most_labels=3)
    follow(schedule)
    with pytest.raises(ValueError, match="all 3 labels read were of one class"):
        schedule.check_learned()
    assert schedule.machines is None
    assert schedule.record().n_labels == 3
    assert schedule.record().n_rows == 0


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
