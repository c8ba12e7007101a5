from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lopsided.datasets import make_lopsided
from lopsided.papers.yu_2003 import data, units
from lopsided.papers.yu_2003.data import Data

SIZES = {"n_P": 40, "n_U": 300, "n_PU": 30}


class MadeSizes:
    """The sizes of every data set."""

    def value(self, metric, row):
        return SIZES[metric]


def made(name):
    X, y = make_lopsided(600, 5, 80 / 600, separation=6.0, random_state=3)
    if name in data.PAGES:
        words = csr_matrix(np.maximum(np.round(np.hstack([X, -X])), 0))
        return Data(name, dict.fromkeys((data.PRESENCE, data.COUNTS, data.TFIDF), words), y == 1, 1.0)
    return Data(name, {"": X}, y == 1, gamma=0.05, overlap=name in data.LETTERS)


@pytest.fixture
def made_data(monkeypatch):
    """Replace every data set of the paper by a made one of a few rows."""
    monkeypatch.setattr(data, "TABLE1", MadeSizes())
    monkeypatch.setattr(data, "load", cache(made))
    monkeypatch.setattr(units, "_N_LINE", 5000)
