"""The width of an RBF kernel that follows the boundary of the positives, and is no wider than that."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import euclidean_distances

from lopsided._preparation import chosen_gamma

_MOST = 1000  # positives that are looked at, evenly spread


def gamma_of_positives(P: Any, X: Any) -> float:
    """Return the default gamma of an RBF kernel around the positives, min(1 / (4 m), 2.5 / M).

    m is the median squared distance of a positive from the nearest other, M that of all pairs. A kernel as
    wide as the cloud (scikit-learn's "scale") lets the boundary slip into it; one as narrow as the distance
    between neighbours sees single points. Chosen on letters F, H, K, S, digits, satimage and spambase.
    """
    some = P[:: -(-P.shape[0] // _MOST)]
    squared = euclidean_distances(some, squared=True)
    apart = squared[np.triu_indices(len(squared), 1)]
    np.fill_diagonal(squared, np.inf)
    nearest = np.median(squared.min(axis=0)) if len(squared) > 1 else 0.0
    overall = np.median(apart) if len(apart) else 0.0
    least = 1e-12 * float(
        (some.multiply(some) if issparse(some) else some * some).sum(axis=1).max()
    )  # rounding
    candidates = [factor / value for factor, value in ((0.25, nearest), (2.5, overall)) if value > least]
    return float(min(candidates)) if candidates else chosen_gamma("scale", "rbf", X)
