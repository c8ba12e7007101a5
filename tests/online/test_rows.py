"""Rows as a compiled learner reads them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from lopsided.online._rows import MeasuredRows, quick_rows
from sparse_matrices import FLAWS, HARMLESS, broken


def make_csr(dtype=np.float64):
    return sparse.csr_array(np.array([[0, 3, 4], [1, 0, 2]], dtype=dtype))


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


@pytest.mark.parametrize(
    "X", [make_csr(), make_csr(np.float32), np.eye(2), np.eye(2, dtype=np.float32)], ids=type
)
def test_what_can_be_read_as_it_stands(X):
    rows = quick_rows(X)
    assert isinstance(rows, MeasuredRows)
    assert (rows.n_rows, rows.n_columns) == X.shape


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
        sparse.coo_array(np.ones(3)).tocsr(),
        [[1.0]],
        None,
        *(HARMLESS[oddity](make_csr()) for oddity in ("trailing entries", "unsorted indices", "duplicates")),
        *(HARMLESS[oddity](make_csr()) for oddity in ("64-bit indices", "gaps", "unaligned")),
    ],
)
def test_what_must_be_looked_at_more_closely(X):
    assert quick_rows(X) is None


@pytest.mark.parametrize("flaw", FLAWS)
def test_what_is_broken_is_left_for_the_closer_look(flaw):
    assert quick_rows(broken(flaw, make_csr())) is None
