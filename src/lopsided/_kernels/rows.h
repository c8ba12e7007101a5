/* The inner loops of kernel evaluation, in plain C: rows of a block against stored rows.
 *
 * A block is at most LANES rows. Against dense stored rows its dot products are one BLAS product; against sparse
 * stored rows it is scattered, so that each nonzero of a stored row meets all rows of the block at once. */
#ifndef LOPSIDED_ROWS_H
#define LOPSIDED_ROWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "portable.h"

#define LANES 64
#define TILE 16

#define REAL float
#define NAME(x) x##_f
#include "rows_typed.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_d
#include "rows_typed.h"
#undef REAL
#undef NAME

/* A row: dense where it has no columns, else these in ascending order. */
typedef struct {
    const int32_t* columns;
    const void* values;
    Py_ssize_t count;
    int wide; /* double, else float */
} RowView;

INLINE double number_of(RowView x, Py_ssize_t t, int wide) {
    const double value = x.wide ? ((const double*)x.values)[t] : (double)((const float*)x.values)[t];
    return wide ? value : (double)(float)value;
}

/* |x - z|^2 in double, of numbers that are rounded to float first unless wide. The sum |x|^2 + |z|^2 - 2 x.z, which is many times faster, loses the digits that count where rows lie
 * far from the origin and close to each other. */
static double squared_distance(RowView x, RowView z, int wide) {
    double sum = 0;
    Py_ssize_t i = 0, j = 0;
    while (i < x.count || j < z.count) {
        const Py_ssize_t at_x = i >= x.count ? PY_SSIZE_T_MAX : x.columns ? x.columns[i] : i;
        const Py_ssize_t at_z = j >= z.count ? PY_SSIZE_T_MAX : z.columns ? z.columns[j] : j;
        const double apart = (at_x <= at_z ? number_of(x, i, wide) : 0) - (at_z <= at_x ? number_of(z, j, wide) : 0);
        i += at_x <= at_z;
        j += at_z <= at_x;
        sum += apart * apart;
    }
    return sum;
}

/* exp(x) for x <= 0 to about 1 unit in the last place of float, without a call, so that the loop below runs many
 * lanes wide: x = n log 2 + r with |r| <= log(2)/2, a polynomial for exp(r), and n added to the exponent. */
INLINE float exp_of_negative(float x) {
    x = x < -87.0f ? -87.0f : x;
    const float shifted = x * 1.44269504f + 12582912.0f; /* adding 1.5 * 2^23 rounds to a whole number */
    const float n = shifted - 12582912.0f;
    const float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
    float p = 1.0f / 5040.0f; /* Taylor: the remainder at log(2)/2 is 5e-9 */
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    p = p * r * r + r + 1.0f;
    /* The low bits of `shifted` are n. Unsigned, so that what is not a number, which p carries on, has bits as well. */
    union { float f; uint32_t bits; } power = {shifted};
    power.bits = (power.bits - 0x4B400000u + 127u) << 23;
    return p * power.f;
}

/* Rounding alone makes an argument positive: it is 0 then. Infinite, or not a number, come from products that
 * overflowed: the result is not a number, so that they are noticed. */
CLONES static void apply_exp(float* RESTRICT row, Py_ssize_t n) {
    for (Py_ssize_t s = 0; s < n; s++) row[s] = exp_of_negative(row[s] > 0.0f ? row[s] - row[s] : row[s]);
}

static void apply_tanh(float* row, Py_ssize_t n) {
    for (Py_ssize_t s = 0; s < n; s++) row[s] = tanhf(row[s]);
}

CLONES static void apply_power(float* RESTRICT row, Py_ssize_t n, int degree) {
    for (Py_ssize_t s = 0; s < n; s++) {
        float power = 1.0f;
        for (int k = 0; k < degree; k++) power *= row[s];
        row[s] = power;
    }
}

/* sum_s values[s] * weights[s], in float64. */
CLONES static double weighted(const float* RESTRICT values, const double* RESTRICT weights, Py_ssize_t n) {
    double lanes[32] = {0};
    Py_ssize_t s = 0;
    for (; s + 32 <= n; s += 32)
        for (int l = 0; l < 32; l++) lanes[l] += (double)values[s + l] * weights[s + l];
    double sum = 0;
    for (int l = 0; l < 32; l++) sum += lanes[l];
    for (; s < n; s++) sum += (double)values[s] * weights[s];
    return sum;
}

/* What is wrong with the indices of a CSR matrix: 0 nothing, 1 a row is not in strictly ascending order, 2 they
 * lead out of the matrix. SciPy itself does not look. */
enum { SOUND, UNORDERED, OUTSIDE };

#define INDEX int32_t
#define NAME(x) x##_32
#include "csr_typed.h"
#undef INDEX
#undef NAME

#define INDEX int64_t
#define NAME(x) x##_64
#include "csr_typed.h"
#undef INDEX
#undef NAME

/* Infinite and not-a-number are those whose exponent is all ones. */
CLONES static int all_finite_f(const uint32_t* RESTRICT bits, Py_ssize_t n) {
    uint32_t bad = 0;
    for (Py_ssize_t t = 0; t < n; t++) bad |= (bits[t] & 0x7F800000u) == 0x7F800000u;
    return !bad;
}

CLONES static int all_finite_d(const uint64_t* RESTRICT bits, Py_ssize_t n) {
    uint64_t bad = 0;
    for (Py_ssize_t t = 0; t < n; t++) bad |= (bits[t] & 0x7FF0000000000000u) == 0x7FF0000000000000u;
    return !bad;
}

#endif
