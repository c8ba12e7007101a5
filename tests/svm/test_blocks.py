"""A fitted LASVC scores a Dask array block by block."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from lopsided import LASVC

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

CHUNKS = [(90,), (45, 0, 45), (1, 70, 19)]


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def make_rows(n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(90) % n_classes
    X = rng.normal(size=(90, 3)) + 2.0 * np.eye(3)[y]
    X[X < 0] = 0
    return X, np.array(["a", "b", "c"])[y]


def in_blocks(X, chunks, form):
    blocks = da.from_array(X, chunks=(chunks, X.shape[1]))
    return blocks if form is np.asarray else blocks.map_blocks(form, dtype=X.dtype)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_blocks_are_those_of_rows_in_memory(n_classes, chunks, form):
    X, y = make_rows(n_classes)
    model = LASVC(probability=True, random_state=0).fit(form(X), y)
    blocks = in_blocks(X, chunks, form)
    for method in ("decision_function", "predict_proba"):
        expected, lazy = getattr(model, method)(form(X)), getattr(model, method)(blocks)
        assert isinstance(lazy, da.Array)
        assert lazy.shape == expected.shape
        assert lazy.chunks[0] == chunks
        assert_allclose(lazy.compute(), expected, rtol=1e-9, atol=1e-12)
    labels = model.predict(blocks)
    assert (labels.shape, labels.dtype) == ((90,), model.classes_.dtype)
    assert_array_equal(labels.compute(), model.predict(form(X)))


def test_what_is_sent_to_workers_can_be_sent():
    X, y = make_rows(3)
    model = LASVC(random_state=0).fit(X, y)
    lazy = pickle.loads(pickle.dumps(model.predict(in_blocks(X, CHUNKS[1], np.asarray))))
    assert_array_equal(lazy.compute(), model.predict(X))


def test_unfit_blocks_are_refused():
    X, y = make_rows(2)
    model = LASVC(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but LASVC is expecting 3"):
        model.decision_function(in_blocks(X[:, :2], CHUNKS[0], np.asarray))
    blocks = in_blocks(X, CHUNKS[1], np.asarray)
    with pytest.raises(ValueError, match="unknown size"):
        model.predict(blocks[blocks[:, 0] > 0])
    X[4, 1] = np.inf
    lazy = model.predict(in_blocks(X, CHUNKS[1], np.asarray))
    with pytest.raises(ValueError, match="infinity"):
        lazy.compute()
