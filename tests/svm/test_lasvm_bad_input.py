"""Bad input: a clear error or a sound answer, and what was learned is kept."""

import json
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from lopsided import load, make_lopsided, make_waveform, save
from soundness import check_sound, model

FORMS = [np.asarray, sparse.csr_array]


@pytest.fixture
def data():
    return make_lopsided(200, 5, 0.2, separation=2.0, random_state=0)


# Parameters and arrays


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0}, r"'C' parameter of LASVC must be a float in the range \(0.0, inf\)"),
        ({"C": -1.0}, "'C' parameter"),
        ({"C": np.nan}, "C"),
        ({"C": np.inf}, "C"),
        ({"kernel": "laplace"}, "'kernel' parameter"),
        ({"gamma": -1.0}, "'gamma' parameter"),
        ({"degree": -1}, "'degree' parameter"),
        ({"tol": 0}, "'tol' parameter"),
        ({"selection": "best"}, "'selection' parameter"),
        ({"pool_size": 0}, "'pool_size' parameter"),
        ({"stopping": "early"}, "'stopping' parameter"),
        ({"max_labels": 0}, "'max_labels' parameter"),
        ({"n_epochs": 0}, "'n_epochs' parameter"),
        ({"n_epochs": "all"}, "'n_epochs' parameter"),
        ({"cache_size": 0}, "'cache_size' parameter"),
        ({"class_weight": "even"}, "class_weight"),
        ({"class_weight": {0: 1, 1: -1}}, "class_weight|weight"),
    ],
)
def test_parameters(data, parameters, words):
    with pytest.raises(ValueError, match=words):
        model(**parameters).fit(*data)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", FORMS)
def test_values_that_are_no_numbers(data, value, form):
    X, y = data
    spoiled = X.copy()
    spoiled[17, 3] = value
    for selection in ("sequential", "active"):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            model(selection=selection).fit(form(spoiled), y)
    streamed = model().partial_fit(form(X), y, classes=[0, 1])
    before = streamed.decision_function(form(X))
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        streamed.partial_fit(form(spoiled), y)
    for refusing in (streamed.decision_function, streamed.predict, streamed.query):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            refusing(form(spoiled))
    assert_array_equal(streamed.decision_function(form(X)), before)  # nothing of the bad chunk was learned
    assert streamed.n_labels_ == len(y)


@pytest.mark.parametrize("form", FORMS)
def test_values_that_float32_cannot_hold(data, form):
    X, y = data
    large = X.copy()
    large[17, 3] = 1e100
    fitted = model(kernel="rbf").fit(form(large), y)
    check_sound(fitted, form(large))
    with pytest.raises(ValueError, match="kernel values are not finite"):
        model(kernel="linear").fit(form(large), y)


@pytest.mark.parametrize("weights", [np.nan, np.inf, -1.0])
def test_weights_that_are_no_weights(data, weights):
    X, y = data
    sample_weight = np.ones(len(y))
    sample_weight[5] = weights
    with pytest.raises(ValueError, match="sample_weight"):
        model().fit(X, y, sample_weight=sample_weight)
    with pytest.raises(ValueError, match=r"sample_weight|equal length|inconsistent"):
        model().fit(X, y, sample_weight=np.ones(len(y) - 1))


def test_no_weight_left_in_a_class(data):
    X, y = data
    with pytest.raises(ValueError, match="weight"):
        model().fit(X, y, sample_weight=(y == 0).astype(float))
    with pytest.raises(ValueError, match="weight"):
        model().fit(X, y, sample_weight=np.zeros(len(y)))


def test_other_shapes(data):
    X, y = data
    with pytest.raises(ValueError, match="inconsistent"):
        model().fit(X, y[:-1])
    fitted = model().fit(X, y)
    for call in (fitted.decision_function, fitted.query):
        with pytest.raises(ValueError, match="X has 4 features, but LASVC is expecting 5 features"):
            call(X[:, :4])
    with pytest.raises(ValueError, match="X has 4 features, but LASVC is expecting 5 features"):
        fitted.partial_fit(X[:, :4], y)
    with pytest.raises(ValueError, match="0 sample"):
        model().fit(X[:0], y[:0])


