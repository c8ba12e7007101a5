/* The sweeps of the online SVM over its expansion, in plain C.
 *
 * g is the gradient; up_bar and low_bar are 0 where an alpha may still grow (shrink) and -FAR (+FAR) where it may
 * not, so that one addition takes the place of a test and the largest and smallest gradient are found many lanes
 * at a time. Ties go to the lowest position. */
#ifndef LOPSIDED_LASVM_H
#define LOPSIDED_LASVM_H

#include <stddef.h>
#include <stdint.h>

#include "portable.h"

#define FAR 1e300
#define BARRED 1e200 /* what is farther out than this has its bar up */
#define STRETCH 256

typedef struct {
    Py_ssize_t i, j;   /* largest gradient of those that may grow, smallest of those that may shrink; -1: none */
    double g_i, g_j;
} Pair;

INLINE Pair first_of(const double* g, const double* up_bar, const double* low_bar, Py_ssize_t n, double largest,
                     Py_ssize_t at_largest, double smallest, Py_ssize_t at_smallest) {
    Pair pair = {-1, -1, largest, smallest};
    if (largest > -BARRED)
        for (Py_ssize_t s = at_largest; s < n; s++)
            if (g[s] + up_bar[s] == largest) {
                pair.i = s;
                break;
            }
    if (smallest < BARRED)
        for (Py_ssize_t s = at_smallest; s < n; s++)
            if (g[s] + low_bar[s] == smallest) {
                pair.j = s;
                break;
            }
    return pair;
}

/* The most violating pair. */
NO_NAN CLONES static void find_pair(const double* RESTRICT g, const double* RESTRICT up_bar,
                                    const double* RESTRICT low_bar, Py_ssize_t n, Pair* pair) {
    double largest = -FAR * 2, smallest = FAR * 2;
    Py_ssize_t at_largest = 0, at_smallest = 0;
    for (Py_ssize_t s0 = 0; s0 < n; s0 += STRETCH) {
        const Py_ssize_t end = s0 + STRETCH < n ? s0 + STRETCH : n;
        double high = -FAR * 2, low = FAR * 2;
        for (Py_ssize_t s = s0; s < end; s++) {
            const double up = g[s] + up_bar[s], down = g[s] + low_bar[s];
            high = up > high ? up : high;
            low = down < low ? down : low;
        }
        if (high > largest) largest = high, at_largest = s0;
        if (low < smallest) smallest = low, at_smallest = s0;
    }
    *pair = first_of(g, up_bar, low_bar, n, largest, at_largest, smallest, at_smallest);
}

/* g -= step (K_i - K_j), and the most violating pair of the result. */
NO_NAN CLONES static void move_and_find_pair(double* RESTRICT g, const float* RESTRICT K_i,
                                             const float* RESTRICT K_j, double step,
                                             const double* RESTRICT up_bar, const double* RESTRICT low_bar,
                                             Py_ssize_t n, Pair* pair) {
    double largest = -FAR * 2, smallest = FAR * 2;
    Py_ssize_t at_largest = 0, at_smallest = 0;
    for (Py_ssize_t s0 = 0; s0 < n; s0 += STRETCH) {
        const Py_ssize_t end = s0 + STRETCH < n ? s0 + STRETCH : n;
        double high = -FAR * 2, low = FAR * 2;
        for (Py_ssize_t s = s0; s < end; s++) {
            const double moved = g[s] - step * ((double)K_i[s] - (double)K_j[s]);
            const double up = moved + up_bar[s], down = moved + low_bar[s];
            g[s] = moved;
            high = up > high ? up : high;
            low = down < low ? down : low;
        }
        if (high > largest) largest = high, at_largest = s0;
        if (low < smallest) smallest = low, at_smallest = s0;
    }
    *pair = first_of(g, up_bar, low_bar, n, largest, at_largest, smallest, at_smallest);
}

/* The partner j of i with the largest gain (g_i - g_j)^2 / (2 eta_ij) of those that may shrink (second-order
 * choice, Fan, Chen & Lin 2005). A partner with g_j < g_i must exist. */
NO_NAN CLONES static Py_ssize_t best_partner(const double* RESTRICT g, const double* RESTRICT low_bar,
                                             const float* RESTRICT K_i, const float* RESTRICT diagonal,
                                             double g_i, float K_ii, Py_ssize_t n) {
    float best = -1.0f;
    Py_ssize_t at_best = 0;
    float gains[STRETCH];
    for (Py_ssize_t s0 = 0; s0 < n; s0 += STRETCH) {
        const Py_ssize_t count = s0 + STRETCH < n ? STRETCH : n - s0;
        float most = -1.0f;
        for (Py_ssize_t t = 0; t < count; t++) {
            const double apart = g_i - (g[s0 + t] + low_bar[s0 + t]);
            const float gap = apart > 0 ? (float)apart : 0.0f;
            const float eta = K_ii + diagonal[s0 + t] - 2.0f * K_i[s0 + t];
            const float gain = gap * gap / (eta > 1e-6f ? eta : 1e-6f);
            gains[t] = gain;
            most = gain > most ? gain : most;
        }
        if (most > best) {
            best = most;
            for (Py_ssize_t t = 0; t < count; t++)
                if (gains[t] == most) {
                    at_best = s0 + t;
                    break;
                }
        }
    }
    return at_best;
}

/* Duality gap of the problem on the expansion, sum_s C_s max(0, y_s (g_s - b)) - alpha_s (g_s - b): the slack of
 * sample s is y_s (g_s - b), since f(x_s) = y_s - g_s + b. The bound in the direction of the slack is upper for
 * y = +1 and lower for y = -1. */
NO_NAN CLONES static double duality_gap(const double* RESTRICT g, const double* RESTRICT alpha,
                                        const double* RESTRICT lower, const double* RESTRICT upper, double b,
                                        Py_ssize_t n) {
    double lanes[16] = {0};
    Py_ssize_t s = 0;
    for (; s + 16 <= n; s += 16)
        for (int l = 0; l < 16; l++) {
            const double slope = g[s + l] - b;
            lanes[l] += (slope > 0 ? upper[s + l] : lower[s + l]) * slope - alpha[s + l] * slope;
        }
    double sum = 0;
    for (int l = 0; l < 16; l++) sum += lanes[l];
    for (; s < n; s++) {
        const double slope = g[s] - b;
        sum += (slope > 0 ? upper[s] : lower[s]) * slope - alpha[s] * slope;
    }
    return sum;
}

/* rows[i][first + t] = columns[t][i] for 0 <= i < n: new columns written sixteen at a time, a whole line of memory
 * each. A row that is not kept is NULL. */
CLONES static void write_columns(float* const* rows, const float* const* columns, Py_ssize_t n, Py_ssize_t first,
                                 int count) {
    float tile[16][16];
    for (Py_ssize_t i0 = 0; i0 < n; i0 += 16) {
        const int width = (int)(n - i0 < 16 ? n - i0 : 16);
        for (int t = 0; t < count; t++)
            for (int i = 0; i < width; i++) tile[i][t] = columns[t] ? columns[t][i0 + i] : 0.0f;
        for (int i = 0; i < width; i++) {
            float* to = rows[i0 + i];
            if (to)
                for (int t = 0; t < count; t++) to[first + t] = tile[i][t];
        }
    }
}

#endif
