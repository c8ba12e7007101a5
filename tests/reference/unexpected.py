"""Slow twins of what UnexpectedDetector measures: loops over rows, dense arrays, one system a fold."""

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


def first_look(X, k=10):
    """Nearest cosine, mean of the k nearest, share of words no other row has, log of the number of words."""
    Z = tfidf(X)
    rows = []
    for i in range(len(X)):
        others = [float(Z[i] @ Z[j]) for j in range(len(X)) if j != i]
        top = sorted(others)[-k:]
        words = np.flatnonzero(X[i])
        unseen = [not any(X[j, w] > 0 for j in range(len(X)) if j != i) for w in words]
        rows.append(
            [
                np.log(top[-1] + 0.02),
                np.log(np.mean(top) + 0.02),
                np.mean(unseen) if len(words) else 0.0,
                np.log(max(len(words), 1)),
            ]
        )
    return np.array(rows)
