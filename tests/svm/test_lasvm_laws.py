"""What must hold of any online SVM, whatever its insides: weights, symmetry, one way or another the same."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from lopsided import LASVC, make_lopsided, make_waveform
from reference import lasvm as slow

GAMMA = 0.25


def model(**parameters):
    return LASVC(**{"C": 2.0, "gamma": GAMMA, "tol": 1e-6, "selection": "sequential", **parameters})


@pytest.fixture
def data():
    """Rows of which float32 holds all products exactly, so that the order of a sum changes nothing."""
    X, y = make_lopsided(150, 5, 0.2, separation=1.5, random_state=0)
    return np.round(X * 16) / 16, y


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_weight_two_is_the_sample_twice(data, kernel):
    X, y = data
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = model(kernel=kernel, n_epochs="converge").fit(X, y, sample_weight=weights)
    repeated = model(kernel=kernel, n_epochs="converge").fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-4)
    assert weighted.dual_objective_ == pytest.approx(repeated.dual_objective_, rel=1e-5)


@pytest.mark.parametrize("selection", ["sequential", "random"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weight_zero_is_absence(data, selection, form):
    X, y = data
    weights = np.random.default_rng(0).integers(0, 2, len(y))
    present = weights > 0
    weighted = model(n_epochs="converge", selection=selection, random_state=0)
    weighted.fit(form(X), y, sample_weight=weights)
    shorter = model(n_epochs="converge").fit(form(X[present]), y[present])
    assert present[weighted.support_].all()
    assert_allclose(weighted.decision_function(form(X)), shorter.decision_function(form(X)), atol=1e-4)


def test_weight_zero_is_absence_in_a_stream(data):
    X, y = data
    weights = np.random.default_rng(0).integers(0, 2, len(y))
    present = weights > 0
    weighted = model().partial_fit(X, y, classes=[0, 1], sample_weight=weights)
    shorter = model().partial_fit(X[present], y[present], classes=[0, 1])
    assert_array_equal(weighted.decision_function(X), shorter.decision_function(X))


def test_class_weights_are_sample_weights(data):
    X, y = data
    by_class = model(class_weight={0: 0.5, 1: 7}).fit(X, y)
    by_sample = model().fit(X, y, sample_weight=np.where(y == 1, 7, 0.5))
    by_C = model(C=1.0, class_weight={0: 1, 1: 14}).fit(X, y)
    assert_array_equal(by_sample.decision_function(X), by_class.decision_function(X))
    assert_array_equal(by_C.decision_function(X), by_class.decision_function(X))
    both = model(class_weight={0: 1, 1: 7}).fit(X, y, sample_weight=np.where(y == 1, 1, 0.5))
    assert_array_equal(both.decision_function(X), by_class.decision_function(X))


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_swapping_the_classes_with_their_costs_flips_the_sign(data, kernel):
    X, y = data
    one = model(kernel=kernel, class_weight={0: 1, 1: 9}, n_epochs="converge").fit(X, y)
    other = model(kernel=kernel, class_weight={1: 1, 0: 9}, n_epochs="converge").fit(X, 1 - y)
    assert_allclose(other.decision_function(X), -one.decision_function(X), atol=1e-4)
    assert other.dual_objective_ == pytest.approx(one.dual_objective_, rel=1e-5)
    assert_array_equal(other.n_support_, one.n_support_[::-1])


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
def test_dense_equals_sparse(data, kernel, dtype, selection):
    X, y = data
    X = np.where(np.abs(X) < 0.5, 0, X).astype(dtype)
    parameters = {"kernel": kernel, "selection": selection, "random_state": 0, "degree": 2, "gamma": 0.0625}
    dense = model(**parameters).fit(X, y)
    for form in (sparse.csr_array, sparse.csr_matrix):
        other = model(**parameters).fit(form(X), y)
        assert_array_equal(other.queried_, dense.queried_)
        assert_allclose(other.decision_function(form(X)), dense.decision_function(X), atol=1e-3)
        assert_allclose(other.decision_function(X), dense.decision_function(X), atol=1e-3)


def test_sparse_rows_out_of_order_or_with_stored_zeros(data):
    X, y = data
    X = np.where(np.abs(X) < 0.5, 0, X)
    tidy = sparse.csr_array(X)
    untidy = sparse.csr_array(X + (X == 0))
    untidy.data[(X == 0).ravel()] = 0  # stored zeros
    for row in range(len(y)):  # each row backwards
        here = slice(untidy.indptr[row], untidy.indptr[row + 1])
        untidy.indices[here], untidy.data[here] = (
            untidy.indices[here][::-1].copy(),
            untidy.data[here][::-1].copy(),
        )
    untidy.has_sorted_indices = False
    before = untidy.copy()
    expected = model().fit(tidy, y).decision_function(tidy)
    assert_allclose(model().fit(untidy, y).decision_function(untidy), expected, atol=1e-5)
    assert_array_equal(untidy.indices, before.indices)  # the caller's arrays are left alone
    assert_array_equal(untidy.data, before.data)


@pytest.mark.parametrize("form", [np.asarray, np.float32, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("chunk", [1, 7, 70, 1000])
def test_fit_equals_a_stream_in_chunks_and_finish(data, form, chunk):
    # So small a C that every step ends at a bound. One that ends before leaves two gradients equal but for
    # rounding, and what is chosen next depends on the order of a sum.
    X, y = data
    whole = model(C=0.01).fit(form(X), y)
    streamed = in_chunks(model(C=0.01), form(X), y, whole.queried_, chunk)
    assert streamed.finish() is streamed
    assert_allclose(streamed.decision_function(form(X)), whole.decision_function(form(X)), atol=1e-9)
    rows = whole.queried_[streamed.support_]
    assert_array_equal(np.sort(rows), whole.support_)
    assert_allclose(streamed.dual_coef_[0][np.argsort(rows)], whole.dual_coef_[0], atol=1e-9)
    for name, values in whole.history_.items():
        assert_allclose(streamed.history_[name], values, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("chunk", [1, 7, 70, 1000])
def test_a_stream_in_chunks_is_a_way_of_the_twin(data, kernel, chunk):
    X, y = data
    streamed = in_chunks(model(kernel=kernel, tol=1e-3), X, y, np.arange(len(y)), chunk)
    K = X @ X.T if kernel == "linear" else slow.rbf(X, X, GAMMA)
    *_, twins = slow.replay(streamed, K, np.where(y == 1, 1, -1), np.full(len(y), 2.0))
    unfinished = [twin.objective() for twin in twins]
    assert min(abs(streamed.dual_objective_ - value) for value in unfinished) <= 1e-3
    finished = [twin.finish().objective() for twin in twins]
    assert min(abs(streamed.finish().dual_objective_ - value) for value in finished) <= 1e-3 / 2 * 2 * len(y)


def in_chunks(learner, X, y, order, chunk):
    for start in range(0, len(order), chunk):
        rows = order[start : start + chunk]
        learner.partial_fit(X[rows], y[rows], classes=[0, 1])
    return learner


@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
def test_precomputed_and_callable_equal_the_built_in(data, selection):
    X, y = data
    parameters = {"selection": selection, "random_state": 0, "pool_size": 20}
    built_in = model(kernel="linear", **parameters).fit(X, y)
    precomputed = model(kernel="precomputed", **parameters).fit(X @ X.T, y)
    called = model(kernel=lambda A, B: A @ B.T, **parameters).fit(X, y)
    for other in (precomputed, called):
        assert_array_equal(other.queried_, built_in.queried_)
        assert other.dual_objective_ == pytest.approx(built_in.dual_objective_, rel=1e-5)
    expected = built_in.decision_function(X)
    assert_allclose(precomputed.decision_function(X @ X.T), expected, atol=1e-3)
    assert_allclose(called.decision_function(X), expected, atol=1e-3)


@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
def test_precomputed_and_callable_equal_rbf(data, selection):
    X, y = data
    K = rbf_kernel(X, gamma=GAMMA)
    parameters = {"selection": selection, "random_state": 0, "n_epochs": "converge"}
    expected = model(**parameters).fit(X, y).decision_function(X)
    precomputed = model(kernel="precomputed", **parameters).fit(K, y)
    called = model(kernel=lambda A, B: rbf_kernel(A, B, gamma=GAMMA), **parameters).fit(X, y)
    assert_allclose(precomputed.decision_function(K), expected, atol=1e-3)
    assert_allclose(called.decision_function(X), expected, atol=1e-3)


def test_a_callable_in_a_stream(data):
    X, y = data
    built_in = model(kernel="linear").partial_fit(X, y, classes=[0, 1]).finish()
    called = model(kernel=lambda A, B: A @ B.T).partial_fit(X, y, classes=[0, 1]).finish()
    assert_allclose(called.decision_function(X), built_in.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_equal_seeds_give_equal_models(data, selection, form):
    X, y = data
    one, other = (model(selection=selection, random_state=5).fit(form(X), y) for _ in range(2))
    assert_identical(one, other)
    if selection in ("random", "active"):
        assert not np.array_equal(one.queried_, model(selection=selection, random_state=6).fit(X, y).queried_)


@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
def test_jobs_do_not_change_a_bit(selection):
    X, y = make_waveform(200, random_state=0)
    parameters = {"selection": selection, "random_state": 0, "gamma": 0.02, "max_labels": None}
    one = model(n_jobs=1, **parameters).fit(X, y)
    for n_jobs in (2, 3, -1):
        assert_identical(one, model(n_jobs=n_jobs, **parameters).fit(X, y))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_many_classes_are_machines_of_their_own(form):
    X, y = make_waveform(200, random_state=0)
    names = np.array(["a", "b", "c"])[y]
    converged = model(gamma=0.02, n_epochs="converge").fit(form(X), names)
    scores = converged.decision_function(form(X))
    assert scores.shape == (200, 3)
    assert_array_equal(converged.classes_, ["a", "b", "c"])
    assert_array_equal(converged.predict(form(X)), converged.classes_[scores.argmax(axis=1)])
    streamed = model(gamma=0.02).partial_fit(form(X), names, classes=["a", "b", "c"]).finish()
    for c, name in enumerate("abc"):
        alone = model(gamma=0.02, n_epochs="converge").fit(form(X), names == name)
        assert_allclose(scores[:, c], alone.decision_function(form(X)), atol=1e-4)
        alone = model(gamma=0.02).partial_fit(form(X), names == name, classes=[False, True]).finish()
        assert_allclose(
            streamed.decision_function(form(X))[:, c], alone.decision_function(form(X)), atol=1e-9
        )


def test_what_is_fitted_outlives_its_data(data):
    X, y = data
    X = X.copy()
    fitted = model().fit(X, y)
    streamed = model().partial_fit(X[:100], y[:100], classes=[0, 1])
    expected, half_way = fitted.decision_function(data[0]), streamed.decision_function(data[0])
    again = pickle.loads(pickle.dumps(streamed))
    X[:] = 0
    assert_array_equal(fitted.decision_function(data[0]), expected)
    assert_array_equal(streamed.decision_function(data[0]), half_way)
    for one in (streamed, again):  # a pickled stream goes on where it was
        one.partial_fit(data[0][100:], y[100:]).finish()
    assert_array_equal(again.decision_function(data[0]), streamed.decision_function(data[0]))


def test_fit_forgets_what_was_learned_before(data):
    X, y = data
    expected = model().fit(X, y)
    used = model().partial_fit(-3 * X, 1 - y, classes=[0, 1])
    assert_identical(used.fit(X, y), expected)
    assert_identical(clone(used).fit(X, y), expected)


def test_inputs_are_left_alone(data):
    X, y = data
    for form in (np.array, sparse.csr_array):
        given_X, given_y, weights = form(X), y.copy(), np.ones(len(y))
        model(class_weight={0: 1, 1: 5}).fit(given_X, given_y, sample_weight=weights).decision_function(
            given_X
        )
        assert_array_equal(given_X.toarray() if sparse.issparse(given_X) else given_X, X)
        assert_array_equal(given_y, y)
        assert (weights == 1).all()
    X.setflags(write=False)
    model().fit(X, y)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=25),
    st.sampled_from([0.1, 1.0, 50.0]),
    st.sampled_from(["linear", "rbf", "poly"]),
)
def test_a_certified_optimum_on_points_with_ties_and_duplicates(points, C, kernel):
    table = np.array(points, dtype=float)
    y, X = table[:, 0].astype(int), table[:, 1:]
    if len(set(y)) < 2:
        return
    fitted = model(C=C, kernel=kernel, degree=2, coef0=1.0, tol=1e-3, n_epochs="converge").fit(X, y)
    side = np.where(y == 1, 1, -1)
    alpha = np.zeros(len(y))
    alpha[fitted.support_] = fitted.dual_coef_[0]
    assert abs(alpha.sum()) <= 1e-9 * max(1, np.abs(alpha).sum())
    assert ((alpha * side >= 0) & (np.abs(alpha) <= C)).all()
    slack = np.maximum(0, 1 - side * fitted.decision_function(X))
    primal = alpha @ side - fitted.dual_objective_ + C * slack.sum()  # 1/2 |w|^2 = sum alpha y - W
    assert primal - fitted.dual_objective_ <= 1e-3 / 2 * C * len(y) + 1e-5 * primal


def assert_identical(one, other):
    for name in ("dual_coef_", "support_", "intercept_", "n_support_", "queried_", "support_vectors_"):
        left, right = getattr(one, name), getattr(other, name)
        if isinstance(left, list):  # one entry a machine
            assert len(left) == len(right)
            for a, b in zip(left, right, strict=True):
                assert_array_equal(a, b)
        elif sparse.issparse(left):
            assert_array_equal(left.toarray(), right.toarray())
        else:
            assert_array_equal(left, right)
    for key, values in one.history_.items():
        assert_array_equal(values, other.history_[key])
