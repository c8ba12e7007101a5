"""Mapping Convergence, Roc-SVM and PEBL by the book: lists of row numbers, one row and one word at a time."""

import math

import numpy as np
from scipy.optimize import minimize
from sklearn.svm import NuSVC, OneClassSVM

from reference import svm_qp


def converge(
    P,
    strength,
    strong,
    solve,
    *,
    keep="all",
    max_iter=100,
    max_new=None,
    guarded=False,
    watch=0.0,
    max_reject=None,
):
    """What happens in iterations 1, 2, ... of section 1 of the specification.

    ``strength`` is h_0 of every row, ``strong`` is N_0. ``solve(P, N, n_left_out)`` gives the scores of all
    rows and the support vectors among P and N.
    """
    U = [i for i in range(len(strength)) if i not in P]
    last_score = {i: strength[i] for i in U}  # by the last boundary that looked at the row

    def nearest(rows):
        if keep == "all" or max_new is None or len(rows) <= max_new:
            return sorted(rows)
        return sorted(sorted(rows, key=lambda i: -last_score[i])[:max_new])

    n_watched = int(watch * len(P))
    if n_watched >= 10:  # too few say little
        watched = [P[round(k * (len(P) - 1) / (n_watched - 1))] for k in range(n_watched)]
        shown = [i for i in P if i not in watched]
    else:
        watched = shown = P
    rejected, remaining = set(strong), [i for i in U if i not in strong]
    N, came_back, history = nearest(strong), set(), []
    for _ in range(max_iter):
        scores, support = solve(shown, N, len(rejected) - len(N) if guarded else 0)
        lost = sum(scores[i] <= 0 for i in watched) / len(watched)
        if max_reject is not None and lost > max_reject:
            break
        new = [i for i in remaining if scores[i] <= 0]
        last_score.update((i, scores[i]) for i in remaining)
        remaining = [i for i in remaining if scores[i] > 0]
        back = []
        if guarded and keep != "all":
            let_go = sorted(rejected - set(N))
            most = max(4 * (max_new or len(let_go)), len(let_go) // 4)
            if new and len(let_go) > most:
                let_go = sorted(sorted(let_go, key=lambda i: -last_score[i])[:most])
            last_score.update((i, scores[i]) for i in let_go)
            back = [i for i in let_go if scores[i] > 0]
        rejected |= set(new)
        history.append(
            {
                "training": list(N),
                "new": new,
                "returned": back,
                "remaining": remaining,
                "n_training_negatives": len(N),
                "n_new_negatives": len(new),
                "n_returned": len(back),
                "n_remaining": len(remaining),
                "n_support": len(support),
                "rejected_positives": lost,
                "scores": scores,
            }
        )
        if not new and not back:
            if shown != P:
                history[-1]["scores"], _ = solve(P, N, len(rejected) - len(N) if guarded else 0)
            break
        if keep == "support_vectors" and any(i in support for i in N):
            N = [i for i in N if i in support]
        came_back |= set(nearest(back))
        N = [i for i in N if i not in came_back] + nearest(new) + sorted(came_back)
    return history


# Phi1


def one_class(X, P, kappa=1.0, kernel="rbf"):
    """h_0 of every row by a one-class SVM on P, its threshold set by positives it was not shown."""

    def g(shown):
        rows = shown if len(shown) > 1 else range(len(X))  # one row has no width
        variance = np.mean([np.var([X[i][j] for i in rows]) for j in range(X.shape[1])])
        gamma = 0.1 / (X.shape[1] * variance) if kernel == "rbf" else 1.0
        return OneClassSVM(nu=0.01, kernel=kernel, gamma=gamma).fit(X[shown]).decision_function(X)

    n_folds = min(5, len(P))
    held_out = []
    for fold in range(n_folds):
        scores = g([i for place, i in enumerate(P) if place % n_folds != fold])
        held_out += [scores[i] for place, i in enumerate(P) if place % n_folds == fold]
    threshold = min(held_out) - kappa * (np.median(held_out) - min(held_out))
    scores = g(P) - threshold
    return [max(score, 0.0) if i in P else score for i, score in enumerate(scores)]


def strong_negatives(strength, U, share, near=None):
    """N_0: what is below 0, and the farthest in any case, so many of U; ``near`` tells ties apart."""
    least = math.ceil(share * len(U))
    strong = [i for i in U if strength[i] < 0]
    return (
        strong
        if len(strong) >= least
        else sorted(sorted(U, key=lambda i: (strength[i], 0.0 if near is None else near[i]))[:least])
    )


def positive_features(X, P):
    """PF of 1-DNF: words in a larger share of P than of U."""
    U = [i for i in range(len(X)) if i not in P]
    return [
        w
        for w in range(len(X[0]))
        if sum(X[i][w] != 0 for i in P) / len(P) > sum(X[i][w] != 0 for i in U) / len(U)
    ]


def one_dnf(X, P):
    """How many words of PF each row has, less one half."""
    PF = positive_features(X, P)
    return [sum(row[w] != 0 for w in PF) - 0.5 for row in X]


def rocchio(X, P, alpha=16.0, beta=4.0):
    """cos(c+, x) - cos(c-, x) of every row."""
    U = [i for i in range(len(X)) if i not in P]
    words = range(len(X[0]))
    mean_P = [sum(X[i][w] for i in P) / len(P) for w in words]
    mean_U = [sum(X[i][w] for i in U) / len(U) for w in words]
    wanted = [alpha * p - beta * u for p, u in zip(mean_P, mean_U, strict=True)]
    other = [alpha * u - beta * p for p, u in zip(mean_P, mean_U, strict=True)]
    return [cosine(wanted, row) - cosine(other, row) for row in X]


def cosine(a, b):
    lengths = math.sqrt(sum(v * v for v in a)) * math.sqrt(sum(v * v for v in b))
    return sum(v * w for v, w in zip(a, b, strict=True)) / lengths if lengths else 0.0


# Phi2


def nu_svm(X, nu=0.01, kernel="rbf", gamma=1.0):
    """LIBSVM, called as it is; rows that were let go count as rows of weight 0.

    nu counts margin errors: at most half of the smaller class, and less than LIBSVM can do.
    """

    def solve(P, N, n_left_out):
        rows = P + N
        errors = nu * (len(rows) + n_left_out)
        errors = min(errors, 0.5 * min(len(P), len(N) + n_left_out), 0.999 * 2 * min(len(P), len(N)))
        machine = NuSVC(nu=errors / len(rows), kernel=kernel, gamma=gamma)
        machine.fit(X[rows], [1] * len(P) + [-1] * len(N))
        return machine.decision_function(X), {rows[i] for i in machine.support_}

    return solve


def c_svm(X, C=100.0, gamma=1.0):
    """The dual by an interior-point method."""

    def solve(P, N, n_left_out):
        rows = P + N
        K = np.exp(-gamma * ((X[:, None, :] - X[None, rows, :]) ** 2).sum(axis=2))
        alpha, b = svm_qp.solve(K[rows], [1.0] * len(P) + [-1.0] * len(N), C)
        support = {i for i, weight in zip(rows, alpha, strict=True) if abs(weight) > 1e-6 * C}
        return K @ alpha + b, support

    return solve


def linear_svm(X, C=1.0):
    """LIBLINEAR's problem, 1/2 |w|^2 + 1/2 b^2 + C sum max(0, 1 - y f)^2, by a generic optimiser."""

    def solve(P, N, n_left_out):
        rows, signs = P + N, np.array([1.0] * len(P) + [-1.0] * len(N))
        A = np.column_stack([X, np.ones(len(X))])

        def objective(w):
            short = np.maximum(0.0, 1 - signs * (A[rows] @ w))
            return 0.5 * w @ w + C * short @ short, w - 2 * C * (signs * short) @ A[rows]

        w = minimize(objective, np.zeros(A.shape[1]), jac=True, options={"gtol": 1e-9, "maxiter": 100_000}).x
        scores = A @ w
        return scores, {i for i, sign in zip(rows, signs, strict=True) if sign * scores[i] <= 1 + 1e-3}

    return solve


# The whole


def mapping_convergence(X, P, solve, *, share, kappa=1.0, kernel="rbf", **options):
    strength = one_class(X, P, kappa, kernel)
    strong = strong_negatives(strength, [i for i in range(len(X)) if i not in P], share)
    return strong, converge(P, strength, strong, solve, **options)


def roc_svm(X, P, *, alpha=16.0, beta=4.0, C=1.0, catch=0.08, max_iter=100):
    """Reliable negatives, the iterations, and which of them gives the classifier (none: all are positive)."""
    nearness = rocchio(X, P, alpha, beta)
    reliable = [i for i in range(len(X)) if i not in P and nearness[i] <= 0]
    if not reliable:
        return reliable, [], None
    history = converge(P, nearness, reliable, linear_svm(X, C), max_iter=max_iter)
    return reliable, history, 0 if history[-1]["rejected_positives"] > catch else len(history) - 1


def pebl(X, P, *, C=1.0, max_iter=100):
    """Strong negatives and the iterations, of which the last gives the classifier."""
    counts = one_dnf(X, P)
    strong = [i for i in range(len(X)) if i not in P and counts[i] < 0]
    return strong, converge(P, counts, strong, linear_svm(X, C), max_iter=max_iter) if strong else []
