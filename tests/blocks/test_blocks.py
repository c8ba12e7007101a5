"""Rows in blocks, of a Dask array or a memory-mapped file, are the rows in memory."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from lopsided._blocks import (
    MappedBlocks,
    _mapped,
    _passes,
    as_blocks,
    column_moments,
    is_dask,
    is_sparse,
    map_blocks,
    score_rows,
    sum_rows,
)
from lopsided._preparation import chosen_gamma

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

N, D = 53, 4
CHUNKS = [(53,), (20, 20, 13), (0, 1, 50, 0, 2, 0)]
FORMS = [np.asarray, sparse.csr_array, sparse.csr_matrix]


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def make_matrix(seed=0, dtype=np.float64):
    X = np.random.default_rng(seed).normal(size=(N, D)).astype(dtype)
    X[X < 0.3] = 0
    return X


def in_blocks(X, chunks, form=np.asarray):
    """A Dask array with such blocks."""
    X = da.from_array(X, chunks=(chunks, X.shape[1]))
    return X if form is np.asarray else X.map_blocks(form, dtype=X.dtype)


def opened(X):
    return as_blocks(X, lambda block: None)


@pytest.fixture(params=["dask", "mapped"])
def blocks(request, tmp_path, monkeypatch):
    if request.param == "dask":
        return opened(in_blocks(make_matrix(), CHUNKS[1]))
    monkeypatch.setattr(_mapped, "_BYTES", 7 * D * 8)
    return opened(mapped(make_matrix(), tmp_path))


def mapped(X, folder, mode="r"):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode=mode)


def name_rows(block, chosen, *sides):
    return (block.shape[0], None if chosen is None else chosen.tolist(), *(side.tolist() for side in sides))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chunks", CHUNKS)
def test_rows_are_taken_in_the_order_given(chunks, form, dtype):
    X = make_matrix(dtype=dtype)
    blocks = opened(in_blocks(X, chunks, form))
    assert blocks.shape == X.shape
    assert is_sparse(blocks) == (form is not np.asarray)
    for rows in ([5, 52, 0, 5], [51, 20, 19, 5], [], [0], list(range(N))):
        taken = blocks[np.array(rows, dtype=np.intp)]
        assert sparse.issparse(taken) == blocks.is_sparse
        assert taken.dtype == (np.float32 if dtype == np.float32 else np.float64)
        assert_array_equal(taken.toarray() if blocks.is_sparse else taken, X[np.array(rows, dtype=np.intp)])
    mask = np.arange(N) % 5 == 3
    taken = blocks[mask]
    assert_array_equal(taken.toarray() if blocks.is_sparse else taken, X[mask])


def test_rows_that_were_taken_last_are_not_read_again(blocks, monkeypatch):
    read, original = [], blocks.map
    monkeypatch.setattr(
        blocks, "map", lambda f, *s, rows=None, **o: read.append(rows) or original(f, rows=rows)
    )
    X = make_matrix()
    for rows in ([3, 40, 9], [9, 3], [40, 50, 3], [9]):
        assert_array_equal(blocks[np.array(rows)], X[rows])
    assert [rows.tolist() for rows in read] == [[3, 9, 40], [50], [9]]


def test_a_pass_skips_blocks_without_rows_to_look_at():
    blocks = opened(in_blocks(make_matrix(), CHUNKS[1]))
    side, signs = np.arange(N), np.arange(N) % 2 == 0
    assert [each[0] for each in blocks.map(name_rows)] == [20, 20, 13]
    assert blocks.map(name_rows, side, signs, rows=np.array([1, 2, 41])) == [
        (20, [1, 2], [1, 2], [False, True]),
        (13, [1], [41], [False]),
    ]
    many = np.arange(1, 40)  # most of the first block, all of the second
    (first, second) = blocks.map(name_rows, side, rows=many)
    assert first == (20, list(range(1, 20)), list(range(1, 20)))
    assert second == (20, None, list(range(20, 40)))
    assert blocks.map(name_rows, rows=np.empty(0, dtype=np.intp)) == []


def test_blocks_that_are_not_looked_at_are_not_computed():
    computed = []

    def load(block, block_info=None):
        computed.append(block_info[None]["chunk-location"][0])
        return block

    X = in_blocks(make_matrix(), CHUNKS[1]).map_blocks(load, dtype=float, meta=np.empty((0, 0)))
    blocks = opened(X)
    computed.clear()
    blocks.map(name_rows, rows=np.array([0, 52]))
    assert sorted(computed) == [0, 2]


@pytest.mark.parametrize("rows", [None, np.arange(0, N, 3), np.array([50, 3, 3, 27])], ids=str)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_scores_and_sums_are_those_in_memory(blocks, rows, n_jobs, monkeypatch):
    X, w = make_matrix(), np.arange(1.0, D + 1)
    monkeypatch.setattr(_passes, "BAND", 6)
    scores = score_rows(partial(partial, _product, w), blocks, rows, n_jobs)
    assert_array_equal(scores, score_rows(partial(partial, _product, w), X, rows))
    assert_allclose(scores, (X @ w)[slice(None) if rows is None else rows])
    wanted = np.arange(N) % 3 == 0
    assert_array_equal(sum_rows(_count, blocks, wanted), np.count_nonzero(X[wanted], axis=0))
    assert_array_equal(sum_rows(_count, X, wanted), np.count_nonzero(X[wanted], axis=0))
    assert map_blocks(name_rows, X, rows=np.array([3])) == [(N, [3])]


def _product(w, band):
    return (band * w).sum(axis=1)  # and no BLAS, whose last digits depend on the number of rows


def _count(band, wanted):
    return np.count_nonzero(band[wanted], axis=0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chunks", CHUNKS)
def test_moments_are_those_of_all_rows(chunks, form):
    X = make_matrix() + (1000.0 if form is np.asarray else 0.0)  # far from 0, where squares would cancel
    mean, variance = column_moments(opened(in_blocks(X, chunks, form)))
    assert_allclose(mean, X.mean(axis=0))
    assert_allclose(variance, X.var(axis=0), rtol=1e-9)
    assert_allclose(
        chosen_gamma("scale", "rbf", opened(in_blocks(X, chunks, form))), chosen_gamma("scale", "rbf", X)
    )


# Memory-mapped arrays


@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_mapped_array_is_read_in_bands_and_keeps_changes(mode, tmp_path, monkeypatch):
    monkeypatch.setattr(_mapped, "_BYTES", 7 * D * 8)
    X = mapped(make_matrix(), tmp_path, mode)
    expected = make_matrix()
    if mode != "r":
        X[3] = expected[3] = 9.0  # not yet in the file; with "c" it never is
    blocks = opened(X)
    assert isinstance(blocks, MappedBlocks)
    assert [each[0] for each in blocks.map(name_rows)] == [7] * 7 + [4]
    assert_array_equal(blocks[np.arange(N)], expected)
    assert_array_equal(X, expected)


def test_a_slice_of_a_mapped_array_is_mapped(tmp_path):
    X = mapped(make_matrix(), tmp_path)
    assert_array_equal(opened(X[5:9, ::2])[np.arange(4)], make_matrix()[5:9, ::2])


def test_what_is_in_memory_is_left_alone():
    for X in (make_matrix(), sparse.csr_array(make_matrix()), [[1.0]]):
        assert opened(X) is None
        assert not is_dask(X)


# Bad input


def test_columns_in_chunks_are_refused():
    with pytest.raises(ValueError, match=r"columns split into 2 chunks.*rechunk\(\{1: -1\}\)"):
        opened(da.from_array(make_matrix(), chunks=(20, 2)))


def test_unknown_chunks_are_refused():
    X = in_blocks(make_matrix(), CHUNKS[1])
    with pytest.raises(ValueError, match=r"unknown size.*compute_chunk_sizes\(\)"):
        opened(X[X[:, 0] > 0])
    assert opened(X[X[:, 0] > 0].compute_chunk_sizes()).shape[0] == (make_matrix()[:, 0] > 0).sum()


def test_mixed_blocks_are_refused():
    X = in_blocks(make_matrix(), CHUNKS[1])
    X = X.map_blocks(lambda block: block if len(block) == 13 else sparse.csr_array(block), dtype=float)
    with pytest.raises(ValueError, match=r"mixes sparse and dense blocks: 2 of 3 are sparse"):
        opened(X)


def test_wrong_chunks_are_refused():
    X = in_blocks(make_matrix(), CHUNKS[1]).map_blocks(
        lambda block: block[:12] if len(block) == 13 else block, dtype=float
    )
    with pytest.raises(ValueError, match=r"a block of X has shape \(12, 4\); its chunks say \(13, 4\)"):
        opened(X)


def test_a_vector_and_a_data_frame_are_refused():
    with pytest.raises(ValueError, match="of 1 dimensions"):
        opened(da.zeros(5))
    frame = pytest.importorskip("dask.dataframe").from_dict({"a": [1.0, 2.0]}, npartitions=1)
    with pytest.raises(ValueError, match=r"to_dask_array\(lengths=True\)"):
        opened(frame)


def test_a_broken_block_is_refused():
    def broken(block):
        rows = sparse.csr_array(block)
        rows.indices[0] = 99
        return rows

    with pytest.raises(ValueError, match="a block of X is not a valid CSR matrix"):
        opened(in_blocks(make_matrix(), CHUNKS[1]).map_blocks(broken, dtype=float))
