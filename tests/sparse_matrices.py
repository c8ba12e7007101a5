"""Sparse matrices that are broken, and odd ones that are legitimate."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

SIZE = (40, 12)


def make_rows(n_columns: int = SIZE[1]) -> sparse.csr_array:
    """Counts of words, no row of which is empty."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.6, size=(SIZE[0], n_columns)) + np.eye(SIZE[0], n_columns)
    counts[::n_columns, -1] += 1
    counts[:, 0] += make_labels() + 1
    return sparse.csr_array(counts.astype(np.float64))


def make_labels() -> np.ndarray:
    """Rows of a class, or labeled positives, are 1; the others, or those to be judged, are 0."""
    return (np.arange(SIZE[0]) % 2).astype(int)


# Broken matrices: each of these changes a sound CSR matrix.


def set_at(part: str, place: int, value: int) -> Callable[[Any], None]:
    def change(X: Any) -> None:
        getattr(X, part)[place] = value

    return change


def set_wide(part: str, place: int, value: int) -> Callable[[Any], None]:
    """The same with 64-bit indices."""

    def change(X: Any) -> None:
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        getattr(X, part)[place] = value

    return change


def replace(part: str, make: Callable[[Any], Any]) -> Callable[[Any], None]:
    def change(X: Any) -> None:
        setattr(X, part, make(getattr(X, part)))

    return change


def column_of_n_columns(X: Any) -> None:
    X.indices[-1] = X.shape[1]


FLAWS: dict[str, Callable[[Any], None]] = {
    "indptr negative": set_at("indptr", 2, -5),
    "indptr decreasing": set_at("indptr", 2, 0),
    "indptr too large inside": set_at("indptr", 2, 10**6),
    "indptr too large at the end": set_at("indptr", -1, 10**6),
    "indptr negative at the end": set_at("indptr", -1, -1),
    "indptr begins above 0": set_at("indptr", 0, 1),
    "indptr begins below 0": set_at("indptr", 0, -1),
    "indptr too short": replace("indptr", lambda part: part[:-1]),
    "indptr too long": replace("indptr", lambda part: np.append(part, part[-1:])),
    "indptr empty": replace("indptr", lambda part: part[:0]),
    "indptr of 64 bits too large": set_wide("indptr", 2, 2**32 + 4),
    "indptr of 64 bits too large at the end": set_wide("indptr", -1, 2**32 + 4),
    "indptr of floats": replace("indptr", lambda part: part.astype(float)),
    "column n_columns": column_of_n_columns,
    "column far out": set_at("indices", 0, 2**31 - 1),
    "column negative": set_at("indices", 0, -1),
    "column 2**32 + 4": set_wide("indices", 0, 2**32 + 4),
    "column -2**32 + 4": set_wide("indices", 0, 4 - 2**32),
    "indices of floats": replace("indices", lambda part: part.astype(float)),
    "indices of objects": replace("indices", lambda part: part.astype(object)),
    "indices in two dimensions": replace("indices", lambda part: part[:, None]),
    "indices a list": replace("indices", lambda part: part.tolist()),
    "data shorter than indices": replace("data", lambda part: part[:-1]),
    "data longer than indices": replace("data", lambda part: np.append(part, 1.0)),
    "data of objects": replace("data", lambda part: part.astype(object)),
    "data of texts": replace("data", lambda part: part.astype(str)),
    "data in two dimensions": replace("data", lambda part: np.column_stack([part, part])),
    "data a list": replace("data", lambda part: part.tolist()),
}


def broken(flaw: str, rows: sparse.csr_array) -> Any:
    """A copy with the flaw; "format: flaw" for another format than CSR."""
    if flaw in FLAWS:
        X = rows.copy()
        FLAWS[flaw](X)
        return X
    return FLAWED_FORMATS[flaw](rows)


def flawed_csc(rows: Any, change: Callable[[Any], None]) -> Any:
    X = rows.tocsc()
    change(X)
    return X


def flawed_bsr(rows: Any, change: Callable[[Any], None]) -> Any:
    X = rows.tobsr(blocksize=(1, 1))
    change(X)
    return X


def flawed_coo(rows: Any, axis: int, make: Callable[[Any], Any]) -> Any:
    X = rows.tocoo()
    coords = list(X.coords)
    coords[axis] = make(coords[axis])
    X.coords = tuple(coords)
    return X


def first_set_to(value: int) -> Callable[[Any], Any]:
    def make(part: Any) -> Any:
        changed = part.astype(np.int64) if abs(value) > 2**31 else part.copy()
        changed[0] = value
        return changed

    return make


def flawed_lil(rows: Any, change: Callable[[Any], None]) -> Any:
    X = rows.tolil()
    change(X)
    return X


def flawed_dok(rows: Any) -> Any:
    X = rows.todok()
    X._dict[(0, 10**6)] = 1.0
    return X


