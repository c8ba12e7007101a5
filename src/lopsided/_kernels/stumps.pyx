"""Stumps: the weights of both classes beneath each of them, and the best one.

A stump asks one question of a row (is the word there? is the number above a threshold?) and answers ``present``
where the answer is yes, ``absent`` elsewhere. All that its quality depends on are four sums of weights,

    W[b, l] = sum of D_i over the rows with answer b and label l          b, l in {+, -}

The functions below fill W[+, +] and W[+, -] for all stumps in one pass over the matrix; W[-, l] is the rest of
the weight of class l. Weights come as pairs (D_i if y_i = +1 else 0, D_i if y_i = -1 else 0), so that each
nonzero costs one load of 16 bytes and one addition of two numbers.
"""

from libc.math cimport exp, fabs, log, sqrt
from libc.stdint cimport int32_t, uint16_t

cdef double TIE = 1e-12  # scores are sums of weights: what differs by less is equal, but for rounding
cdef double ROUNDING = 1e-14  # share of a sum that may be left when all of it is taken away

cdef enum:
    REAL_MH
    DISC_MH
    REAL_LP
    DISC_LP
    REAL_U
    DISC_U
    MOST_STEPS = 100  # of Newton's method

LEARNERS = {
    "real.mh": REAL_MH,
    "disc.mh": DISC_MH,
    "real.lp": REAL_LP,
    "disc.lp": DISC_LP,
    "real.u": REAL_U,
    "disc.u": DISC_U,
}

def presence_weights(const int32_t[::1] indptr, const int32_t[::1] indices, const double[:, ::1] pairs,
                     double[:, ::1] out):
    """W[+, l] of each column: the weight of the rows in which it is not 0. CSC; out is (n_columns, 2)."""
    cdef Py_ssize_t j, k, end
    cdef const double* row
    cdef const double* pair
    cdef const int32_t* i = &indices[0] if indices.shape[0] else NULL
    cdef double p0, p1, p2, p3, n0, n1, n2, n3
    if out.shape[0] == 0:
        return
    row = &pairs[0, 0]
    with nogil:
        for j in range(out.shape[0]):
            # Four sums side by side: an addition need not wait for the one before it.
            p0 = p1 = p2 = p3 = n0 = n1 = n2 = n3 = 0
            k, end = indptr[j], indptr[j + 1]
            while k + 4 <= end:
                pair = row + 2 * <Py_ssize_t>i[k]
                p0, n0 = p0 + pair[0], n0 + pair[1]
                pair = row + 2 * <Py_ssize_t>i[k + 1]
                p1, n1 = p1 + pair[0], n1 + pair[1]
                pair = row + 2 * <Py_ssize_t>i[k + 2]
                p2, n2 = p2 + pair[0], n2 + pair[1]
                pair = row + 2 * <Py_ssize_t>i[k + 3]
                p3, n3 = p3 + pair[0], n3 + pair[1]
                k += 4
            while k < end:
                pair = row + 2 * <Py_ssize_t>i[k]
                p0, n0 = p0 + pair[0], n0 + pair[1]
                k += 1
            out[j, 0] = (p0 + p1) + (p2 + p3)
            out[j, 1] = (n0 + n1) + (n2 + n3)


def threshold_weights(const uint16_t[:, ::1] codes, const int32_t[::1] first, const double[:, ::1] pairs,
                      double[:, ::1] out):
    """W[+, l] of each threshold: the weight of the rows above it.

    ``codes`` is (n_columns, n_rows): the place of each number among the values, or bins, of its column. Column j
    has the stumps first[j] to first[j + 1]; the t-th of them asks whether the code is above t.
    """
    cdef Py_ssize_t i, j, t, n_rows = codes.shape[1]
    cdef double* row
    cdef const uint16_t* code
    with nogil:
        for j in range(codes.shape[0]):
            if first[j] == first[j + 1]:  # one value: nothing to ask
                continue
            for t in range(first[j], first[j + 1]):
                out[t, 0] = out[t, 1] = 0
            # A row with code c counts for the stumps 0 .. c - 1: put it at c - 1, and sum from above.
            row = &out[first[j], 0]
            code = &codes[j, 0]
            for i in range(n_rows):
                if code[i]:
                    row[2 * (code[i] - 1)] += pairs[i, 0]
                    row[2 * (code[i] - 1) + 1] += pairs[i, 1]
            for t in range(first[j + 1] - 2, first[j] - 1, -1):
                out[t, 0] += out[t + 1, 0]
                out[t, 1] += out[t + 1, 1]


cdef struct Four:
    double pp, pm, mp, mm  # W[b, l] of a stump


cdef inline Four four(const double* above, double positive, double negative) noexcept nogil:
    """All four weights of a stump; what only rounding left is 0, as its root would not be small."""
    cdef Four w
    w.pp, w.pm = above[0], above[1]
    w.mp, w.mm = positive - w.pp, negative - w.pm
    if w.mp < ROUNDING * positive:
        w.mp = 0
    if w.mm < ROUNDING * negative:
        w.mm = 0
    return w


cdef inline double confidence(double positive, double negative, double eps) noexcept nogil:
    """The answer that is best for the exponential loss, smoothed."""
    return 0.5 * log((positive + eps) / (negative + eps))


cdef inline double sign(double positive, double negative) noexcept nogil:
    return 1.0 if positive > negative else -1.0


