"""Positives and unlabeled rows in a Dask array or a memory-mapped file: the result is that in memory."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, IsolationForest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from histories import steps
from lopsided import (
    PEBL,
    SMC,
    SVMC,
    MappingConvergence,
    RocSVM,
    SpyEM,
    estimate_positive_share,
    make_islands,
    make_topics,
)
from lopsided._blocks import as_blocks
from lopsided.pu import _share
from lopsided.text import StemmedVectorizer

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

# Scores of a row differ in the last digits with the rows that a matrix product handles beside it, and sums of
# floats with the blocks they are added up in. All that is counted and chosen is equal.
CLOSE = {"rtol": 1e-6, "atol": 1e-9}


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def chunkings(n):
    return [(n,), (n // 2, 0, n - n // 2), (1, *(50,) * ((n - 1) // 50), (n - 1) % 50)]


def in_blocks(X, chunks):
    dense = da.from_array(X.toarray() if sparse.issparse(X) else X, chunks=(chunks, X.shape[1]))
    return dense.map_blocks(type(X), dtype=X.dtype) if sparse.issparse(X) else dense


def make_numbers(dtype=np.float64):
    X, y, _ = make_islands(60, 500, random_state=0)
    return X.astype(dtype), y


def make_text(weighting="tfidf", norm="l2"):
    texts, topic = make_topics(300, n_topics=6, random_state=0)
    X = StemmedVectorizer(weighting=weighting, norm=norm).fit_transform(texts)
    return X, ((topic == 0) & (np.cumsum(topic == 0) % 2 == 0)).astype(int)


def facts(model):
    """All that was counted and chosen."""
    history = [
        {name: value for name, value in step.items() if not name.startswith("seconds")}
        for step in steps(model)
    ]
    return history, model.strong_negatives_.tolist(), model.negatives_.tolist()


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


DENSE = [
    SVMC(),
    SVMC(max_new=10),
    SVMC(gamma=0.05, max_new=3, max_reject=None),  # wide: rows come back
    SVMC(guarded=False, max_new=None, max_reject=None, watch=0.0),
    SVMC(watch=0.25, n_jobs=2),
    SVMC(gamma="scale"),
    SVMC(solver="lasvm"),
    SVMC(mapper=IsolationForest(n_estimators=10, random_state=0), solver=LogisticRegression()),
    SMC(),
    MappingConvergence(kernel="linear", solver="linear", keep="all"),
    MappingConvergence(mapper="1dnf"),  # rejects nothing: falls back on the farthest rows
]
SPIES = [SpyEM(random_state=0), SpyEM(selection="none", tol=0.0, max_iter=4, random_state=1)]
TEXT = [SVMC(), SVMC(mapper="1dnf", solver="linear"), SMC(kernel="rbf"), RocSVM(), RocSVM(max_iter=1), PEBL()]


@pytest.mark.parametrize("model", DENSE, ids=str)
def test_dense_blocks_give_what_rows_in_memory_give(model):
    compare(model, *make_numbers())


@pytest.mark.parametrize("model", [SVMC(), SMC(), SVMC(solver="lasvm")], ids=str)
def test_blocks_of_float32_give_what_rows_in_memory_give(model):
    compare(model, *make_numbers(np.float32))


@pytest.mark.parametrize("model", TEXT, ids=str)
def test_sparse_blocks_give_what_rows_in_memory_give(model):
    compare(model, *make_text())


@pytest.mark.parametrize("model", [RocSVM(), PEBL()], ids=str)
def test_linear_methods_take_dense_blocks(model):
    X, y = make_text()
    compare(model, X.toarray(), y)


def compare(model, X, y):
    expected = fitted(model, X, y)
    expected_facts, scores = facts(expected), expected.decision_function(X)
    assert 0 < len(expected.negatives_) < len(y)
    for chunks in chunkings(len(y)):
        blocks = in_blocks(X, chunks)
        found = fitted(model, blocks, da.from_array(y, chunks=37) if len(chunks) == 1 else y)
        assert facts(found) == expected_facts
        assert_allclose(found.decision_function(X), scores, **CLOSE)
        lazy = found.decision_function(blocks)
        assert isinstance(lazy, da.Array)
        assert lazy.chunks == (chunks,)
        assert_allclose(lazy.compute(), scores, **CLOSE)
        labels = found.predict(blocks)
        assert labels.dtype == found.classes_.dtype
        assert_array_equal(labels.compute(), found.predict(X))


@pytest.mark.parametrize("model", [SVMC(), SVMC(n_jobs=2), RocSVM(), PEBL(), SMC()], ids=str)
def test_a_mapped_file_gives_what_rows_in_memory_give(model, tmp_path, monkeypatch):
    monkeypatch.setattr("lopsided._blocks._mapped._BYTES", 2000)
    if isinstance(model, (RocSVM, PEBL)):
        X, y = make_text()
        X = X.toarray()
    else:
        X, y = make_numbers()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected = fitted(model, X, y)
    expected_facts, scores = facts(expected), expected.decision_function(X)
    found = fitted(model, mapped, y)
    assert facts(found) == expected_facts
    assert_allclose(found.decision_function(mapped), scores, **CLOSE)


# Bad input


@pytest.mark.parametrize("method", ["fit", "decision_function", "predict"])
def test_unfit_arrays_are_refused_at_once(method):
    X, y = make_numbers()
    model = SVMC() if method == "fit" else SVMC().fit(X, y)
    more = (y,) if method == "fit" else ()
    blocks = in_blocks(X, (60, 500))
    with pytest.raises(ValueError, match="unknown size"):
        getattr(model, method)(blocks[blocks[:, 0] > 0], *more)
    with pytest.raises(ValueError, match="columns split"):
        getattr(model, method)(blocks.rechunk((60, 1)), *more)
    if method != "fit":
        with pytest.raises(ValueError, match="X has 1 features, but SVMC is expecting 2"):
            getattr(model, method)(blocks[:, :1])


@pytest.mark.parametrize(("value", "message"), [(np.nan, "contains NaN"), (1e30, "squares overflow")])
def test_bad_numbers_are_refused(value, message):
    X, y = make_numbers()
    model = SVMC().fit(X, y)
    X[-1, 0] = value
    blocks = in_blocks(X, (500, 60))
    with pytest.raises(ValueError, match=message):
        SVMC().fit(blocks, y)
    with pytest.raises(ValueError, match=message):
        model.decision_function(blocks).compute()


def test_no_rows_other_lengths_and_estimators_of_all_rows_are_refused():
    X, y = make_numbers()
    with pytest.raises(ValueError, match="0 sample"):
        SVMC().fit(da.zeros((0, 2)), y)
    with pytest.raises(ValueError, match="X 560, y 559"):
        SVMC().fit(in_blocks(X, (500, 60)), y[:-1])
    with pytest.raises(ValueError, match="mapper=LogisticRegression is fitted to all rows at once"):
        SVMC(mapper=LogisticRegression()).fit(in_blocks(X, (500, 60)), y)


def check_spy_em(found, expected, X, blocks):
    """What is counted and chosen is equal; sums of floats differ in the last digits."""
    for name, values in expected.history_.items():
        if values.dtype.kind in "iU":
            assert_array_equal(found.history_[name], values)
        elif name != "seconds":
            assert_allclose(found.history_[name], values, rtol=1e-9, atol=1e-12)
    for name in ("spies_", "reliable_negatives_", "selected_iteration_", "n_iter_", "converged_"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    scores = expected.decision_function(X)
    assert_allclose(np.asarray(found.decision_function(blocks)), scores, rtol=1e-9, atol=1e-9)
    assert_array_equal(np.asarray(found.predict(blocks)), expected.predict(X))
    assert expected.n_iter_ > 0
    assert 0 < (scores > 0).sum() < len(scores)


@pytest.mark.parametrize("model", SPIES, ids=str)
@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("chunks", chunkings(300))
def test_spy_em_of_blocks_is_that_of_rows_in_memory(model, dense, chunks):
    X, y = make_text(weighting="counts", norm=None)
    expected = fitted(clone(model), X, y)
    blocks = in_blocks(X.toarray() if dense else X, chunks)
    found = fitted(clone(model), blocks, y)
    assert isinstance(found.decision_function(blocks), da.Array)
    check_spy_em(found, expected, X, blocks)


def test_spy_em_of_a_mapped_file_is_that_of_rows_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("lopsided._blocks._mapped._BYTES", 100_000)
    X, y = make_text(weighting="counts", norm=None)
    np.save(tmp_path / "X.npy", X.toarray())
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected, found = (fitted(SpyEM(random_state=0), rows, y) for rows in (X, mapped))
    check_spy_em(found, expected, X, mapped)


def test_spy_em_refuses_blocks_without_words_or_with_negative_counts():
    X, y = make_text(weighting="counts", norm=None)
    with pytest.raises(ValueError, match="all 300 rows of X are zero"):
        SpyEM().fit(in_blocks(X * 0, (200, 100)), y)
    with pytest.raises(ValueError, match="Negative values in data passed to SpyEM"):
        SpyEM().fit(in_blocks(-X, (200, 100)), y)
    model = SpyEM(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="Negative values in data passed to SpyEM"):
        model.decision_function(in_blocks(-X, (200, 100))).compute()


def share_of(X, y):
    share = estimate_positive_share(X, y, random_state=0)
    return share.value, share.low, share.high, share.n_unlabeled


def test_the_share_of_dense_blocks_is_exactly_that_of_rows_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(_share, "_DRAWS", 50)
    monkeypatch.setattr(_share, "_BLOCK", 70)
    monkeypatch.setattr(_share, "_MAX_TRAIN", 300)
    monkeypatch.setattr(_share, "_trees", lambda seed: ExtraTreesClassifier(10, random_state=seed))
    X, y = make_numbers(np.float32)
    expected = share_of(X, y)
    for chunks in chunkings(len(y)):
        assert share_of(in_blocks(X, chunks), y) == expected
    monkeypatch.setattr("lopsided._blocks._mapped._BYTES", 1000)
    np.save(tmp_path / "X.npy", X)
    assert share_of(np.load(tmp_path / "X.npy", mmap_mode="r"), y) == expected
    assert 0 < expected[0] < 1


def test_the_share_of_sparse_blocks_is_that_of_rows_in_memory(monkeypatch):
    monkeypatch.setattr(_share, "_DRAWS", 50)
    X, y = make_text()
    X = X * 7.0  # not of length 1
    expected = share_of(X, y)
    for chunks in chunkings(len(y)):
        assert_allclose(share_of(in_blocks(X, chunks), y), expected, rtol=1e-6)
    opened = as_blocks(in_blocks(X, chunkings(len(y))[1]), lambda block: None)
    assert_allclose(_share.mean_length(opened), 7.0, rtol=0.05)
    assert_allclose(_share.mean_length(opened), _share.mean_length(X), rtol=1e-12)


def test_the_share_of_bad_blocks_is_refused():
    X, y = make_numbers()
    blocks = in_blocks(X, (500, 60))
    with pytest.raises(ValueError, match="unknown size"):
        estimate_positive_share(blocks[blocks[:, 0] > 0], y)
    X[3, 0] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        estimate_positive_share(in_blocks(X, (500, 60)), y)


def test_blocks_of_rejected_rows_are_not_read_again():
    """Of three blocks, the last holds rows that the mapper rejects, and none that the solver learns from."""
    rng = np.random.default_rng(0)
    X, y = make_numbers()
    X = np.concatenate([X, rng.normal(size=(200, 2)) + 1000.0])
    y = np.append(y, np.zeros(200, dtype=int))
    read = []

    def load(block, block_info=None):
        read.append(block_info[None]["chunk-location"][0])
        return block

    blocks = in_blocks(X, (300, 260, 200)).map_blocks(load, dtype=float, meta=np.empty((0, 0)))
    model = fitted(SVMC(guarded=False, max_new=50), blocks, y)
    assert set(range(560, 760)) <= set(model.strong_negatives_)
    assert model.n_iter_ > 3
    assert read.count(2) == 2  # checked, mapped, and never again
    assert read.count(0) > model.n_iter_


def test_two_processes_give_what_rows_in_memory_give():
    distributed = pytest.importorskip("distributed")
    X, y = make_numbers(np.float32)
    expected = fitted(SVMC(), X, y)
    with (
        dask.config.set({"scheduler": None}),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # distributed and its event loop warn about themselves
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
            ) as cluster,
            distributed.Client(cluster),
        ):
            blocks = in_blocks(X, (200, 200, 160)).persist()
            found = SVMC().fit(blocks, y)
            assert facts(found) == facts(expected)
            scores = found.decision_function(blocks).compute()
    assert_allclose(scores, expected.decision_function(X), rtol=1e-5, atol=1e-6)
