"""The structural check of sparse input: made once, before SciPy's or our compiled code reads its arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import (
    bsr_array,
    coo_array,
    csc_array,
    csc_matrix,
    csr_array,
    csr_matrix,
    dia_array,
    issparse,
    sparray,
)

from lopsided._kernels.rows import OUTSIDE, SOUND, UNORDERED, csr_flaw

_WHOLE, _NUMBERS = "iu", "biufc"  # kinds of dtype; complex numbers are left for scikit-learn to refuse
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
_LARGEST = np.iinfo(np.int32).max
_AXES = {"csr": ("row", "column"), "csc": ("column", "row"), "bsr": ("block row", "block column")}


def checked_sparse(X: Any, name: str = "X") -> Any:
    """Return sparse input as a canonical CSR or CSC matrix, and anything else as it is.

    SciPy trusts the arrays of a matrix. With an index that leads out of the matrix, compiled code reads and
    overwrites memory that is not its own, so such a matrix is refused. Unused entries at the end, unsorted or
    repeated indices, 64-bit indices and other formats are legitimate: a new matrix is returned, whose indices
    are sorted, distinct and of 32 bits (64 where 32 are too few). A matrix that is so already is returned
    itself.

    Parameters
    ----------
    X : object
        What the user passed.
    name : str, default="X"
        What the error message calls it.

    Returns
    -------
    rows : the same object, or a CSR matrix

    Examples
    --------
    >>> X = csr_array(np.eye(3))
    >>> checked_sparse(X) is X
    True
    >>> X.indices[1] = 7
    >>> checked_sparse(X)
    Traceback (most recent call last):
        ...
    ValueError: X is not a valid CSR matrix: row 1 has an entry in column 7, outside 0 to 2. Build it \
again from values, rows and columns.
    """
    if not issparse(X):
        return X
    try:
        if X.ndim != 2:
            raise ValueError(f"it has {X.ndim} dimensions, not rows and columns")
        convert = _TO_CSR.get(X.format)
        return _canonical(X if convert is None else _as(X, convert(X)))
    except (IndexError, OverflowError, TypeError, ValueError) as flaw:
        raise ValueError(
            f"{name} is not a valid {X.format.upper()} matrix: {flaw}. "
            "Build it again from values, rows and columns."
        ) from None


def _canonical(X: Any) -> Any:
    """Check a CSR or CSC matrix, and sort and sum its entries where that is needed."""
    data = _part(X, "data", _NUMBERS)
    starts, places, flaw = _checked_indices(X, len(data), *(X.shape if X.format == "csr" else X.shape[::-1]))
    if flaw == SOUND and data is X.data and places is X.indices and starts is X.indptr:
        return X
    data = data[: len(places)]
    if flaw == UNORDERED and data.dtype.kind != "c" and data.dtype not in _FLOATS:
        data = data.astype(np.float64)  # a sum of small integers could overflow
    container = csr_array if X.format == "csr" else csc_array
    # With a copy, as the sum is made in place. What SciPy was told about the order does not come along.
    rows = container((data, places, starts), shape=X.shape, copy=flaw == UNORDERED)
    if flaw == UNORDERED:
        rows.sum_duplicates()
    return _as(X, rows)


def _checked_indices(
    X: Any, n_values: int, n_major: int, n_minor: int
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Return indptr and indices, those in use, and whether the indices are in order.

    Values are counted in their own type: 2**32 + 4 is no column 4.
    """
    starts, places = _part(X, "indptr", _WHOLE), _part(X, "indices", _WHOLE)
    if len(starts) != n_major + 1:
        raise ValueError(f"indptr has {len(starts)} entries; expected {n_major + 1}")
    if len(places) != n_values:
        raise ValueError(f"it has {len(places)} indices for {n_values} values")
    n_used = int(starts[-1])
    if not 0 <= n_used <= n_values:
        raise ValueError(f"indptr ends at {n_used}, but there are {n_values} entries")
    if n_used < n_values:
        places = places[:n_used]
    if starts.dtype != np.int32 or places.dtype != np.int32:
        starts, places = starts.astype(np.int64, copy=False), places.astype(np.int64, copy=False)
    flaw = csr_flaw(starts, places, n_minor)
    if flaw == OUTSIDE:
        major, minor = _AXES[X.format]
        raise ValueError(_what_leads_out(starts, places, n_minor, major, minor))
    if places.dtype != np.int32 and max(n_used, n_major, n_minor) <= _LARGEST:
        starts, places = starts.astype(np.int32), places.astype(np.int32)
    return starts, places, flaw


