"""Rows in a Dask array or a memory-mapped file: the result is that in memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from lopsided import LGN, UnexpectedDetector, make_topics
from lopsided.text import StemmedVectorizer

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

SETTINGS = [
    {},
    {"entropy": "printed", "draws": "one"},
    {"entropy": "posterior", "negative_draws": "resample"},
]


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def make_text():
    texts, topic = make_topics(300, n_topics=6, random_state=0)
    X = StemmedVectorizer(weighting="counts", norm=None).fit_transform(texts)
    return X, np.where((topic < 2) & (np.arange(300) % 4 > 0), topic, -1)


def in_blocks(X, chunks):
    dense = da.from_array(X.toarray() if sparse.issparse(X) else X, chunks=(chunks, X.shape[1]))
    return dense.map_blocks(type(X), dtype=X.dtype) if sparse.issparse(X) else dense


def fitted(X, y, settings):
    return LGN(random_state=0, **settings).fit(X, y)


def check_equal(found, expected):
    """Counts are equal; what is drawn differs in the last digits, as sums of floats do."""
    assert_array_equal(found.word_weights_, expected.word_weights_)
    assert expected.artificial_negative_.any()
    assert_allclose(found.artificial_negative_, expected.artificial_negative_, rtol=1e-9, atol=1e-9)
    assert_allclose(found.feature_log_prob_, expected.feature_log_prob_, rtol=1e-9)


@pytest.mark.parametrize("chunks", [(300,), (150, 0, 150), (1, 7, 250, 42)])
@pytest.mark.parametrize("form", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_lgn_of_blocks_is_that_of_rows_in_memory(settings, form, chunks):
    X, y = make_text()
    blocks = in_blocks(X if form is sparse.csr_array else X.toarray(), chunks)
    expected = fitted(X, y, settings)
    found = fitted(blocks, y, settings)
    check_equal(found, expected)
    scores = expected.decision_function(X)
    lazy = found.decision_function(blocks)
    assert isinstance(lazy, da.Array)
    assert_allclose(lazy.compute(), scores, rtol=1e-7, atol=1e-7)
    assert_array_equal(found.predict(blocks).compute(), expected.predict(X))
    assert 0 < (scores > 0).sum() < len(y)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_lgn_of_a_mapped_file_is_that_of_rows_in_memory(settings, tmp_path, monkeypatch):
    monkeypatch.setattr("lopsided._blocks._mapped._BYTES", 100_000)
    X, y = make_text()
    np.save(tmp_path / "X.npy", X.toarray())
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected = fitted(X, y, settings)
    found = fitted(mapped, y, settings)
    check_equal(found, expected)
    assert_allclose(found.decision_function(mapped), expected.decision_function(X), rtol=1e-7, atol=1e-7)


def test_a_row_that_scores_0_is_expected_in_a_block_too():
    X, y = make_text()
    model = fitted(X, y, {})
    empty = np.zeros((3, X.shape[1]))
    assert model.decision_function(empty)[0] > 0
    assert_array_equal(model.predict(da.from_array(empty, chunks=(2, X.shape[1]))).compute(), [1, 1, 1])


def test_negative_counts_and_rows_without_words_are_refused():
    X, y = make_text()
    with pytest.raises(ValueError, match="Negative values in data passed to LGN"):
        fitted(in_blocks(-X, (200, 100)), y, {})
    with pytest.raises(ValueError, match="all 300 rows of X are zero"):
        fitted(in_blocks(X * 0, (200, 100)), y, {})
    with pytest.raises(ValueError, match="Negative values in data passed to LGN"):
        fitted(X, y, {}).decision_function(in_blocks(-X, (200, 100))).compute()


def test_a_detector_refuses_a_dask_array():
    X, y = make_text()
    with pytest.raises(ValueError, match=r"UnexpectedDetector takes rows in memory.*Pass X\.compute\(\)"):
        UnexpectedDetector().fit(in_blocks(X, (200, 100)), y)
