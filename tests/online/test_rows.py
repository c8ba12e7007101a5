"""Rows as a compiled learner reads them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lopsided.online._rows import MeasuredRows, can_be_read, made_readable


def make_csr(dtype=np.float64):
    return sparse.csr_array(np.array([[0, 3, 4], [1, 0, 0]], dtype=dtype))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_lengths(form):
    rows = MeasuredRows(form(np.array([[3.0, 4.0], [0.0, 0.0], [1e200, 0.0]])))
    assert_array_equal(rows.squared_lengths, [25, 0, np.inf])
    assert (rows.longest(0, 2), rows.longest(1, 1), rows.longest(0, 3)) == (5, 0, np.inf)
    assert rows.are_numbers  # huge ones


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_what_is_no_number_is_noticed(form, value, dtype):
    X = np.ones((3, 4), dtype=dtype)
    assert MeasuredRows(form(X)).are_numbers
    X[1, 2] = value
    assert not MeasuredRows(form(X)).are_numbers
    assert not MeasuredRows(form(X[1:2])).are_numbers


def gaps(part):
    """An attribute of a matrix, every other number of an array."""
    X = make_csr()
    setattr(X, part, np.repeat(getattr(X, part), 2)[::2])
    return X


def unpruned():
    X = make_csr()
    X.data, X.indices = np.append(X.data, 9.0), np.append(X.indices, np.int32(2))
    return X


FLAWED = {
    "strided data": gaps("data"),
    "strided indices": gaps("indices"),
    "strided starts": gaps("indptr"),
    "unpruned": unpruned(),
}


@pytest.mark.parametrize(
    "X", [make_csr(), make_csr(np.float32), np.eye(2), np.eye(2, dtype=np.float32)], ids=type
)
def test_what_can_be_read_is_let_be(X):
    assert can_be_read(X)
    assert made_readable(X) is X


@pytest.mark.parametrize("name", FLAWED)
def test_flaws_of_sparse_matrices_are_mended_in_a_copy(name):
    X = FLAWED[name]
    with pytest.raises(ValueError, match=r"contiguous|lead out"):
        MeasuredRows(X)
    mended = made_readable(X)
    assert mended is not X
    assert_array_equal(MeasuredRows(mended).squared_lengths, [25, 1])
    assert_array_equal(mended.toarray(), make_csr().toarray())
    with pytest.raises(ValueError, match=r"contiguous|lead out"):
        MeasuredRows(X)


@pytest.mark.parametrize(
    "X",
    [
        np.eye(2)[:, ::-1],
        np.eye(2).astype(">f8"),
        np.eye(2, dtype=int),
        np.ones(2),
        np.empty((0, 2)),
        make_csr().tocoo(),
        make_csr().tocsc(),
        [[1.0]],
        None,
    ],
)
def test_what_must_be_converted_first(X):
    assert not can_be_read(X)
