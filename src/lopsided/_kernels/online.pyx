"""Learners that see one example at a time, and the gate that decides what is shown (Sculley, KDD 2007).

A `Learner` scores a row, f(x) = <w, x> + b, and takes a label in. A `Gate` turns scores into decisions and keeps
what an explorer knows: f(x) + bias >= 0 is shown; the rest is shown with a probability that the explorer names.
`replay` runs both over a stream: score, decide, and learn where a label comes back.

Policy is left to Python, with one exception: the gate's rules (when to explore, which label teaches, what is counted)
are here. A row of 20 numbers takes 0.13 us in a stream, and one call of `Gate.settle` in Python 0.7; and what is drawn
for a row depends on the labels before it, so that the rules cannot be worked out ahead. What changes from user to user
(the explorer, its parameter, the bias) comes in as numbers, and the guard's limits are set from Python.
"""

from libc.math cimport INFINITY, exp, fabs, frexp, isfinite, log, sqrt
from libc.stdint cimport int8_t, int64_t, uint8_t, uint64_t

from .rows cimport Rows, RowStore

import numpy as np

from .checks import MOST_COLUMNS, array_of, real_number, true_or_false, whole_number
from .rows import NOT_FINITE

OVERFLOW = "scores are not finite: features or weights are too large. Scale the features."


cdef class Learner:
    """What all learners have in common; the methods that do the work are theirs."""

    def scores(self, Rows rows):
        """f of every row."""
        cdef Py_ssize_t i
        self.check_width(rows)
        values = np.empty(rows.n_rows)
        cdef double[::1] view = values
        with nogil:
            for i in range(rows.n_rows):
                self._score(rows, i, &view[i])
        return values

    def learn(self, Rows rows, const int64_t[::1] chosen, const int8_t[::1] signs):
        """Score each of the chosen rows, then take in its label (+1 or -1), in order."""
        cdef Py_ssize_t k, n = chosen.shape[0]
        cdef double f
        self.check_width(rows)
        if signs.shape[0] != n:
            raise ValueError(f"{n} rows, but {signs.shape[0]} labels")
        with nogil:
            for k in range(n):
                self._score(rows, chosen[k], &f)
                self.update(rows, chosen[k], signs[k], f)

    def check_width(self, Rows rows):
        """Raise where the rows have another number of columns than the learner."""
        if rows.n_columns != self.n_columns:
            raise ValueError(f"X has {rows.n_columns} features, but the learner was made for {self.n_columns}.")

    cdef int _score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil:
        """A score that is a number, or an error."""
        self.score(rows, i, out)
        if not isfinite(out[0]):
            with gil:
                raise ValueError(OVERFLOW)
        return 0

    cdef int score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil:
        with gil:
            raise NotImplementedError

    cdef int update(self, Rows rows, Py_ssize_t i, int sign, double score) except -1 nogil:
        with gil:
            raise NotImplementedError


cdef class Linear(Learner):
    """f(x) = <w, x> + b with dense weights."""

    cdef readonly double b
    cdef object weights
    cdef void* memory  # of the weights

    @property
    def coef(self):
        """A copy of w."""
        return self.weights.copy()

    cdef int _begin(self, Py_ssize_t n_columns, double weight, bint wide) except -1:
        cdef uint8_t[::1] view
        self.n_columns = whole_number("n_columns", n_columns, 0, MOST_COLUMNS)
        self.weights = np.empty(n_columns, dtype=np.float64 if wide else np.float32)
        self.weights.fill(weight)  # not np.zeros: filled memory comes in large pages, which random access is glad of
        view = self.weights.view(np.uint8)
        self.memory = &view[0] if n_columns else NULL
        return 0

    cdef int _count_on(self, dict state) except -1:
        self.b = real_number("b", state["b"])
        self.n_updates = whole_number("n_updates", state["n_updates"])
        return 0


