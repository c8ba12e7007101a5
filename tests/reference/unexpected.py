"""Slow twins of what UnexpectedDetector measures: loops over rows, dense arrays, one system a fold."""

from itertools import product
from math import erf, sqrt

import numpy as np


def pvalue(score, null):
    """(1 + how many of the null score as high) / (1 + how many there are)."""
    return (1 + sum(other >= score for other in null)) / (1 + len(null))


def flagged(p, fdr):
    """Benjamini and Hochberg with Storey's share: the largest k with p_(k) m pi / k <= fdr, by trying all."""
    m = len(p)
    pi = min(1.0, (1 + sum(v > 0.5 for v in p)) / (0.5 * m))
    best = -1.0
    for k, value in enumerate(sorted(p), start=1):
        if value * m * pi / k <= fdr:
            best = value
    return np.array([v <= best for v in p])


def cross_ridge(Z, targets, fold, n_folds, penalty):
    """Predictions of each row by the ridge regression on the rows of other folds, by normal equations."""
    out = np.zeros_like(targets, dtype=float)
    for f in range(n_folds):
        inside = fold == f
        A, T = Z[~inside], targets[~inside]
        weights = np.linalg.solve(A.T @ A + penalty * np.eye(A.shape[1]), A.T @ T)
        out[inside] = Z[inside] @ weights
    return out


def tfidf(X):
    """(1 + ln tf) ln((N + 1) / (df - 1/2)), rows of length 1."""
    n = len(X)
    df = (X > 0).sum(axis=0)
    out = np.zeros(X.shape)
    for i in range(n):
        for j in range(X.shape[1]):
            if X[i, j] > 0:
                out[i, j] = (1 + np.log(X[i, j])) * max(0, np.log((n + 1) / (df[j] - 0.5)))
        size = np.sqrt((out[i] ** 2).sum())
        if size > 0:
            out[i] /= size
    return out


def ridge(K, k, targets, noise):
    """Answer of a kernel ridge regression for a row with kernel values k, fitted from scratch."""
    return k @ np.linalg.solve(K + np.diag(noise), targets)


def left_out(K, targets, noise):
    """Answers for each row by the regression that was not shown it."""
    rows = []
    for i in range(len(K)):
        others = [j for j in range(len(K)) if j != i]
        rows.append(ridge(K[np.ix_(others, others)], K[i, others], targets[others], noise[others]))
    return np.array(rows)


def noise_of(classes, penalty):
    """The penalty times the square root of a class's size over the mean size."""
    counts = [sum(c == d for d in classes) for c in classes]
    mean = len(classes) / len(set(classes))
    return np.array([penalty * np.sqrt(n / mean) for n in counts])


def word_measures(Z, known, classes, row, noise, k=10):
    """What is measured of one row against known rows (places in Z, without the row itself)."""
    cosines = sorted(float(Z[row] @ Z[j]) for j in known)
    targets = np.array([[float(c == d) for d in sorted(set(classes))] for c in classes])
    K = Z[known] @ Z[known].T
    answers = ridge(K, Z[known] @ Z[row], targets, noise)
    shares = np.exp(3 * (answers - answers.max()))
    words = np.flatnonzero(Z[row])
    unseen = [not any(Z[j, w] > 0 for j in known) for w in words]
    return [
        -np.log(max(cosines[-1], 0) + 0.02),
        -np.log(max(np.mean(cosines[-k:]), 0) + 0.02),
        -answers.max(),
        np.log(1 - shares.max() / shares.sum()),
        np.mean(unseen) if len(words) else 0.0,
        np.log(max(len(words), 1)),
    ]


def surprise(value, null):
    """Minus the logarithm of the share of known rows that are as extreme, the row itself among them."""
    return -np.log((1 + sum(other >= value for other in null)) / (1 + len(null)))


def normal_scores(scores, known):
    """Where scores lie on the scale on which known ones are a bell: lines between quantiles of known ones.

    Beyond two deviations, the line between one and two deviations goes on to ten. For known ones that differ.
    """
    knots = [round(-2 + 0.1 * k, 1) for k in range(41)]
    quantiles = []
    for knot in knots:
        share = 0.5 * (1 + erf(knot / sqrt(2)))
        place = share * (len(known) - 1)
        below = int(place)
        ordered = sorted(known)
        quantiles.append(ordered[below] + (place - below) * (ordered[below + 1] - ordered[below]))
    low, high = quantiles[10] - quantiles[0], quantiles[-1] - quantiles[-11]
    knots = [-10.0, *knots, 10.0]
    quantiles = [quantiles[0] - 8 * low, *quantiles, quantiles[-1] + 8 * high]
    answer = []
    for score in scores:
        score = min(max(score, quantiles[0]), quantiles[-1])
        k = max(i for i in range(len(knots) - 1) if quantiles[i] <= score or i == 0)
        share = (score - quantiles[k]) / (quantiles[k + 1] - quantiles[k])
        answer.append(knots[k] + share * (knots[k + 1] - knots[k]))
    return np.array(answer)


def mixture_loss(rows, shift, spread, share, apart, other_spread):
    """Minus the log likelihood of rows in a bell of expected and one of unexpected ones, and the price."""
    expected = np.exp(-0.5 * ((rows - shift) / spread) ** 2) / spread
    unexpected = np.exp(-0.5 * ((rows - shift - apart) / other_spread) ** 2) / other_spread
    likelihood = share * expected + (1 - share) * unexpected + 1e-12
    return 5.0 * shift + 20.0 * np.log(spread) - np.log(likelihood).sum()


def least_loss(rows, shift, spread):
    """The loss of the best of many mixtures with this bell of expected rows."""
    return min(
        mixture_loss(rows, shift, spread, *values)
        for values in product(
            (0.001, *np.arange(0.1, 0.91, 0.1), 0.95, 0.999),
            np.arange(2.0, 3.6, 0.25),
            (0.4, 0.55, 0.7, 0.85, 1.0, 1.5),
        )
    )
