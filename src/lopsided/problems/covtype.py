"""Kinds of forest, by the lie of the land."""

from functools import cache

import numpy as np
from sklearn.preprocessing import StandardScaler

from lopsided.datasets import fetch_covtype
from lopsided.problems._records import LabeledRows


def read_forest() -> LabeledRows:
    """Return the rows as they are, each with its kind of forest."""
    table = fetch_covtype()
    return LabeledRows(table.data, np.array(table.target_names)[table.target])


@cache
def read_million() -> LabeledRows:
    """Return a million standardised rows in random order.

    There are 581,012; the further ones are copies of the first, moved a little.
    """
    rows = read_forest()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(rows.classes))
    n = len(order)
    order = np.concatenate([order, order[: 1_000_000 - n]])
    X = StandardScaler().fit_transform(rows.X)[order]
    X[n:] += rng.normal(scale=0.05, size=X[n:].shape).astype(np.float32)
    return LabeledRows(X, rows.classes[order])