cdef class Perceptron(Linear):
    """The perceptron with margins: w += rate y c_y x if y f(x) <= half_margin (Krauth & Mezard 1987).

    Weights are kept in float64 if ``wide``, else in float32; sums are float64 all the same. With a ``state`` it goes on
    from there.
    """

    cdef double half_margin, rate, cost_positive, cost_negative
    cdef bint moves_b, wide

    def __init__(self, Py_ssize_t n_columns, bint wide, double margin, double rate, double cost_positive,
                 double cost_negative, bint moves_b, double b, dict state=None):
        _check_rule(margin, rate, cost_positive, cost_negative, b)
        if state is not None:  # before there is memory for as many columns as a file says
            w = array_of("w", state["w"], np.float64 if wide else np.float32, (n_columns,))
        self._begin(n_columns, 0, wide)
        self.half_margin, self.rate, self.wide = margin / 2, rate, wide
        self.cost_positive, self.cost_negative = cost_positive, cost_negative
        self.moves_b, self.b = moves_b, b
        if state is not None:
            self.weights[:] = w
            self._count_on(state)

    def state(self):
        """What was learned, as plain numbers."""
        return {"w": self.weights.copy(), "b": self.b, "n_updates": self.n_updates}

    cdef int score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil:
        cdef Row x = row_of(rows, i)
        out[0] = (dot(x, <double*>self.memory) if self.wide else dot_narrow(x, <float*>self.memory)) + self.b
        return 0

    cdef int update(self, Rows rows, Py_ssize_t i, int sign, double score) except -1 nogil:
        cdef double step
        cdef Row x
        if sign * score > self.half_margin:
            return 0
        step = self.rate * sign * (self.cost_positive if sign > 0 else self.cost_negative)
        x = row_of(rows, i)
        if self.wide:
            add(x, step, <double*>self.memory)
        else:
            add_narrow(x, step, <float*>self.memory)
        if self.moves_b:
            self.b += step
        self.n_updates += 1
        return 0


cdef enum:
    KNOWN_WELL = 5  # see below
    SLOWNESS = 50


cdef class AdaptivePerceptron(Perceptron):
    """The perceptron with margins, with steps as long as the margin asks for (Crammer et al. 2006, PA-I).

        w += t y x,  b += t y |x|^2 / 50      t = min(rate c_y r_y, (half_margin - y f(x)) / (|x|^2 + |x|^2 / 50))

    where b moves only if ``moves_b``, r_y = 1 for positives, and r_y = min(1, (p + 1)^2 / 5 (n + 1)) for negatives, of p
    positives and n negatives so far, this one included. Where few positives are known, the bounds of all negatives sum
    up to a few times p: those that were shown cannot outvote the positives. b moves as if it were the weight of a
    feature that is a seventh as long as the row.
    """

    cdef readonly Py_ssize_t n_positive, n_negative

    def __init__(self, Py_ssize_t n_columns, bint wide, double margin, double rate, double cost_positive,
                 double cost_negative, bint moves_b, double b, dict state=None):
        if state is not None:
            n_positive = whole_number("n_positive", state["n_positive"])
            n_negative = whole_number("n_negative", state["n_negative"])
        Perceptron.__init__(self, n_columns, wide, margin, rate, cost_positive, cost_negative, moves_b, b, state)
        if state is not None:
            self.n_positive, self.n_negative = n_positive, n_negative

    def state(self):
        """What was learned, as plain numbers."""
        return Perceptron.state(self) | {"n_positive": self.n_positive, "n_negative": self.n_negative}

    cdef int update(self, Rows rows, Py_ssize_t i, int sign, double score) except -1 nogil:
        cdef Row x
        cdef double step, size, most, known, loss = self.half_margin - sign * score
        if sign > 0:
            self.n_positive += 1
            most = self.rate * self.cost_positive
        else:
            self.n_negative += 1
            known = self.n_positive + 1
            most = self.rate * self.cost_negative * min(1.0, known * known / (KNOWN_WELL * (self.n_negative + 1.0)))
        if loss < 0:
            return 0
        x = row_of(rows, i)
        size = squared_norm(x)
        step = size * (1 + 1.0 / SLOWNESS) if self.moves_b else size
        step = most if step * most <= loss else loss / step  # no division by 0
        if self.wide:
            add(x, sign * step, <double*>self.memory)
        else:
            add_narrow(x, sign * step, <float*>self.memory)
        if self.moves_b:
            self.b += sign * step * size / SLOWNESS
        self.n_updates += 1
        return 0


