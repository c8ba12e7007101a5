"""What a hostile or unlucky user does: nothing is read out of bounds, a refusal changes nothing."""

import copy
import gc
import pickle
import threading
import weakref

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from threadpoolctl import threadpool_info, threadpool_limits

from lopsided import LASVC, make_lopsided

X, y = make_lopsided(400, 5, 0.1, separation=4.0, random_state=0)


@pytest.mark.parametrize("rows", [X, csr_array(X)], ids=["dense", "csr"])
@pytest.mark.parametrize(
    "bad",
    [
        {"y": np.zeros(30)},
        {"sample_weight": np.zeros(30)},
        {"X": np.full((30, 3), np.nan)},
        {"class_weight": {"no such class": 2.0}},
    ],
    ids=["one class", "no weight", "nan", "unknown class"],
)
def test_a_refused_refit_leaves_the_model_as_it_was(rows, bad):
    model = LASVC(gamma=0.2).fit(rows, y)
    scores = model.decision_function(rows)
    arguments = {"X": X[:30, :3], "y": np.arange(30) % 2, "sample_weight": None} | bad
    model.class_weight = arguments.pop("class_weight", None)
    with pytest.raises(ValueError, match=r"class|weight|NaN"):
        model.fit(**arguments)
    assert model.n_features_in_ == 5
    assert_array_equal(model.decision_function(rows), scores)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("n_columns", -1),
        ("n_columns", 4),
        ("n_columns", 10**6),
        ("kernel", "precomputed"),
        ("degree", 2**31 - 1),
    ],
)
@pytest.mark.parametrize("rows", [X, csr_array(X)], ids=["dense", "csr"])
def test_a_state_with_another_kernel_is_refused(rows, part, value):
    state = LASVC(gamma=0.2).fit(rows, y).__getstate__()
    state["_machines"]["kernel"] = {**state["_machines"]["kernel"], part: value}

    def load_and_use():
        model = LASVC()
        model.__setstate__(state)
        return model.decision_function(rows)

    with pytest.raises(ValueError, match=r"columns|degree|kernel|'shape' elements|lead out"):
        load_and_use()


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_converged_model_keeps_its_offset(seed, C):
    rows, labels = make_lopsided(60, 3, 0.3, random_state=seed)
    model = LASVC(C=C, n_epochs="converge").fit(rows, labels)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert_array_equal(again.intercept_, model.intercept_)
        assert_array_equal(again.decision_function(rows), model.decision_function(rows))


@pytest.mark.parametrize("index", [5, 200_000_000, -1, -200_000_000])
def test_sparse_indices_that_lead_out_of_the_matrix(index):
    rows = csr_array(X)
    rows.indices[7] = index
    with pytest.raises(ValueError, match="not a valid CSR matrix"):
        LASVC().fit(rows, y)


def test_sparse_rows_with_long_indices():
    rows = csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    expected = LASVC(random_state=0).fit(csr_array(X), y).decision_function(X)
    assert_array_equal(LASVC(random_state=0).fit(rows, y).decision_function(rows), expected)


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_any_joblib_backend_does(backend):
    three = np.where(X[:, 0] > 1, 2, y)
    expected = LASVC(random_state=0).fit(X, three).decision_function(X)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert_array_equal(LASVC(random_state=0).fit(X, three).decision_function(X), expected)


def test_partial_fit_after_a_precomputed_kernel():
    model = LASVC(kernel="precomputed").fit(X @ X.T, y)
    model.set_params(kernel="rbf")
    with pytest.raises(ValueError, match="precomputed"):
        model.partial_fit(X @ X.T, y)


@pytest.mark.parametrize("selection", ["active", "exhaustive"])
def test_candidates_that_overflow_are_found_before_anybody_is_asked(selection):
    asked = []

    def oracle(rows):
        asked.extend(rows.tolist())
        return y[rows]

    rows = X.copy()
    rows[::10] *= 1e25
    model = LASVC(kernel="poly", gamma=1.0, selection=selection, pool_size=1, random_state=0)
    with pytest.raises(ValueError, match="not finite"):
        model.fit(rows, oracle)
    assert model.n_labels_ == len(asked)
    assert model.queried_.tolist() == asked


def test_the_rows_are_let_go():
    rows = X.copy()
    alive = weakref.ref(rows)
    model = LASVC(selection="active", random_state=0).fit(rows, y)
    del rows
    gc.collect()
    assert alive() is None
    assert model.n_labels_ == 400


def test_weights_that_leave_one_class_are_an_error_when_asking_too():
    model = LASVC(selection="active", random_state=0)
    with pytest.raises(ValueError, match=r"at least two classes.*of weight above 0"):
        model.fit(X, y, sample_weight=y.astype(float))


def test_a_row_of_no_weight_in_a_stream():
    model = LASVC(gamma=0.2).partial_fit(X[:100], y[:100])
    before = model.decision_function(X)
    model.partial_fit(X[100:101], y[100:101], sample_weight=[0.0])
    assert_array_equal(model.decision_function(X), before)


def test_threads_leave_blas_as_it_was():
    models = [LASVC(random_state=seed).fit(X, y) for seed in range(2)]
    with threadpool_limits(2, user_api="blas"):
        before = {
            info["filepath"]: info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"
        }
        threads = [
            threading.Thread(target=lambda m=m: [m.decision_function(X) for _ in range(200)]) for m in models
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        after = {
            info["filepath"]: info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"
        }
    assert after == before


def test_the_history_is_not_to_be_written_to():
    model = LASVC().fit(X, y)
    for record in (model.queried_, model.history_["dual_gap"]):
        with pytest.raises(ValueError, match="read-only"):
            record[0] = 7
