/* The loops of online.h for one type of number: included twice, with REAL and NAME(x) defined. Sums are float64,
 * in several lanes so that one addition does not wait for the last. */

/* Where columns go by other names in w. */
CLONES static double NAME(named_dot)(const int32_t* RESTRICT columns, const REAL* RESTRICT values, Py_ssize_t n,
                                     Py_ssize_t readable, const int32_t* RESTRICT name, const double* RESTRICT w) {
    double lanes[8] = {0};
    Py_ssize_t t = 0;
    for (; t + 8 <= n && t + 8 + AHEAD <= readable; t += 8) {
        for (int l = 0; l < 8; l++) PREFETCH(name + columns[t + AHEAD + l]);
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * w[name[columns[t + l]]];
    }
    for (; t + 8 <= n; t += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)values[t + l] * w[name[columns[t + l]]];
    double sum = 0;
    for (; t < n; t++) sum += (double)values[t] * w[name[columns[t]]];
    for (int l = 0; l < 8; l++) sum += lanes[l];
    return sum;
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