def test_not_yet_fitted(data):
    for call in (lambda m: m.predict(data[0]), lambda m: m.decision_function(data[0]), lambda m: m.finish()):
        with pytest.raises(NotFittedError):
            call(model())


def test_more_asked_for_than_there_is(data):
    X, y = data
    fitted = model(selection="active", max_labels=30).fit(X, y)
    for n in (0, -1, len(y) + 1):
        with pytest.raises(ValueError, match="n"):
            fitted.query(X, n=n)


def test_an_oracle_needs_a_selection(data):
    X, y = data
    for selection in ("sequential", "random"):
        with pytest.raises((ValueError, TypeError), match="active"):
            model(selection=selection).fit(X, lambda rows: y[rows])


# Classes


@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
def test_one_class_only(data, selection):
    X, _ = data
    with pytest.raises(ValueError, match="class"):
        model(selection=selection).fit(X, np.ones(len(X), dtype=int))


def test_an_oracle_that_knows_one_class_only(data):
    X, _ = data
    learner = model(selection="active", max_labels=30)
    with pytest.warns(UserWarning, match="all 30 labels read were of one class.*first="):
        learner.fit(X, lambda rows: np.ones(len(rows), dtype=int))
    assert learner.n_labels_ == 30 == len(set(learner.queried_))
    assert learner.classes_.tolist() == [1]
    assert_array_equal(learner.predict(X), np.ones(len(X)))
    assert learner.stop_reason_ == "max_labels"
    assert not learner.converged_


@pytest.mark.parametrize("label", [0, 1])
def test_labels_read_of_one_class_of_two(data, label):
    X, y = data
    others = np.flatnonzero(y != label)
    X, y = np.vstack([X[y == label], X[others[:1]]]), np.append(y[y == label], 1 - label)
    learner = model(selection="active", max_labels=3, random_state=0)
    with pytest.warns(UserWarning, match="of one class"):
        learner.fit(X, y, first=[0, 1, 2])
    assert learner.classes_.tolist() == [0, 1]
    assert_array_equal(learner.predict(X), np.full(len(X), label))
    found = learner.fit(X, y, first=[*learner.queried_[:2], len(X) - 1])  # as the warning says
    assert set(found.predict(X)) == {0, 1}


def test_a_model_of_one_class_is_kept_in_a_file(data, tmp_path):
    X, _ = data
    with pytest.warns(UserWarning, match="of one class"):
        learner = model(selection="active", max_labels=5, probability=True).fit(X, lambda rows: ["a"])
    save(learner, tmp_path / "model")
    again = load(tmp_path / "model")
    assert set(again.predict(X)) == {"a"}
    assert_array_equal(again.predict_proba(X), np.ones((len(X), 1)))
    assert_array_equal(again.queried_, learner.queried_)


def test_a_stream_of_one_class_is_on_neither_side(data):
    X, y = data
    streamed = model().partial_fit(X[y == 0], y[y == 0], classes=[0, 1])
    assert_array_equal(streamed.decision_function(X), np.zeros(len(X)))
    assert_array_equal(streamed.predict(X), np.zeros(len(X)))
    assert_array_equal(streamed.finish().decision_function(X), np.zeros(len(X)))
    streamed.partial_fit(X, y).finish()
    check_sound(streamed, X)
    assert np.mean(streamed.predict(X) == y) > 0.9


def test_a_label_that_was_not_announced(data):
    X, y = data
    streamed = model().partial_fit(X, y, classes=[0, 1])
    before = streamed.decision_function(X)
    with pytest.raises(ValueError, match="2"):
        streamed.partial_fit(X[:3], [0, 1, 2])
    assert_array_equal(streamed.decision_function(X), before)
    with pytest.raises(ValueError, match="class"):
        model().partial_fit(X[y == 0], y[y == 0])


@pytest.mark.parametrize("streamed", [False, True])
def test_a_label_that_appears_after_a_million_of_the_other(streamed):
    n = 1_000_000
    X = np.random.default_rng(0).standard_normal((n + 10, 2)).astype(np.float32)
    X[n:] += 6
    y = np.repeat([0, 1], [n, 10])
    fitted = model(C=10, gamma=0.02)
    if streamed:
        for start in range(0, len(y), 250_000):
            fitted.partial_fit(X[start : start + 250_000], y[start : start + 250_000], classes=[0, 1])
        fitted.finish()
    else:
        fitted.fit(X, y)
    assert fitted.n_labels_ == n + 10
    check_sound(fitted, X[-20:], C=10)
    assert (fitted.predict(X[n:]) == 1).all()
    assert np.mean(fitted.predict(X[:10_000]) == 0) > 0.99


