"""The structural check of sparse input, and every public door that makes it."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

import lopsided
import sparse_doors
from lopsided import _sparse
from lopsided._kernels.rows import OUTSIDE, SOUND, UNORDERED, csr_flaw
from lopsided._sparse import checked_sparse
from sparse_doors import TAKE_TEXTS
from sparse_matrices import FLAWED_FORMATS, FLAWS, HARMLESS, broken, make_labels, make_rows

SOURCE = Path(lopsided.__file__).parent
REFUSED = re.compile(
    r"(X|y) is not a valid (BSR|COO|CSC|CSR|DIA|DOK|LIL) matrix: [^\n]+\. "
    r"Build it again from values, rows and columns\."
)


# the check itself


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix])
def test_a_canonical_matrix_is_returned_itself(form):
    X = form(make_rows())
    assert checked_sparse(X) is X


@pytest.mark.parametrize("X", [np.eye(3), [[1.0]], None, "text"])
def test_what_is_not_sparse_is_returned_itself(X):
    assert checked_sparse(X) is X


@pytest.mark.parametrize("oddity", HARMLESS)
def test_a_legitimate_matrix_becomes_canonical(oddity):
    rows = make_rows()
    X = HARMLESS[oddity](rows)
    found = checked_sparse(X)
    assert found.format == ("csc" if oddity == "csc" else "csr")
    assert isinstance(found, sparse.sparray) == (oddity != "matrix")
    assert found.indices.dtype == found.indptr.dtype == np.int32
    assert len(found.indices) == len(found.data) == found.indptr[-1] == rows.nnz
    assert csr_flaw(found.indptr, found.indices, min(found.shape) if found.format == "csr" else 40) == SOUND
    assert all(part.flags.c_contiguous and part.flags.aligned for part in (found.data, found.indices))
    assert_array_equal(found.toarray(), rows.toarray())


@pytest.mark.parametrize("oddity", ["trailing entries", "unsorted indices", "duplicates", "64-bit indices"])
def test_the_users_matrix_stays_as_it_is(oddity):
    X = HARMLESS[oddity](make_rows())
    parts = X.data, X.indices, X.indptr
    before = [part.copy() for part in parts]
    for part in parts:
        part.flags.writeable = False
    checked_sparse(X)
    assert all(now is part for now, part in zip((X.data, X.indices, X.indptr), parts, strict=True))
    for now, then in zip(parts, before, strict=True):
        assert_array_equal(now, then)


def test_small_integers_that_stand_twice_are_added_as_numbers():
    X = sparse.csr_array((np.array([100, 100], np.int8), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    assert checked_sparse(X).toarray().tolist() == [[200.0, 0.0]]


def test_diagonals_outside_the_matrix_have_no_entry():
    X = sparse.dia_array((np.ones((3, 4)), [0, 1, -9]), shape=(4, 4))
    X.offsets = np.array([0, 2**32 + 1, -9])
    assert_array_equal(checked_sparse(X).toarray(), np.eye(4))


def test_indices_too_many_for_32_bits_stay_as_they_are(monkeypatch):
    X = HARMLESS["64-bit indices"](make_rows())
    monkeypatch.setattr(_sparse, "_LARGEST", 39)
    assert checked_sparse(X) is X


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("format", ["csr", "csc", "bsr", "coo", "dia", "dok", "lil"])
def test_an_empty_matrix_is_sound(format, shape):
    X = sparse.csr_array(shape).asformat(format) if format != "bsr" else sparse.bsr_array(shape)
    assert checked_sparse(X).shape == shape


@pytest.mark.parametrize("flaw", [*FLAWS, *FLAWED_FORMATS])
def test_a_broken_matrix_is_refused(flaw):
    with pytest.raises(ValueError, match=REFUSED) as caught:
        checked_sparse(broken(flaw, make_rows()))
    assert REFUSED.fullmatch(str(caught.value))


@pytest.mark.parametrize(
    ("flaw", "message"),
    [
        ("indptr decreasing", r"indptr falls from \d+ to 0 at row 1"),
        ("indptr too large at the end", r"indptr ends at 1000000, but there are \d+ entries"),
        ("indptr begins above 0", "indptr begins with 1, not with 0"),
        ("indptr too short", "indptr has 40 entries; expected 41"),
        ("column n_columns", "row 39 has an entry in column 12, outside 0 to 11"),
        ("column 2**32 + 4", "row 0 has an entry in column 4294967300, outside 0 to 11"),
        ("data shorter than indices", r"it has (\d+) indices for \d+ values"),
        ("data of objects", "data must be a 1-D array of numbers; got 1-D of object"),
        ("indices a list", "indices must be a 1-D array of integers; got a list"),
        ("CSC: column negative", "column 0 has an entry in row -1, outside 0 to 39"),
        ("COO: row negative", "it has an entry in row -3, outside 0 to 39"),
    ],
)
def test_the_message_says_what_is_wrong(flaw, message):
    with pytest.raises(ValueError, match=f"^labels is not a valid ... matrix: {message}. Build"):
        checked_sparse(broken(flaw, make_rows()), "labels")


def test_rows_in_one_dimension_are_refused():
    with pytest.raises(ValueError, match="X is not a valid COO matrix: it has 1 dimensions"):
        checked_sparse(sparse.coo_array(np.ones(3)))


def slow_flaw(starts, columns, n_columns):
    """`csr_flaw` in plain Python."""
    starts, columns = starts.tolist(), columns.tolist()
    if starts != sorted(starts) or starts[0] != 0 or starts[-1] != len(columns):
        return OUTSIDE
    if not all(0 <= column < n_columns for column in columns):
        return OUTSIDE
    rows = [columns[i:j] for i, j in pairwise(starts)]
    return SOUND if all(row == sorted(set(row)) for row in rows) else UNORDERED


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@given(
    starts=st.lists(st.integers(-1, 7), min_size=1, max_size=5),
    columns=st.lists(st.integers(-1, 5), max_size=6),
    tidy=st.booleans(),
)
def test_the_compiled_check_agrees_with_a_slow_one(dtype, starts, columns, tidy):
    if tidy:  # most lists lead out at once
        starts = sorted([0, *(abs(start) % (len(columns) + 1) for start in starts[1:]), len(columns)])
        columns = [abs(column) % 5 for column in columns]
    arrays = np.array(starts, dtype), np.array(columns, dtype)
    assert csr_flaw(*arrays, 5) == slow_flaw(*arrays, 5)


def test_64_bit_indices_are_not_cut_to_32():
    starts = np.array([0, 1])
    assert csr_flaw(starts, np.array([2**32]), 5) == OUTSIDE
    assert csr_flaw(np.array([0, 2**32 + 1]), np.array([0]), 5) == OUTSIDE
    assert csr_flaw(starts, np.array([2**32]), 2**33) == SOUND


# every door


def test_nobody_else_calls_the_checks_of_scikit_learn():
    """They convert sparse matrices, so that a door that calls them itself would forget ours."""
    theirs = {"validate_data", "_validate_data", "check_array", "check_X_y", "check_pairwise_arrays"}
    callers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if getattr(node, "attr", getattr(node, "id", None)) in theirs
        or (isinstance(node, ast.alias) and node.name in theirs)
    }
    assert callers == {"_preparation.py"}


@pytest.mark.filterwarnings("ignore")
def test_every_public_name_that_takes_rows_is_a_door():
    deaf = {"PositiveUnlabeledFold.get_n_splits", "PositiveUnlabeledFold.split"}  # they ignore X
    texts = {name for name in sparse_doors.public_names_with_rows() if name.split(".")[0] in TAKE_TEXTS}
    listed = {door.covers for door in sparse_doors.all_doors()}
    assert sparse_doors.public_names_with_rows() - deaf - texts == listed


def test_every_door_refuses_every_broken_matrix():
    found = sparse_doors.outcomes("broken")
    refused = re.compile(f"ValueError: {REFUSED.pattern}")
    assert {name: said for name, said in found.items() if not refused.fullmatch(said)} == {}
    assert len(found) > 5_000


def test_every_door_answers_odd_matrices_as_it_answers_the_canonical_one():
    found = sparse_doors.outcomes("odd")
    expected = {name: found[f"{name.split(' | ')[0]} | canonical"] for name in found}
    assert {name: said for name, said in expected.items() if not said.startswith("answer: ")} == {}
    assert {name: said for name, said in found.items() if said != expected[name]} == {}
    assert len(found) > 2_000


@pytest.mark.parametrize("flaw", ["indptr too large at the end", "column far out"])
@pytest.mark.parametrize("name", TAKE_TEXTS)
def test_a_vectorizer_refuses_a_matrix_without_reading_it(name, flaw):
    X = broken(flaw, make_rows())
    with pytest.raises(ValueError, match="expected an iterable of documents, got a table"):
        getattr(lopsided, name)().fit_transform(X)
    for find in (lopsided.find_more, lopsided.find_unexpected):
        with pytest.raises(ValueError, match="expected an iterable of documents, got a table"):
            find(X, X)
    with pytest.raises(ValueError, match="find_rules reads texts or a table"):
        lopsided.find_rules(X, make_labels())