cdef class KernelPerceptron(Learner):
    """The perceptron with margins in its dual form: f(x) = sum_j alpha_j K(x_j, x) + b over the rows that moved it.

    The ``store`` is empty. With a ``state`` it goes on from there.
    """

    cdef readonly RowStore store
    cdef readonly double b
    cdef double half_margin, rate, cost_positive, cost_negative
    cdef bint moves_b
    cdef object alphas, values

    def __init__(self, RowStore store not None, double margin, double rate, double cost_positive,
                 double cost_negative, bint moves_b, double b, dict state=None):
        _check_rule(margin, rate, cost_positive, cost_negative, b)
        self.store, self.n_columns = store, store.n_columns
        self.half_margin, self.rate = margin / 2, rate
        self.cost_positive, self.cost_negative = cost_positive, cost_negative
        self.moves_b, self.b = moves_b, b
        self.alphas = np.empty(64)
        self.values = np.empty(64 * 64, dtype=np.float32)
        if state is not None:
            self._restore(state)

    @property
    def dual_coef(self):
        """alpha of each stored row."""
        return self.alphas[: self.store.n].copy()

    def scores(self, Rows rows):
        """f of every row, a block of them at a time."""
        self.check_width(rows)
        return self.store.scores(rows, self.alphas[None, : self.store.n].copy())[:, 0] + self.b

    def state(self):
        """What was learned, as plain numbers and rows."""
        return {"alphas": self.dual_coef, "rows": self.store.rows(), "b": self.b, "n_updates": self.n_updates}

    cdef int _restore(self, dict state) except -1:
        rows = Rows(state["rows"])
        n = rows.n_rows
        alphas = array_of("alphas", state["alphas"], np.float64, (n,))
        if self.store.n or not rows.all_finite:
            raise ValueError("rows must be finite, and the store empty")
        self.store.extend(rows, np.arange(n), np.arange(n))
        self._make_room()
        self.alphas[:n] = alphas
        self.b = real_number("b", state["b"])
        self.n_updates = whole_number("n_updates", state["n_updates"])
        return 0

    cdef int score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil:
        cdef Py_ssize_t s
        cdef int64_t chosen = i
        cdef double total = self.b
        if self.store.n:
            with gil:
                total += self._weigh(rows, chosen)
        out[0] = total
        return 0

    cdef double _weigh(self, Rows rows, int64_t i) except? -1:
        cdef float[::1] values = self.values
        cdef const double[::1] alphas = self.alphas
        cdef double total = 0
        cdef Py_ssize_t s
        with nogil:
            self.store.gather(rows, &i, 1)
            self.store.panel(0, self.store.n, &values[0], self.store.n)
            for s in range(self.store.n):
                total += alphas[s] * values[s]
        if not isfinite(total):
            raise ValueError(NOT_FINITE)
        return total

    cdef int update(self, Rows rows, Py_ssize_t i, int sign, double score) except -1 nogil:
        cdef double step
        if sign * score > self.half_margin:
            return 0
        step = self.rate * sign * (self.cost_positive if sign > 0 else self.cost_negative)
        with gil:
            self.store.append(rows, i, self.store.n)
            self._make_room()
            self.alphas[self.store.n - 1] = step
        if self.moves_b:
            self.b += step
        self.n_updates += 1
        return 0

    cdef int _make_room(self) except -1:
        n = self.store.n
        if n > len(self.alphas):
            larger = np.empty(2 * n)
            larger[: len(self.alphas)] = self.alphas
            self.alphas = larger
            self.values = np.empty(2 * n, dtype=np.float32)
        return 0


