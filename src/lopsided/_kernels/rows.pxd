from libc.stdint cimport int32_t, int64_t

cdef extern from "rows.h" nogil:
    int LANES
    ctypedef struct RowView:
        const int32_t* columns
        const void* values
        Py_ssize_t count
        bint wide


cdef class Rows:
    cdef readonly Py_ssize_t n_rows, n_columns
    cdef readonly bint ordered
    cdef bint sparse, wide
    cdef Py_ssize_t n_values
    cdef const void* values
    cdef const int32_t* columns
    cdef const int32_t* starts
    cdef readonly object matrix

    cdef int _point_at(self, data) except -1


cdef class RowStore:
    # the kernel
    cdef int kind, degree
    cdef double gamma, coef0, scale
    cdef object function
    # the stored rows: dense or sparse, float64 (wide) or float32
    cdef readonly Py_ssize_t n, n_columns
    cdef readonly bint sparse, wide
    cdef Py_ssize_t item, capacity, room
    cdef char* values
    cdef int32_t* columns
    cdef int64_t* starts
    cdef double* offsets
    cdef int64_t* numbers
    # the block of rows at hand
    cdef int m, lanes
    cdef char* block
    cdef char* scattered
    cdef char* single
    cdef Py_ssize_t block_room, scattered_room, n_placed, placed_room
    cdef int32_t* place
    cdef int32_t* placed
    cdef double* block_offsets
    cdef RowView* lane  # the rows themselves
    cdef double* wide_dots
    cdef Py_ssize_t wide_room
    cdef object block_matrix

    cdef int gather(self, Rows rows, const int64_t* chosen, int m) except -1 nogil
    cdef int stored_row(self, Py_ssize_t s, Py_ssize_t first, Py_ssize_t last, float* out) except -1 nogil
    cdef int panel(self, Py_ssize_t first, Py_ssize_t last, float* out, Py_ssize_t ld) except -1 nogil
    cdef int append(self, Rows rows, Py_ssize_t i, int64_t number) except -1 nogil
    cdef int keep(self, const int32_t* kept, Py_ssize_t n_kept) except -1 nogil
    cdef int _check_width(self, Rows rows) except -1 nogil
    cdef double rounding(self) noexcept nogil
    cdef int reserve(self, Py_ssize_t n) except -1 nogil
    cdef int _grow_values(self, Py_ssize_t needed) except -1 nogil
    cdef int _scatter_sparse(self, const int32_t* columns, const void* values, bint wide, Py_ssize_t count, int lane) except -1 nogil
    cdef int _make_places(self) except -1 nogil
    cdef void _forget_places(self) noexcept nogil
    cdef double _squared(self, const void* values, bint wide, Py_ssize_t count) noexcept nogil
    cdef double _offset(self, double squared_norm) noexcept nogil
    cdef double _far_off(self) noexcept nogil
    cdef RowView _stored(self, Py_ssize_t s) noexcept nogil
    cdef void _measure(self, int l, Py_ssize_t first, Py_ssize_t last, float* out) noexcept nogil
    cdef void _finish(self, float* row, Py_ssize_t n) noexcept nogil
    cdef int _padded(self) noexcept nogil
    cdef int _panel_dense(self, Py_ssize_t first, Py_ssize_t last, float* out, Py_ssize_t ld) except -1 nogil
    cdef int _panel_called(self, Py_ssize_t first, Py_ssize_t last, float* out, Py_ssize_t ld) except -1 nogil


cdef int resize(void** memory, size_t size) except -1 nogil
