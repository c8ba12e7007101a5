"""LASVM: the dual of a two-class SVM, improved one example at a time (Bordes, Ertekin, Weston, Bottou 2005).

    max W(alpha) = sum_i alpha_i y_i - 1/2 sum_ij alpha_i alpha_j K_ij,   A_i <= alpha_i <= B_i,  sum_i alpha_i = 0

alpha carries the sign of y: [A, B] is [0, C] for y = +1 and [-C, 0] for y = -1. A `Machine` keeps the expansion S:
the rows seen so far that support the solution or may yet do so, with their gradients

    g_i = dW / dalpha_i = y_i - sum_s alpha_s K_is,     f(x) = sum_s alpha_s K(x_s, x) + b.

PROCESS takes a fresh example in and moves it against its best partner, REPROCESS moves the most violating pair of S
and drops what cannot come back, FINISH repeats that until no pair violates the conditions by more than tol.

Members of S stand at positions 0 ... n - 1. One that leaves becomes a hole; holes are closed all at once, between
blocks of examples. Kernel rows over S are kept in a slab of fixed-length slots within a byte budget. A row is valid
up to its `length`; what was added since is read from the rows of the later members (K is symmetric), or computed.
"""

from libc.math cimport INFINITY, fabs, isfinite
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove

from .rows cimport LANES, Rows, RowStore, resize

import numpy as np

from .checks import array_of, real_number, whole_number
from .rows import NOT_FINITE

cdef extern from "lasvm.h" nogil:
    double FAR
    ctypedef struct Pair:
        Py_ssize_t i, j
        double g_i, g_j

    void PREFETCH(const void* address)
    uint64_t next_random(uint64_t* state)
    void find_pair(const double* g, const double* up_bar, const double* low_bar, Py_ssize_t n, Pair* pair)
    void move_and_find_pair(double* g, const float* K_i, const float* K_j, double step, const double* up_bar,
                            const double* low_bar, Py_ssize_t n, Pair* pair)
    Py_ssize_t best_partner(const double* g, const double* low_bar, const float* K_i, const float* diagonal,
                            double g_i, float K_ii, Py_ssize_t n)
    double duality_gap(const double* g, const double* alpha, const double* lower, const double* upper, double b,
                       Py_ssize_t n)
    void write_columns(float** rows, const float** columns, Py_ssize_t n, Py_ssize_t first, int count)

cdef extern from "rows.h" nogil:
    double weighted(const float* values, const double* weights, Py_ssize_t n)

cdef enum:
    WAITING = 1000  # examples kept while only one class was seen: they have no partner to move against
    CROWD = 200  # members with alpha = 0, beyond the number of support vectors, that are too many
    STRIPE = 16  # columns of the slab written at a time


MOST_BYTES = 2**62


