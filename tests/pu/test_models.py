"""Decision functions as plain numbers, against the kernel written out and the estimators they came from."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity
from sklearn.svm import SVC, LinearSVC, NuSVC, OneClassSVM

from lopsided._blocks import _passes
from lopsided.pu._models import EstimatorModel, KernelModel, LinearModel, model_of_libsvm

FORMS = [np.asarray, sparse.csr_matrix, sparse.csr_array]


def some(n, d, seed=0, *, density=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * (rng.random((n, d)) < density)


def written_out(X, vectors, coef, intercept, kernel, gamma):
    values = np.full(len(X), float(intercept))
    for vector, weight in zip(vectors, coef, strict=True):
        distance = ((X - vector) ** 2).sum(axis=1)
        values += weight * (np.exp(-gamma * distance) if kernel == "rbf" else X @ vector)
    return values


@pytest.mark.parametrize("rows_form", FORMS)
@pytest.mark.parametrize("vectors_form", FORMS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_a_kernel_model_is_its_sum(vectors_form, rows_form, kernel):
    X, vectors = some(50, 40, density=0.2), some(17, 40, 1, density=0.2)
    coef = np.random.default_rng(2).normal(size=17)
    model = KernelModel(vectors_form(vectors), coef, 0.3, kernel, 0.05)
    expected = written_out(X, vectors, coef, 0.3, kernel, 0.05)
    assert_allclose(model.scores(rows_form(X)), expected, atol=1e-6)  # kernel values are float32
    assert_allclose(model.scores(rows_form(X), np.array([3, 1, 40])), expected[[3, 1, 40]], atol=1e-6)
    again = model.vectors
    assert_array_equal(again.toarray() if sparse.issparse(again) else again, vectors)


@given(
    n=st.integers(0, 40),
    block=st.integers(1, 17),
    n_jobs=st.sampled_from([None, 1, 2, 3]),
    named=st.booleans(),
)
@settings(max_examples=60)
def test_blocks_and_threads_change_nothing(n, block, n_jobs, named):
    X, vectors, coef = some(n, 3), some(9, 3, 1), np.linspace(-1, 1, 9)
    model = KernelModel(vectors, coef, 0.1, "rbf", 0.7)
    rows = np.random.default_rng(0).permutation(n)[: n // 2] if named else None
    expected = written_out(X if rows is None else X[rows], vectors, coef, 0.1, "rbf", 0.7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_passes, "BAND", block)
        scores = model.scores(X, rows, n_jobs)
        one_thread = model.scores(X, rows)
    assert_array_equal(scores, one_thread)
    assert scores.shape == expected.shape
    assert_allclose(scores, expected, atol=1e-6)


def test_memory_is_that_of_a_block():
    """Whatever the length of the heap: no more than a block of rows is looked at at a time."""
    heap = np.random.default_rng(0).normal(size=(3 * _passes.BAND + 5, 2))
    sizes = []

    def make_scorer():
        return lambda rows: sizes.append(len(rows)) or np.zeros(len(rows))

    _passes.score_rows(make_scorer, heap)
    assert sizes == [_passes.BAND] * 3 + [5]
    sizes.clear()
    _passes.score_rows(make_scorer, heap, np.arange(_passes.BAND + 1))
    assert sizes == [_passes.BAND, 1]


@pytest.mark.parametrize("form", FORMS)
def test_float32_is_close(form):
    X, vectors = some(50, 6), some(17, 6, 1)
    coef = np.linspace(-1, 1, 17)
    model = KernelModel(form(vectors.astype(np.float32)), coef, 0.3, "rbf", 0.5)
    expected = written_out(X, vectors, coef, 0.3, "rbf", 0.5)
    assert_allclose(model.scores(form(X.astype(np.float32))), expected, atol=1e-5)
    far = KernelModel((vectors + 1e4).astype(np.float32), coef, 0.3, "rbf", 0.5)  # where the digits cancel
    rows = (X + 1e4).astype(np.float32)
    expected = written_out(rows.astype(float), far.vectors.astype(float), coef, 0.3, "rbf", 0.5)
    assert_allclose(far.scores(rows), expected, atol=1e-3)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("machine", [NuSVC(nu=0.3), SVC(), OneClassSVM(nu=0.2)], ids=str)
def test_what_libsvm_learned(machine, kernel, form):
    X, new = form(some(60, 5)), form(some(30, 5, 1))
    y = np.where(some(60, 5)[:, 0] + some(60, 1, 2)[:, 0] > 0, 1, -1)
    machine = machine.set_params(kernel=kernel, gamma=0.4).fit(X, y)
    model = model_of_libsvm(machine, kernel, 0.4)
    assert isinstance(model, LinearModel if kernel == "linear" else KernelModel)
    assert_allclose(model.scores(new), machine.decision_function(new), atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_a_linear_model_is_its_sum(form):
    X, coef = some(20, 4), np.array([[1.0, -2.0, 0.0, 0.5]])
    assert_allclose(LinearModel(coef, 3.0).scores(form(X)), X @ coef[0] + 3.0)
    assert LinearModel(coef, 3.0).scores(form(X[:0])).shape == (0,)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (LinearSVC(), lambda e, X: e.decision_function(X)),
        (LogisticRegression(), lambda e, X: e.decision_function(X)),
        (GaussianNB(), lambda e, X: e.predict_proba(X)[:, 1] - 0.5),
        (IsolationForest(n_estimators=20, random_state=0), lambda e, X: e.decision_function(X)),
        (KernelDensity(), lambda e, X: e.score_samples(X)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_somebody_elses_estimator(estimator, expected):
    X = some(40, 3)
    estimator.fit(X, X[:, 0] > 0)
    model = EstimatorModel(estimator)
    assert_allclose(model.scores(X), expected(estimator, X))
    model.threshold = 0.25
    assert_allclose(model.scores(X, np.array([5, 2]), n_jobs=2), expected(estimator, X)[[5, 2]] - 0.25)


@pytest.mark.parametrize("form", FORMS)
def test_models_can_be_pickled(form):
    X, vectors = some(20, 4), form(some(5, 4, 1))
    for model in (KernelModel(vectors, np.ones(5), 0.0, "rbf", 0.5), LinearModel(np.ones(4), 0.0)):
        assert_array_equal(pickle.loads(pickle.dumps(model)).scores(X), model.scores(X))
