"""The signed rank test by going through every assignment of signs."""

from itertools import product

import numpy as np


def all_signs_pvalue(differences):
    """Two-sided exact p-value of the smaller rank sum; 2^n assignments."""
    d = np.array([x for x in differences if x != 0], dtype=float)
    size = np.abs(d)
    ranks = np.array(
        [np.mean([rank for rank, v in enumerate(sorted(size), start=1) if v == s]) for s in size]
    )
    observed = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    sums = [ranks[np.array(signs)].sum() for signs in product([False, True], repeat=len(d))]
    return min(1.0, 2 * np.mean(np.array(sums) <= observed))