# Geometry


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_duplicates_with_opposite_labels(form, kernel):
    X = np.ones((20, 3))
    y = np.arange(20) % 2
    check_sound(model(kernel=kernel).fit(form(X), y), form(X))
    fitted = model(kernel=kernel, n_epochs="converge").fit(form(X), y)
    check_sound(fitted, form(X))
    assert fitted.dual_objective_ == pytest.approx(20)  # all alphas at their bounds: sum |alpha|
    assert fitted.dual_gap_ <= 1e-3 / 2 * 20
    assert_allclose(
        np.abs(fitted.decision_function(form(X))), 0, atol=1 + 1e-3
    )  # any f between the sides is best


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_some_duplicates_with_opposite_labels(data, form, kernel):
    X, y = data
    X, y = np.vstack([X, X[:50]]), np.r_[y, 1 - y[:50]]
    fitted = model(kernel=kernel, n_epochs="converge").fit(form(X), y)
    check_sound(fitted, form(X))
    assert fitted.dual_gap_ <= 1e-3 / 2 * len(y)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [0.0, 1.0, 7.5])
@pytest.mark.parametrize("gamma", ["scale", 0.2])
def test_constant_features(form, value, gamma):
    X, y = np.full((40, 3), value), np.r_[np.zeros(30, int), np.ones(10, int)]
    fitted = model(gamma=gamma, n_epochs="converge").fit(form(X), y)
    check_sound(fitted, form(X))
    # the positives at their bound, the negatives share the same sum, are free and decide: f = -1
    assert fitted.dual_objective_ == pytest.approx(20, rel=1e-3)
    assert_allclose(fitted.decision_function(form(X)), -1, atol=1e-2)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("selection", ["sequential", "active"])
def test_rows_of_zeros_in_a_sparse_matrix(data, kernel, selection):
    X, y = data
    X = X.copy()
    X[::3] = 0
    empty = sparse.csr_array(X)
    assert (np.diff(empty.indptr)[::3] == 0).all()
    fitted = model(kernel=kernel, selection=selection).fit(empty, y)
    check_sound(fitted, empty)
    dense = model(kernel=kernel, selection=selection).fit(X, y)
    assert fitted.dual_objective_ == pytest.approx(dense.dual_objective_, rel=1e-3)
    check_sound(model(gamma=1.0).fit(sparse.csr_array((40, 9)), y[:40]), sparse.csr_array((3, 9)))


def test_gamma_that_makes_every_row_its_own_world(data):
    X, y = data
    fitted = model(gamma=1e6, C=100, n_epochs="converge", tol=1e-6).fit(X, y)
    check_sound(fitted, X, C=100)
    b = np.mean(np.where(y == 1, 1, -1))
    assert_allclose(fitted.decision_function(X), np.where(y == 1, 1, -1), atol=1e-4)
    assert_allclose(fitted.decision_function(X + 1), b, atol=1e-4)


def test_gamma_that_makes_all_rows_alike(data):
    X, y = data
    fitted = model(gamma=1e-30, n_epochs="converge").fit(X, y)
    check_sound(fitted, X)
    assert_allclose(fitted.decision_function(X), -1, atol=1e-2)  # the more frequent class, everywhere
    assert fitted.dual_objective_ == pytest.approx(2 * np.sum(y == 1), rel=1e-3)


@pytest.mark.parametrize("C", [1e6, 1e12])
def test_huge_cost(C):
    X, y = make_lopsided(200, 5, 0.2, separation=12.0, random_state=0)
    fitted = model(C=C, gamma=0.01, n_epochs="converge").fit(X, y)
    check_sound(fitted, X, C)
    assert_array_equal(fitted.predict(X), y)
    moderate = model(C=1e5, gamma=0.01, n_epochs="converge").fit(X, y)  # separable: the bound is not reached
    assert_allclose(fitted.decision_function(X), moderate.decision_function(X), atol=1e-2)