def _check_rule(margin, rate, cost_positive, cost_negative, b):
    """Refuse what is no rule of a perceptron."""
    real_number("margin", margin, low=0)
    real_number("rate", rate, above=0)
    real_number("cost_positive", cost_positive, low=0)
    real_number("cost_negative", cost_negative, low=0)
    real_number("b", b)


cdef enum:
    MOST_EXPONENT = 200  # of a weight of Winnow
    MOST_FACTOR = 30


cdef class Winnow(Linear):
    """Winnow2: weights grow and shrink by a factor, w_j = factor^e_j (Littlestone 1988). b is minus the threshold.

    With a ``state`` it goes on from there.
    """

    cdef double factor
    cdef double* e
    cdef object exponents

    def __init__(self, Py_ssize_t n_columns, double factor, double b, dict state=None):
        cdef double[::1] view
        real_number("factor", factor, high=MOST_FACTOR, above=1)
        real_number("b", b)
        if state is not None:  # before there is memory for as many columns as a file says
            exponents = array_of("exponents", state["exponents"], np.float64, (n_columns,), -MOST_EXPONENT, MOST_EXPONENT)
        self._begin(n_columns, 1, True)
        self.factor, self.b = factor, b
        self.exponents = np.zeros(n_columns)
        view = self.exponents
        self.e = &view[0] if n_columns else NULL
        if state is not None:
            self.exponents[:] = exponents
            self.weights[:] = np.exp(self.exponents * np.log(self.factor))
            self._count_on(state)

    def state(self):
        """What was learned, as plain numbers."""
        return {"exponents": self.exponents.copy(), "b": self.b, "n_updates": self.n_updates}

    cdef int score(self, Rows rows, Py_ssize_t i, double* out) except -1 nogil:
        out[0] = dot(row_of(rows, i), <double*>self.memory) + self.b
        return 0

    cdef int update(self, Rows rows, Py_ssize_t i, int sign, double score) except -1 nogil:
        cdef Row x
        cdef Py_ssize_t t, j
        cdef double* w = <double*>self.memory
        cdef double log_factor = log(self.factor)
        if sign * score > 0:
            return 0
        x = row_of(rows, i)
        for t in range(x.count):
            j = column_at(x, t)
            # Exponents beyond this say nothing more, and would leave the range of numbers.
            self.e[j] = min(<double>MOST_EXPONENT, max(-<double>MOST_EXPONENT, self.e[j] + sign * value_at(x, t)))
            w[j] = exp(self.e[j] * log_factor)
        self.n_updates += 1
        return 0


cdef enum:
    NOBODY
    APPLE_TASTING
    LABEL_EFFICIENT
    EPSILON_GREEDY
    SOFTMAX

_EXPLORERS = {
    "none": NOBODY,
    "apple-tasting": APPLE_TASTING,
    "label-efficient": LABEL_EFFICIENT,
    "epsilon-greedy": EPSILON_GREEDY,
    "softmax": SOFTMAX,
}

cdef enum:
    OCTAVES = 32  # of p: (1/2, 1], (1/4, 1/2], ..., and all that is smaller

cdef double NEVER = 1e-100  # a probability as good as 0

_COUNTS = ("n_rounds", "n_labels", "n_explored", "n_found", "n_mistakes", "n_unreachable")


