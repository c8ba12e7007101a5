/* What an online learner does with one row: a product with dense weights, and adding it to them. */
#ifndef LOPSIDED_ONLINE_H
#define LOPSIDED_ONLINE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "portable.h"

enum { AHEAD = 64 }; /* elements of a row; half and twice as many are as good */

/* A row of a matrix or a copy of one. columns is NULL where it is dense; wide means double, else float. readable is the
 * number of columns that can be read from here on: those of this row and, in a matrix, of the rows behind it. */
typedef struct {
    const int32_t* columns;
    const void* values;
    Py_ssize_t count, readable;
    int wide;
} Row;

#define REAL float
#define WEIGHT float
#define NAME(x) x##_ff
#include "online_products.h"
#undef WEIGHT
#undef NAME
#define WEIGHT double
#define NAME(x) x##_fd
#include "online_products.h"
#undef WEIGHT
#undef NAME
#define NAME(x) x##_f
#include "online_typed.h"
#undef REAL
#undef NAME

#define REAL double
#define WEIGHT float
#define NAME(x) x##_df
#include "online_products.h"
#undef WEIGHT
#undef NAME
#define WEIGHT double
#define NAME(x) x##_dd
#include "online_products.h"
#undef WEIGHT
#undef NAME
#define NAME(x) x##_d
#include "online_typed.h"
#undef REAL
#undef NAME

/* <w, x> and w += step * x, for weights in double and in float. */
#define PRODUCTS(DOT, ADD, WEIGHT, END)                                                                              \
    INLINE double DOT(Row x, const WEIGHT* w) {                                                                      \
        if (x.columns)                                                                                               \
            return x.wide ? sparse_dot_d##END(x.columns, (const double*)x.values, x.count, x.readable, w)            \
                          : sparse_dot_f##END(x.columns, (const float*)x.values, x.count, x.readable, w);            \
        return x.wide ? dense_dot_d##END((const double*)x.values, x.count, w)                                        \
                      : dense_dot_f##END((const float*)x.values, x.count, w);                                        \
    }                                                                                                                \
    INLINE void ADD(Row x, double step, WEIGHT* w) {                                                                 \
        if (x.columns && x.wide) sparse_add_d##END(x.columns, (const double*)x.values, x.count, step, w);            \
        else if (x.columns) sparse_add_f##END(x.columns, (const float*)x.values, x.count, step, w);                  \
        else if (x.wide) dense_add_d##END((const double*)x.values, x.count, step, w);                                \
        else dense_add_f##END((const float*)x.values, x.count, step, w);                                             \
    }
PRODUCTS(dot, add, double, d)
PRODUCTS(dot_narrow, add_narrow, float, f)

INLINE double value_at(Row x, Py_ssize_t t) {
    return x.wide ? ((const double*)x.values)[t] : (double)((const float*)x.values)[t];
}

INLINE Py_ssize_t column_at(Row x, Py_ssize_t t) { return x.columns ? x.columns[t] : t; }

/* <w, x> where columns go by other names in w. */
INLINE double dot_named(Row x, const int32_t* name, const double* w) {
    if (x.columns)
        return x.wide ? named_dot_d(x.columns, (const double*)x.values, x.count, x.readable, name, w)
                      : named_dot_f(x.columns, (const float*)x.values, x.count, x.readable, name, w);
    double sum = 0;
    for (Py_ssize_t t = 0; t < x.count; t++) sum += value_at(x, t) * w[name[t]];
    return sum;
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