def test_huge_cost_where_classes_overlap(data):
    X, y = data
    fitted = model(C=1e12, gamma=1.0).fit(X, y)
    check_sound(fitted, X, 1e12)
    assert np.mean(fitted.predict(X) == y) > 0.9


@pytest.mark.parametrize("C", [1e-9, 1e-15])
def test_tiny_cost(data, C):
    X, y = data
    fitted = model(C=C, n_epochs="converge").fit(X, y)
    check_sound(fitted, X, C)
    assert abs(fitted.dual_coef_.sum()) <= 1e-9 * C
    assert fitted.dual_objective_ == pytest.approx(2 * C * np.sum(y == 1), rel=1e-3)


# Kernels


def test_precomputed_that_is_no_kernel(data):
    X, y = data
    K = rbf_kernel(X, gamma=0.2)
    crooked = K.copy()
    crooked[3, 70] += 0.1
    with pytest.raises(ValueError, match="symmetric"):
        model(kernel="precomputed").fit(crooked, y)
    with pytest.raises(ValueError, match="square"):
        model(kernel="precomputed").fit(K[:, :-1], y)
    nearly = K * (1 + 1e-12 * np.random.default_rng(0).standard_normal(K.shape))  # rounding is no crookedness
    check_sound(model(kernel="precomputed").fit(nearly, y), nearly)
    fitted = model(kernel="precomputed").fit(K, y)
    with pytest.raises(ValueError, match="features"):
        fitted.decision_function(K[:, :-1])


def test_precomputed_that_is_not_positive(data):
    X, y = data
    K = -rbf_kernel(X, gamma=0.2)
    check_sound(model(kernel="precomputed").fit(K, y), K)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda A, B: np.ones((len(A), len(B) + 1)), "shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "finite"),
        (lambda A, B: None, "kernel"),
        (lambda A, B: "much", "kernel"),
    ],
)
def test_a_callable_kernel_that_answers_nonsense(data, answer, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model(kernel=answer).fit(*data)


# Memory and determinism


MEASURE = """
import json, resource, sys
import numpy as np
from lopsided import LASVC
cache_size = float(sys.argv[1])
generator = np.random.default_rng(0)
X = generator.standard_normal((6_000, 10)).astype(np.float32)
y = generator.integers(0, 2, len(X))  # nearly all become support vectors: the whole kernel is 137 MiB
model = LASVC(C=1, gamma=0.1, selection="sequential", cache_size=cache_size)
model.fit(X[:200], y[:200]).decision_function(X[:200])  # what is loaded once is not counted
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.fit(X, y)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([int(model.n_support_.sum()), (after - before) / 1024]))
"""


@pytest.mark.parametrize("cache_size", [8, 32])
def test_the_cache_keeps_to_its_budget(cache_size):
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(cache_size)], capture_output=True, text=True, check=True
    )
    n_support, mebibytes = json.loads(run.stdout)
    assert n_support > 4_000
    assert mebibytes < cache_size + 16  # beside the cache some arrays as long as the data, and the vectors


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("selection", ["sequential", "random", "active", "exhaustive"])
def test_a_tiny_cache_gives_the_same_model(form, selection):
    X, y = make_lopsided(1200, 5, 0.3, separation=1.0, random_state=0)
    large, tiny = (model(selection=selection, cache_size=size).fit(form(X), y) for size in (256, 0.05))
    assert len(large.support_) > 500  # their kernel is a megabyte and more
    assert_array_equal(tiny.queried_, large.queried_)
    assert tiny.dual_objective_ == pytest.approx(large.dual_objective_, rel=1e-5)
    assert_allclose(tiny.decision_function(form(X)), large.decision_function(form(X)), atol=1e-2)


def test_a_tiny_cache_and_many_classes():
    X, y = make_waveform(900, random_state=0)
    for n_jobs in (1, 2):
        large, tiny = (model(gamma=0.02, cache_size=size, n_jobs=n_jobs).fit(X, y) for size in (256, 0.05))
        assert_allclose(tiny.decision_function(X), large.decision_function(X), atol=1e-2)
