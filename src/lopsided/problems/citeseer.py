"""Papers of CiteSeer."""

from functools import cache

import numpy as np
from sklearn.preprocessing import normalize

from lopsided.datasets import fetch_citeseer
from lopsided.problems._records import LabeledRows


@cache
def read_papers() -> LabeledRows:
    """Return the papers in rows of unit length, each with its topic."""
    papers = fetch_citeseer()
    return LabeledRows(normalize(papers.data), np.array(papers.target_names)[papers.target])
