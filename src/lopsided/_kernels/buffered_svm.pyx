"""Online SVM over a buffer of the latest examples (Sculley & Wachman, SIGIR 2007).

    min  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (<w, x_i> + b))       over the buffered examples

Its dual variables 0 <= a_i <= C_i, with sum_i a_i y_i constant, are improved in pairs (Platt 1998). A pass looks at
the whole buffer, newest first, and lets each example that violates its condition move once, with its best partner
among those with a_j > 0 and those that violate theirs; the kernel values of these are kept, so that a step costs one
sweep over them.

Nearly all buffered examples lie far on the right side. What f(x_i) was when it was last computed bounds what it is
now: |change| <= |x_i| (how far w has moved since) + |change of b|. Where that settles that an example with a_i = 0
violates nothing, it is passed over; the outcome is the same.

What an example has given to w stays there when the example leaves the buffer: its a_i is a constant from then on.

Columns go by new names, numbered as they are first seen. Words that are in every message then lie side by side in
memory, where their hashes were scattered over all of it: a product is several times faster.
"""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int8_t, int32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from .online cimport Learner, Row, add, dot, dot_named, dot_narrow, row_of, spread, squared_norm, value_at, wipe
from .rows cimport Rows, resize

import numpy as np
import scipy.sparse

from .checks import MOST_COLUMNS, array_of, real_number, true_or_false, whole_number

cdef extern from "lasvm.h" nogil:
    double FAR
    ctypedef struct Pair:
        Py_ssize_t i, j
        double g_i, g_j

    void find_pair(const double* g, const double* up_bar, const double* low_bar, Py_ssize_t n, Pair* pair)
    void move_and_find_pair(double* g, const float* K_i, const float* K_j, double step, const double* up_bar,
                            const double* low_bar, Py_ssize_t n, Pair* pair)
    Py_ssize_t best_partner(const double* g, const double* low_bar, const float* K_i, const float* diagonal,
                            double g_i, float K_ii, Py_ssize_t n)

cdef enum:
    FEW_PASSES = 3  # by pairs alone, before those with 0 < alpha < C move together
    DRIFTED = 1000  # passes after which gradients are computed anew

cdef double AWAY = 0.3  # beyond the margin: an example with alpha = 0 that will hardly come back soon
cdef double SLACK = 1e-7  # of the bound on f: far above rounding
cdef double LARGEST = 1e30  # squared length of a row: sums of kernel values stay finite in float32
# With these, no gradient comes near the bars of 1e300, by which places that are free are told from others.
LARGEST_C = 1e100
LARGEST_SUM = 1e150  # a weight, an offset, a gradient
MOST = np.finfo(np.float64).max
MOST_EXAMPLES = MOST_PASSES = 2**31 - 1  # counted in 32 bits


cdef struct Example:
    Row x
    Py_ssize_t room  # numbers that fit into its memory
    bint memory_is_wide
    int8_t sign
    int32_t place  # among those whose kernel values are kept, or -1
    double alpha, C, norm
    double known_alpha  # of which w knows
    # f when it was last computed, and how far w and b had moved by then
    double f, moved, b


