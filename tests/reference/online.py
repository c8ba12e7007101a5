"""Learning from one-sided feedback (Sculley, KDD 2007) in plain NumPy: learners, explorers and the protocol.

Labels are +1 and -1 and rows are dense vectors throughout. Each learner has ``score(x)`` and
``update(x, y, s)``, which is handed the score from before and says whether the model changed.
"""

import copy

import numpy as np

from lopsided._validation import as_generator

MASK = 2**64 - 1
EPS = 1e-12  # a direction of less curvature is followed to the bound; alphas so near their bound are there


class SplitMix64:
    """The generator of the compiled core, so that its random choices can be followed one by one."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next() >> 11) * 2.0**-53


def seed_of(random_state):
    """The seed that a learner or a filter makes of its random_state."""
    return int(as_generator(random_state).integers(2**63))


# Learners


class MarginPerceptron:
    """w moves by eta y c_y x wherever y f(x) <= margin / 2; ``costs`` are those of -1 and +1."""

    def __init__(self, d, margin=2.0, eta=1.0, costs=(1.0, 1.0), fit_intercept=False, initial_bias=0.0):
        self.w, self.b = np.zeros(d), initial_bias
        self.margin, self.eta, self.fit_intercept = margin, eta, fit_intercept
        self.cost = {-1: costs[0], 1: costs[1]}

    def score(self, x):
        return float(self.w @ x) + self.b

    def update(self, x, y, s):
        if y * s > self.margin / 2:
            return False
        step = self.eta * y * self.cost[y]
        self.w = self.w + step * x
        if self.fit_intercept:
            self.b += step
        return True


class AdaptivePerceptron(MarginPerceptron):
    """Steps as long as the margin asks for; those of negatives are bounded while few positives are known."""

    def __init__(self, d, **parameters):
        super().__init__(d, **parameters)
        self.n = {-1: 0, 1: 0}

    def update(self, x, y, s):
        self.n[y] += 1
        bound = self.eta * self.cost[y]
        if y < 0:
            bound *= min(1.0, (self.n[1] + 1) ** 2 / (5 * (self.n[-1] + 1)))
        constant = x @ x / 50 if self.fit_intercept else 0.0  # square of the feature whose weight is b
        loss = self.margin / 2 - y * s
        if loss < 0:
            return False
        length = x @ x + constant
        step = y * (min(bound, loss / length) if length > 0 else bound)
        self.w = self.w + step * x
        self.b += step * constant
        return True


class KernelPerceptron:
    """The same learner with f(x) = sum_j alpha_j K(x_j, x) + b; ``kernel`` takes two vectors."""

    def __init__(self, kernel, margin=2.0, eta=1.0, costs=(1.0, 1.0), fit_intercept=False, initial_bias=0.0):
        self.kernel, self.kept, self.alpha, self.b = kernel, [], [], initial_bias
        self.margin, self.eta, self.fit_intercept = margin, eta, fit_intercept
        self.cost = {-1: costs[0], 1: costs[1]}

    def score(self, x):
        return sum(a * self.kernel(z, x) for a, z in zip(self.alpha, self.kept, strict=True)) + self.b

    def update(self, x, y, s):
        if y * s > self.margin / 2:
            return False
        step = self.eta * y * self.cost[y]
        self.kept.append(x)
        self.alpha.append(step)
        if self.fit_intercept:
            self.b += step
        return True


class Winnow:
    """Winnow2: weights are ``factor`` to the power of an exponent, which moves by y x_j on a mistake."""

    def __init__(self, d, factor=2.0, threshold=None, initial_bias=0.0):
        self.factor, self.exponent = factor, np.zeros(d)
        self.b = initial_bias - (d / 2 if threshold is None else threshold)

    @property
    def w(self):
        return self.factor**self.exponent

    def score(self, x):
        return float(self.w @ x) + self.b

    def update(self, x, y, s):
        if y * s > 0:
            return False
        self.exponent = np.clip(self.exponent + y * x, -200, 200)
        return True


class Example:
    """One of those in the buffer; ``g`` = y - <w, x> is kept for those that take part."""

    def __init__(self, x, y, C):
        self.x, self.y, self.C, self.alpha, self.g = x, y, C, 0.0, None

    def may_grow(self):
        """Whether y alpha may."""
        return self.alpha < self.C if self.y > 0 else self.alpha > 0

    def may_shrink(self):
        return self.alpha > 0 if self.y > 0 else self.alpha < self.C


class SVM:
    """Online SVM by steps along pairs of examples, relaxed by buffer, margin and number of passes.

    It keeps 0 <= alpha_i <= C_i over the buffer (oldest first). Over all examples, also those that have left
    with the alpha they had, sum alpha_i y_i = 0 and w = sum alpha_i y_i x_i.
    Steps are made among those that take part: whoever violates y f(x) >= 1 joins at the beginning of a pass,
    and leaves at the end of one when alpha = 0 and y f(x) > 1.3. Kernel values are in float32.
    """

    AWAY = 0.3
    FEW_PASSES = 3

    def __init__(self, d, C=(100.0, 100.0), tol=1e-3, buffer_size=None, update_margin=1.0, max_passes=1000):
        self.C, self.tol = {-1: C[0], 1: C[1]}, tol
        self.buffer_size, self.update_margin, self.max_passes = buffer_size, update_margin, max_passes
        self.buffer, self.places = [], []  # a place that became free is None
        self.w, self.b = np.zeros(d), 0.0
        self.pick = lambda alike: alike[0]  # of examples that are equal but for rounding

    @property
    def y(self):
        return [e.y for e in self.buffer]

    @property
    def alpha(self):
        return [e.alpha for e in self.buffer]

    @property
    def rows(self):
        return np.array([e.x for e in self.buffer])

    def score(self, x):
        return float(self.w @ x) + self.b

    def update(self, x, y, s):
        self.buffer.append(Example(x, y, self.C[y]))
        if len(self.buffer) > (self.buffer_size or np.inf):
            self.evict()
        if len(set(self.y)) < 2 or not y * s < self.update_margin:  # what was seen is never all evicted
            return False
        changed = False
        for k in range(self.max_passes):
            if self.one_pass(together=k >= self.FEW_PASSES):
                changed = True
            elif self.max_passes == 1 or not self.let_join():
                break
        return changed

    def branches(self, x, y, s):
        """Copies of this machine after ``update``, each choice among equal examples made each way."""
        scripts = [[]]
        while scripts:
            script, made = scripts.pop(), []

            def pick(alike, script=script, made=made):
                choice = script[len(made)] if len(made) < len(script) else 0
                made.append((choice, len(alike)))
                return alike[choice]

            state = copy.deepcopy(self)
            state.pick = pick
            state.update(x, y, s)
            state.pick = self.pick
            yield state
            for place in range(len(script), len(made)):
                before = [choice for choice, _ in made[:place]]
                scripts += [[*before, other] for other in range(1, made[place][1])]

    def adopt(self, alpha, w, b):
        """Go on from the state that another program reached; who takes part stays as it is."""
        for e, value in zip(self.buffer, alpha, strict=True):
            e.alpha = float(value)
        self.w, self.b = np.array(w, dtype=float), float(b)
        for e in filter(None, self.places):
            e.g = e.y - float(self.w @ e.x)

    def one_pass(self, together):
        """Newest first, each example that violates its condition moves once; return whether any did."""
        self.let_join()
        self.find_opponents()
        before = [(e, e.alpha) for e in self.buffer]
        moved = False
        i, j = self.most_violating()
        if i and j:
            self.b = (i.g + j.g) / 2
            for e in reversed([e for e in self.buffer if e.g is not None]):
                if e.g - self.b > self.tol / 2 and e.may_grow():
                    self.step(e, self.best_partner(e))
                elif self.b - e.g > self.tol / 2 and e.may_shrink():
                    growing = [other for other in self.places if other and other.may_grow()]
                    self.step(self.pick([other for other in growing if other.g > i.g - 1e-6]), e)
                else:
                    continue
                moved = True
                i, j = self.most_violating()
                self.b = (i.g + j.g) / 2
        if moved and together:
            self.move_together()
            i, j = self.most_violating()
            if i and j:
                self.b = (i.g + j.g) / 2
        for e, alpha in before:
            self.w = self.w + e.y * (e.alpha - alpha) * e.x
        for e in self.buffer if moved else ():
            if e.g is not None and e.alpha == 0 and -e.y * (e.g - self.b) > self.AWAY:
                self.leave(e)
        return moved

    def let_join(self):
        """Whoever violates its condition takes part; whether anybody did."""
        joining = [e for e in self.buffer if e.g is None and e.y * self.score(e.x) < 1 - self.tol]
        for e in joining:
            self.take_part(e)
        return bool(joining)

    def find_opponents(self):
        """Where all would move one way, the closest of the other class joins: only a stale b was left."""
        i, j = self.most_violating()
        if bool(i) == bool(j):
            return
        others = [e for e in self.buffer if e.g is None and e.y == (-1 if i else 1)]
        if others:
            self.take_part(min(others, key=lambda e: e.y * self.score(e.x)))

    def most_violating(self):
        """The largest g of those that may grow, the least of those that may shrink; of equals the first."""
        here = [e for e in self.places if e]
        grow, shrink = [e for e in here if e.may_grow()], [e for e in here if e.may_shrink()]
        return max(grow, key=lambda e: e.g, default=None), min(shrink, key=lambda e: e.g, default=None)

    def best_partner(self, i):
        """Who gains most with i, (g_i - g_j)^2 / eta_ij in float32 (Fan, Chen & Lin 2005)."""

        def gain(j):
            gap = np.float32(max(0.0, i.g - j.g))
            return (
                gap * gap / max(kernel(i, i) + kernel(j, j) - np.float32(2) * kernel(i, j), np.float32(1e-6))
            )

        partners = [e for e in self.places if e and e.may_shrink()]
        best = max(map(gain, partners))
        return self.pick([e for e in partners if gain(e) >= best * np.float32(1 - 1e-5)])

    def step(self, i, j):
        """As far along (+1 at i, -1 at j) as the bounds and the maximum of the dual allow."""
        eta = float(kernel(i, i)) + float(kernel(j, j)) - 2 * float(kernel(i, j))
        length = min(i.C - i.alpha if i.y > 0 else i.alpha, j.alpha if j.y > 0 else j.C - j.alpha)
        if eta > EPS:
            length = min(length, (i.g - j.g) / eta)
        for e, sign in ((i, 1), (j, -1)):
            e.alpha += sign * e.y * length
            if e.alpha < EPS * e.C:
                e.alpha = 0.0
            elif e.alpha > e.C * (1 - EPS):
                e.alpha = e.C
        for e in self.places:
            if e:
                e.g -= length * (float(kernel(i, e)) - float(kernel(j, e)))

    def move_together(self):
        """Those with 0 < alpha < C at once, by conjugate gradients that keep sum y alpha, to a bound."""
        free = [e for e in self.places if e and 0 < e.alpha < e.C]
        if len(free) < 2:
            return
        K = np.array([[float(kernel(one, other)) for other in free] for one in free])
        direction, rest = np.zeros(len(free)), np.array([e.g for e in free])
        rest = rest - rest.mean()
        along = rest
        for _ in free:
            bend = K @ along
            bend = bend - bend.mean()
            if along @ bend <= 1e-7 * (rest @ rest) * K.max():
                break
            length = rest @ rest / (along @ bend)
            direction, after = direction + length * along, rest - length * bend
            if abs(after).max() < self.tol / 10:
                break
            along, rest = after + (after @ after) / (rest @ rest) * along, after
        far = 1.0
        for e, d in zip(free, direction, strict=True):
            if d != 0:
                far = min(far, (e.C - e.alpha if e.y * d > 0 else e.alpha) / abs(d))
        for e, d in zip(free, direction, strict=True):
            e.alpha += e.y * far * d
            if e.alpha < EPS * e.C:
                e.alpha = 0.0
            elif e.alpha > e.C * (1 - EPS):
                e.alpha = e.C
        for e in filter(None, self.places):
            e.g -= far * sum(d * float(kernel(e, one)) for one, d in zip(free, direction, strict=True))

    def evict(self):
        """Forget the oldest example that is not the last of its class; what it gave to w stays there."""
        leaving = next(e for e in self.buffer if self.y.count(e.y) > 1)
        self.leave(leaving)
        self.buffer.remove(leaving)

    def take_part(self, e):
        e.g = e.y - (self.score(e.x) - self.b)
        if None in self.places:
            self.places[self.places.index(None)] = e
        else:
            self.places.append(e)

    def leave(self, e):
        if e.g is not None:
            self.places[self.places.index(e)], e.g = None, None


def kernel(one, other):
    """Kernel value of two examples, in float32."""
    return np.float32(one.x @ other.x)


# Explorers: ``probability(s, i, square)`` at round i = 1, 2, ... and ``observe(s, y, explored)``


class AppleTasting:
    def __init__(self):
        self.n_found = 0

    def probability(self, s, i, square):
        return min(1.0, np.sqrt((1 + self.n_found) / i))

    def observe(self, s, y, explored):
        self.n_found += explored and y > 0


class LabelEfficient:
    """``square`` is the largest squared norm of all rounds so far."""

    def __init__(self, beta=1e-3):
        self.beta, self.n_mistakes = beta, 0

    def probability(self, s, i, square):
        b = self.beta * square * np.sqrt(1 + self.n_mistakes)
        return b / (b + abs(s))

    def observe(self, s, y, explored):
        self.n_mistakes += y * s <= 0


class EpsilonGreedy:
    def __init__(self, epsilon=0.05):
        self.epsilon = epsilon

    def probability(self, s, i, square):
        return self.epsilon

    def observe(self, s, y, explored):
        pass


class SoftmaxExplorer:
    def __init__(self, temperature=1.0):
        self.temperature = temperature

    def probability(self, s, i, square):
        return np.exp(s / self.temperature) / (1 + np.exp(s / self.temperature))

    def observe(self, s, y, explored):
        pass


# The protocol


class Filter:
    """Shows an example or hides it, and learns from the labels that come back."""

    def __init__(self, learner, explorer=None, bias=0.0, start="wait", seed=0):
        self.learner, self.explorer, self.bias, self.random = learner, explorer, bias, SplitMix64(seed)
        self.waiting = start == "wait"  # for the first positive label
        self.n_rounds, self.square, self.n_updates = 0, 0.0, 0

    def decide(self, x, explore=True):
        """(show, explored, score, probability) of one example."""
        s = self.learner.score(x)
        self.n_rounds += 1
        self.square = max(self.square, float(x @ x))
        if self.waiting or s + self.bias >= 0:
            return True, False, s, 1.0
        if self.explorer is None or not explore:
            return False, False, s, 0.0
        p = self.explorer.probability(s, self.n_rounds, self.square)
        explored = self.random.uniform() < p
        return explored, explored, s, p

    def learn(self, x, y, decision):
        """The label of an example decided on just now, or before: then it is scored again."""
        if self.waiting and y < 0:
            return
        self.waiting = False
        _, explored, s, _ = decision
        if self.explorer is not None:
            self.explorer.observe(s, y, explored)
        self.n_updates += self.learner.update(x, y, self.learner.score(x))


def run(filter, X, y, feedback="one-sided", after=lambda t: None):
    """The stream of section 0.2; ``after(t)`` is called when round t (from 0) is over.

    ``feedback`` is "one-sided", "full", or a mask of the labels that are revealed, whatever was shown.
    """
    decisions, revealed = [], np.zeros(len(y), bool)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        decision = filter.decide(x, explore=isinstance(feedback, str) and feedback == "one-sided")
        if isinstance(feedback, str):
            revealed[t] = decision[0] or feedback == "full"
        else:
            revealed[t] = feedback[t]
        if revealed[t]:
            filter.learn(x, int(label), decision)
        decisions.append(decision)
        after(t)
    show, explored, score, probability = map(np.array, zip(*decisions, strict=True))
    return {
        "show": show,
        "explored": explored,
        "score": score,
        "probability": probability,
        "revealed": revealed,
    }