cdef class Machine:
    """The expansion of one two-class SVM and the steps that improve it.

    Parameters
    ----------
    store : RowStore
        Empty; it will hold the rows of the expansion.
    tol : float
        A pair that violates the optimality conditions by no more than this is left alone (tau).
    cache_bytes : int
        Budget of the slab of kernel rows. Two rows are always kept.
    state : dict, optional
        Of another machine: this one goes on from there. Kernel rows are computed again when they are needed.
    """

    cdef readonly RowStore store
    cdef readonly double tol, b, delta
    cdef double mass  # sum_s |alpha_s|
    cdef double drift  # what rounding of alphas and gradients may have added to the latter, for kernel values of 1
    cdef double largest  # |K_ss|: no kernel value is larger where K is an inner product
    cdef readonly Py_ssize_t n, n_positive, n_negative, n_steps
    cdef public Py_ssize_t n_learned
    cdef Py_ssize_t capacity, n_dead, n_zeros
    cdef bint changed
    cdef double gap
    cdef Pair pair
    cdef double* alpha
    cdef double* g
    cdef double* lower
    cdef double* upper
    cdef double* up_bar
    cdef double* low_bar
    cdef float* diagonal
    cdef int8_t* sign
    cdef int8_t* dead
    cdef int8_t* listed
    cdef int32_t* zeros
    # kernel rows
    cdef Py_ssize_t cache_bytes, n_slots, n_free, ld, filled
    cdef float* slab
    cdef int32_t* slot_of
    cdef int32_t* length
    cdef int32_t* owner
    cdef int32_t* free_slots
    cdef int64_t* stamp
    cdef int64_t clock
    cdef float** row_pointers
    # kernel values of the block at hand
    cdef float* panel
    cdef Py_ssize_t panel_ld
    cdef int64_t[::1] at_hand
    cdef int n_at_hand
    cdef Rows hand

    def __cinit__(self, RowStore store not None, double tol, Py_ssize_t cache_bytes, dict state=None):
        real_number("tol", tol, above=0)
        whole_number("cache_bytes", cache_bytes, 0, MOST_BYTES)
        self.store, self.tol, self.cache_bytes = store, tol, cache_bytes
        self.delta = INFINITY
        self.pair.i = self.pair.j = -1
        self.at_hand = np.empty(LANES, dtype=np.int64)
        self._reserve(64)
        if state is not None:
            self._restore(state)

    def __dealloc__(self):
        free(self.alpha)
        free(self.g)
        free(self.lower)
        free(self.upper)
        free(self.up_bar)
        free(self.low_bar)
        free(self.diagonal)
        free(self.sign)
        free(self.dead)
        free(self.listed)
        free(self.zeros)
        free(self.slab)
        free(self.slot_of)
        free(self.length)
        free(self.owner)
        free(self.free_slots)
        free(self.stamp)
        free(self.row_pointers)
        free(self.panel)

    def learn(self, Rows rows, const int64_t[::1] chosen, const int64_t[::1] numbers, const int8_t[::1] signs,
              const double[::1] bounds, int64_t[::1] n_positive, int64_t[::1] n_negative, double[::1] gaps):
        """PROCESS and REPROCESS the chosen rows in order.

        ``numbers`` names the rows in the expansion, ``signs`` are +1 or -1, ``bounds`` their C. After each row
        the numbers of support vectors and the duality gap on the expansion are written to the last three, and
        `n_learned` says how many rows there were, also if a later one raised.
        """
        cdef Py_ssize_t first, k, total = chosen.shape[0]
        cdef int c, m
        self.n_learned = 0
        with nogil:
            first = 0
            while first < total:
                m = <int>min(LANES, total - first)
                self._take_in_hand(rows, &chosen[first], m)
                for c in range(m):
                    k = first + c
                    self._learn(rows, chosen[k], c, numbers[k], signs[k], bounds[k])
                    n_positive[k], n_negative[k] = self.n_positive, self.n_negative
                    gaps[k] = self._gap()
                    self.n_learned = k + 1
                first += m
            self.n_at_hand = 0

    def learn_one(self, Rows rows, int64_t i, int64_t number, int sign, double bound):
        """PROCESS and REPROCESS one row; its kernel values are at hand if `closest` just looked at it."""
        cdef int c
        if self.hand is not rows:
            self.n_at_hand = 0
        with nogil:
            for c in range(self.n_at_hand):
                if self.at_hand[c] == i:
                    break
            else:
                c = 0
                self._take_in_hand(rows, &i, 1)
            self._learn(rows, i, c, number, sign, bound)
            self.n_at_hand = 0  # the expansion has changed
        self.hand = None  # or the matrix would live as long as the model
        return self._gap()

    def closest(self, Rows rows, const int64_t[::1] candidates):
        """The candidate nearest to the border, as (place among the candidates, |f|). Ties: the lowest row."""
        cdef Py_ssize_t first = 0, best = -1, total = candidates.shape[0]
        cdef double score, nearest = INFINITY
        cdef int c, m
        self.hand = rows
        with nogil:
            while first < total:
                m = <int>min(LANES, total - first)
                self._take_in_hand(rows, &candidates[first], m)
                for c in range(m):
                    score = fabs(self._sum(c) + self.b)
                    if score < nearest or (score == nearest and best >= 0 and candidates[first + c] < candidates[best]):
                        nearest = score
                        best = first + c
                first += m
            if total > LANES:
                self.n_at_hand = 0
        return best, nearest

    def scores(self, Rows rows, const int64_t[::1] chosen):
        """f of the chosen rows."""
        cdef Py_ssize_t first = 0, total = chosen.shape[0]
        cdef int c, m
        values = np.empty(total)
        cdef double[::1] view = values
        with nogil:
            while first < total:
                m = <int>min(LANES, total - first)
                self._take_in_hand(rows, &chosen[first], m)
                for c in range(m):
                    view[first + c] = self._sum(c) + self.b
                first += m
            self.n_at_hand = 0
        return values

    def finish(self, Py_ssize_t most_steps):
        """Move violating pairs until none is left (True), or the steps are used up (False)."""
        cdef Py_ssize_t steps, j
        cdef bint done
        with nogil:
            self._enter()
            for steps in range(most_steps):
                if not self._violated():
                    break
                # Second-order choice of the partner: about half the steps of the most violating pair.
                j = best_partner(self.g, self.low_bar, self._row(self.pair.i), self.diagonal, self.pair.g_i,
                                 self.diagonal[self.pair.i], self.n)
                self._step(self.pair.i, j)
            done = not self._violated()
            if done:
                self._reprocess()
        return done

    def refresh(self):
        """Compute all gradients anew: many thousand steps leave rounding behind."""
        cdef Py_ssize_t s, t
        cdef const float* K
        with nogil:
            self._enter()
            for s in range(self.n):
                self.g[s] = self.sign[s]
            for t in range(self.n):
                if self.alpha[t] != 0:
                    K = self._row(t)
                    for s in range(self.n):
                        self.g[s] -= self.alpha[t] * K[s]
            self._go_on_from_gradients()

    def correct(self, const double[::1] g):
        """Go on from these gradients of the `members`, which were computed with more precision."""
        cdef Py_ssize_t s
        if g.shape[0] != self.n or self.n_dead:
            raise ValueError(f"{g.shape[0]} gradients for {self.n - self.n_dead} members")
        with nogil:
            self._enter()
            for s in range(self.n):
                self.g[s] = g[s]
            self._go_on_from_gradients()

    cdef int _go_on_from_gradients(self) except -1 nogil:
        find_pair(self.g, self.up_bar, self.low_bar, self.n, &self.pair)
        self.n_steps = 0
        self.drift = 0
        self.changed = True
        self._reprocess()
        return 0

    @property
    def rounding(self):
        """How far a gradient may be from that of exact kernel values: these are rounded, and so is each step."""
        return self.largest * (self.store.rounding() * self.mass + self.drift)

    def admit(self, Rows rows, const int64_t[::1] chosen, const int64_t[::1] numbers, const int8_t[::1] signs,
              const double[::1] bounds, const double[::1] g=None):
        """Make the chosen rows members with alpha = 0, all together, without moving anything: FINISH will.

        ``g`` are their gradients, where they are known with more precision than kernel values in float32 give.
        """
        cdef Py_ssize_t first = 0, k, total = chosen.shape[0]
        cdef int c, m
        with nogil:
            while first < total:
                m = <int>min(LANES, total - first)
                self._take_in_hand(rows, &chosen[first], m)
                for c in range(m):
                    k = first + c
                    self._join(rows, chosen[k], c, numbers[k], signs[k], bounds[k],
                               signs[k] - self._sum(c) if g is None else g[k])
                first += m
            self.n_at_hand = 0

    @property
    def extremes(self):
        """Largest gradient of those that may grow and smallest of those that may shrink."""
        return (self.pair.g_i if self.pair.i >= 0 else -INFINITY), (self.pair.g_j if self.pair.j >= 0 else INFINITY)

    def set_offset(self, double b):
        """Put b elsewhere between the extremes."""
        self.b = b
        self.gap = -1

    @property
    def objective(self):
        """W(alpha) = 1/2 sum_s alpha_s (y_s + g_s)."""
        cdef Py_ssize_t s
        cdef double total = 0
        for s in range(self.n):
            total += self.alpha[s] * (self.sign[s] + self.g[s])
        return total / 2

    @property
    def expansion_gap(self):
        """Duality gap of the problem on the expansion; infinite while one class is missing."""
        return self._gap()

    def members(self):
        """Row numbers of the expansion; holes are closed."""
        self._enter()
        self._close_holes()
        return self.store.row_numbers

    def state(self):
        """Everything but the kernel rows, as plain arrays; holes are closed."""
        self._enter()
        self._close_holes()
        doubles = {name: np.empty(self.n) for name in ("alpha", "g", "lower", "upper")}
        signs = np.empty(self.n, dtype=np.int8)
        cdef double[::1] alpha = doubles["alpha"], g = doubles["g"], lower = doubles["lower"], upper = doubles["upper"]
        cdef int8_t[::1] sign = signs
        cdef Py_ssize_t s
        for s in range(self.n):
            alpha[s], g[s], lower[s], upper[s], sign[s] = self.alpha[s], self.g[s], self.lower[s], self.upper[s], self.sign[s]
        return {
            **doubles,
            "sign": signs,
            "numbers": self.store.row_numbers,
            "rows": self.store.rows(),
            "b": self.b,
            "n_steps": self.n_steps,
            "drift": self.drift,
        }

    cdef int _restore(self, dict state) except -1:
        cdef Py_ssize_t s, n
        rows = Rows(state["rows"])
        n = rows.n_rows
        cdef const double[::1] alpha = array_of("alpha", state["alpha"], np.float64, (n,))
        cdef const double[::1] g = array_of("g", state["g"], np.float64, (n,))
        cdef const double[::1] lower = array_of("lower", state["lower"], np.float64, (n,))
        cdef const double[::1] upper = array_of("upper", state["upper"], np.float64, (n,))
        cdef const int8_t[::1] sign = array_of("sign", state["sign"], np.int8, (n,), -1, 1)
        numbers = array_of("numbers", state["numbers"], np.int64, (n,), 0)
        b, drift = real_number("b", state["b"]), real_number("drift", state["drift"], low=0)
        n_steps = whole_number("n_steps", state["n_steps"])
        if self.store.n or not rows.all_finite:
            raise ValueError("rows must be finite, and the store empty")
        for s in range(n):
            # [0, C] for y = +1 and [-C, 0] for y = -1
            if sign[s] == 0 or (lower[s] if sign[s] > 0 else upper[s]) != 0 or not lower[s] <= alpha[s] <= upper[s]:
                raise ValueError(f"alpha {alpha[s]:g} of label {sign[s]} is not within {lower[s]:g} and {upper[s]:g}")
        self.store.extend(rows, np.arange(n), numbers)
        self._reserve(n)
        cdef float[::1] diagonal = np.empty(max(n, 1), dtype=np.float32)
        for s in range(n):
            self.store.stored_row(s, s, s + 1, &diagonal[0])
            if not isfinite(diagonal[s]):
                raise ValueError(NOT_FINITE)
            self._add_member(sign[s], lower[s], upper[s], g[s], diagonal[s])
            self._set_alpha(s, alpha[s])
        self.n_steps, self.drift = n_steps, drift
        find_pair(self.g, self.up_bar, self.low_bar, self.n, &self.pair)
        self._settle()
        self.set_offset(b)
        return 0

    # PROCESS, REPROCESS and what they are made of

    cdef int _learn(self, Rows rows, Py_ssize_t i, int c, int64_t number, int sign, double bound) except -1 nogil:
        self._process(rows, i, c, number, sign, bound)
        self._reprocess()
        return 0

    cdef int _process(self, Rows rows, Py_ssize_t i, int c, int64_t number, int sign, double bound) except -1 nogil:
        """Row c of the block at hand, which is row i of the matrix, meets its best partner."""
        cdef Py_ssize_t p = self.n
        cdef double g = sign - self._sum(c)
        if self.pair.i < 0 or self.pair.j < 0:
            # One class only: nothing can move. Some are kept for the day the other class comes.
            if self.n - self.n_dead >= WAITING and (sign > 0) == (self.pair.i >= 0):
                return 0
        elif self.pair.g_j < self.pair.g_i and self._satisfied(sign, g):
            return 0  # no step would move it away from alpha = 0
        self._join(rows, i, c, number, sign, bound, g)
        if self.pair.i < 0 or self.pair.j < 0:
            return 0
        if sign > 0 and g - self.pair.g_j > self.tol:
            self._step(p, self.pair.j)
        elif sign < 0 and self.pair.g_i - g > self.tol:
            self._step(self.pair.i, p)
        return 0

    cdef double _sum(self, int c) except? -1 nogil:
        """sum_s alpha_s K(x_s, x) of row c of the block at hand."""
        cdef double total = weighted(self.panel + c * self.panel_ld, self.alpha, self.n)
        if not isfinite(total):
            with gil:
                raise ValueError(NOT_FINITE)
        return total

    cdef int _join(self, Rows rows, Py_ssize_t i, int c, int64_t number, int sign, double bound, double g) except -1 nogil:
        """The row becomes a member with alpha = 0."""
        cdef float* K = self.panel + c * self.panel_ld
        cdef Py_ssize_t slot, p = self.n
        self.store.append(rows, i, number)
        self.store.panel(p, p + 1, self.panel, self.panel_ld)
        if not (isfinite(g) and isfinite(K[p])):
            with gil:
                raise ValueError(NOT_FINITE)
        self._add_member(sign, min(0, sign * bound), max(0, sign * bound), g, K[p])
        slot = self._take_slot()
        memcpy(self.slab + slot * self.ld, K, (p + 1) * sizeof(float))
        self.slot_of[p], self.owner[slot], self.length[p] = <int32_t>slot, <int32_t>p, <int32_t>(p + 1)
        self._write_stripe()
        if self.up_bar[p] == 0 and (self.pair.i < 0 or g > self.pair.g_i):
            self.pair.i, self.pair.g_i = p, g
        if self.low_bar[p] == 0 and (self.pair.j < 0 or g < self.pair.g_j):
            self.pair.j, self.pair.g_j = p, g
        return 0

    cdef int _reprocess(self) except -1 nogil:
        """Move the most violating pair, then drop the members with alpha = 0 that satisfy the conditions.

        The pair itself stays: where no member is free, it alone says where the offset may lie, and a member that
        is dropped for satisfying the conditions there would violate them afterwards.
        """
        cdef Py_ssize_t k, s, kept = 0  # n_zeros is set after the sweep: all members are judged alike
        if not self.changed:
            return 0
        if self._violated():
            self._step(self.pair.i, self.pair.j)
        if self.pair.i >= 0 and self.pair.j >= 0:
            for k in range(self.n_zeros):
                s = self.zeros[k]
                if self.alpha[s] != 0:
                    self.listed[s] = 0
                elif self._satisfied(self.sign[s], self.g[s]) and s != self.pair.i and s != self.pair.j:
                    self._remove(s)
                else:
                    self.zeros[kept] = <int32_t>s
                    kept += 1
            self.n_zeros = kept
        self._settle()
        self.changed = self._violated()
        return 0

    cdef inline bint _satisfied(self, int sign, double g) noexcept nogil:
        """Whether a row with alpha = 0 violates the conditions with no member.

        Where the members themselves violate them by no more than tol, that much is granted to the row as well,
        once many such rows wait: a large stream would else leave ever more of them in the band between the
        extremes.
        """
        cdef double band = self.pair.g_i - self.pair.g_j
        cdef bint crowded = self.n_zeros > CROWD + self.n_positive + self.n_negative
        cdef double slack = self.tol if crowded and 0 < band <= self.tol else 0
        return g <= self.pair.g_j + slack if sign > 0 else g >= self.pair.g_i - slack

    cdef inline bint _violated(self) noexcept nogil:
        return self.pair.i >= 0 and self.pair.j >= 0 and self.pair.g_i - self.pair.g_j > self.tol

    cdef void _settle(self) noexcept nogil:
        """The offset and the largest violation, by the gradients at the most violating pair."""
        if self.pair.i < 0 or self.pair.j < 0:
            self.b, self.delta, self.gap = 0, INFINITY, INFINITY
        else:
            self.b = (self.pair.g_i + self.pair.g_j) / 2
            self.delta = max(0, self.pair.g_i - self.pair.g_j)
            self.gap = -1

    cdef double _gap(self) noexcept nogil:
        if self.gap < 0:
            self.gap = duality_gap(self.g, self.alpha, self.lower, self.upper, self.b, self.n)
        return self.gap

    cdef int _step(self, Py_ssize_t i, Py_ssize_t j) except -1 nogil:
        """PAIRSTEP: as far along (+1 at i, -1 at j) as the bounds and the maximum of W allow."""
        cdef const float* K_i = self._row(i)
        cdef const float* K_j = self._row(j)
        cdef double eta = <double>self.diagonal[i] + self.diagonal[j] - 2.0 * K_i[j]
        cdef double up = self.upper[i] - self.alpha[i], down = self.alpha[j] - self.lower[j]
        cdef double step = min(up, down)
        if eta > 0:  # duplicates have no curvature and go to the bound
            step = min(step, (self.g[i] - self.g[j]) / eta)
        self._set_alpha(i, self.upper[i] if step == up else self.alpha[i] + step)
        self._set_alpha(j, self.lower[j] if step == down else self.alpha[j] - step)
        move_and_find_pair(self.g, K_i, K_j, step, self.up_bar, self.low_bar, self.n, &self.pair)
        self.n_steps += 1
        # A gradient is at most 1 + largest * mass, and its change as much again: each is rounded in float64.
        self.drift += 2.0 ** -50 * self.mass
        self.changed = True
        return 0

    cdef void _set_alpha(self, Py_ssize_t s, double value) noexcept nogil:
        cdef bint was = self.alpha[s] != 0, will
        cdef double bound = value
        # What rounding left of the way to a bound would never count as being there. How much that can be is relative:
        # a step is as long as its alphas, and these are small where kernel values are large.
        cdef double rounding = 1e-12 * max(fabs(self.alpha[s]), fabs(value))
        if fabs(value - self.upper[s]) <= rounding:
            bound = self.upper[s]
        if fabs(value - self.lower[s]) <= rounding:
            bound = self.lower[s]
        self.drift += fabs(bound - value)  # of which the gradients do not know
        value = bound
        self.mass += fabs(value) - fabs(self.alpha[s])
        self.alpha[s] = value
        self.up_bar[s] = 0 if value < self.upper[s] else -FAR
        self.low_bar[s] = 0 if value > self.lower[s] else FAR
        will = value != 0
        if self.sign[s] > 0:
            self.n_positive += will - was
        else:
            self.n_negative += will - was
        if not will and not self.listed[s]:
            self.listed[s] = 1
            self.zeros[self.n_zeros] = <int32_t>s
            self.n_zeros += 1

    cdef void _add_member(self, int sign, double lower, double upper, double g, float diagonal) noexcept nogil:
        cdef Py_ssize_t p = self.n
        self.n += 1
        self.sign[p], self.lower[p], self.upper[p], self.g[p], self.diagonal[p] = sign, lower, upper, g, diagonal
        self.alpha[p] = 0
        self.largest = max(self.largest, fabs(diagonal))
        self.dead[p] = self.listed[p] = 0
        self.slot_of[p] = -1
        self._set_alpha(p, 0)
        self.changed = True

    cdef void _remove(self, Py_ssize_t s) noexcept nogil:
        """Make a hole at s, whose alpha is 0."""
        self.dead[s] = 1
        self.n_dead += 1
        self.lower[s] = self.upper[s] = 0
        self.up_bar[s], self.low_bar[s] = -FAR, FAR
        self.listed[s] = 0
        if self.slot_of[s] >= 0:
            self.free_slots[self.n_free] = self.slot_of[s]
            self.n_free += 1
            self.owner[self.slot_of[s]] = -1
            self.slot_of[s] = -1

    # kernel rows

    cdef int _take_in_hand(self, Rows rows, const int64_t* chosen, int m) except -1 nogil:
        """Kernel values of m rows against the whole expansion, with room for the rows to join it."""
        self._enter()
        if self.n_dead > 16 + self.n // 8:
            self._close_holes()
        self._reserve(self.n + m)
        self.store.gather(rows, chosen, m)
        self.store.panel(0, self.n, self.panel, self.panel_ld)
        memcpy(&self.at_hand[0], chosen, m * sizeof(int64_t))
        self.n_at_hand = m
        return 0

    cdef void _enter(self) noexcept nogil:
        """A kernel function that raised may have left a row in the store that never became a member."""
        self.store.n = self.n
        self.n_at_hand = 0

    cdef float* _row(self, Py_ssize_t i) except NULL nogil:
        """K(x_i, x_s) for all members s."""
        cdef Py_ssize_t slot = self.slot_of[i], p, start
        cdef float* row
        cdef bint known = True
        start = self.length[i] if slot >= 0 else 0
        if slot < 0:
            slot = self._take_slot()
        row = self.slab + slot * self.ld
        if start < self.n:
            for p in range(start, self.n):
                if not self.dead[p] and (self.slot_of[p] < 0 or self.length[p] <= i):
                    known = False
                    break
            if known and start > 0:
                for p in range(start, self.n):
                    row[p] = 0 if self.dead[p] else self.slab[self.slot_of[p] * self.ld + i]
            else:
                self.store.stored_row(i, start, self.n, row)
            self.slot_of[i], self.owner[slot], self.length[i] = <int32_t>slot, <int32_t>i, <int32_t>self.n
        self.clock += 1
        self.stamp[slot] = self.clock
        return row

    cdef Py_ssize_t _take_slot(self) noexcept nogil:
        """A free slot, or the one used longest ago. It belongs to nobody yet."""
        cdef Py_ssize_t slot, oldest
        if self.n_free:
            self.n_free -= 1
            slot = self.free_slots[self.n_free]
        else:
            slot = 0
            for oldest in range(1, self.n_slots):
                if self.stamp[oldest] < self.stamp[slot]:
                    slot = oldest
            if self.owner[slot] >= 0:
                self.slot_of[self.owner[slot]] = -1
            self.owner[slot] = -1
        self.clock += 1
        self.stamp[slot] = self.clock
        return slot

    cdef void _write_stripe(self) noexcept nogil:
        """Where every member has its row: write the latest columns of all rows, a line of memory at a time."""
        cdef Py_ssize_t s, t, u, first = self.filled
        cdef const float* columns[STRIPE]
        if self.n_slots < self.capacity or self.n < first + STRIPE:
            return
        for s in range(first + STRIPE):
            if self.slot_of[s] < 0 and not self.dead[s]:
                return  # a row not yet computed since the machine was restored
            self.row_pointers[s] = NULL if self.dead[s] else self.slab + self.slot_of[s] * self.ld
        for t in range(STRIPE):
            columns[t] = self.row_pointers[first + t]
        write_columns(self.row_pointers, columns, first, first, STRIPE)
        for t in range(STRIPE):
            if self.row_pointers[first + t] != NULL:
                for u in range(t + 1, STRIPE):
                    self.row_pointers[first + t][first + u] = 0 if columns[u] == NULL else columns[u][first + t]
        for s in range(first + STRIPE):
            self.length[s] = max(self.length[s], <int32_t>(first + STRIPE))
        self.filled = first + STRIPE

    cdef int _close_holes(self) except -1 nogil:
        """Renumber the members without the holes, in the same order."""
        cdef Py_ssize_t s, k, slot, shorter, kept = 0, filled = 0
        cdef int32_t* order
        cdef float* row
        if self.n_dead == 0:
            return 0
        order = <int32_t*>self.row_pointers  # free at this moment, and long enough
        for s in range(self.n):
            if not self.dead[s]:
                order[kept] = <int32_t>s
                kept += 1
        for slot in range(self.n_slots):
            if self.owner[slot] >= 0:
                row = self.slab + slot * self.ld
                shorter = 0
                for k in range(kept):
                    if order[k] >= self.length[self.owner[slot]]:
                        break
                    row[k] = row[order[k]]
                    shorter += 1
                self.length[self.owner[slot]] = <int32_t>shorter
        self.store.keep(order, kept)
        self.n_zeros = 0
        for k in range(kept):
            s = order[k]
            if s < self.filled:
                filled += 1
            self.alpha[k], self.g[k], self.lower[k], self.upper[k] = self.alpha[s], self.g[s], self.lower[s], self.upper[s]
            self.up_bar[k], self.low_bar[k], self.diagonal[k] = self.up_bar[s], self.low_bar[s], self.diagonal[s]
            self.sign[k], self.length[k], self.slot_of[k], self.dead[k] = self.sign[s], self.length[s], self.slot_of[s], 0
            if self.slot_of[k] >= 0:
                self.owner[self.slot_of[k]] = <int32_t>k
            self.listed[k] = self.alpha[k] == 0
            if self.listed[k]:
                self.zeros[self.n_zeros] = <int32_t>k
                self.n_zeros += 1
            if self.pair.i == s:
                self.pair.i = k
            if self.pair.j == s:
                self.pair.j = k
        self.n, self.n_dead, self.filled = kept, 0, filled
        return 0

    cdef int _reserve(self, Py_ssize_t n) except -1 nogil:
        """Room for n members, and as many kernel rows as the budget allows."""
        cdef Py_ssize_t capacity, ld, n_slots, slot, s
        if n <= self.capacity:
            return 0
        capacity = max(n, self.capacity + self.capacity // 2)
        resize(<void**>&self.alpha, capacity * sizeof(double))
        resize(<void**>&self.g, capacity * sizeof(double))
        resize(<void**>&self.lower, capacity * sizeof(double))
        resize(<void**>&self.upper, capacity * sizeof(double))
        resize(<void**>&self.up_bar, capacity * sizeof(double))
        resize(<void**>&self.low_bar, capacity * sizeof(double))
        resize(<void**>&self.diagonal, capacity * sizeof(float))
        resize(<void**>&self.sign, capacity)
        resize(<void**>&self.dead, capacity)
        resize(<void**>&self.listed, capacity)
        resize(<void**>&self.zeros, capacity * sizeof(int32_t))
        resize(<void**>&self.slot_of, capacity * sizeof(int32_t))
        resize(<void**>&self.length, capacity * sizeof(int32_t))
        resize(<void**>&self.row_pointers, capacity * sizeof(void*))
        resize(<void**>&self.owner, capacity * sizeof(int32_t))
        resize(<void**>&self.free_slots, capacity * sizeof(int32_t))
        resize(<void**>&self.stamp, capacity * sizeof(int64_t))
        # Rows a multiple of a page apart would compete for the same lines of the processor's cache.
        ld = (capacity + 15) // 16 * 16 + 16
        resize(<void**>&self.panel, LANES * ld * sizeof(float))
        self.panel_ld = ld
        n_slots = max(2, min(capacity, self.cache_bytes // (ld * <Py_ssize_t>sizeof(float))))
        for slot in range(n_slots, self.n_slots):  # longer rows, fewer of them
            if self.owner[slot] >= 0:
                self.slot_of[self.owner[slot]] = -1
        resize(<void**>&self.slab, n_slots * ld * sizeof(float))
        for slot in range(min(n_slots, self.n_slots) - 1, 0, -1):
            memmove(self.slab + slot * ld, self.slab + slot * self.ld, self.ld * sizeof(float))
        for slot in range(self.n_slots, n_slots):
            self.owner[slot] = -1
            self.stamp[slot] = 0
        self.n_free = 0
        for slot in range(n_slots - 1, -1, -1):
            if self.owner[slot] < 0:
                self.free_slots[self.n_free] = <int32_t>slot
                self.n_free += 1
        self.n_slots, self.ld, self.capacity = n_slots, ld, capacity
        return 0


cdef class Unseen:
    """The rows not asked about yet, from which pools are drawn at random without replacement."""

    cdef int32_t[::1] items
    cdef readonly Py_ssize_t left
    cdef uint64_t seed

    def __init__(self, int32_t[::1] items, uint64_t seed):
        self.items, self.left, self.seed = items, items.shape[0], seed

    def draw(self, int64_t[::1] pool):
        """Fill ``pool`` with distinct rows; returns how many there were. They stay unseen until taken."""
        cdef Py_ssize_t k, other, count = min(pool.shape[0], self.left)
        cdef int32_t item
        with nogil:
            for k in range(count):  # which places, before their content: all misses of memory at once
                pool[k] = k + <Py_ssize_t>(next_random(&self.seed) % <uint64_t>(self.left - k))
                PREFETCH(&self.items[pool[k]])
            for k in range(count):  # a Fisher-Yates shuffle that stops after count places
                other = pool[k]
                item = self.items[other]
                self.items[other] = self.items[k]
                self.items[k] = item
                pool[k] = item
        return count

    def take(self, Py_ssize_t k):
        """The k-th row of the last draw is seen from now on."""
        if not 0 <= k < self.left:
            raise IndexError(f"no row {k} among {self.left}")
        self.left -= 1
        self.items[k], self.items[self.left] = self.items[self.left], self.items[k]

    def at(self, places):
        """The unseen rows at these places below `left`."""
        return np.asarray(self.items)[places].astype(np.int64)