cdef class BufferedSVM(Learner):
    """The last ``size`` examples (all of them: 0) and the SVM on them.

    An example is learned by up to ``passes`` passes if y f(x) < ``margin``; passes end when one changes nothing. With a
    ``state`` it goes on from there.
    """

    # the buffer: a ring of numbers of examples, oldest first
    cdef Example* examples
    cdef int32_t* order
    cdef Py_ssize_t capacity, head, size
    cdef readonly Py_ssize_t n
    cdef Py_ssize_t n_positive, n_negative
    cdef bint saw_positive, saw_negative
    # the model
    cdef int32_t* name  # of each column; 0: never seen, and its weight is 0
    cdef Py_ssize_t n_names, most_names
    cdef double* w  # by name
    cdef float* z  # all zero, but while a row of kernel values is computed
    cdef double moved
    cdef readonly double b
    cdef double C_positive, C_negative, margin, tol
    cdef int passes
    cdef readonly Py_ssize_t n_unfinished  # lessons that ended by the number of passes
    # those that move, each at its place, and their kernel values
    cdef Py_ssize_t n_places, most_places, ld, n_passes
    cdef int32_t* owner  # -1: free
    cdef double* g
    cdef double* g_before
    cdef double* scratch
    cdef int32_t* movable
    cdef double* up_bar
    cdef double* low_bar
    cdef float* diagonal
    cdef float* K

    def __cinit__(self, Py_ssize_t n_columns, double C_positive, double C_negative, Py_ssize_t size, double margin,
                  int passes, double tol, dict state=None):
        whole_number("n_columns", n_columns, 0, MOST_COLUMNS)
        real_number("C_positive", C_positive, low=0, high=LARGEST_C)
        real_number("C_negative", C_negative, low=0, high=LARGEST_C)
        if size:  # one example cannot be of both classes
            whole_number("size", size, 2, MOST_EXAMPLES)
        real_number("margin", margin, high=1, above=0)
        whole_number("passes", passes, 1, MOST_PASSES)
        real_number("tol", tol, above=0)
        if not tol < 1:
            raise ValueError(f"tol must be below 1; got {tol!r}.")
        self.n_columns = n_columns
        self.C_positive, self.C_negative = C_positive, C_negative
        self.size, self.margin, self.passes, self.tol = size, margin, passes, tol
        self.name = <int32_t*>calloc(max(n_columns, 1), sizeof(int32_t))
        if self.name == NULL:
            raise MemoryError
        self.n_names = 1
        self._reserve_names(64)
        self._reserve(min(size + 1, 64) if size else 64)
        self._reserve_places(64)
        if state is not None:
            self._restore(state)

    def __dealloc__(self):
        cdef Py_ssize_t k
        for k in range(self.capacity):
            free(<void*>self.examples[k].x.columns)
            free(<void*>self.examples[k].x.values)
        free(self.examples)
        free(self.order)
        free(self.name)
        free(self.w)
        free(self.z)
        free(self.owner)
        free(self.g)
        free(self.g_before)
        free(self.scratch)
        free(self.movable)
        free(self.up_bar)
        free(self.low_bar)
        free(self.diagonal)
        free(self.K)

    @property
    def coef(self):
        """w."""
        w = np.empty(self.n_columns)
        cdef double[::1] view = w
        cdef Py_ssize_t j
        for j in range(self.n_columns):
            view[j] = self.w[self.name[j]]
        return w

    @property
    def dual_coef(self):
        """y_i a_i of the buffered examples, oldest first."""
        return np.array([self._at(k).sign * self._at(k).alpha for k in range(self.n)])

    @property
    def signs(self):
        """y_i of the buffered examples, oldest first."""
        return np.array([self._at(k).sign for k in range(self.n)], dtype=np.int8)

    @property
    def n_bytes(self):
        """Memory of the weights, the buffer and the kernel values."""
        cdef Py_ssize_t k, total = 4 * self.n_columns + 12 * self.most_names + self.capacity * (sizeof(Example) + sizeof(int32_t))
        for k in range(self.capacity):
            total += self.examples[k].room * (4 + (8 if self.examples[k].memory_is_wide else 4))
        return total + self.most_places * (self.ld * sizeof(float) + 77)

    def rows(self):
        """The buffered examples as a CSR matrix, oldest first."""
        cdef Py_ssize_t k, t, at = 0
        cdef Example* e
        n_values = sum(self._at(k).x.count for k in range(self.n))
        starts, columns = np.zeros(self.n + 1, dtype=np.int32), np.empty(n_values, dtype=np.int32)
        values = np.empty(n_values)
        cdef int32_t[::1] starts_view = starts, columns_view = columns
        cdef double[::1] values_view = values
        cdef int32_t[::1] column_of = self._columns()
        for k in range(self.n):
            e = self._at(k)
            for t in range(e.x.count):
                columns_view[at] = column_of[e.x.columns[t]]
                values_view[at] = value_at(e.x, t)
                at += 1
            starts_view[k + 1] = <int32_t>at
        return scipy.sparse.csr_array((values, columns, starts), shape=(self.n, self.n_columns))

    def _columns(self):
        """The column of each name; that of name 0 means nothing."""
        columns = np.zeros(self.n_names, dtype=np.int32)
        cdef int32_t[::1] view = columns
        cdef Py_ssize_t j
        for j in range(self.n_columns):
            if self.name[j]:
                view[self.name[j]] = <int32_t>j
        return columns

    def state(self):
        """What was learned, as plain numbers and rows; this learner and one restored from it go on alike."""
        cdef Py_ssize_t k, p
        places = np.full(self.n_places, -1, dtype=np.int32)
        for k in range(self.n):
            if self._at(k).place >= 0:
                places[self._at(k).place] = k
        K = np.empty((self.n_places, self.n_places), dtype=np.float32)
        cdef float[:, ::1] K_view = K
        for p in range(self.n_places):
            memcpy(&K_view[p, 0], self.K + p * self.ld, self.n_places * sizeof(float))
        w = np.empty(self.n_names)
        cdef double[::1] w_view = w
        memcpy(&w_view[0], self.w, self.n_names * sizeof(double))
        return {
            "rows": self.rows(),
            "wide": np.array([self._at(k).x.wide for k in range(self.n)], dtype=bool),
            "signs": self.signs,
            "alpha": np.array([self._at(k).alpha for k in range(self.n)]),
            "columns": self._columns(),
            "w": w,
            "b": self.b,
            "saw": [bool(self.saw_positive), bool(self.saw_negative)],
            "n_updates": self.n_updates,
            "places": places,
            "g": np.array([self.g[k] for k in range(self.n_places)]),
            "K": K,
            "known": np.array([(self._at(k).f, self._at(k).moved, self._at(k).b) for k in range(self.n)]).reshape(-1, 3),
            "moved": self.moved,
            "n_passes": self.n_passes,
        }

    cdef int _restore(self, dict state) except -1:
        cdef Py_ssize_t k
        cdef Example* e
        kept = state["rows"]
        forms = Rows(kept), Rows(kept.astype(np.float32))
        n = forms[0].n_rows
        self.check_width(forms[0])
        if not forms[0].ordered:
            raise ValueError("rows name a column twice")
        if self.size:
            whole_number("the number of rows", n, 0, self.size)
        cdef const double[::1] alpha = array_of("alpha", state["alpha"], np.float64, (n,), 0)
        cdef const int8_t[::1] signs = array_of("signs", state["signs"], np.int8, (n,), -1, 1)
        wide = array_of("wide", state["wide"], np.bool_, (n,))
        cdef const double[::1] w = array_of("w", state["w"], np.float64, (None,), -LARGEST_SUM, LARGEST_SUM)
        cdef const int32_t[::1] columns = array_of("columns", state["columns"], np.int32, (w.shape[0],), 0)
        self.b = real_number("b", state["b"], -LARGEST_SUM, LARGEST_SUM)
        self.moved = real_number("moved", state["moved"], low=0)
        self.n_updates = whole_number("n_updates", state["n_updates"])
        self.n_passes = whole_number("n_passes", state["n_passes"])
        if len(state["saw"]) != 2:
            raise ValueError("saw says of two classes whether they were seen")
        self.saw_positive, self.saw_negative = (true_or_false("saw", saw) for saw in state["saw"])
        if w.shape[0] < 1 or w[0] != 0:
            raise ValueError("the first weight is that of all columns never seen, and 0")
        self._reserve_names(w.shape[0])
        for k in range(1, w.shape[0]):
            if not columns[k] < self.n_columns or self.name[columns[k]]:
                raise ValueError(f"column {columns[k]} is named twice, or not among {self.n_columns}")
            self.name[columns[k]] = <int32_t>k
            self.w[k] = w[k]
        self.n_names = w.shape[0]
        for k in range(alpha.shape[0]):
            if signs[k] == 0 or alpha[k] > (self.C_positive if signs[k] > 0 else self.C_negative):
                raise ValueError(f"alpha {alpha[k]:g} of label {signs[k]} is above its bound")
            self._append(forms[0 if wide[k] else 1], k, signs[k])  # in the type they had
            e = self._at(k)
            e.alpha = e.known_alpha = alpha[k]
        self._restore_places(state)
        return 0

    cdef int _restore_places(self, dict state) except -1:
        """Who takes part, and what is known of each; so that saving and loading change no bit of what follows."""
        cdef Py_ssize_t p, k, n_places
        cdef Example* e
        cdef const int32_t[::1] places = array_of("places", state["places"], np.int32, (None,), -1, self.n - 1)
        n_places = places.shape[0]
        # Of places that are free, too: a row's share of these sums is that of a row that was there.
        cdef const double[::1] g = array_of("g", state["g"], np.float64, (n_places,), -LARGEST_SUM, LARGEST_SUM)
        cdef const float[:, ::1] K = array_of("K", state["K"], np.float32, (n_places, n_places), -LARGEST, LARGEST)
        # How far w had moved by then is -infinity where that is not known.
        moved = np.where([False, True, False], np.maximum(state["known"], -MOST), state["known"])
        cdef const double[:, ::1] known = array_of("known", moved, np.float64, (self.n, 3))
        if n_places > self.most_places:
            self._reserve_places(n_places)
        for k in range(self.n):
            e = self._at(k)
            e.f, e.b = known[k, 0], known[k, 2]
            e.moved = known[k, 1] if known[k, 1] > -MOST else -INFINITY
        for p in range(n_places):
            self.owner[p] = -1
            self.g[p], self.up_bar[p], self.low_bar[p] = 0, -FAR, FAR
            self.diagonal[p] = K[p, p]
            memcpy(self.K + p * self.ld, &K[p, 0], n_places * sizeof(float))
            if places[p] >= 0:
                if self._at(places[p]).place >= 0:
                    raise ValueError(f"example {places[p]} has two places")
                e = self._at(places[p])
                e.place, self.owner[p] = <int32_t>p, <int32_t>(e - self.examples)
                self.g[p] = g[p]
                self._set_bars(e)
        self.n_places = n_places
        for k in range(self.n):
            if self._at(k).alpha > 0 and self._at(k).place < 0:
                raise ValueError("an alpha above 0 has no place")
        self._check_kernel_values()
        return 0

    cdef int _check_kernel_values(self) except -1:
        """Refuse kernel values that are not those of the rows: passes might never end.

        K v = X (X' v) for a vector of random numbers, which takes one pass over the rows (Freivalds 1977).
        """
        cdef Py_ssize_t p, q
        cdef Example* e
        cdef double[::1] v = np.random.default_rng().standard_normal(self.n_places + 1)
        cdef double[::1] sums = np.zeros(self.n_names)
        cdef double total, apart, reach = 0
        for p in range(self.n_places):
            if self.owner[p] >= 0:
                e = &self.examples[self.owner[p]]
                add(e.x, v[p], &sums[0])
                reach += e.norm * fabs(v[p])
        for p in range(self.n_places):
            if self.owner[p] >= 0:
                e = &self.examples[self.owner[p]]
                total = 0
                for q in range(self.n_places):
                    if self.owner[q] >= 0:
                        total += self.K[p * self.ld + q] * v[q]
                apart = fabs(total - dot(e.x, &sums[0]))
                if not apart <= 1e-5 * e.norm * reach + 1e-30:  # far above the rounding of float32
                    raise ValueError("kernel values are not those of the rows")
        return 0

    cdef int score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil:
        out[0] = self._f_of(row_of(rows, i), self.name)
        return 0

    cdef int update(self, Rows rows, Py_ssize_t i, int sign, double score) except -1 nogil:
        cdef int k
        cdef bint changed = False
        self._append(rows, i, sign)
        self._at(self.n - 1).f = score
        if self.size and self.n > self.size:
            self._evict()
        if sign > 0:
            self.saw_positive = True
        else:
            self.saw_negative = True
        if not (self.saw_positive and self.saw_negative):
            return 0  # one class only: no pair to move, and everything goes on being accepted
        if sign * score < self.margin:
            for k in range(self.passes):
                if self._pass(k >= FEW_PASSES):
                    changed = True
                elif self.passes == 1 or not self._let_join():  # with the b that the last pass has set
                    break
            else:
                self.n_unfinished += 1
            self.n_updates += changed
        return 0

    # a pass

    cdef int _pass(self, bint together) except -1 nogil:
        """Move pairs of the examples with alpha > 0 and of those that violate their condition; whether any moved."""
        cdef Py_ssize_t k
        cdef Example* e
        cdef bint changed
        if self.n_passes % DRIFTED == 0:
            self._renew_gradients()
        self.n_passes += 1
        self._let_join()
        self._find_opponents()
        changed = self._sweep(together)
        if not changed:  # b alone may have: whoever left now would come back
            return False
        for k in range(self.n_places):
            if self.owner[k] >= 0 and self._has_left(&self.examples[self.owner[k]]):
                self._free_place(&self.examples[self.owner[k]])
        return True

    cdef int _let_join(self) except -1 nogil:
        """Let examples with alpha = 0 that violate their condition take part; whether there were any."""
        cdef Py_ssize_t k
        cdef Example* e
        cdef bint joined = False
        for k in range(self.n):
            e = self._at(k)
            if e.place < 0 and not self._surely_fine(e):
                e.f, e.moved, e.b = self._f_of(e.x, NULL), self.moved, self.b
                if e.sign * e.f < 1 - self.tol:
                    self._take_part(e)
                    joined = True
        return joined

    cdef int _find_opponents(self) except -1 nogil:
        """Where all that may move would move one way: let the closest of the other class take part.

        This happens when all support vectors have left the buffer, and only a stale b is left of the model.
        """
        cdef Pair pair
        cdef Py_ssize_t k
        cdef int sign
        cdef Example* e
        cdef Example* closest = NULL
        find_pair(self.g, self.up_bar, self.low_bar, self.n_places, &pair)
        if (pair.i >= 0) == (pair.j >= 0):
            return 0
        sign = -1 if pair.i >= 0 else 1
        for k in range(self.n):
            e = self._at(k)
            if e.place < 0 and e.sign == sign:
                e.f, e.moved, e.b = self._f_of(e.x, NULL), self.moved, self.b
                if closest == NULL or sign * e.f < sign * closest.f:
                    closest = e
        if closest != NULL:
            self._take_part(closest)
        return 0

    cdef bint _has_left(self, Example* e) noexcept nogil:
        """Whether its kernel values are hardly needed again: y f = 1 - y (g - b)."""
        return e.alpha == 0 and -e.sign * (self.g[e.place] - self.b) > AWAY

    cdef bint _surely_fine(self, Example* e) noexcept nogil:
        """Whether an example with alpha = 0 cannot violate its condition, by what f was."""
        return e.sign * e.f - e.norm * (self.moved - e.moved) - fabs(self.b - e.b) - SLACK >= 1 - self.tol

    cdef double _f_of(self, Row x, const int32_t* name) noexcept nogil:
        return (dot(x, self.w) if name == NULL else dot_named(x, name, self.w)) + self.b

    cdef int _take_part(self, Example* e) except -1 nogil:
        """Give an example a place, its kernel values with all others, and its gradient y - <w, x>."""
        cdef Py_ssize_t p = self._find_place()
        e.place, self.owner[p] = <int32_t>p, <int32_t>(e - self.examples)
        self._compute_row(e)
        self.g[p] = e.sign - (e.f - self.b)
        self._set_bars(e)
        return 0

    cdef void _compute_row(self, Example* e) noexcept nogil:
        cdef Py_ssize_t p = e.place, q
        cdef Example* other
        spread(e.x, self.z)
        for q in range(self.n_places):
            if self.owner[q] >= 0:
                other = &self.examples[self.owner[q]]
                self.K[p * self.ld + q] = self.K[q * self.ld + p] = <float>dot_narrow(other.x, self.z)
        wipe(e.x, self.z)
        self.diagonal[p] = self.K[p * self.ld + p]

    cdef void _set_bars(self, Example* e) noexcept nogil:
        """y a may grow while a < C for y = +1 and while a > 0 for y = -1."""
        cdef bint more = e.alpha < e.C, less = e.alpha > 0
        self.up_bar[e.place] = 0 if (more if e.sign > 0 else less) else -FAR
        self.low_bar[e.place] = 0 if (less if e.sign > 0 else more) else FAR

    cdef bint _sweep(self, bint together) noexcept nogil:
        """Newest first, each example that violates its condition moves once, with its best partner; whether any did."""
        cdef Py_ssize_t k, p
        cdef Pair pair
        cdef double squared = 0
        cdef bint changed = False
        memcpy(self.g_before, self.g, self.n_places * sizeof(double))
        find_pair(self.g, self.up_bar, self.low_bar, self.n_places, &pair)
        if pair.i < 0 or pair.j < 0:
            return False
        self.b = (pair.g_i + pair.g_j) / 2
        for k in range(self.n - 1, -1, -1):
            p = self._at(k).place
            # All within tol / 2 of b means that no pair violates the conditions by more than tol.
            if p >= 0 and self.g[p] - self.b > self.tol / 2 and self.up_bar[p] == 0:
                pair.i = p
                pair.j = best_partner(self.g, self.low_bar, self.K + p * self.ld, self.diagonal, self.g[p],
                                      self.diagonal[p], self.n_places)
            elif p >= 0 and self.b - self.g[p] > self.tol / 2 and self.low_bar[p] == 0:
                pair.j = p  # its partner is the one that wants most to grow
            else:
                continue
            if pair.i < 0 or pair.j < 0 or self.owner[pair.i] < 0 or self.owner[pair.j] < 0:
                continue  # only where numbers have left their range is there no pair, or a place that is free
            self._step(&pair)
            self.b = (pair.g_i + pair.g_j) / 2
            changed = True
        if not changed:
            return False
        if together:
            self._move_together()
            find_pair(self.g, self.up_bar, self.low_bar, self.n_places, &pair)
            if pair.i >= 0 and pair.j >= 0:
                self.b = (pair.g_i + pair.g_j) / 2
        for p in range(self.n_places):
            if self.owner[p] >= 0:
                squared += self._follow(&self.examples[self.owner[p]])
        # |change of w|^2 = sum_i d_i <x_i, change of w>, with kernel values in float32
        self.moved += 1.001 * sqrt(max(squared, 0.0)) + SLACK
        return True

    cdef void _move_together(self) noexcept nogil:
        """Move all examples with 0 < alpha < C at once, to the maximum of the dual or the first bound on the way.

        Where many have to move together, pairs zigzag for thousands of passes. The direction is found by conjugate
        gradients among directions that keep sum y a.
        """
        cdef Py_ssize_t p, q, k, m = 0, iteration
        cdef double* d = self.scratch
        cdef double* r = d + self.most_places
        cdef double* v = r + self.most_places
        cdef double* Kv = v + self.most_places
        cdef double mean = 0, squared, before, curvature, length = 1, far = 1, largest, largest_K = 0
        cdef Example* e
        cdef const float* K
        for p in range(self.n_places):
            if self.owner[p] >= 0 and self.up_bar[p] == 0 and self.low_bar[p] == 0:
                self.movable[m] = <int32_t>p
                mean += self.g[p]
                m += 1
        if m < 2:
            return
        mean /= m
        squared = 0
        for k in range(m):
            largest_K = max(largest_K, <double>self.diagonal[self.movable[k]])
            d[k] = 0
            r[k] = v[k] = self.g[self.movable[k]] - mean
            squared += r[k] * r[k]
        for iteration in range(m):
            mean = curvature = 0
            for k in range(m):
                K = self.K + self.movable[k] * self.ld
                Kv[k] = 0
                for q in range(m):
                    Kv[k] += K[self.movable[q]] * v[q]
                mean += Kv[k]
            mean /= m
            for k in range(m):
                Kv[k] -= mean
                curvature += v[k] * Kv[k]
            if curvature <= 1e-7 * squared * largest_K:  # flat, as far as kernel values in float32 can tell
                break
            length = squared / curvature
            before, squared, largest = squared, 0, 0
            for k in range(m):
                d[k] += length * v[k]
                r[k] -= length * Kv[k]
                squared += r[k] * r[k]
                largest = max(largest, fabs(r[k]))
            if largest < self.tol / 10:
                break
            for k in range(m):
                v[k] = r[k] + squared / before * v[k]
        for k in range(m):
            e = &self.examples[self.owner[self.movable[k]]]
            curvature = e.sign * d[k]
            if curvature > 0:
                far = min(far, (e.C - e.alpha) / curvature)
            elif curvature < 0:
                far = min(far, e.alpha / -curvature)
        for k in range(m):
            p = self.movable[k]
            e = &self.examples[self.owner[p]]
            e.alpha = at_bound(e.alpha + e.sign * far * d[k], e.C, fabs(far * d[k]))
            self._set_bars(e)
            K = self.K + p * self.ld
            for q in range(self.n_places):
                self.g[q] -= far * d[k] * K[q]

    cdef void _step(self, Pair* pair) noexcept nogil:
        """As far along (+1 at i, -1 at j) as the bounds and the maximum of the dual allow."""
        cdef Example* i = &self.examples[self.owner[pair.i]]
        cdef Example* j = &self.examples[self.owner[pair.j]]
        cdef const float* K_i = self.K + pair.i * self.ld
        cdef const float* K_j = self.K + pair.j * self.ld
        cdef double eta = <double>self.diagonal[pair.i] + self.diagonal[pair.j] - 2.0 * K_i[pair.j]
        cdef double up = i.C - i.alpha if i.sign > 0 else i.alpha
        cdef double down = j.alpha if j.sign > 0 else j.C - j.alpha
        cdef double step = min(up, down)
        if eta > 0:  # duplicates have no curvature and go to the bound
            step = min(step, (self.g[pair.i] - self.g[pair.j]) / eta)
        i.alpha = at_bound(i.alpha + i.sign * step, i.C, step)
        j.alpha = at_bound(j.alpha - j.sign * step, j.C, step)
        self._set_bars(i)
        self._set_bars(j)
        move_and_find_pair(self.g, K_i, K_j, step, self.up_bar, self.low_bar, self.n_places, pair)

    cdef double _follow(self, Example* e) noexcept nogil:
        """Bring w to the alpha of an example; returns its share of |change of w|^2."""
        cdef double change = e.sign * (e.alpha - e.known_alpha)
        if change == 0:
            return 0
        e.known_alpha = e.alpha
        add(e.x, change, self.w)
        return change * (self.g_before[e.place] - self.g[e.place])

    # places

    cdef Py_ssize_t _find_place(self) except -1 nogil:
        cdef Py_ssize_t p
        for p in range(self.n_places):
            if self.owner[p] < 0:
                return p
        if self.n_places == self.most_places:
            self._reserve_places(2 * self.most_places)
        self.n_places += 1
        return self.n_places - 1

    cdef void _free_place(self, Example* e) noexcept nogil:
        """Nothing may move there any more."""
        if e.place >= 0:
            self.owner[e.place] = -1
            self.g[e.place], self.up_bar[e.place], self.low_bar[e.place] = 0, -FAR, FAR
            e.place = -1
            e.moved = -INFINITY  # its f was not followed

    cdef void _renew_gradients(self) noexcept nogil:
        """From w: thousands of steps with kernel values in float32 leave rounding behind."""
        cdef Py_ssize_t p
        cdef Example* e
        for p in range(self.n_places):
            if self.owner[p] >= 0:
                e = &self.examples[self.owner[p]]
                self.g[p] = e.sign - (self._f_of(e.x, NULL) - self.b)

    cdef int _reserve_places(self, Py_ssize_t most) except -1 nogil:
        cdef Py_ssize_t p, ld = (most + 15) // 16 * 16 + 16
        cdef float* K
        resize(<void**>&self.owner, most * sizeof(int32_t))
        resize(<void**>&self.g, most * sizeof(double))
        resize(<void**>&self.g_before, most * sizeof(double))
        resize(<void**>&self.scratch, 4 * most * sizeof(double))
        resize(<void**>&self.movable, most * sizeof(int32_t))
        resize(<void**>&self.up_bar, most * sizeof(double))
        resize(<void**>&self.low_bar, most * sizeof(double))
        resize(<void**>&self.diagonal, most * sizeof(float))
        K = <float*>calloc(most * ld, sizeof(float))
        if K == NULL:
            with gil:
                raise MemoryError
        for p in range(self.n_places):
            memcpy(K + p * ld, self.K + p * self.ld, self.n_places * sizeof(float))
        free(self.K)
        self.K, self.ld, self.most_places = K, ld, most
        return 0

    # the buffer

    cdef inline Example* _at(self, Py_ssize_t k) noexcept nogil:
        """The k-th oldest example."""
        cdef Py_ssize_t at = self.head + k
        return &self.examples[self.order[at if at < self.capacity else at - self.capacity]]

    cdef int _append(self, Rows rows, Py_ssize_t i, int sign) except -1 nogil:
        """Copy row i behind the newest example, with alpha = 0."""
        cdef Row x = row_of(rows, i)
        cdef Example* e
        cdef double squared = squared_norm(x)
        if not squared < LARGEST:
            with gil:
                raise ValueError(
                    f"a row has the squared length {squared:.3g}, too large for kernel values in float32. "
                    "Scale the features."
                )
        if self.n == self.capacity:
            self._reserve(self.n + 1 if self.n == self.size else 2 * self.n)
        e = self._at(self.n)
        if e.room < max(x.count, 1) or (x.wide and not e.memory_is_wide):
            e.memory_is_wide = e.memory_is_wide or x.wide
            resize(<void**>&e.x.columns, max(x.count, e.room, 1) * sizeof(int32_t))
            resize(<void**>&e.x.values, max(x.count, e.room, 1) * (8 if e.memory_is_wide else 4))
            e.room = max(x.count, e.room, 1)
        copy_row(x, &e.x)
        self._rename(&e.x)
        e.sign, e.C = sign, self.C_positive if sign > 0 else self.C_negative
        e.alpha = e.known_alpha = 0
        e.norm = sqrt(squared)
        e.f, e.moved, e.b, e.place = 0, self.moved, self.b, -1
        self.n += 1
        if sign > 0:
            self.n_positive += 1
        else:
            self.n_negative += 1
        return 0

    cdef int _rename(self, Row* x) except -1 nogil:
        """Columns to names; those never seen get the next."""
        cdef Py_ssize_t t
        cdef int32_t* columns = <int32_t*>x.columns
        self._reserve_names(self.n_names + x.count)
        for t in range(x.count):
            if self.name[columns[t]] == 0:
                self.name[columns[t]] = <int32_t>self.n_names
                self.n_names += 1
            columns[t] = self.name[columns[t]]
        return 0

    cdef int _reserve_names(self, Py_ssize_t n) except -1 nogil:
        cdef Py_ssize_t most
        if n <= self.most_names:
            return 0
        most = max(n, min(2 * self.most_names, self.n_columns + 1))
        resize(<void**>&self.w, most * sizeof(double))
        resize(<void**>&self.z, most * sizeof(float))
        memset(self.w + self.most_names, 0, (most - self.most_names) * sizeof(double))
        memset(self.z + self.most_names, 0, (most - self.most_names) * sizeof(float))
        self.most_names = most
        return 0

    cdef int _evict(self) except -1 nogil:
        """The oldest example leaves, what it gave to w stays; never the last of its class."""
        cdef Py_ssize_t k, leaving = 0
        cdef int32_t number
        cdef Example* e
        while (self.n_positive if self._at(leaving).sign > 0 else self.n_negative) == 1 and leaving + 1 < self.n:
            leaving += 1
        e = self._at(leaving)
        self._free_place(e)
        if e.sign > 0:
            self.n_positive -= 1
        else:
            self.n_negative -= 1
        number = self.order[(self.head + leaving) % self.capacity]
        for k in range(leaving, 0, -1):  # those before it stay the oldest
            self.order[(self.head + k) % self.capacity] = self.order[(self.head + k - 1) % self.capacity]
        self.order[self.head] = number
        self.head = (self.head + 1) % self.capacity
        self.n -= 1
        return 0

    cdef int _reserve(self, Py_ssize_t capacity) except -1 nogil:
        """Room for so many examples; the ring is unrolled."""
        cdef Py_ssize_t k
        cdef int32_t* order = <int32_t*>malloc(capacity * sizeof(int32_t))
        if order == NULL:
            with gil:
                raise MemoryError
        for k in range(self.capacity):
            order[k] = self.order[(self.head + k) % self.capacity]
        for k in range(self.capacity, capacity):
            order[k] = <int32_t>k
        free(self.order)
        self.order, self.head = order, 0
        resize(<void**>&self.examples, capacity * sizeof(Example))
        memset(self.examples + self.capacity, 0, (capacity - self.capacity) * sizeof(Example))
        self.capacity = capacity
        return 0


cdef inline double at_bound(double alpha, double C, double step) noexcept nogil:
    """What rounding left of 0 or C after a step is 0 or C."""
    return 0 if alpha < 1e-12 * step else C if alpha > C * (1 - 1e-12) else alpha


cdef void copy_row(Row x, Row* copy) noexcept nogil:
    """Into memory that is large enough; of a dense row only what is not zero, so that all copies are sparse."""
    cdef Py_ssize_t t
    cdef int32_t* columns = <int32_t*>copy.columns
    copy.wide, copy.count = x.wide, 0
    if x.columns != NULL:
        memcpy(columns, x.columns, x.count * sizeof(int32_t))
        memcpy(<void*>copy.values, x.values, x.count * (8 if x.wide else 4))
        copy.count = copy.readable = x.count
        return
    for t in range(x.count):
        if value_at(x, t) != 0:
            if x.wide:
                (<double*>copy.values)[copy.count] = (<const double*>x.values)[t]
            else:
                (<float*>copy.values)[copy.count] = (<const float*>x.values)[t]
            columns[copy.count] = <int32_t>t
            copy.count += 1
    copy.readable = copy.count
