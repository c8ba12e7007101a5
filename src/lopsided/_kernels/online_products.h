/* Products of a row with weights, for one type of each: included four times, with REAL, WEIGHT and NAME(x) defined.
 * Sums are float64, in several lanes so that one addition does not wait for the last. */

/* Weights of a sparse row lie anywhere: they are sent for AHEAD elements early, into the next row where this one ends.
 * readable counts the columns that can be read from the first of this row on. */
CLONES static double NAME(sparse_dot)(const int32_t* RESTRICT columns, const REAL* RESTRICT values, Py_ssize_t n,
                                      Py_ssize_t readable, const WEIGHT* RESTRICT w) {
    double lanes[8] = {0};
    Py_ssize_t t = 0;
    for (; t + 8 <= n && t + 8 + AHEAD <= readable; t += 8) {
        for (int l = 0; l < 8; l++) PREFETCH(w + columns[t + AHEAD + l]);
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * (double)w[columns[t + l]];
    }
    for (; t + 8 <= n; t += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * (double)w[columns[t + l]];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * (double)w[columns[t]];
    for (int l = 0; l < 8; l++) sum += lanes[l];
    return sum;
}

static void NAME(sparse_add)(const int32_t* RESTRICT columns, const REAL* RESTRICT values, Py_ssize_t n, double step,
                             WEIGHT* RESTRICT w) {
    for (Py_ssize_t t = 0; t < n; t++) w[columns[t]] += (WEIGHT)(step * (double)values[t]);
}

CLONES static double NAME(dense_dot)(const REAL* RESTRICT values, Py_ssize_t n, const WEIGHT* RESTRICT w) {
    double lanes[16] = {0};
    Py_ssize_t t = 0;
    for (; t + 16 <= n; t += 16)
        for (int l = 0; l < 16; l++) lanes[l] += (double)values[t + l] * (double)w[t + l];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * (double)w[t];
    for (int l = 0; l < 16; l++) sum += lanes[l];
    return sum;
}

CLONES static void NAME(dense_add)(const REAL* RESTRICT values, Py_ssize_t n, double step, WEIGHT* RESTRICT w) {
    for (Py_ssize_t t = 0; t < n; t++) w[t] += (WEIGHT)(step * (double)values[t]);
}
