"""Tables of the UCI repository."""

from functools import cache

import numpy as np
from scipy.sparse import csr_matrix, hstack

from lopsided.datasets import fetch_uci
from lopsided.problems._records import LabeledRows, Split


@cache
def read_table(name: str) -> LabeledRows:
    """Return the rows of a table as they are."""
    table = fetch_uci(name)
    return LabeledRows(table.data, np.array(table.target_names)[table.target])


@cache
def read_split(name: str) -> Split:
    """Return a table that comes with a training set and a test set."""
    rows, train = read_table(name), fetch_uci(name).split == "train"
    return Split(rows.X[train], rows.classes[train], rows.X[~train], rows.classes[~train])


@cache
def read_letters() -> LabeledRows:
    """Return the letters of the alphabet with features between 0 and 1."""
    rows = read_table("letter")
    return rows._replace(X=rows.X / 15)


@cache
def read_letter_split() -> Split:
    """Return the letters of the alphabet as they are; the first 18,000 rows train."""
    X, letters = read_table("letter")
    return Split(X[:18_000], letters[:18_000], X[18_000:], letters[18_000:])


@cache
def read_abalone() -> LabeledRows:
    """Return the measures of abalones behind their sex as three indicators; the class is the ring count."""
    table = fetch_uci("abalone")
    sex, measures = table.data[:, 0].astype(int), table.data[:, 1:]
    return LabeledRows(np.hstack([np.eye(3)[sex], measures]), table.target)


@cache
def read_adult() -> Split:
    """Return Adult in sparse indicators, with the label 1 for incomes above 50,000.

    Each category is an indicator, and each number is the indicator of its fifth of the training rows (as in
    a9a); capital gains and losses, which are mostly 0, are indicators of whether there are any.
    """
    table = fetch_uci("adult")
    train = table.split == "train"
    blocks = []
    for name, column in zip(table.feature_names, table.data.T, strict=True):
        known = ~np.isnan(column)  # a missing cell is a row of zeros
        if name in table.categories:
            code, width = np.where(known, column, 0).astype(int), len(table.categories[name])
        elif name.startswith("capital"):
            code, width = (column > 0).astype(int), 2
        else:
            edges = np.unique(np.quantile(column[train], [0.2, 0.4, 0.6, 0.8]))
            code, width = np.searchsorted(edges, column), len(edges) + 1
        rows = np.flatnonzero(known)
        blocks.append(csr_matrix((np.ones(len(rows)), (rows, code[rows])), (len(column), width)))
    X, y = hstack(blocks, format="csr"), (table.target == table.target_names.index(">50K")).astype(int)
    return Split(X[train], y[train], X[~train], y[~train])
