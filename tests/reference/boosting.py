"""Boosting with stumps the slow way: loops over columns and rows, a linear program from scratch each round.

Leskovec and Shawe-Taylor, "Linear Programming Boosting for Uneven Datasets", ICML 2003.
"""

import math

import numpy as np
from scipy.optimize import brentq, linprog

LEARNERS = ("real.mh", "disc.mh", "real.lp", "disc.lp", "real.u", "disc.u")


def sums(applies, y, D):
    """W[b, l]: weight of the rows with answer b (yes, no) and label l (+, -)."""
    return [
        [sum(d for d, a, s in zip(D, applies, y, strict=True) if a == b and s == label) for label in (1, -1)]
        for b in (True, False)
    ]


def sign(positive, negative):
    return 1.0 if positive > negative else -1.0


def by_class(W, answers):
    """Weights (class, prediction): ++, +-, -+, --."""
    out = {(c, p): 0.0 for c in (1, -1) for p in (1, -1)}
    for b in range(2):
        for label, c in enumerate((1, -1)):
            out[c, int(answers[b])] += W[b][label]
    return [out[1, 1], out[1, -1], out[-1, 1], out[-1, -1]]


def step(pp, pm, mp, mm, beta, eps):
    """The root of equation 11, not by Newton's method; the ends of the bracket where there is none."""
    most = 0.5 * math.log((1 + eps) / eps)
    if pp + mm <= 0:
        return -most
    if pm + mp <= 0:
        return most

    def slope(alpha):
        Y = math.exp(alpha)
        first = mp * Y**2 + pm / beta * Y ** (1 + 1 / beta)
        return first - pp / beta * Y ** (1 - 1 / beta) - mm

    if slope(-most) >= 0:
        return -most
    if slope(most) <= 0:
        return most
    return brentq(slope, -most, most, xtol=1e-15, rtol=8.9e-16)


def stump(W, learner, beta, eps):
    """What a learner makes of the four sums: answers (yes, no), alpha, and how good that is."""
    W = np.maximum(W, 0.0)
    edges = [W[b][0] - W[b][1] for b in range(2)]
    kind, criterion = learner.split(".")
    if kind == "real":
        answers = [0.5 * math.log((W[b][0] + eps) / (W[b][1] + eps)) for b in range(2)]
        alpha = 1.0
        if criterion == "mh":
            good = -2 * sum(math.sqrt(W[b][0] * W[b][1]) for b in range(2))
        elif criterion == "lp":
            good = sum(answers[b] * edges[b] for b in range(2))
        else:
            good = -sum(
                W[b][0] * math.exp(-answers[b] / beta) + W[b][1] * math.exp(answers[b]) for b in range(2)
            )
        return answers, alpha, good
    answers = [sign(*W[b]) for b in range(2)]
    r = sum(answers[b] * edges[b] for b in range(2))
    if criterion == "u":
        four = by_class(W, answers)
        alpha = step(*four, beta, eps)
        pp, pm, mp, mm = four
        good = -(
            pp * math.exp(-alpha / beta)
            + pm * math.exp(alpha / beta)
            + mp * math.exp(alpha)
            + mm * math.exp(-alpha)
        )
        return answers, alpha, good
    smoothing = eps if r > 1 - eps else 0.0
    return answers, 0.5 * math.log((1 + r + smoothing) / (1 - r + smoothing)), r


def best(questions, y, D, learner, beta):
    """Number, answers, alpha and values of the best stump; questions are rows of booleans."""
    eps = 1 / len(y)
    found = None
    for number, applies in enumerate(questions):
        answers, alpha, good = stump(sums(applies, y, D), learner, beta, eps)
        if found is None or good > found[0] + 1e-12:
            found = good, number, answers, alpha
    _, number, answers, alpha = found
    return number, answers, alpha, np.where(questions[number], *answers)


def adaboost(questions, y, learner, beta, n_rounds):
    """Numbers of the stumps, F on the rows after each round, and Z of each round."""
    D = np.where(y > 0, float(beta), 1.0)
    D /= D.sum()
    F, numbers, scores, losses = np.zeros(len(y)), [], [], []
    for _ in range(n_rounds):
        number, _, alpha, values = best(questions, y, D, learner, beta)
        b = np.where(y > 0, 1 / beta, 1.0)
        D = D * np.exp(-alpha * b * y * values)
        losses.append(D.sum())
        D /= D.sum()
        F = F + alpha * values
        numbers.append(number)
        scores.append(F)
    return numbers, scores, losses


def bounds(y, nu, beta, lower):
    D = 1 / (nu * len(y))
    return np.full(len(y), lower), np.where(y > 0, beta * D, D)


def solve_dual(H, y, low, high):
    """u, B, and the weights a (multipliers of the edge constraints); H has a row for each hypothesis."""
    n, m = H.shape
    result = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.column_stack([H * y, -np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=[*zip(low, high, strict=True), (None, None)],
        method="highs-ds",
    )
    assert result.status == 0
    return result.x[:-1], result.x[-1], -result.ineqlin.marginals


def solve_primal(H, y, low, high):
    """The value of the program over the weights a, with slack on both sides."""
    n, m = H.shape
    # variables: a (n), rho, xi (m), s (m); minimise -(rho - d.xi + l.s)
    result = linprog(
        np.concatenate([np.zeros(n), [-1.0], high, -low]),
        A_eq=np.block(
            [
                [(H * y).T, -np.ones((m, 1)), np.eye(m), -np.eye(m)],
                [np.ones((1, n)), np.zeros((1, 1 + 2 * m))],
            ]
        ),
        b_eq=np.append(np.zeros(m), 1.0),
        bounds=[(0, None)] * n + [(None, None)] + [(0, None)] * (2 * m),
        method="highs",
    )
    assert result.status == 0
    return -result.fun


def lpboost(questions, y, learner, nu, beta, lower=0.0, n_rounds=300, tol=1e-6):
    """Values of the hypotheses, their weights, and B after each round."""
    low, high = bounds(y, nu, beta, lower)
    u, B = high / high.sum(), 0.0
    H, B_of_round, a = [], [], np.empty(0)
    for _ in range(n_rounds):
        _, _, _, values = best(questions, y, u, learner, beta)
        if H and (u * y) @ values <= B + tol:
            break
        H.append(values)
        u, B, a = solve_dual(np.array(H), y, low, high)
        B_of_round.append(B)
    return np.array(H), a, B_of_round


def grow_slowly(X, positive, weights, form, n_questions):
    """Yield the scores after each question of presence: every split of every leaf is tried."""
    y, f = positive.astype(float), np.zeros(len(X))
    leaves = [np.ones(len(X), dtype=bool)]

    def error(rows):
        w, r = weights[rows], (y - f)[rows]
        return (w * (r - np.average(r, weights=w)) ** 2).sum() if w.sum() else 0.0

    for _ in range(n_questions):
        if form == "list":
            leaves = [np.ones(len(X), dtype=bool)]
        tried = []
        for place, rows in enumerate(leaves):
            for j in range(X.shape[1]):
                yes, no = rows & (X[:, j] != 0), rows & (X[:, j] == 0)
                if weights[yes].sum() and weights[no].sum():
                    tried.append((error(rows) - error(yes) - error(no), -place, -j, yes, no))
        gain, place, _, yes, no = max(tried, key=lambda entry: (round(entry[0], 9), *entry[1:3]))
        if gain <= 1e-9:
            return
        leaves.pop(-place)
        for rows in (yes, no):
            f[rows] += np.average((y - f)[rows], weights=weights[rows])
            leaves.append(rows)
        yield f.copy()
