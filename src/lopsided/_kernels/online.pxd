from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from .rows cimport Rows

cdef extern from "online.h" nogil:
    ctypedef struct Row:
        const int32_t* columns
        const void* values
        Py_ssize_t count, readable
        bint wide

    double dot(Row x, const double* w)
    double dot_named(Row x, const int32_t* name, const double* w)
    double dot_narrow(Row x, const float* w)
    void add(Row x, double step, double* w)
    void add_narrow(Row x, double step, float* w)
    void spread(Row x, float* z)
    void wipe(Row x, float* z)
    double value_at(Row x, Py_ssize_t t)
    Py_ssize_t column_at(Row x, Py_ssize_t t)
    double squared_norm(Row x)
    uint64_t next_random(uint64_t* state)
    double next_uniform(uint64_t* state)


cdef inline Row row_of(Rows rows, Py_ssize_t i) noexcept nogil:
    """Row i of a matrix."""
    cdef Row x
    cdef int width = 8 if rows.wide else 4
    x.wide = rows.wide
    if rows.sparse:
        x.columns = rows.columns + rows.starts[i]
        x.values = <const char*>rows.values + <Py_ssize_t>rows.starts[i] * width
        x.count = rows.starts[i + 1] - rows.starts[i]
        x.readable = rows.starts[rows.n_rows] - rows.starts[i]
    else:
        x.columns = NULL
        x.values = <const char*>rows.values + i * rows.n_columns * width
        x.count = x.readable = rows.n_columns
    return x


cdef class Learner:
    cdef readonly Py_ssize_t n_columns
    cdef readonly Py_ssize_t n_updates

    cdef int _score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil
    cdef int score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil
    cdef int update(self, Rows rows, Py_ssize_t i, int sign, double score) except -1 nogil