def _what_leads_out(starts: NDArray[Any], places: NDArray[Any], n_minor: int, major: str, minor: str) -> str:
    if starts[0] != 0:
        return f"indptr begins with {starts[0]}, not with 0"
    falls = np.flatnonzero(starts[1:] < starts[:-1])
    if len(falls):
        return f"indptr falls from {starts[falls[0]]} to {starts[falls[0] + 1]} at {major} {falls[0]}"
    out = np.flatnonzero((places < 0) | (places >= n_minor))[0]
    at = np.searchsorted(starts, out, side="right") - 1
    return f"{major} {at} has an entry in {minor} {places[out]}, outside 0 to {n_minor - 1}"


def _part(X: Any, part: str, kinds: str, n_dimensions: int = 1) -> NDArray[Any]:
    """Return an array of the matrix, without gaps."""
    array = getattr(X, part)
    if not isinstance(array, np.ndarray) or array.ndim != n_dimensions or array.dtype.kind not in kinds:
        what = "integers" if kinds == _WHOLE else "numbers"
        is_array = isinstance(array, np.ndarray)
        got = f"{array.ndim}-D of {array.dtype}" if is_array else f"a {type(array).__name__}"
        raise ValueError(f"{part} must be a {n_dimensions}-D array of {what}; got {got}")
    return array if array.flags.c_contiguous and array.flags.aligned else array.copy()


def _as(X: Any, rows: Any) -> Any:
    """Return the rows as a sparse array where X is one, and as a sparse matrix where it is not."""
    if isinstance(X, sparray) or not isinstance(rows, sparray):
        return rows
    return (csr_matrix if rows.format == "csr" else csc_matrix)(rows)


# The other formats, which SciPy converts without a look at their indices.


def _from_bsr(X: Any) -> csr_array:
    data = _part(X, "data", _NUMBERS, n_dimensions=3)
    height, width = data.shape[1:]
    if 0 in (height, width) or X.shape[0] % height or X.shape[1] % width:
        raise ValueError(f"blocks of {height} by {width} do not fill the shape {X.shape}")
    starts, places, _ = _checked_indices(X, len(data), X.shape[0] // height, X.shape[1] // width)
    return bsr_array((data[: len(places)], places, starts), shape=X.shape).tocsr()


def _from_coo(X: Any) -> csr_array:
    return _from_places(_part(X, "data", _NUMBERS), _part(X, "row", _WHOLE), _part(X, "col", _WHOLE), X.shape)


def _from_dok(X: Any) -> csr_array:
    places = np.array(list(X.keys()), dtype=np.int64).reshape(-1, 2)
    values = np.fromiter(X.values(), dtype=X.dtype, count=len(places))
    return _from_places(values, places[:, 0], places[:, 1], X.shape)


def _from_places(
    values: NDArray[Any], rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]
) -> csr_array:
    for places, n, what in ((rows, shape[0], "row"), (columns, shape[1], "column")):
        if len(places) != len(values):
            raise ValueError(f"it has {len(places)} {what} indices for {len(values)} values")
        out = places[(places < 0) | (places >= n)]
        if len(out):
            raise ValueError(f"it has an entry in {what} {out[0]}, outside 0 to {n - 1}")
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


def _from_dia(X: Any) -> csr_array:
    data, offsets = _part(X, "data", _NUMBERS, n_dimensions=2), _part(X, "offsets", _WHOLE)
    if len(data) != len(offsets) or len(np.unique(offsets)) < len(offsets):
        raise ValueError(f"{len(data)} diagonals must have as many different offsets; got {len(offsets)}")
    inside = (offsets > -X.shape[0]) & (offsets < X.shape[1])  # the others have no entry in the matrix
    return dia_array((data[inside], offsets[inside]), shape=X.shape).tocsr()


def _from_lil(X: Any) -> csr_array:
    if not len(X.rows) == len(X.data) == X.shape[0]:
        raise ValueError(f"it has {len(X.rows)} lists of columns, and {len(X.data)} of values")
    for i, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if len(columns) != len(values):
            raise ValueError(f"row {i} has {len(columns)} columns for {len(values)} values")
    return X.tocsr()


_TO_CSR: dict[str, Callable[[Any], csr_array]] = {
    "bsr": _from_bsr,
    "coo": _from_coo,
    "dia": _from_dia,
    "dok": _from_dok,
    "lil": _from_lil,
}
