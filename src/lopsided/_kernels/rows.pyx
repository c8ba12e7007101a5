"""Rows of a matrix, dense or sparse, and kernel values between a block of them and a set of stored rows.

A `RowStore` owns copies of the rows it holds, one after the other, so that the kernel values of a block against
all of them are one BLAS product (dense) or one pass over the nonzeros (sparse). Numbers stay float32 or float64
as the store was made; kernel values are float32.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memmove, memset

from scipy.linalg.cython_blas cimport dgemm, dgemv, sgemm, sgemv

import numpy as np
import scipy.sparse

from .checks import MOST_COLUMNS, real_number, whole_number

cdef extern from "rows.h" nogil:
    void PREFETCH(const void* address)
    double squared_norm_f(const float* row, Py_ssize_t n)
    double squared_norm_d(const double* row, Py_ssize_t n)
    void arguments_f(const float* dots, Py_ssize_t n, double scale, double offset, const double* offsets, float* out)
    void arguments_d(const double* dots, Py_ssize_t n, double scale, double offset, const double* offsets, float* out)
    void sweep_block_f(const int64_t* starts, const int32_t* columns, const float* values, Py_ssize_t first,
                       Py_ssize_t last, const int32_t* place, const float* scattered, int lanes, int m, double scale,
                       const double* block_offsets, const double* offsets, float* out, Py_ssize_t ld)
    void sweep_block_d(const int64_t* starts, const int32_t* columns, const double* values, Py_ssize_t first,
                       Py_ssize_t last, const int32_t* place, const double* scattered, int lanes, int m, double scale,
                       const double* block_offsets, const double* offsets, float* out, Py_ssize_t ld)
    void transpose_block_f(const float* block, int m, Py_ssize_t d, int lanes, float* scattered)
    void transpose_block_d(const double* block, int m, Py_ssize_t d, int lanes, double* scattered)
    double squared_distance(RowView x, RowView z, bint wide)
    void apply_exp(float* row, Py_ssize_t n)
    void apply_tanh(float* row, Py_ssize_t n)
    void apply_power(float* row, Py_ssize_t n, int degree)
    double weighted(const float* values, const double* weights, Py_ssize_t n)
    int SOUND_ "SOUND", UNORDERED_ "UNORDERED", OUTSIDE_ "OUTSIDE"
    int csr_flaw_32(const int32_t* starts, const int32_t* columns, Py_ssize_t n_rows, Py_ssize_t n_columns, Py_ssize_t n_values)
    int csr_flaw_64(const int64_t* starts, const int64_t* columns, Py_ssize_t n_rows, Py_ssize_t n_columns, Py_ssize_t n_values)
    int all_finite_f(const uint32_t* bits, Py_ssize_t n)
    int all_finite_d(const uint64_t* bits, Py_ssize_t n)

cdef enum:
    LINEAR
    POLY
    RBF
    SIGMOID
    PRECOMPUTED
    CALLED

cdef enum:
    MOST_DEGREE = 1000  # of a polynomial

_KINDS = {"linear": LINEAR, "poly": POLY, "rbf": RBF, "sigmoid": SIGMOID, "precomputed": PRECOMPUTED}

MOST_ROWS = LANES  # of a block
SOUND, UNORDERED, OUTSIDE = SOUND_, UNORDERED_, OUTSIDE_  # what `csr_flaw` answers
NOT_FINITE = "kernel values are not finite. Scale the features, or lower gamma, coef0 or degree."
LEADS_OUT = "the indices of a sparse matrix lead out of it. Build it anew."


def csr_flaw(starts, columns, Py_ssize_t n_columns):
    """What is wrong with the row starts and columns of a CSR matrix, both int32 or both int64.

    `OUTSIDE`: they lead out of it. `UNORDERED`: the columns of a row are not in strictly ascending order.
    """
    cdef const int32_t[::1] starts_32, columns_32
    cdef const int64_t[::1] starts_64, columns_64
    cdef Py_ssize_t n_rows = len(starts) - 1, n_values = len(columns)
    cdef int flaw
    if n_rows < 0:
        return OUTSIDE
    if columns.dtype == np.int32:
        starts_32, columns_32 = starts, columns
        with nogil:
            flaw = csr_flaw_32(&starts_32[0], &columns_32[0] if n_values else NULL, n_rows, n_columns, n_values)
    else:
        starts_64, columns_64 = starts, columns
        with nogil:
            flaw = csr_flaw_64(&starts_64[0], &columns_64[0] if n_values else NULL, n_rows, n_columns, n_values)
    return flaw


cdef class Rows:
    """A matrix to read rows from: C-contiguous or CSR, float32 or float64. It is not copied."""

    def __init__(self, matrix):
        cdef const float[:, ::1] narrow
        cdef const double[:, ::1] broad
        cdef const int32_t[::1] columns, starts
        cdef int flaw
        self.matrix = matrix
        self.ordered = True
        self.n_rows, self.n_columns = matrix.shape
        self.sparse = scipy.sparse.issparse(matrix)
        data = matrix.data if self.sparse else matrix
        self.wide = data.dtype == np.float64
        if self.sparse:
            if matrix.indices.dtype != np.int32 or matrix.indptr.dtype != np.int32:
                raise ValueError("a sparse matrix needs 32-bit indices; this one is too large. Pass fewer rows at a time.")
            self._point_at(data)
            columns, starts = matrix.indices, matrix.indptr
            self.columns = &columns[0] if columns.shape[0] else NULL
            if starts.shape[0] != self.n_rows + 1 or columns.shape[0] != self.n_values:
                raise ValueError(LEADS_OUT)
            self.starts = &starts[0]
            if (<size_t>self.columns | <size_t>self.starts) % sizeof(int32_t) or <size_t>self.values % (8 if self.wide else 4):
                raise ValueError("the arrays of a sparse matrix must be aligned.")
            flaw = csr_flaw_32(self.starts, self.columns, self.n_rows, self.n_columns, self.n_values)
            if flaw == OUTSIDE_:
                raise ValueError(LEADS_OUT)
            self.ordered = flaw != UNORDERED_
        elif self.wide:
            broad = matrix
            self.n_values = broad.size
            self.values = &broad[0, 0] if self.n_values else NULL
        else:
            narrow = matrix
            self.n_values = narrow.size
            self.values = &narrow[0, 0] if self.n_values else NULL

    @staticmethod
    def of_columns(const int32_t[::1] columns not None, Py_ssize_t n_columns):
        """One sparse row of length 1 with equal values at these ascending columns, made sooner than a matrix."""
        cdef Py_ssize_t k, n = columns.shape[0]
        cdef Rows rows = Rows.__new__(Rows)
        cdef const int32_t[::1] starts = np.array([0, n], dtype=np.int32)
        rows.matrix = (np.full(n, np.float32(1.0 / np.sqrt(max(n, 1)))), columns, starts)
        rows.ordered = rows.sparse = True
        rows.n_rows, rows.n_columns = 1, n_columns
        rows._point_at(rows.matrix[0])
        rows.columns = &columns[0] if n else NULL
        rows.starts = &starts[0]
        if csr_flaw_32(rows.starts, rows.columns, 1, n_columns, n):
            raise ValueError(LEADS_OUT)
        return rows

    @property
    def all_finite(self):
        """Whether no value is infinite or not a number."""
        if self.wide:
            return bool(all_finite_d(<const uint64_t*>self.values, self.n_values))
        return bool(all_finite_f(<const uint32_t*>self.values, self.n_values))

    cdef int _point_at(self, data) except -1:
        cdef const float[::1] narrow
        cdef const double[::1] broad
        if self.wide:
            broad = data
            self.n_values = broad.shape[0]
            self.values = &broad[0] if self.n_values else NULL
        else:
            narrow = data
            self.n_values = narrow.shape[0]
            self.values = &narrow[0] if self.n_values else NULL
        return 0


cdef class RowStore:
    """Rows that are kept, and kernel values against them.

    ``kernel`` is a name or a function of two matrices. ``sparse`` and ``wide`` say how rows are kept; rows to
    append or to compare may come in any form.
    """

    def __cinit__(self, kernel, double gamma, double coef0, int degree, Py_ssize_t n_columns, bint sparse, bint wide):
        is_function = callable(kernel) and not isinstance(kernel, type)  # a class is no kernel
        if not is_function and not (isinstance(kernel, str) and kernel in _KINDS):
            raise ValueError(f"kernel must be one of {', '.join(_KINDS)} or a function; got {kernel!r}.")
        if sparse and isinstance(kernel, str) and kernel == "precomputed":
            raise ValueError("rows of a precomputed kernel are dense")
        whole_number("n_columns", n_columns, 0, MOST_COLUMNS)
        whole_number("degree", degree, 0, MOST_DEGREE)
        real_number("gamma", gamma, low=0)
        real_number("coef0", coef0)
        self.kind = CALLED if callable(kernel) else _KINDS[kernel]
        self.function = kernel if callable(kernel) else None
        self.gamma, self.coef0, self.degree = gamma, coef0, degree
        self.scale = 2 * gamma if self.kind == RBF else 1.0 if self.kind == LINEAR else gamma
        self.n_columns, self.sparse, self.wide = n_columns, sparse, wide
        self.item = 8 if wide else 4
        self.block_offsets = <double*>calloc(LANES, sizeof(double))
        self.lane = <RowView*>calloc(LANES, sizeof(RowView))
        if self.block_offsets == NULL or self.lane == NULL:
            raise MemoryError
        self.reserve(64)
        self.starts[0] = 0

    def __dealloc__(self):
        free(self.values)
        free(self.columns)
        free(self.starts)
        free(self.offsets)
        free(self.numbers)
        free(self.block)
        free(self.scattered)
        free(self.single)
        free(self.place)
        free(self.placed)
        free(self.block_offsets)
        free(self.lane)
        free(self.wide_dots)

    @property
    def row_numbers(self):
        """The number under which each row was appended."""
        cdef Py_ssize_t s
        numbers = np.empty(self.n, dtype=np.int64)
        cdef int64_t[::1] view = numbers
        for s in range(self.n):
            view[s] = self.numbers[s]
        return numbers

    def rows(self, Py_ssize_t first=0, last=None):
        """Copies of the stored rows, as a matrix."""
        cdef Py_ssize_t end = self.n if last is None else last
        cdef int64_t start, stop
        dtype = np.float64 if self.wide else np.float32
        if not self.sparse:
            dense = np.empty((end - first, self.n_columns), dtype=dtype)
            if dense.size:
                memcpy(<void*><size_t>dense.ctypes.data, self.values + first * self.n_columns * self.item, dense.nbytes)
            return dense
        start, stop = self.starts[first], self.starts[end]
        starts = np.empty(end - first + 1, dtype=np.int32)
        columns = np.empty(stop - start, dtype=np.int32)
        values = np.empty(stop - start, dtype=dtype)
        cdef int32_t[::1] starts_view = starts
        cdef Py_ssize_t s
        for s in range(end - first + 1):
            starts_view[s] = <int32_t>(self.starts[first + s] - start)
        if stop > start:
            memcpy(<void*><size_t>columns.ctypes.data, self.columns + start, columns.nbytes)
            memcpy(<void*><size_t>values.ctypes.data, self.values + start * self.item, values.nbytes)
        return scipy.sparse.csr_array((values, columns, starts), shape=(end - first, self.n_columns))

    def extend(self, Rows rows, const int64_t[::1] chosen, const int64_t[::1] numbers):
        """Append the chosen rows under their numbers."""
        cdef Py_ssize_t k
        if numbers.shape[0] != chosen.shape[0]:
            raise ValueError(f"{chosen.shape[0]} rows, but {numbers.shape[0]} numbers")
        for k in range(chosen.shape[0]):
            if not 0 <= chosen[k] < rows.n_rows:
                raise ValueError(f"no row {chosen[k]} among {rows.n_rows}")
        with nogil:
            for k in range(chosen.shape[0]):
                self.append(rows, chosen[k], numbers[k])

    def kernel_values(self, Rows rows, const int64_t[::1] chosen):
        """Kernel values of the chosen rows (at most `MOST_ROWS`) against all stored ones."""
        if chosen.shape[0] > LANES:
            raise ValueError(f"at most {LANES} rows at a time; got {chosen.shape[0]}")
        values = np.empty((LANES, self.n), dtype=np.float32)
        cdef float[:, ::1] view = values
        if self.n and chosen.shape[0]:
            with nogil:
                self.gather(rows, &chosen[0], <int>chosen.shape[0])
                self.panel(0, self.n, &view[0, 0], self.n)
        return values[: chosen.shape[0]]

    def scores(self, Rows rows, const double[:, ::1] weights):
        """sum_s weights[c, s] K(row, stored row s), for every row and every line c of weights."""
        cdef Py_ssize_t first, i, c, s, m
        cdef Py_ssize_t n_out = weights.shape[0]
        cdef int64_t[::1] chosen = np.empty(LANES, dtype=np.int64)
        cdef double total
        if weights.shape[1] != self.n:
            raise ValueError(f"{weights.shape[1]} weights for {self.n} rows")
        totals = np.zeros((rows.n_rows, n_out))
        values = np.empty((LANES, max(self.n, 1)), dtype=np.float32)
        cdef double[:, ::1] totals_view = totals
        cdef float[:, ::1] view = values
        if self.n == 0:
            return totals
        first = 0
        while first < rows.n_rows:
            with nogil:
                m = min(LANES, rows.n_rows - first)
                for i in range(m):
                    chosen[i] = first + i
                self.gather(rows, &chosen[0], <int>m)
                self.panel(0, self.n, &view[0, 0], self.n)
                for i in range(m):
                    for c in range(n_out):
                        totals_view[first + i, c] = weighted(&view[i, 0], &weights[c, 0], self.n)
            first += m
        if not np.isfinite(totals).all():
            raise ValueError(NOT_FINITE)
        return totals

    def squared_distances(self, Rows rows, const int64_t[::1] chosen):
        """|x - z|^2 of the chosen rows x and all stored rows z, without cancellation."""
        cdef Py_ssize_t k, s
        distances = np.empty((chosen.shape[0], self.n))
        cdef double[:, ::1] view = distances
        with nogil:
            for k in range(chosen.shape[0]):
                self.gather(rows, &chosen[k], 1)
                for s in range(self.n):
                    view[k, s] = squared_distance(self.lane[0], self._stored(s), self.wide)
        return distances

    cdef double rounding(self) noexcept nogil:
        """Rounding of a kernel value, relative to the largest: that of float32.

        If the rows are float32 as well, so are their products, and the argument of an rbf kernel is a difference of
        products as large as the offsets.
        """
        cdef Py_ssize_t s
        cdef double largest = 0
        if self.wide:
            return 2.0 ** -24
        for s in range(self.n):
            largest = max(largest, self.offsets[s])
        return 2.0 ** -22 * (1 + min(largest, self._far_off()))

    cdef int reserve(self, Py_ssize_t n) except -1 nogil:
        """Room for n rows."""
        cdef Py_ssize_t capacity
        if n <= self.capacity:
            return 0
        capacity = max(n, self.capacity + self.capacity // 2)
        resize(<void**>&self.offsets, capacity * sizeof(double))
        resize(<void**>&self.numbers, capacity * sizeof(int64_t))
        resize(<void**>&self.starts, (capacity + 1) * sizeof(int64_t))
        if not self.sparse:
            resize(<void**>&self.values, max(capacity * self.n_columns, 1) * self.item)
        self.capacity = capacity
        return 0

    cdef int _check_width(self, Rows rows) except -1 nogil:
        if rows.n_columns != self.n_columns:
            with gil:
                raise ValueError(f"rows have {rows.n_columns} columns; expected {self.n_columns}.")
        return 0

    cdef int append(self, Rows rows, Py_ssize_t i, int64_t number) except -1 nogil:
        """Copy row i of a matrix behind the stored ones."""
        cdef Py_ssize_t j, count, d = self.n_columns
        cdef int64_t at
        cdef const int32_t* columns
        cdef const char* source
        cdef char* target
        cdef double value
        cdef int width = 8 if rows.wide else 4
        self._check_width(rows)
        if self.kind == PRECOMPUTED and not 0 <= number < self.n_columns:
            with gil:
                raise ValueError(f"row {number} is none of the {self.n_columns} of a precomputed kernel.")
        self.reserve(self.n + 1)
        if rows.sparse:
            count = rows.starts[i + 1] - rows.starts[i]
            columns = rows.columns + rows.starts[i]
            source = <const char*>rows.values + rows.starts[i] * <Py_ssize_t>width
        else:
            count = d
            columns = NULL
            source = <const char*>rows.values + i * d * width
        if self.sparse:
            at = self.starts[self.n]
            self._grow_values(at + count)
            for j in range(count):
                value = number_at(source, rows.wide, j)
                if value != 0:
                    self.columns[at] = columns[j] if columns != NULL else <int32_t>j
                    set_number(self.values, self.wide, at, value)
                    at += 1
            self.starts[self.n + 1] = at
            target = self.values + self.starts[self.n] * self.item
            count = at - self.starts[self.n]
        else:
            target = self.values + self.n * d * self.item
            if columns != NULL:
                memset(target, 0, d * self.item)
                for j in range(count):
                    set_number(target, self.wide, columns[j], number_at(target, self.wide, columns[j]) + number_at(source, rows.wide, j))
            elif rows.wide == self.wide:
                memcpy(target, source, d * self.item)
            else:
                for j in range(d):
                    set_number(target, self.wide, j, number_at(source, rows.wide, j))
            count = d
        self.offsets[self.n] = self._offset(self._squared(target, self.wide, count)) if self.kind == RBF else 0
        self.numbers[self.n] = number
        self.n += 1
        return 0

    cdef int keep(self, const int32_t* kept, Py_ssize_t n_kept) except -1 nogil:
        """Drop all rows but the kept ones, given in ascending order."""
        cdef Py_ssize_t k, s, count, d = self.n_columns
        cdef int64_t at = 0
        for k in range(n_kept):
            s = kept[k]
            self.offsets[k] = self.offsets[s]
            self.numbers[k] = self.numbers[s]
            if self.sparse:
                count = self.starts[s + 1] - self.starts[s]
                if count:  # there is no memory yet where every row is empty
                    memmove(self.columns + at, self.columns + self.starts[s], count * sizeof(int32_t))
                    memmove(self.values + at * self.item, self.values + self.starts[s] * self.item, count * self.item)
                self.starts[k] = at
                at += count
            elif k != s:
                memcpy(self.values + k * d * self.item, self.values + s * d * self.item, d * self.item)
        if self.sparse:
            self.starts[n_kept] = at
        self.n = n_kept
        return 0

    cdef int gather(self, Rows rows, const int64_t* chosen, int m) except -1 nogil:
        """Bring the chosen rows, at most LANES, near: the block that `panel` compares with the stored rows."""
        cdef Py_ssize_t j, count, i, d = self.n_columns
        cdef int l
        cdef int width = 8 if rows.wide else 4
        cdef const char* source
        cdef char* target
        cdef const int32_t* columns
        self._check_width(rows)
        self.m = m
        self.lanes = 1 if m == 1 else 16 if m <= 16 else LANES
        if self.kind == CALLED:
            with gil:
                self.block_matrix = rows.matrix[np.asarray(<int64_t[:m]>chosen)]
            return 0
        if rows.sparse and self.sparse:
            self._make_places()
            self._forget_places()
            for l in range(m):
                PREFETCH(rows.columns + rows.starts[chosen[l]])
                PREFETCH(<const char*>rows.values + rows.starts[chosen[l]] * <Py_ssize_t>width)
            for l in range(m):
                i = chosen[l]
                count = rows.starts[i + 1] - rows.starts[i]
                source = <const char*>rows.values + rows.starts[i] * <Py_ssize_t>width
                self._scatter_sparse(rows.columns + rows.starts[i], source, rows.wide, count, l)
                self.block_offsets[l] = self._offset(self._squared(source, rows.wide, count))
                self.lane[l] = RowView(rows.columns + rows.starts[i], source, count, rows.wide)
            return 0
        if self.block_room < m * d:
            resize(<void**>&self.block, LANES * max(d, 1) * self.item)
            self.block_room = LANES * max(d, 1)
        if not rows.sparse:  # all misses at once instead of one after the other
            for l in range(m):
                source = <const char*>rows.values + chosen[l] * d * width
                for j in range(0, min(d * width, 512), 64):
                    PREFETCH(source + j)
        for l in range(m):
            i = chosen[l]
            target = self.block + l * d * self.item
            if rows.sparse:
                memset(target, 0, d * self.item)
                columns = rows.columns + rows.starts[i]
                source = <const char*>rows.values + rows.starts[i] * <Py_ssize_t>width
                for j in range(rows.starts[i + 1] - rows.starts[i]):
                    set_number(target, self.wide, columns[j], number_at(target, self.wide, columns[j]) + number_at(source, rows.wide, j))
            else:
                source = <const char*>rows.values + i * d * width
                if rows.wide == self.wide:
                    memcpy(target, source, d * self.item)
                else:
                    for j in range(d):
                        set_number(target, self.wide, j, number_at(source, rows.wide, j))
            self.block_offsets[l] = self._offset(self._squared(target, self.wide, d))
            self.lane[l] = RowView(NULL, target, d, self.wide)
        if not self.sparse:
            memset(self.block + m * d * self.item, 0, (self._padded() - m) * d * self.item)
        if self.sparse:
            if self.scattered_room < self.lanes * d:
                resize(<void**>&self.scattered, LANES * max(d, 1) * self.item)
                self.scattered_room = LANES * max(d, 1)
            if self.wide:
                transpose_block_d(<const double*>self.block, m, d, self.lanes, <double*>self.scattered)
            else:
                transpose_block_f(<const float*>self.block, m, d, self.lanes, <float*>self.scattered)
            self._forget_places()
            self.n_placed = -1  # every column is in its own place
        return 0

    cdef int stored_row(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t last, float* out) except -1 nogil:
        """out[t] = K(stored row s, stored row t) for first <= t < last. The block at hand stays as it is."""
        cdef char* block = self.block
        cdef char* scattered = self.scattered
        cdef int m = self.m, lanes = self.lanes
        cdef Py_ssize_t t, n_placed = self.n_placed
        cdef double offset = self.block_offsets[0]
        cdef RowView lane = self.lane[0]
        self.m = self.lanes = 1
        self.lane[0] = self._stored(s)
        self.block_offsets[0] = self.offsets[s] if self.kind == RBF else self._offset(0)
        try:
            if self.kind == CALLED:
                with gil:
                    at_hand = self.block_matrix
                    self.block_matrix = self.rows(s, s + 1)
                    try:
                        self._panel_called(first, last, out, 0)
                    finally:
                        self.block_matrix = at_hand
            elif self.sparse:
                if self.single == NULL:  # all zero, of which the system makes memory only where something is written
                    self.single = <char*>calloc(max(self.n_columns, 1), self.item)
                    if self.single == NULL:
                        with gil:
                            raise MemoryError
                for t in range(self.starts[s], self.starts[s + 1]):
                    set_number(self.single, self.wide, self.columns[t],
                               number_at(self.single, self.wide, self.columns[t]) + number_at(self.values, self.wide, t))
                self.scattered, self.n_placed = self.single, -1
                self.panel(first, last, out, 0)
                for t in range(self.starts[s], self.starts[s + 1]):
                    set_number(self.single, self.wide, self.columns[t], 0)
            else:
                self.block = self.values + s * self.n_columns * self.item
                self.panel(first, last, out, 0)
        finally:
            self.block, self.scattered, self.n_placed = block, scattered, n_placed
            self.m, self.lanes, self.block_offsets[0], self.lane[0] = m, lanes, offset, lane
        return 0

    cdef int panel(self, Py_ssize_t first, Py_ssize_t last, float* out, Py_ssize_t ld) except -1 nogil:
        """out[l * ld + s] = K(row l of the block, stored row s) for first <= s < last; out has room for LANES rows."""
        cdef int l
        cdef Py_ssize_t s
        cdef const int32_t* place
        if first >= last:
            return 0
        if self.kind == CALLED:
            return self._panel_called(first, last, out, ld)
        if self.kind == PRECOMPUTED:  # a row holds its kernel values against all training rows
            for l in range(self.m):
                for s in range(first, last):
                    out[l * ld + s] = <float>number_at(self.block + l * self.n_columns * self.item, self.wide, self.numbers[s])
            return 0
        if self.sparse:
            place = NULL if self.n_placed < 0 else self.place
            if self.wide:
                sweep_block_d(self.starts, self.columns, <const double*>self.values, first, last, place,
                              <const double*>self.scattered, self.lanes, self.m, self.scale, self.block_offsets, self.offsets, out, ld)
            else:
                sweep_block_f(self.starts, self.columns, <const float*>self.values, first, last, place,
                              <const float*>self.scattered, self.lanes, self.m, self.scale, self.block_offsets, self.offsets, out, ld)
        else:
            self._panel_dense(first, last, out, ld)
        for l in range(self.m):
            if self.kind == RBF and self.block_offsets[l] > self._far_off():
                self._measure(l, first, last, out + l * ld)
            self._finish(out + l * ld + first, last - first)
        return 0

    cdef double _far_off(self) noexcept nogil:
        """gamma |x|^2 from which on rows are compared by their distance, not by their product.

        Rounding of the products, to 53 or 24 bits, would be that of the kernel value many times over. Rows in float32
        are granted more: they are kept as float64 where most are long (`how_rows_are_kept`).
        """
        return 2.0 ** 26 if self.wide else 2.0 ** 13

    cdef void _measure(self, int l, Py_ssize_t first, Py_ssize_t last, float* out) noexcept nogil:
        """Arguments of the rbf kernel of row l of the block and the stored rows that lie as far off."""
        cdef Py_ssize_t s
        for s in range(first, last):
            if self.offsets[s] > self._far_off():
                out[s] = <float>(-self.gamma * squared_distance(self.lane[l], self._stored(s), self.wide))

    cdef RowView _stored(self, Py_ssize_t s) noexcept nogil:
        if self.sparse:
            return RowView(self.columns + self.starts[s], self.values + self.starts[s] * self.item,
                           self.starts[s + 1] - self.starts[s], self.wide)
        return RowView(NULL, self.values + s * self.n_columns * self.item, self.n_columns, self.wide)

    cdef int _panel_dense(self, Py_ssize_t first, Py_ssize_t last, float* out, Py_ssize_t ld) except -1 nogil:
        cdef int n = <int>(last - first), m = self.m, d = <int>self.n_columns, one = 1, step = <int>ld
        cdef int padded = self._padded()
        cdef float one_f = 1, zero_f = 0
        cdef double one_d = 1, zero_d = 0
        cdef char* stored = self.values + first * self.n_columns * self.item
        cdef float* dots = out + first
        cdef int l
        cdef char transposed = b"T", plain = b"N"
        if self.wide:
            if self.wide_room < <Py_ssize_t>n * m:
                resize(<void**>&self.wide_dots, <Py_ssize_t>n * m * sizeof(double))
                self.wide_room = <Py_ssize_t>n * m
            if m == 1:
                dgemv(&transposed, &d, &n, &one_d, <double*>stored, &d, <double*>self.block, &one, &zero_d, self.wide_dots, &one)
            elif n == 1:
                dgemv(&transposed, &d, &m, &one_d, <double*>self.block, &d, <double*>stored, &one, &zero_d, self.wide_dots, &one)
            else:
                dgemm(&transposed, &plain, &n, &m, &d, &one_d, <double*>stored, &d, <double*>self.block, &d, &zero_d, self.wide_dots, &n)
            for l in range(m):
                arguments_d(self.wide_dots + <Py_ssize_t>l * n, n, self.scale, self.block_offsets[l], self.offsets + first, dots + l * ld)
            return 0
        if m == 1:
            sgemv(&transposed, &d, &n, &one_f, <float*>stored, &d, <float*>self.block, &one, &zero_f, dots, &one)
        elif n == 1:
            sgemv(&transposed, &d, &m, &one_f, <float*>self.block, &d, <float*>stored, &one, &zero_f, dots, &step)
        else:
            sgemm(&transposed, &plain, &n, &padded, &d, &one_f, <float*>stored, &d, <float*>self.block, &d, &zero_f, dots, &step)
        for l in range(m):
            arguments_f(dots + l * ld, n, self.scale, self.block_offsets[l], self.offsets + first, dots + l * ld)
        return 0

    cdef inline int _padded(self) noexcept nogil:
        """Rows of the block that BLAS sees: a pool of 59 is multiplied a third faster as 64 (zeros behind it)."""
        return LANES if 48 < self.m < LANES and not self.wide else self.m

    cdef int _panel_called(self, Py_ssize_t first, Py_ssize_t last, float* out, Py_ssize_t ld) except -1 nogil:
        with gil:
            values = self.function(self.block_matrix, self.rows(first, last))
            try:
                values = np.asarray(values, dtype=np.float32)
            except (TypeError, ValueError):
                raise ValueError(f"the kernel function returned {values!r}; expected an array of numbers.") from None
            if values.shape != (self.m, last - first):
                raise ValueError(
                    f"the kernel function returned an array of shape {values.shape} for {self.m} and {last - first} "
                    "rows; expected one value for each pair."
                )
            self._copy_out(np.ascontiguousarray(values), first, <size_t>out, ld)
        return 0

    def _copy_out(self, const float[:, ::1] values, Py_ssize_t first, size_t out, Py_ssize_t ld):
        cdef Py_ssize_t l
        for l in range(values.shape[0]):
            memcpy(<float*>out + l * ld + first, &values[l, 0], values.shape[1] * sizeof(float))

    cdef void _finish(self, float* row, Py_ssize_t n) noexcept nogil:
        if self.kind == RBF:
            apply_exp(row, n)
        elif self.kind == POLY:
            apply_power(row, n, self.degree)
        elif self.kind == SIGMOID:
            apply_tanh(row, n)

    cdef double _offset(self, double squared_norm) noexcept nogil:
        """What is taken off scale * dot: rbf -gamma (|x|^2 + |z|^2 - 2 x.z), poly and sigmoid gamma x.z + coef0."""
        if self.kind == RBF:
            return self.gamma * squared_norm
        return 0 if self.kind == LINEAR else -self.coef0

    cdef double _squared(self, const void* values, bint wide, Py_ssize_t count) noexcept nogil:
        if self.kind != RBF:
            return 0
        return squared_norm_d(<const double*>values, count) if wide else squared_norm_f(<const float*>values, count)

    cdef int _grow_values(self, Py_ssize_t needed) except -1 nogil:
        cdef Py_ssize_t room
        if needed <= self.room:
            return 0
        room = max(needed, self.room + self.room // 2, 1024)
        resize(<void**>&self.columns, room * sizeof(int32_t))
        resize(<void**>&self.values, room * self.item)
        self.room = room
        return 0

    cdef int _scatter_sparse(self, const int32_t* columns, const void* values, bint wide, Py_ssize_t count, int lane) except -1 nogil:
        """Add one sparse row to the scattered block as its lane; a column gets its place when it first comes."""
        cdef Py_ssize_t j, at
        if self.placed_room < self.n_placed + count:
            self.placed_room = 2 * (self.n_placed + count)
            resize(<void**>&self.placed, self.placed_room * sizeof(int32_t))
        if self.scattered_room < (self.n_placed + count) * self.lanes:
            self.scattered_room = 2 * (self.n_placed + count) * self.lanes
            resize(<void**>&self.scattered, self.scattered_room * self.item)
        for j in range(count):
            at = self.place[columns[j]]
            if at < 0:
                at = self.n_placed
                self.place[columns[j]] = <int32_t>at
                self.placed[at] = columns[j]
                memset(self.scattered + at * self.lanes * self.item, 0, self.lanes * self.item)
                self.n_placed += 1
            at = at * self.lanes + lane
            set_number(self.scattered, self.wide, at, number_at(self.scattered, self.wide, at) + number_at(values, wide, j))
        return 0

    cdef int _make_places(self) except -1 nogil:
        """A place for each column, once rows come that have so many: a file may say that there are two billion."""
        if self.place == NULL:
            resize(<void**>&self.place, max(self.n_columns, 1) * sizeof(int32_t))
            memset(self.place, 0xFF, self.n_columns * sizeof(int32_t))
        return 0

    cdef void _forget_places(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.n_placed):
            self.place[self.placed[k]] = -1
        self.n_placed = 0


cdef inline double number_at(const void* values, bint wide, Py_ssize_t at) noexcept nogil:
    return (<const double*>values)[at] if wide else <double>(<const float*>values)[at]


cdef inline void set_number(void* values, bint wide, Py_ssize_t at, double value) noexcept nogil:
    if wide:
        (<double*>values)[at] = value
    else:
        (<float*>values)[at] = <float>value


cdef int resize(void** memory, size_t size) except -1 nogil:
    """Give memory another size, and keep what fits into it."""
    cdef void* larger = realloc(memory[0], size)
    if larger == NULL:
        with gil:
            raise MemoryError
    memory[0] = larger
    return 0