cdef class Watch:
    """Counts for a guard, and calls its `judge` before the round in which a count has reached its limit.

    A subclass decides what to conclude from the counts: it sets the limits, which are infinite at first, and the least
    probability with which a rejected item is shown.

    Attributes
    ----------
    hits, n_open : positives among the accepted items, and accepted items whose label has not come back
    rounds, silent : rounds, and rounds since the last hit
    n_tested, n_found, n_found_in_alarm, weight : explored items, positives among them, and the sum of their 1 / p
    """

    cdef public double hits, rounds, weight, least_probability
    cdef public Py_ssize_t n_tested, n_found, n_found_in_alarm, silent, n_open
    cdef double limit_of_hits, limit_of_rounds, limit_of_silent, limit_of_tested

    def __init__(self):
        self.set_limits()

    def judge(self):
        """Conclude from the counts, and set the next limits."""
        raise NotImplementedError

    def set_limits(self, double hits=INFINITY, double rounds=INFINITY, double silent=INFINITY, double tested=INFINITY):
        """Say which counts call for a judgement."""
        self.limit_of_hits, self.limit_of_rounds = hits, rounds
        self.limit_of_silent, self.limit_of_tested = silent, tested

    def clear(self):
        """Begin to count anew; positives found in the alarm, silent rounds and open items go on."""
        self.hits = self.rounds = self.weight = 0
        self.n_tested = self.n_found = 0

    cdef void observe(self, int sign, bint explored, double p) noexcept nogil:
        if explored:
            self.n_tested += 1
            if sign > 0:
                self.n_found += 1
                self.n_found_in_alarm += 1
                self.weight += 1 / p
            return
        self.n_open = max(0, self.n_open - 1)
        if sign > 0:
            self.hits += 1
            self.silent = 0

    cdef int next_round(self) except -1 nogil:
        if (
            self.rounds >= self.limit_of_rounds
            or self.hits >= self.limit_of_hits
            or self.silent >= self.limit_of_silent
            or self.n_tested >= self.limit_of_tested
        ):
            with gil:
                self.judge()
        self.rounds += 1
        self.silent += 1
        return 0


