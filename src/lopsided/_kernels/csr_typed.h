/* The structural check of rows.h for one type of index: included twice, with INDEX and NAME(x) defined. */

CLONES static int NAME(is_ascending)(const INDEX* RESTRICT columns, Py_ssize_t n) {
    INDEX descents = 0;
    for (Py_ssize_t t = 1; t < n; t++) descents |= columns[t] <= columns[t - 1];
    return !descents;
}

static int NAME(csr_flaw)(const INDEX* starts, const INDEX* columns, Py_ssize_t n_rows, Py_ssize_t n_columns,
                          Py_ssize_t n_values) {
    int flaw = SOUND;
    if (starts[0] != 0 || starts[n_rows] != n_values) return OUTSIDE;
    for (Py_ssize_t i = 0; i < n_rows; i++)
        if (starts[i] > starts[i + 1]) return OUTSIDE;
    for (Py_ssize_t i = 0; i < n_rows; i++) {
        const Py_ssize_t n = starts[i + 1] - starts[i];
        if (n == 0) continue;
        const INDEX* row = columns + starts[i];
        if (NAME(is_ascending)(row, n)) { /* then the first is the smallest, and the last the largest */
            if (row[0] < 0 || row[n - 1] >= n_columns) return OUTSIDE;
            continue;
        }
        flaw = UNORDERED;
        for (Py_ssize_t t = 0; t < n; t++)
            if (row[t] < 0 || row[t] >= n_columns) return OUTSIDE;
    }
    return flaw;
}
