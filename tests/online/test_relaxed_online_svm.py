"""The relaxed online SVM, against its slow twin, a batch solver and the laws of its specification."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from lopsided.online import OnlineSVM, RelaxedOnlineSVM
from reference import online
from soundness_online import Ledger, check_optimal, follow, make_data

FORMS = [np.asarray, sparse.csr_array]
CLASSES = [-1, 1]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "parameters",
    [
        {"C": 1.0, "buffer_size": 1000},
        {"C": 1.0, "buffer_size": 15},
        {"C": 1.0, "buffer_size": 15, "update_margin": 0.5, "max_passes": 3},
        {"C": 0.3, "buffer_size": 10, "max_passes": 1000},
        {"C": 100.0, "buffer_size": 2, "max_passes": 5},
        {"C": 0.5, "class_weight": {-1: 1.0, 1: 20.0}, "buffer_size": 20},
    ],
    ids=str,
)
def test_each_step_is_the_twins(form, parameters):
    X, y = make_data(100)
    weights = parameters.get("class_weight", {-1: 1.0, 1: 1.0})
    bounds = [parameters["C"] * weights[label] for label in CLASSES]
    relaxations = {"max_passes": 1, **parameters}
    for name in ("C", "class_weight"):
        relaxations.pop(name, None)
    slow = online.SVM(X.shape[1], bounds, tol=1e-5, **relaxations)
    fast = RelaxedOnlineSVM(**parameters, tol=1e-5)
    for t, label in enumerate(y):
        slow = follow(slow, fast, form(X[t : t + 1]), label, precision=2e-6)
        assert slow, f"row {t}"


@pytest.mark.parametrize(("C", "noise"), [(1.0, 0.1), (100.0, 0.0)])
def test_without_relaxations_it_is_the_online_svm(C, noise):
    X, y = make_data(noise=noise)
    exact = OnlineSVM(C=C)
    relaxed = RelaxedOnlineSVM(C=C, buffer_size=len(y), update_margin=1.0, max_passes=1000)
    for x, label in zip(X, y, strict=True):
        for model in (exact, relaxed):
            model.partial_fit(x[None], [label], classes=CLASSES)
        assert_array_equal(relaxed.coef_, exact.coef_)
        assert_array_equal(relaxed.intercept_, exact.intercept_)
        assert_array_equal(relaxed.dual_coef_, exact.dual_coef_)


@pytest.mark.parametrize(
    ("parameters", "prevalence"),
    [
        ({"C": 1.0, "buffer_size": 15}, 0.5),
        ({"C": 10.0, "buffer_size": 20, "update_margin": 0.8}, 0.5),
        ({"C": 0.3, "buffer_size": 10, "max_passes": 1000}, 0.5),
        ({"C": 100.0, "buffer_size": 2, "max_passes": 5}, 0.5),
        ({"C": 5.0, "buffer_size": 10}, 0.0),  # one positive, which stays for ever
        ({"C": 1.0, "buffer_size": 10}, 0.03),
    ],
    ids=str,
)
def test_alphas_are_feasible_and_make_the_weights(parameters, prevalence):
    X, y = make_data(500)
    if prevalence < 0.5:
        rare = np.random.default_rng(0).random(len(y)) < prevalence
        y[1:] = np.where(rare[1:], 1, -1)
        X = X + 0.5 * y[:, None]
    model = RelaxedOnlineSVM(**parameters)
    ledger = Ledger(model, parameters["buffer_size"], [parameters["C"]] * 2)
    for x, label in zip(X, y, strict=True):
        ledger.learn(x, label)
        assert len(model.buffer_labels_) <= parameters["buffer_size"]


@pytest.mark.parametrize("update_margin", [1.0, 0.8, 0.2])
def test_an_example_outside_the_margin_changes_no_bit(update_margin):
    X, y = make_data(150, noise=0.0)
    model = RelaxedOnlineSVM(C=1.0, buffer_size=40, update_margin=update_margin)
    model.partial_fit(X[:20], y[:20], classes=CLASSES)
    n_idle = 0
    for x, label in zip(X[20:], y[20:], strict=True):
        before = model.coef_.copy(), model.intercept_.copy()
        idle = label * model.decision_function(x[None])[0] >= update_margin
        model.partial_fit(x[None], [label])
        if idle:
            n_idle += 1
            assert_array_equal(model.coef_, before[0])
            assert_array_equal(model.intercept_, before[1])
    assert n_idle > 20


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("C", "noise"), [(1.0, 0.1), (10.0, 0.1)])
def test_run_to_the_end_it_is_optimal_on_its_buffer(form, C, noise):
    p = 30
    X, y = make_data(120, noise=noise)
    model = RelaxedOnlineSVM(C=C, buffer_size=p, max_passes=100_000)
    model.partial_fit(form(X[:-1]), y[:-1], classes=CLASSES)
    y[-1] = -model.predict(form(X[-1:]))[0]  # the last one is a mistake, so that all is optimised again
    model.partial_fit(form(X[-1:]), y[-1:])
    rows, labels = X[-p:], y[-p:]
    assert_array_equal(model.buffer_labels_, labels)
    check_optimal(model, form(rows), C)


def test_first_a_negative_example():
    X, y = make_data()
    y[0] = -1
    model = RelaxedOnlineSVM().partial_fit(X[:1], y[:1], classes=CLASSES)
    assert_array_equal(model.decision_function(X), np.zeros(len(X)))
    assert_array_equal(model.decision_function(X), np.zeros(len(X)))  # a filter still shows the second


@pytest.mark.parametrize("label", CLASSES)
def test_one_class_alone_fills_the_buffer_and_moves_nothing(label):
    X, _ = make_data()
    model = RelaxedOnlineSVM(buffer_size=7)
    for t, x in enumerate(X):
        model.partial_fit(x[None], [label], classes=CLASSES)
        assert len(model.buffer_labels_) == min(t + 1, 7)
    assert_array_equal(model.decision_function(X), np.zeros(len(X)))
    assert model.n_updates_ == 0


def test_no_drift_in_a_long_stream():
    """After thousands of evictions the weights are still those of the alphas."""
    X, y = make_data(4000)
    ledger = Ledger(RelaxedOnlineSVM(C=10.0, buffer_size=20), 20, (10.0, 10.0))
    for x, label in zip(X, y, strict=True):
        ledger.learn(x, label)


def test_swapping_the_classes_with_their_costs_flips_the_sign():
    X, y = make_data(200)
    parameters = {"C": 1.0, "buffer_size": 30, "max_passes": 1000, "tol": 1e-7}
    one = RelaxedOnlineSVM(class_weight={-1: 1.0, 1: 5.0}, **parameters).fit(X, y)
    other = RelaxedOnlineSVM(class_weight={-1: 5.0, 1: 1.0}, **parameters).fit(X, -y)
    assert_allclose(other.coef_, -one.coef_, atol=1e-5)
    assert_allclose(other.intercept_, -one.intercept_, atol=1e-5)


@pytest.mark.parametrize("weights", [{-1: 1.0, 1: 1000.0}, {-1: 1000.0, 1: 1.0}])
def test_one_to_a_thousand(weights):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(3003) % 1001 == 500, 1, -1)
    X = rng.standard_normal((len(y), 3)) + np.where(y > 0, 1.5, -1.5)[:, None]
    model = RelaxedOnlineSVM(C=0.1, class_weight=weights, buffer_size=100)
    ledger = Ledger(model, 100, (0.1 * weights[-1], 0.1 * weights[1]))
    for x, label in zip(X, y, strict=True):
        ledger.learn(x, label)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.sum(np.asarray(model.buffer_labels_) > 0) == 1  # the last of its class is kept


def test_a_rare_class_can_still_be_learned_after_what_opposed_it_has_left():
    """Those that mattered leave the buffer one by one; an offset that rejects all must not remain."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(1500) == 500, 1, -1)
    X = rng.standard_normal((1500, 3)) + np.where(y > 0, 1.5, -1.5)[:, None]
    model = RelaxedOnlineSVM(buffer_size=100).fit(X, y)
    more = rng.standard_normal((20, 3)) + 1.5
    model.partial_fit(more, np.ones(20, int))
    assert np.mean(model.predict(more) == 1) > 0.9
    assert np.mean(model.predict(X[-100:]) == -1) > 0.9


