/* The loops of online.h for one type of number: included twice, with REAL and NAME(x) defined. Sums are float64,
 * in several lanes so that one addition does not wait for the last. */

CLONES static double NAME(sparse_dot)(const int32_t* RESTRICT columns, const REAL* RESTRICT values, Py_ssize_t n,
                                      const double* RESTRICT w) {
    double lanes[8] = {0};
    Py_ssize_t t = 0;
    for (; t + 8 <= n; t += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * w[columns[t + l]];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * w[columns[t]];
    for (int l = 0; l < 8; l++) sum += lanes[l];
    return sum;
}

/* Where columns go by other names in w. */
CLONES static double NAME(named_dot)(const int32_t* RESTRICT columns, const REAL* RESTRICT values, Py_ssize_t n,
                                     const int32_t* RESTRICT name, const double* RESTRICT w) {
    double lanes[8] = {0};
    Py_ssize_t t = 0;
    for (; t + 8 <= n; t += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * w[name[columns[t + l]]];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * w[name[columns[t]]];
    for (int l = 0; l < 8; l++) sum += lanes[l];
    return sum;
}

CLONES static double NAME(sparse_dot_narrow)(const int32_t* RESTRICT columns, const REAL* RESTRICT values,
                                             Py_ssize_t n, const float* RESTRICT z) {
    double lanes[8] = {0};
    Py_ssize_t t = 0;
    for (; t + 8 <= n; t += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * (double)z[columns[t + l]];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * (double)z[columns[t]];
    for (int l = 0; l < 8; l++) sum += lanes[l];
    return sum;
}

static void NAME(sparse_add)(const int32_t* RESTRICT columns, const REAL* RESTRICT values, Py_ssize_t n, double step,
                             double* RESTRICT w) {
    for (Py_ssize_t t = 0; t < n; t++) w[columns[t]] += step * (double)values[t];
}

CLONES static double NAME(dense_dot)(const REAL* RESTRICT values, Py_ssize_t n, const double* RESTRICT w) {
    double lanes[16] = {0};
    Py_ssize_t t = 0;
    for (; t + 16 <= n; t += 16)
        for (int l = 0; l < 16; l++) lanes[l] += (double)values[t + l] * w[t + l];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * w[t];
    for (int l = 0; l < 16; l++) sum += lanes[l];
    return sum;
}

CLONES static void NAME(dense_add)(const REAL* RESTRICT values, Py_ssize_t n, double step, double* RESTRICT w) {
    for (Py_ssize_t t = 0; t < n; t++) w[t] += step * (double)values[t];
}

CLONES static double NAME(squares)(const REAL* RESTRICT values, Py_ssize_t n) {
    double lanes[8] = {0};
    Py_ssize_t t = 0;
    for (; t + 8 <= n; t += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * (double)values[t + l];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * (double)values[t];
    for (int l = 0; l < 8; l++) sum += lanes[l];
    return sum;
}
