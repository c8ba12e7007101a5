/* What an online learner does with one row: a product with dense weights, and adding it to them. */
#ifndef LOPSIDED_ONLINE_H
#define LOPSIDED_ONLINE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "portable.h"

/* A row of a matrix or a copy of one. columns is NULL where it is dense; wide means double, else float. */
typedef struct {
    const int32_t* columns;
    const void* values;
    Py_ssize_t count;
    int wide;
} Row;

#define REAL float
#define NAME(x) x##_f
#include "online_typed.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_d
#include "online_typed.h"
#undef REAL
#undef NAME

/* <w, x> */
INLINE double dot(Row x, const double* w) {
    if (x.columns)
        return x.wide ? sparse_dot_d(x.columns, (const double*)x.values, x.count, w)
                      : sparse_dot_f(x.columns, (const float*)x.values, x.count, w);
    return x.wide ? dense_dot_d((const double*)x.values, x.count, w) : dense_dot_f((const float*)x.values, x.count, w);
}

INLINE double value_at(Row x, Py_ssize_t t) {
    return x.wide ? ((const double*)x.values)[t] : (double)((const float*)x.values)[t];
}

INLINE Py_ssize_t column_at(Row x, Py_ssize_t t) { return x.columns ? x.columns[t] : t; }

/* <w, x> where columns go by other names in w. */
INLINE double dot_named(Row x, const int32_t* name, const double* w) {
    if (x.columns)
        return x.wide ? named_dot_d(x.columns, (const double*)x.values, x.count, name, w)
                      : named_dot_f(x.columns, (const float*)x.values, x.count, name, w);
    double sum = 0;
    for (Py_ssize_t t = 0; t < x.count; t++) sum += value_at(x, t) * w[name[t]];
    return sum;
}

/* <z, x> of a sparse row, z in float32. */
INLINE double dot_narrow(Row x, const float* z) {
    return x.wide ? sparse_dot_narrow_d(x.columns, (const double*)x.values, x.count, z)
                  : sparse_dot_narrow_f(x.columns, (const float*)x.values, x.count, z);
}

/* w += step * x */
INLINE void add(Row x, double step, double* w) {
    if (x.columns && x.wide) sparse_add_d(x.columns, (const double*)x.values, x.count, step, w);
    else if (x.columns) sparse_add_f(x.columns, (const float*)x.values, x.count, step, w);
    else if (x.wide) dense_add_d((const double*)x.values, x.count, step, w);
    else dense_add_f((const float*)x.values, x.count, step, w);
}

/* z = x where x is not zero. */
INLINE void spread(Row x, float* z) {
    for (Py_ssize_t t = 0; t < x.count; t++) z[column_at(x, t)] = (float)value_at(x, t);
}

/* z = 0 where x is not zero. */
INLINE void wipe(Row x, float* z) {
    for (Py_ssize_t t = 0; t < x.count; t++) z[column_at(x, t)] = 0;
}

INLINE double squared_norm(Row x) {
    return x.wide ? squares_d((const double*)x.values, x.count) : squares_f((const float*)x.values, x.count);
}

#endif