cdef class Gate:
    """Decides what is shown, and remembers what the explorer needs for its next probability.

    Parameters
    ----------
    explorer : str
        "none", "apple-tasting", "label-efficient", "epsilon-greedy" or "softmax".
    parameter : float
        Its beta, epsilon or temperature.
    bias : float
        Shown without a draw is what scores -bias or more.
    waits : bool
        Show everything until the first positive label, and let no negative teach before it.
    watch : Watch
        Counts what happens; its least probability of exploration holds if ``guards``.
    guards : bool
        Whether the watch may judge.
    seed : int
        Of the draws.
    only_finds : bool
        Of what is explored, only positives teach the learner.
    """

    cdef int kind
    cdef double parameter, bias
    cdef bint waits, guards, only_finds
    cdef readonly bint started
    cdef readonly uint64_t seed
    cdef readonly Py_ssize_t n_rounds, n_labels, n_explored, n_found, n_mistakes, n_unreachable
    cdef readonly double largest_squared_norm
    # for each octave of p, of the positives found by exploring: sum 1/p, sum (1-p)/p^2, number; of what was
    # rejected: the largest 1/p, and how many stayed hidden
    cdef readonly object sums
    cdef double[:, ::1] by_octave
    cdef readonly Watch watch
    # how far `replay` came
    cdef public Py_ssize_t n_done, n_finished

    def __init__(self, str explorer, double parameter, double bias, bint waits, Watch watch not None, bint guards,
                 uint64_t seed, bint only_finds=False):
        if explorer not in _EXPLORERS:
            raise ValueError(f"no explorer {explorer!r}. There are: {', '.join(_EXPLORERS)}.")
        real_number("parameter", parameter, low=0)
        if not bias >= 0:  # infinity shows everything
            raise ValueError(f"bias must be 0 or more; got {bias!r}.")
        self.kind, self.parameter, self.bias = _EXPLORERS[explorer], parameter, bias
        self.waits, self.guards, self.seed, self.only_finds = waits, guards, seed, only_finds
        self.started = not waits
        self.watch = watch
        self.sums = np.zeros((5, OCTAVES))
        self.sums[3] = 1
        self.by_octave = self.sums

    def state(self):
        """Everything that was counted, as plain numbers."""
        names = (*_COUNTS, "largest_squared_norm", "started", "seed")
        return {name: getattr(self, name) for name in names} | {"sums": self.sums.copy()}

    def restore(self, dict state):
        """Put a `state` back."""
        cdef double largest = state["largest_squared_norm"]
        counts = [whole_number(name, state[name]) for name in _COUNTS]
        if not largest >= 0:  # infinity is the square of a long row
            raise ValueError(f"largest_squared_norm must be 0 or more; got {largest!r}.")
        started = true_or_false("started", state["started"])
        seed = whole_number("seed", state["seed"], 0, 2**64 - 1)
        sums = array_of("sums", state["sums"], np.float64, (5, OCTAVES))
        self.n_rounds, self.n_labels, self.n_explored, self.n_found, self.n_mistakes, self.n_unreachable = counts
        self.largest_squared_norm, self.started, self.seed = largest, started, seed
        self.sums[:] = sums

    def begin(self):
        """The first positive label came from elsewhere: the wait is over."""
        self.started = True

    @property
    def needs_norms(self):
        """Whether squared norms of the rows are asked for."""
        return self.kind == LABEL_EFFICIENT

    def judge(self, const double[::1] scores, const double[::1] squared_norms, bint explores):
        """Decide about items by their scores: (show, explored, probability). Norms may be empty if not needed."""
        cdef Py_ssize_t i, n = scores.shape[0]
        show, explored, probability = np.empty(n, dtype=bool), np.empty(n, dtype=bool), np.empty(n)
        cdef uint8_t[::1] show_view = show.view(np.uint8), explored_view = explored.view(np.uint8)
        cdef double[::1] probability_view = probability
        cdef bint drawn
        for i in range(n):
            show_view[i] = self.decide(
                scores[i], squared_norms[i] if self.kind == LABEL_EFFICIENT else 0, explores, &drawn, &probability_view[i]
            )
            explored_view[i] = drawn
        return show, explored, probability

    def teaches(self, int sign, bint explored):
        """Whether the learner is to have a label that came back."""
        return self.is_lesson(sign, explored)

    cdef bint is_lesson(self, int sign, bint explored) noexcept nogil:
        return sign > 0 or (self.started and not (explored and self.only_finds))

    def take_in(self, double score, int sign, bint explored, double probability):
        """A label came back for an item that was decided about."""
        self.observe(score, sign, explored, probability)

    def correct(self, int sign, bint explored, double probability):
        """A label that came back was wrong: it is ``sign`` now, and was the other before."""
        if explored and probability > NEVER:
            self._count_find(probability, sign)
            self.n_found = max(0, self.n_found + sign)

    cdef bint decide(
        self, double score, double squared_norm, bint explores, bint* explored, double* p
    ) except -1 nogil:
        """One round; whether the item is shown. If the watch raises, the round has not begun."""
        cdef int octave
        if self.guards and self.started:
            self.watch.next_round()
        self.n_rounds += 1
        self.largest_squared_norm = max(self.largest_squared_norm, squared_norm)
        explored[0] = False
        p[0] = 1
        if not self.started or score + self.bias >= 0:
            self.watch.n_open += self.started
            return True
        if not explores:
            p[0] = 0
            self.n_unreachable += 1
            return False
        p[0] = self.probability(score)
        if self.guards:
            p[0] = max(p[0], self.watch.least_probability)
        # One draw for every rejected item, whatever p: runs with different explorers stay comparable.
        explored[0] = next_uniform(&self.seed) < p[0]
        if p[0] > NEVER:
            octave = octave_of(p[0])
            self.by_octave[3, octave] = max(self.by_octave[3, octave], 1 / p[0])
            self.by_octave[4, octave] += not explored[0]
        else:
            self.n_unreachable += 1
        self.n_explored += explored[0]
        return explored[0]

    cdef double probability(self, double score) noexcept nogil:
        """With which probability a rejected item is shown all the same."""
        cdef double b
        if self.kind == APPLE_TASTING:
            return min(1.0, sqrt((1.0 + self.n_found) / self.n_rounds))
        if self.kind == LABEL_EFFICIENT:
            b = self.parameter * self.largest_squared_norm * sqrt(1.0 + self.n_mistakes)
            return b / (b + fabs(score)) if b < INFINITY else 1
        if self.kind == EPSILON_GREEDY:
            return self.parameter
        if self.kind == SOFTMAX:
            b = exp(score / self.parameter)  # at most 1: what is rejected scores below 0
            return b / (1 + b)
        return 0

    cdef void observe(self, double score, int sign, bint explored, double p) noexcept nogil:
        """A label came back. Before the first positive one, negatives say nothing."""
        self.n_labels += 1
        if not self.started and sign < 0:
            return
        self.started = True
        if sign * score <= 0:
            self.n_mistakes += 1
        if sign > 0 and explored and p > NEVER:
            self.n_found += 1
            self._count_find(p, 1)
        self.watch.observe(sign, explored, p)

    cdef void _count_find(self, double p, int sign) noexcept nogil:
        cdef int octave = octave_of(p)
        self.by_octave[0, octave] += sign / p
        self.by_octave[1, octave] += sign * (1 - p) / (p * p)
        self.by_octave[2, octave] += sign


