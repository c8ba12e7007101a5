"""The online SVM of Bordes, Ertekin, Weston, Bottou (JMLR 6, 2005) on a ready kernel matrix, step by step."""

import copy
import math

import numpy as np


class LASVM:
    """Signed alphas over an expansion: ``inside`` marks its members, ``g`` is their gradient.

    Maximises W = sum alpha_i y_i - 1/2 sum alpha_i alpha_j K_ij, A_i <= alpha_i <= B_i, sum alpha_i = 0, and
    keeps g_s = y_s - sum_t alpha_t K_st for each member s. Outside the expansion alpha is 0 and g is NaN.
    """

    def __init__(self, K, y, C=1.0, tau=1e-3):
        self.K = np.asarray(K, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        self.C = np.broadcast_to(np.asarray(C, dtype=np.float64), self.y.shape)
        self.A = np.minimum(0.0, self.C * self.y)
        self.B = np.maximum(0.0, self.C * self.y)
        self.tau = tau
        self.alpha = np.zeros(len(self.y))
        self.g = np.full(len(self.y), np.nan)
        self.inside = np.zeros(len(self.y), dtype=bool)
        self.b, self.delta = 0.0, np.inf
        self.slack, self.pick = 0.0, min  # rows whose g differ by no more are alike: take the lowest

    def process(self, k):
        """Try to insert example k; return whether a step was made."""
        if self.inside[k] or self.C[k] == 0:
            return False
        g_k = self.y[k] - self.K[k] @ self.alpha
        up, low = self.extremes()
        if -np.inf < low < up < np.inf and self.is_satisfied(self.y[k], g_k, up, low):
            return False  # no step would move it away from 0
        self.inside[k], self.g[k] = True, g_k
        return self.pair_step(k, self.lowest()) if self.y[k] > 0 else self.pair_step(self.highest(), k)

    def reprocess(self):
        """Step along the most violating pair, then remove what needs no alpha; return whether it moved."""
        moved = self.pair_step(self.highest(), self.lowest())
        up, low = self.extremes()
        if np.isinf(up) or np.isinf(low):  # one class only
            self.b, self.delta = 0.0, np.inf
            return moved
        idle = self.inside & (self.alpha == 0)
        settled = idle & self.is_satisfied(self.y, self.g, up, low)
        # The pair stays: where no member is free, it alone says where the offset may lie.
        settled[[self.highest(), self.lowest()]] = False
        self.inside[settled], self.g[settled] = False, np.nan
        self.b, self.delta = (up + low) / 2, max(0.0, up - low)
        return moved

    def is_satisfied(self, y, g, up, low):
        """Whether alpha = 0 violates the conditions with no member."""
        return np.where(y < 0, g >= up, g <= low)

    def finish(self, max_steps=200_000):
        """Reach the optimum over the expansion as it stands, up to tau: nothing is removed before the end."""
        for _ in range(max_steps):
            if not self.pair_step(self.highest(), self.lowest()):
                self.reprocess()
                return self
        raise AssertionError(f"not finished after {max_steps} steps")

    def pair_step(self, i, j):
        """Move alpha_i up and alpha_j down by as much, if that gains more than tau at first."""
        if i is None or j is None or not self.g[i] - self.g[j] > self.tau:
            return False
        eta = self.K[i, i] + self.K[j, j] - 2 * self.K[i, j]
        step = min(self.B[i] - self.alpha[i], self.alpha[j] - self.A[j])
        if eta > 0:  # a direction without curvature is followed to the bound
            step = min(step, (self.g[i] - self.g[j]) / eta)
        for s, change in ((i, step), (j, -step)):
            moved = self.alpha[s] + change
            rounding = 1e-12 * max(abs(self.alpha[s]), abs(moved))  # alpha is small where K is large
            near = [bound for bound in (self.A[s], self.B[s]) if abs(moved - bound) <= rounding]
            self.alpha[s] = near[0] if near else moved
        self.g[self.inside] -= step * (self.K[i] - self.K[j])[self.inside]
        return True

    def extremes(self):
        """The largest g of those that may grow, the least of those that may shrink; infinite if none may."""
        growing = self.g[self.inside & (self.alpha < self.B)]
        shrinking = self.g[self.inside & (self.alpha > self.A)]
        return growing.max(initial=-np.inf), shrinking.min(initial=np.inf)

    def highest(self):
        rows = self.inside & (self.alpha < self.B)
        return self.pick_of(rows & (self.g >= self.extremes()[0] - self.slack))

    def lowest(self):
        rows = self.inside & (self.alpha > self.A)
        return self.pick_of(rows & (self.g <= self.extremes()[1] + self.slack))

    def pick_of(self, rows):
        """One of the rows marked, or None."""
        return self.pick(np.flatnonzero(rows).tolist()) if rows.any() else None

    def f(self, K_rows):
        """Scores of examples whose kernel values with all training examples are the rows given."""
        return np.asarray(K_rows, dtype=np.float64) @ self.alpha + self.b

    def objective(self):
        return objective(self.K, self.y, self.alpha)

    def gap(self, rows=None):
        """Duality gap of the problem restricted to the rows given, by default the expansion."""
        rows = self.inside if rows is None else rows
        slack = self.y - self.K @ self.alpha - self.b  # g - b, also outside
        return float(np.sum((self.C * np.maximum(0.0, self.y * slack) - self.alpha * slack)[rows]))


def objective(K, y, alpha):
    return float(alpha @ y - alpha @ K @ alpha / 2)


def learn(machine, order):
    """One epoch without FINISH: each example of the order once, a REPROCESS after each."""
    for k in order:
        machine.process(k)
        machine.reprocess()
    return machine


def converge(machine, order, max_epochs=100):
    """Epochs, each with FINISH, until the optimality conditions hold on all examples."""
    for _ in range(max_epochs):
        learn(machine, order).finish()
        machine.inside[:] = machine.C > 0
        machine.g[:] = np.where(machine.inside, machine.y - machine.K @ machine.alpha, np.nan)
        up, low = machine.extremes()
        if up - low <= machine.tau:
            machine.reprocess()
            return machine
    raise AssertionError(f"not converged after {max_epochs} epochs")


def follow(states, k, agrees, slack=1e-6):
    """The states after PROCESS(k) and REPROCESS that are what another program reached.

    A step that ends before a bound leaves the gradients of its pair equal, and rounding decides which of the
    two comes next. To follow a program that rounds otherwise, every way to break such ties is tried, and all
    states are kept of which ``agrees(state)`` is true.
    """
    reached = [branch for state in states for branch in _branches(state, k, slack) if agrees(branch)]
    assert reached, f"no step of LASVM leads to what was found after row {k}"
    distinct = {(np.round(state.alpha, 7).tobytes(), state.inside.tobytes()): state for state in reached}
    return list(distinct.values())


def replay(fitted, K, y, C, precision=1e-3):
    """The twins that may be in the state of a fitted model, before each label it read and after the last.

    Its history tells counts and gap after each label; ``C`` are the bounds of each row.
    """
    history = fitted.history_
    twins = [LASVM(K, y, C, fitted.tol)]
    for t, k in enumerate(fitted.queried_):
        yield twins

        def agrees(twin, t=t):
            counts = np.sum(twin.alpha > 0), np.sum(twin.alpha < 0)
            same = counts == (history["n_support_positive"][t], history["n_support_negative"][t])
            gap = history["dual_gap"][t]
            return same and (np.isinf(twin.delta) or abs(twin.gap() - gap) <= precision * max(1, gap))

        twins = follow(twins, k, agrees)
    yield twins


def _branches(machine, k, slack):
    """Every state after PROCESS(k) and REPROCESS, each choice among rows that are alike made each way."""
    scripts = [[]]
    while scripts:
        script = scripts.pop()
        made = []

        def pick(rows, script=script, made=made):
            choice = script[len(made)] if len(made) < len(script) else 0
            made.append((choice, len(rows)))
            return rows[choice]

        state = copy.copy(machine)
        state.alpha, state.g, state.inside = machine.alpha.copy(), machine.g.copy(), machine.inside.copy()
        state.slack, state.pick = slack, pick
        learn(state, [k])
        state.slack, state.pick = 0.0, min
        yield state
        for place in range(len(script), len(made)):
            before = [choice for choice, _ in made[:place]]
            scripts += [[*before, other] for other in range(1, made[place][1])]


def seeded_order(y, n_seeds=5):
    """The first few of each class, then the rest, each in the order of the rows."""
    y = np.asarray(y)
    seeds = np.sort(np.concatenate([np.flatnonzero(y == c)[:n_seeds] for c in np.unique(y)]))
    return np.concatenate([seeds, np.setdiff1d(np.arange(len(y)), seeds)])


# Which example next, and when to stop


def pool_size(miss=0.05, top=0.05):
    """So many random candidates hold one of the best share ``top`` with probability 1 - ``miss``."""
    return math.ceil(math.log(miss) / math.log(1 - top))


def closest(scores, pool):
    """The candidate nearest to the boundary; of equals the lowest row."""
    pool = np.sort(pool)
    return int(pool[np.argmin(np.abs(np.asarray(scores)[pool]))])


def linear(X, Z):
    return X @ Z.T


def poly(X, Z, gamma=1.0, coef0=0.0, degree=3):
    return (gamma * (X @ Z.T) + coef0) ** degree


def rbf(X, Z, gamma=1.0):
    squares = (X**2).sum(axis=1)[:, None] + (Z**2).sum(axis=1)[None, :] - 2 * (X @ Z.T)
    return np.exp(-gamma * np.maximum(squares, 0.0))


def sigmoid(X, Z, gamma=1.0, coef0=0.0):
    return np.tanh(gamma * (X @ Z.T) + coef0)


KERNELS = {"linear": linear, "poly": poly, "rbf": rbf, "sigmoid": sigmoid}