def test_a_rare_class_is_learned_as_by_the_twin():
    """Rare positives, so that support vectors leave and none is left: who opposes whom is then found anew."""
    rng = np.random.default_rng(1)
    y = np.where(np.arange(400) % 60 == 10, 1, -1)
    X = rng.standard_normal((400, 3)) + np.where(y > 0, 1.5, -1.5)[:, None]
    X = X.astype(np.float32).astype(np.float64)
    slow = online.SVM(3, (1.0, 1.0), tol=1e-5, buffer_size=20, max_passes=1)
    fast, n_empty = RelaxedOnlineSVM(C=1.0, buffer_size=20, tol=1e-5), 0
    for t, label in enumerate(y):
        slow = follow(slow, fast, X[t : t + 1], label, precision=2e-6)
        assert slow, f"row {t}"
        n_empty += t > 10 and not np.any(np.abs(fast.dual_coef_) > 1e-9)
    assert n_empty > 5


def test_labels_flipped_half_way_are_learned_anew():
    """The old half leaves the buffer; what it gave is outweighed."""
    X, y = make_data(600, noise=0.0)
    y[300:] = -y[300:]
    model = RelaxedOnlineSVM(C=1.0, buffer_size=50).fit(X, y)
    assert np.mean(model.predict(X[300:]) == y[300:]) > 0.9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_stays_where_it_is_on_a_long_stream(dtype):
    """4 bytes a feature, 12 for each that was seen, the buffer, and 4 for each pair of it at most."""
    rng = np.random.default_rng(0)
    n, d, count, size = 6000, 400, 20, 50
    columns = np.sort(np.argsort(rng.random((n, d)), axis=1)[:, :count]).astype(np.int32)
    values, starts = rng.random(n * count).astype(dtype), np.arange(0, n * count + 1, count, dtype=np.int32)
    X = sparse.csr_array((values, columns.ravel(), starts), shape=(n, d))
    y = np.where(rng.random(n) < 0.5, 1, -1)  # nothing to be learned: as many support vectors as can be
    model, sizes = RelaxedOnlineSVM(buffer_size=size), []
    for first in range(0, n, 1000):
        model.partial_fit(X[first : first + 1000], y[first : first + 1000], classes=CLASSES)
        sizes.append(model.n_bytes_)
    assert len(set(sizes[1:])) == 1
    assert len(model.buffer_labels_) == size
    examples, pairs = (size + 1) * (200 + 12 * count), 4 * (4 * size) ** 2 + 100 * 4 * size
    assert sizes[-1] <= 4 * d + 12 * (d + 1 + count) + examples + pairs