def flawed_dia(rows: Any, part: str, make: Callable[[Any], Any]) -> Any:
    X = rows.todia()
    setattr(X, part, make(getattr(X, part)))
    return X


FLAWED_FORMATS: dict[str, Callable[[Any], Any]] = {
    **{
        f"CSC: {flaw}": partial(flawed_csc, change=FLAWS[flaw])
        for flaw in (
            "indptr decreasing",
            "indptr too large at the end",
            "indptr begins above 0",
            "indptr too short",
            "column far out",
            "column negative",
            "column 2**32 + 4",
            "data shorter than indices",
        )
    },
    **{
        f"BSR: {flaw}": partial(flawed_bsr, change=FLAWS[flaw])
        for flaw in (
            "indptr too large inside",
            "indptr too large at the end",
            "indptr too short",
            "column far out",
            "column negative",
            "data shorter than indices",
        )
    },
    "BSR: data in two dimensions": partial(flawed_bsr, change=replace("data", lambda part: part[:, 0])),
    "COO: row far out": partial(flawed_coo, axis=0, make=first_set_to(10**6)),
    "COO: row negative": partial(flawed_coo, axis=0, make=first_set_to(-3)),
    "COO: column far out": partial(flawed_coo, axis=1, make=first_set_to(10**6)),
    "COO: column 2**32 + 4": partial(flawed_coo, axis=1, make=first_set_to(2**32 + 4)),
    "COO: fewer rows than values": partial(flawed_coo, axis=0, make=lambda part: part[:5]),
    "LIL: column far out": partial(
        flawed_lil, change=lambda X: X.rows[0].append(10**6) or X.data[0].append(1.0)
    ),
    "LIL: column 2**32 + 4": partial(
        flawed_lil, change=lambda X: X.rows[0].append(2**32 + 4) or X.data[0].append(1.0)
    ),
    "LIL: more values than columns": partial(flawed_lil, change=lambda X: X.data[0].extend([1.0] * 10_000)),
    "LIL: too few rows": partial(flawed_lil, change=replace("rows", lambda part: part[:3])),
    "DOK: column far out": flawed_dok,
    "DIA: fewer diagonals than offsets": partial(flawed_dia, part="data", make=lambda part: part[:3]),
    "DIA: a diagonal twice": partial(
        flawed_dia, part="offsets", make=lambda part: np.append(part[:-1], part[:1])
    ),
}


# Odd matrices that are legitimate: each is the same matrix as the canonical one.


def with_trailing_entries(rows: Any) -> Any:
    X = rows.copy()
    X.data, X.indices = np.append(X.data, [7.0] * 9), np.append(X.indices, np.full(9, 2**30, np.int32))
    return X


def with_unsorted_indices(rows: Any) -> Any:
    data, indices = rows.data.copy(), rows.indices.copy()
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        data[start:end], indices[start:end] = data[start:end][::-1].copy(), indices[start:end][::-1].copy()
    return sparse.csr_array((data, indices, rows.indptr), shape=rows.shape)


def with_duplicates(rows: Any) -> Any:
    """Every number as the sum of two halves."""
    return sparse.csr_array(
        (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr), shape=rows.shape
    )


def with_false_flags(rows: Any) -> Any:
    """Duplicates that SciPy was told are none."""
    X = with_duplicates(rows)
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def with_wide_indices(rows: Any) -> Any:
    X = rows.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_mixed_indices(rows: Any) -> Any:
    X = rows.copy()
    X.indices, X.indptr = X.indices.astype(np.uint8), X.indptr.astype(np.int64)
    return X


def with_gaps(rows: Any) -> Any:
    X = rows.copy()
    X.data, X.indices, X.indptr = (np.repeat(part, 2)[::2] for part in (X.data, X.indices, X.indptr))
    return X


def unaligned(rows: Any) -> Any:
    X = rows.copy()
    for part in ("data", "indices", "indptr"):
        values = getattr(X, part)
        moved = np.empty(values.nbytes + 1, np.uint8)[1:].view(values.dtype)
        moved[:] = values
        setattr(X, part, moved)
    return X


def as_whole_numbers(rows: Any) -> Any:
    return rows.astype(np.int8)


HARMLESS: dict[str, Callable[[Any], Any]] = {
    "trailing entries": with_trailing_entries,
    "unsorted indices": with_unsorted_indices,
    "duplicates": with_duplicates,
    "false flags": with_false_flags,
    "64-bit indices": with_wide_indices,
    "mixed indices": with_mixed_indices,
    "gaps": with_gaps,
    "unaligned": unaligned,
    "whole numbers": as_whole_numbers,
    "matrix": sparse.csr_matrix,
    "csc": lambda rows: rows.tocsc(),
    "bsr": lambda rows: rows.tobsr(blocksize=(1, 1)),
    "coo": lambda rows: rows.tocoo(),
    "lil": lambda rows: rows.tolil(),
    "dok": lambda rows: rows.todok(),
    "dia": lambda rows: rows.todia(),
}
