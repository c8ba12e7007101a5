"""The online SVM, against its slow twin, a batch solver and the laws of its specification."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from lopsided.feedback import OneSidedFilter, run_stream
from lopsided.online import OnlineSVM
from reference import online, svm_qp
from reference.lasvm import objective
from soundness_online import check_dual, dual_objective, follow, make_data

FORMS = [np.asarray, sparse.csr_array]
CLASSES = [-1, 1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("C", "class_weight", "noise"),
    [(1.0, None, 0.1), (100.0, None, 0.0), (0.5, {-1: 1.0, 1: 8.0}, 0.1)],
    ids=str,
)
def test_each_step_is_the_twins(form, C, class_weight, noise):
    X, y = make_data(noise=noise)
    bounds = [C * (class_weight or {-1: 1.0, 1: 1.0})[label] for label in CLASSES]
    slow = online.SVM(X.shape[1], bounds, tol=1e-6)
    fast = OnlineSVM(C=C, class_weight=class_weight, tol=1e-6)
    for t, label in enumerate(y):
        slow = follow(slow, fast, form(X[t : t + 1]), label, precision=2e-6)
        assert slow, f"row {t}"
        check_dual(fast, X[: t + 1], bounds)


def test_two_rows_by_hand():
    """The widest band between (0, 0) and (2, 0) is all between them: f = 1 - x_1."""
    model = OnlineSVM().fit([[0.0, 0.0], [2.0, 0.0]], [1, -1])
    assert_allclose(model.coef_, [[-1.0, 0.0]])
    assert_allclose(model.intercept_, [1.0])
    assert_allclose(model.dual_coef_.ravel(), [0.5, -0.5])
    assert_array_equal(model.buffer_labels_, [1, -1])
    bounded = OnlineSVM(C=0.125).fit([[0.0, 0.0], [2.0, 0.0]], [1, -1])
    assert_allclose(bounded.coef_, [[-0.25, 0.0]])


@pytest.mark.parametrize(
    ("C", "class_weight", "noise", "tol"),
    [
        (1.0, None, 0.1, 1e-2),
        (1.0, None, 0.1, 1e-5),
        (1.0, {-1: 1.0, 1: 9.0}, 0.1, 1e-3),
        (1.0, {-1: 1.0, 1: 9.0}, 0.1, 1e-5),
        (100.0, None, 0.0, 1e-3),
        (100.0, None, 0.05, 1e-3),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_after_the_stream_it_is_the_batch_svm(C, class_weight, noise, tol, seed):
    X, y = make_data(60, seed=seed, noise=noise)
    K, bounds = X @ X.T, C * np.where(y > 0, (class_weight or {1: 1.0})[1], 1.0)
    model = OnlineSVM(C=C, class_weight=class_weight, tol=tol).fit(X, y)
    batch = SVC(C=C, kernel="linear", class_weight=class_weight, tol=1e-8).fit(X, y)
    alpha = np.zeros(len(y))
    alpha[batch.support_] = batch.dual_coef_[0]
    best = objective(K, y, alpha)
    assert best - tol / 2 * bounds.sum() <= dual_objective(model, X) <= best * (1 + 1e-6)
    gap = svm_qp.gap(K, y, bounds, model.dual_coef_.ravel(), model.intercept_[0])
    assert gap <= tol * bounds.sum()  # each row is within tol of its condition
    assert np.mean(model.predict(X) == batch.predict(X)) > 0.97


def test_an_example_outside_the_margin_changes_no_bit():
    X, y = make_data(60, noise=0.0)
    model = OnlineSVM(C=1.0).partial_fit(X[:10], y[:10], classes=CLASSES)
    n_idle = 0
    for x, label in zip(X[10:], y[10:], strict=True):
        before, n_updates = (model.coef_.copy(), model.intercept_.copy()), model.n_updates_
        idle = label * model.decision_function(x[None])[0] >= 1
        model.partial_fit(x[None], [label])
        if idle:
            n_idle += 1
            assert_array_equal(model.coef_, before[0])
            assert_array_equal(model.intercept_, before[1])
            assert model.dual_coef_.ravel()[-1] == 0
            assert model.n_updates_ == n_updates
    assert n_idle > 10


@pytest.mark.parametrize("label", CLASSES)
def test_one_class_alone_moves_nothing(label):
    X, _ = make_data()
    model = OnlineSVM()
    for x in X:
        model.partial_fit(x[None], [label], classes=CLASSES)
        check_dual(model, X[: len(model.buffer_labels_)])
    assert_array_equal(model.decision_function(X), np.zeros(len(X)))
    assert_array_equal(model.decision_function(X), np.zeros(len(X)))  # a filter still shows everything
    assert model.n_updates_ == 0
    model.partial_fit(X[:1] * -1, [-label])
    assert model.n_updates_ == 1
    assert -label * model.decision_function(X[:1] * -1)[0] > 0


def test_swapping_the_classes_with_their_costs_flips_the_sign():
    X, y = make_data()
    one = OnlineSVM(C=1.0, class_weight={-1: 1.0, 1: 5.0}, tol=1e-7).fit(X, y)
    other = OnlineSVM(C=1.0, class_weight={-1: 5.0, 1: 1.0}, tol=1e-7).fit(X, -y)
    assert_allclose(other.coef_, -one.coef_, atol=1e-5)
    assert_allclose(other.intercept_, -one.intercept_, atol=1e-5)


@pytest.mark.parametrize("weights", [{-1: 1.0, 1: 1000.0}, {-1: 1000.0, 1: 1.0}])
def test_one_to_a_thousand(weights):
    """Three positives among hundreds, and costs a thousand times apart: still the optimum."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) % 100 == 50, 1, -1)
    X = rng.standard_normal((len(y), 3)) + np.where(y > 0, 1.5, -1.5)[:, None]
    model = OnlineSVM(C=0.1, class_weight=weights).fit(X, y)
    check_dual(model, X, (0.1 * weights[-1], 0.1 * weights[1]))
    bounds = 0.1 * np.where(y > 0, weights[1], weights[-1])
    alpha, _ = svm_qp.solve(X @ X.T, y, bounds)
    assert objective(X @ X.T, y, alpha) - dual_objective(model, X) <= model.tol / 2 * bounds.sum()
    if weights[1] > 1:
        assert (model.predict(X[y > 0]) == 1).all()


def test_nothing_is_left_to_chance():
    X, y = make_data()
    first, other = (OnlineSVM(C=1.0).fit(X, y) for _ in range(2))
    assert_array_equal(other.dual_coef_, first.dual_coef_)
    assert_array_equal(other.intercept_, first.intercept_)


def test_it_says_when_the_optimum_was_not_reached():
    """Once, and at the line that asked for it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)

    def decide_and_learn():
        filter = OneSidedFilter(OnlineSVM(C=1e5))
        filter.learn(X, y, filter.decide(X))

    for call in (
        lambda: OnlineSVM(C=1e5).fit(X, y),
        lambda: OnlineSVM(C=1e5).partial_fit(X, y),
        lambda: run_stream(OneSidedFilter(OnlineSVM(C=1e5)), X, y, feedback="full"),
        decide_and_learn,
    ):
        with pytest.warns(
            ConvergenceWarning, match=r"1,000 passes after \d+ of 60 examples.*lower C"
        ) as said:
            call()
        assert [warning.filename for warning in said] == [__file__]


def test_a_warning_made_an_error_keeps_the_report():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    with pytest.raises(ConvergenceWarning) as caught:
        run_stream(OneSidedFilter(OnlineSVM(C=1e5)), X, y, feedback="full")
    assert caught.value.report.n_labels == 60
