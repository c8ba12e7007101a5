"""Class probabilities of the waveform data by numerical integration over the mixing share."""

import numpy as np


def integrated_class_probability(X, n_steps=2001):
    """Shares u on a fine grid, trapezoid rule; waves written as in the book, one attribute at a time."""
    attribute = range(1, 22)
    h1 = np.array([max(6 - abs(i - 11), 0) for i in attribute], dtype=float)
    h2 = np.array([max(6 - abs(i - 4 - 11), 0) for i in attribute], dtype=float)
    h3 = np.array([max(6 - abs(i + 4 - 11), 0) for i in attribute], dtype=float)
    u = np.linspace(0, 1, n_steps)
    density = np.empty((len(X), 3))
    for c, (a, b) in enumerate([(h1, h2), (h1, h3), (h2, h3)]):
        for i, x in enumerate(X):
            mean = u[:, None] * a + (1 - u[:, None]) * b
            density[i, c] = np.trapezoid(np.exp(-((x[:21] - mean) ** 2).sum(axis=1) / 2), u)
    return density / density.sum(axis=1, keepdims=True)
