"""What holds of every learner in lopsided.online: one way or another, the same model."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from lopsided import load, save
from lopsided.online import MarginPerceptron, OnlineSVM, RelaxedOnlineSVM, Winnow

LEARNERS = [
    MarginPerceptron(),
    MarginPerceptron(margin=0.0, fit_intercept=True, initial_bias=0.5, class_weight={0: 1.0, 1: 3.0}),
    MarginPerceptron(step="adaptive", fit_intercept=True, class_weight={0: 1.0, 1: 3.0}),
    MarginPerceptron(kernel="rbf", gamma=0.5),
    MarginPerceptron(kernel="poly", gamma=0.25, degree=2, coef0=1.0),
    Winnow(threshold=2.0),
    OnlineSVM(C=1.0, tol=1e-6),
    RelaxedOnlineSVM(C=1.0, buffer_size=25),
    RelaxedOnlineSVM(C=3.0, buffer_size=10, update_margin=0.8, max_passes=1000, tol=1e-6),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)
every_form = pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])


def make_data(n=90, d=8):
    """Rows in eighths, none negative, so that float32 and any order of summing give the same products."""
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, d)) < 0.4, rng.integers(1, 9, (n, d)) / 8, 0.0)
    y = (X[:, 0] + X[:, 1] > X[:, 2] + X[:, 3]).astype(int)
    return X, np.where(rng.random(n) < 0.1, 1 - y, y)


def state(learner):
    """All that is learned, as bytes."""
    names = ["coef_", "intercept_", "dual_coef_", "buffer_labels_", "classes_", "n_updates_"]
    return {name: np.asarray(getattr(learner, name)).tobytes() for name in names if hasattr(learner, name)}


def assert_same(one, other, X):
    assert state(one) == state(other)
    assert_array_equal(one.decision_function(X), other.decision_function(X))


@every_form
@every_learner
def test_fit_is_partial_fit_in_any_pieces(learner, form):
    X, y = make_data()
    whole = clone(learner).fit(form(X), y)
    for sizes in ([1] * len(y), [7] * 13, [50, 1, 39]):
        pieces, start = clone(learner), 0
        for size in sizes:
            pieces.partial_fit(form(X[start : start + size]), y[start : start + size], classes=[0, 1])
            start += size
        assert_same(pieces, whole, form(X))
    assert whole.n_updates_ > 0


@every_learner
def test_fit_forgets(learner):
    X, y = make_data()
    again = clone(learner).fit(X[:, :5], 1 - y).fit(X, y)
    assert_same(again, clone(learner).fit(X, y), X)
    assert again.n_features_in_ == X.shape[1]


@every_form
@every_learner
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_equals_sparse(learner, form, dtype):
    X, y = make_data()
    X = X.astype(dtype)
    dense, other = clone(learner).fit(X, y), clone(learner).fit(form(X), y)
    assert_allclose(other.decision_function(form(X)), dense.decision_function(X), atol=1e-5)
    assert_allclose(other.decision_function(X), dense.decision_function(form(X)), atol=1e-5)
    assert other.n_updates_ == dense.n_updates_
    if getattr(learner, "kernel", None) is None:
        assert_allclose(other.coef_, dense.coef_, atol=1e-9)


@every_learner
def test_pieces_may_be_dense_or_sparse_in_turn(learner):
    X, y = make_data()
    whole, mixed = clone(learner).fit(X, y), clone(learner)
    for t, form in enumerate(
        [np.asarray, sparse.csr_array, sparse.csr_array, np.asarray, sparse.csr_matrix, list]
    ):
        rows = slice(15 * t, 15 * (t + 1))
        mixed.partial_fit(form(X[rows]), y[rows], classes=[0, 1])
    assert_allclose(mixed.decision_function(X), whole.decision_function(X), atol=1e-5)


@every_form
@every_learner
def test_float32_is_close_to_float64(learner, form):
    X, y = make_data()
    double, single = clone(learner).fit(form(X), y), clone(learner).fit(form(X.astype(np.float32)), y)
    assert_allclose(single.decision_function(form(X)), double.decision_function(form(X)), atol=1e-4)
    assert single.n_updates_ == double.n_updates_
    X = X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))  # now rounded
    if getattr(learner, "kernel", None) is None and not isinstance(learner, (OnlineSVM, RelaxedOnlineSVM)):
        double, single = clone(learner).fit(form(X), y), clone(learner).fit(form(X.astype(np.float32)), y)
        assert_allclose(single.coef_, double.coef_, atol=1e-5)


@every_learner
def test_sparse_rows_out_of_order_or_with_stored_zeros(learner):
    X, y = make_data()
    expected = clone(learner).fit(sparse.csr_array(X), y).decision_function(X)
    untidy = sparse.csr_array(X + (X == 0))
    untidy.data[(X == 0).ravel()] = 0  # stored zeros,
    for row in range(len(y)):  # and each row backwards
        here = slice(untidy.indptr[row], untidy.indptr[row + 1])
        untidy.indices[here] = untidy.indices[here][::-1].copy()
        untidy.data[here] = untidy.data[here][::-1].copy()
    untidy.has_sorted_indices = False
    before = untidy.copy()
    scores = clone(learner).fit(untidy, y).decision_function(untidy)
    if getattr(learner, "max_passes", 2) > 1:  # short of the optimum, rounding decides between equal steps
        assert_allclose(scores, expected, atol=1e-4)
    assert_array_equal(untidy.indices, before.indices)  # the caller's arrays are left alone
    assert_array_equal(untidy.data, before.data)


@every_form
@every_learner
def test_inputs_are_never_changed_nor_kept(learner, form):
    X, y = make_data()
    rows, labels = form(X.copy()), y.copy()
    kept = clone(learner).fit(rows, labels)
    kept.decision_function(rows)
    assert_array_equal(rows if form is np.asarray else rows.toarray(), X)
    assert_array_equal(labels, y)
    scores = kept.decision_function(form(X))
    (rows if form is np.asarray else rows.data)[:] = 100.0  # the model has its own copy of what it remembers
    labels[:] = 0
    assert_array_equal(kept.decision_function(form(X)), scores)
    kept.partial_fit(form(X[:20]), y[:20])
    assert_same(kept, clone(learner).fit(form(X), y).partial_fit(form(X[:20]), y[:20]), form(X))


@every_form
@every_learner
def test_read_only_input(learner, form):
    X, y = make_data()
    rows = form(X.copy())
    for array in [rows] if form is np.asarray else [rows.data, rows.indices, rows.indptr]:
        array.flags.writeable = False
    assert_same(clone(learner).fit(rows, y), clone(learner).fit(form(X), y), form(X))


@every_form
@every_learner
@pytest.mark.parametrize("way", ["pickle", "save", "copy"])
def test_what_was_stored_goes_on_learning_equally(learner, form, way, tmp_path):
    X, y = make_data()
    for start in (1, 37, 60):
        learned = clone(learner).partial_fit(form(X[:start]), y[:start], classes=[0, 1])
        if way == "pickle":
            stored = pickle.loads(pickle.dumps(learned))
        elif way == "save":
            save(learned, tmp_path / "model")
            stored = load(tmp_path / "model")
        else:
            stored = copy.deepcopy(learned)
        assert_same(stored, learned, form(X))
        for t in range(start, len(y)):
            for one in (stored, learned):
                one.partial_fit(form(X[t : t + 1]), y[t : t + 1])
        assert_same(stored, learned, form(X))


@every_learner
def test_what_was_stored_before_anything_was_learned(learner, tmp_path):
    X, y = make_data()
    save(clone(learner), tmp_path / "model")
    for fresh in (load(tmp_path / "model"), pickle.loads(pickle.dumps(clone(learner)))):
        assert_same(fresh.fit(X, y), clone(learner).fit(X, y), X)


@every_learner
@pytest.mark.parametrize("names", [["ham", "spam"], [False, True], [3, 70], [-1, 1]], ids=str)
def test_any_two_names_of_classes(learner, names):
    X, y = make_data()
    if getattr(learner, "class_weight", None):
        learner = clone(learner).set_params(class_weight={names[0]: 1.0, names[1]: 3.0})
    plain, named = clone(learner), clone(learner)
    if getattr(learner, "class_weight", None):
        plain.set_params(class_weight={0: 1.0, 1: 3.0})
    plain.fit(X, y)
    named.fit(X, np.array(names)[y])
    assert_array_equal(named.classes_, names)
    assert_array_equal(named.decision_function(X), plain.decision_function(X))
    assert_array_equal(named.predict(X), np.array(names)[plain.predict(X)])


@every_learner
def test_predictions_follow_scores_and_zero_is_negative(learner):
    X, y = make_data()
    model = clone(learner).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (len(X),)
    assert_array_equal(model.predict(X), (scores > 0).astype(int))
    if getattr(learner, "kernel", None) is None:
        assert model.coef_.shape == (1, X.shape[1])
        assert model.intercept_.shape == (1,)
        assert_allclose(scores, X @ model.coef_[0] + model.intercept_[0], atol=1e-9)


@every_learner
def test_a_row_of_zeros(learner):
    X, y = make_data()
    X[::5] = 0
    X[0] = 0
    dense, rows = clone(learner).fit(X, y), sparse.csr_array(X)
    assert (np.diff(rows.indptr)[::5] == 0).all()
    assert_allclose(
        clone(learner).fit(rows, y).decision_function(rows), dense.decision_function(X), atol=1e-5
    )
    assert np.isfinite(dense.decision_function(X)).all()
