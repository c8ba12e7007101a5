"""The balanced threshold, slowly: every threshold is tried, and a generic optimiser fits the sigmoid."""

import numpy as np
from scipy.optimize import minimize


def slow_balanced_threshold(scores, positive, weights):
    """Return the mean of the best threshold and of the score where a balanced sigmoid is one half."""
    distinct = np.unique(scores)
    tried = ((distinct[:-1] + distinct[1:]) / 2)[::-1]  # the highest of equally good ones

    def product(threshold):
        above = scores > threshold
        found = weights[positive & above].sum() / weights[positive].sum()
        return found * weights[~positive & ~above].sum() / weights[~positive].sum()

    values = np.array([product(t) for t in tried])
    best = tried[np.flatnonzero(values >= values.max() - 1e-12)[0]]
    total = weights.sum() / 2  # of each class
    equal = weights * np.where(positive, total / weights[positive].sum(), total / weights[~positive].sum())
    targets = np.where(positive, (total + 1) / (total + 2), 1 / (total + 2))

    def loss(parameters):
        z = parameters[0] * scores + parameters[1]
        return equal @ (np.logaddexp(0, z) - targets * z)

    slope, offset = minimize(loss, [0, 0], method="BFGS", tol=1e-10).x
    return (best - offset / slope) / 2