cdef inline int octave_of(double p) noexcept nogil:
    cdef int exponent
    frexp(1 / p, &exponent)
    return max(0, min(exponent - 1, OCTAVES - 1))


def squared_norms(Rows rows):
    """|x|^2 of every row."""
    cdef Py_ssize_t i
    values = np.empty(rows.n_rows)
    cdef double[::1] view = values
    with nogil:
        for i in range(rows.n_rows):
            view[i] = squared_norm(row_of(rows, i))
    return values


def replay(Learner learner, Gate gate, Rows rows, Py_ssize_t first, const int8_t[::1] signs, revealed,
           uint8_t[::1] show, uint8_t[::1] explored, double[::1] score, double[::1] probability):
    """Run a stream, the rows from ``first`` on: score, decide, and learn from the label where that comes back.

    ``signs`` are the labels. ``revealed`` says for which rows they come back; None stands for those that are shown,
    the one protocol in which anything is explored. The last four receive what was decided; ``gate.n_done`` says of
    how many rows, also if learning raised, and ``gate.n_finished`` how many of these had been learned.
    """
    cdef Py_ssize_t i, k, n = signs.shape[0]
    cdef bint one_sided = revealed is None, drawn, norms = gate.kind == LABEL_EFFICIENT
    cdef const uint8_t[::1] told = show if one_sided else revealed
    cdef double f, p
    learner.check_width(rows)
    if first < 0 or first + n > rows.n_rows:
        raise ValueError(f"rows {first} to {first + n} of {rows.n_rows}")
    for length in (told.shape[0], show.shape[0], explored.shape[0], score.shape[0], probability.shape[0]):
        if length != n:
            raise ValueError(f"{n} rows, but {length} labels or results")
    gate.n_done = gate.n_finished = 0
    with nogil:
        for k in range(n):
            i = first + k
            learner.score(rows, i, &f)
            show[k] = gate.decide(f, squared_norm(row_of(rows, i)) if norms else 0, one_sided, &drawn, &p)
            explored[k], score[k], probability[k] = drawn, f, p
            gate.n_done = k + 1
            if told[k]:  # the learner first: a lesson that raises is not counted
                if gate.is_lesson(signs[k], drawn):
                    learner.update(rows, i, signs[k], f)
                gate.observe(f, signs[k], drawn, p)
            gate.n_finished = k + 1