cdef inline double edge(Four w) noexcept nogil:
    """r: the weight of what the signs get right, less that of what they get wrong."""
    if sign(w.pp, w.pm) == sign(w.mp, w.mm):  # a constant: the same sum for all of them, to the last digit
        return fabs((w.pp + w.mp) - (w.pm + w.mm))
    return fabs(w.pp - w.pm) + fabs(w.mp - w.mm)


cdef double even_step(double r, double eps) noexcept nogil:
    """alpha of a stump with signs; smoothed where it is perfect."""
    if fabs(r) > 1 - eps:  # always right, or always wrong
        return 0.5 * log((1 + r + eps) / (1 - r + eps))
    return 0.5 * log((1 + r) / (1 - r))


cdef double uneven_step(Four c, double beta, double eps) noexcept nogil:
    """The root of equation 11 in alpha, for weights by class and prediction.

        C3 e^alpha + C2 e^(alpha / beta) - C1 e^(-alpha / beta) - C4 e^(-alpha) = 0
        C1 = W++ / beta, C2 = W+- / beta, C3 = W-+, C4 = W--

    The left side grows with alpha, so that Newton's steps, kept inside a bracket, cannot miss it.
    """
    cdef double high = 0.5 * log((1 + eps) / eps)
    cdef double low = -high
    cdef double alpha = 0, value, slope, small, large, following
    cdef int _
    if c.pp + c.mm <= 0:
        return low
    if c.pm + c.mp <= 0:
        return high
    for _ in range(MOST_STEPS):
        small, large = exp(alpha / beta), exp(alpha)
        value = c.mp * large - c.mm / large + (c.pm * small - c.pp / small) / beta
        slope = c.mp * large + c.mm / large + (c.pm * small + c.pp / small) / (beta * beta)
        if value > 0:
            high = alpha
        else:
            low = alpha
        following = alpha - value / slope
        if not low < following < high:
            following = 0.5 * (low + high)
        if fabs(following - alpha) <= 1e-15 * (1 + fabs(alpha)):
            break
        alpha = following
    return alpha


cdef Four by_prediction(Four w) noexcept nogil:
    """Weights by class and predicted sign in place of answer and class."""
    cdef Four c
    c.pp = c.pm = c.mp = c.mm = 0
    if w.pp > w.pm:
        c.pp, c.mp = w.pp, w.pm
    else:
        c.pm, c.mm = w.pp, w.pm
    if w.mp > w.mm:
        c.pp, c.mp = c.pp + w.mp, c.mp + w.mm
    else:
        c.pm, c.mm = c.pm + w.mp, c.mm + w.mm
    return c


cdef double uneven_loss(Four c, double alpha, double beta) noexcept nogil:
    """Z of equation 10 for signs."""
    return (c.pp * exp(-alpha / beta) + c.pm * exp(alpha / beta)
            + c.mp * exp(alpha) + c.mm * exp(-alpha))


cdef double score(Four w, int learner, double beta, double eps) noexcept nogil:
    """How good a stump is: the larger, the better."""
    cdef double present, absent
    if learner == REAL_MH:
        return -(sqrt(w.pp * w.pm) + sqrt(w.mp * w.mm))
    if learner == DISC_MH or learner == DISC_LP:
        return edge(w)
    if learner == DISC_U:
        w = by_prediction(w)
        return -uneven_loss(w, uneven_step(w, beta, eps), beta)
    present, absent = confidence(w.pp, w.pm, eps), confidence(w.mp, w.mm, eps)
    if learner == REAL_LP:
        return present * (w.pp - w.pm) + absent * (w.mp - w.mm)
    return -(w.pp * exp(-present / beta) + w.pm * exp(present)
             + w.mp * exp(-absent / beta) + w.mm * exp(absent))


def best_stump(const double[:, ::1] weights, double positive, double negative, int learner, double beta,
               double eps):
    """Index, present, absent and alpha of the best stump; the first of equally good ones.

    ``weights`` holds W[+, +] and W[+, -] of each stump, ``positive`` and ``negative`` are those of the classes.
    The index is -1 where there is no stump: ``weights`` is empty, or the values of all stumps are NaN.
    """
    cdef Py_ssize_t j, best = -1
    cdef double value, highest = -1e300
    cdef Four w
    with nogil:
        for j in range(weights.shape[0]):
            value = score(four(&weights[j, 0], positive, negative), learner, beta, eps)
            if value > highest + TIE:
                best, highest = j, value
    if best < 0:
        return -1, 0.0, 0.0, 0.0
    w = four(&weights[best, 0], positive, negative)
    if learner == REAL_MH or learner == REAL_LP or learner == REAL_U:
        return best, confidence(w.pp, w.pm, eps), confidence(w.mp, w.mm, eps), 1.0
    alpha = even_step(edge(w), eps) if learner != DISC_U else uneven_step(by_prediction(w), beta, eps)
    return best, sign(w.pp, w.pm), sign(w.mp, w.mm), alpha


def step_of_signs(double pp, double pm, double mp, double mm, double beta, double eps):
    """alpha of any classifier, from its weights by class and prediction; beta = 1 is AdaBoost's."""
    cdef Four c
    c.pp, c.pm, c.mp, c.mm = pp, pm, mp, mm
    if beta == 1:
        return even_step(pp + mm - pm - mp, eps)
    return uneven_step(c, beta, eps)
