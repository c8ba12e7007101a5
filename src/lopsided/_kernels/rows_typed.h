/* The loops of rows.h for one type of number: included twice, with REAL and NAME(x) defined. */

/* argument = scale * dot - (offset of the row) - (offset of the stored row): what the kernel is a function of.
 * out may be dots. */
CLONES static void NAME(arguments)(const REAL* dots, Py_ssize_t n, double scale, double offset,
                                   const double* offsets, float* out) {
    const REAL a = (REAL)scale, b = (REAL)offset;
    for (Py_ssize_t s = 0; s < n; s++) out[s] = (float)(a * dots[s] - b - (REAL)offsets[s]);
}

CLONES static double NAME(squared_norm)(const REAL* RESTRICT row, Py_ssize_t n) {
    double lanes[8] = {0};
    Py_ssize_t j = 0;
    for (; j + 8 <= n; j += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)row[j + l] * (double)row[j + l];
    double sum = 0;
    for (int l = 0; l < 8; l++) sum += lanes[l];
    for (; j < n; j++) sum += (double)row[j] * (double)row[j];
    return sum;
}

/* Dot products of one sparse stored row with the lanes of a scattered block:
 * sums[l] = sum_t values[t] * scattered[place[columns[t]], l]. A column the block lacks has place -1. */
INLINE void NAME(sweep_row)(const int32_t* RESTRICT columns, const REAL* RESTRICT values, Py_ssize_t count,
                            const int32_t* RESTRICT place, const REAL* RESTRICT scattered, const int lanes,
                            REAL* RESTRICT sums) {
#if defined(__GNUC__)
    typedef REAL pack __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));
    enum { WIDTH = 64 / sizeof(REAL) };
    if (lanes % WIDTH == 0) {
        pack total[LANES / WIDTH];
        const int packs = lanes / WIDTH;
        for (int p = 0; p < packs; p++) total[p] = (pack){0};
        for (Py_ssize_t t = 0; t < count; t++) {
            const Py_ssize_t c = place ? place[columns[t]] : columns[t];
            if (c < 0) continue;
            const REAL v = values[t];
            const pack* w = (const pack*)(scattered + c * lanes);
#pragma GCC unroll 8
            for (int p = 0; p < packs; p++) total[p] += v * w[p];
        }
        for (int p = 0; p < packs; p++) ((pack*)sums)[p] = total[p];
        return;
    }
#endif
    for (int l = 0; l < lanes; l++) sums[l] = 0;
    for (Py_ssize_t t = 0; t < count; t++) {
        const Py_ssize_t c = place ? place[columns[t]] : columns[t];
        if (c < 0) continue;
        for (int l = 0; l < lanes; l++) sums[l] += values[t] * scattered[c * lanes + l];
    }
}

/* out[l * ld + s] = argument for stored rows first <= s < last and the first m lanes of the block. */
INLINE void NAME(sweep)(const int64_t* RESTRICT starts, const int32_t* RESTRICT columns,
                        const REAL* RESTRICT values, Py_ssize_t first, Py_ssize_t last,
                        const int32_t* RESTRICT place, const REAL* RESTRICT scattered, const int lanes, int m,
                        double scale, const double* RESTRICT block_offsets, const double* RESTRICT offsets,
                        float* RESTRICT out, Py_ssize_t ld) {
    REAL tile[TILE][LANES];
    for (Py_ssize_t s0 = first; s0 < last; s0 += TILE) {
        const int rows = (int)(last - s0 < TILE ? last - s0 : TILE);
        for (int r = 0; r < rows; r++)
            NAME(sweep_row)(columns + starts[s0 + r], values + starts[s0 + r], starts[s0 + r + 1] - starts[s0 + r],
                            place, scattered, lanes, tile[r]);
        for (int l = 0; l < m; l++) {
            float* to = out + l * ld + s0;
            const REAL a = (REAL)scale, b = (REAL)block_offsets[l];
            for (int r = 0; r < rows; r++) to[r] = (float)(a * tile[r][l] - b - (REAL)offsets[s0 + r]);
        }
    }
}

CLONES static void NAME(sweep_block)(const int64_t* starts, const int32_t* columns, const REAL* values,
                                     Py_ssize_t first, Py_ssize_t last, const int32_t* place,
                                     const REAL* scattered, int lanes, int m, double scale,
                                     const double* block_offsets, const double* offsets, float* out,
                                     Py_ssize_t ld) {
    if (lanes == LANES)
        NAME(sweep)(starts, columns, values, first, last, place, scattered, LANES, m, scale, block_offsets, offsets, out, ld);
    else if (lanes == 16)
        NAME(sweep)(starts, columns, values, first, last, place, scattered, 16, m, scale, block_offsets, offsets, out, ld);
    else
        NAME(sweep)(starts, columns, values, first, last, place, scattered, 1, m, scale, block_offsets, offsets, out, ld);
}

/* scattered[j, l] = element j of row l, for m dense rows; lanes beyond m are zero. Done in tiles, so that each
 * line of memory is touched while it is near. */
CLONES static void NAME(transpose_block)(const REAL* RESTRICT block, int m, Py_ssize_t d, int lanes,
                                         REAL* RESTRICT scattered) {
    for (Py_ssize_t j0 = 0; j0 < d; j0 += TILE) {
        const int width = (int)(d - j0 < TILE ? d - j0 : TILE);
        for (int l = 0; l < m; l++)
            for (int j = 0; j < width; j++) scattered[(j0 + j) * lanes + l] = block[l * d + j0 + j];
        for (int j = 0; j < width; j++)
            for (int l = m; l < lanes; l++) scattered[(j0 + j) * lanes + l] = 0;
    }
}
