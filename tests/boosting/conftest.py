"""Word tables with a rare class."""

import numpy as np
import pytest


def make_words(n_documents=300, n_words=40, n_positive=30, seed=0):
    """Presence of words; four further words are often in documents of the rare class (+1)."""
    rng = np.random.default_rng(seed)
    rate = np.append(0.5 / (np.arange(n_words) + 2) ** 0.7, [0.02] * 4)
    X = (rng.random((n_documents, n_words + 4)) < rate).astype(np.float64)
    y = np.full(n_documents, -1)
    y[:n_positive] = 1
    for j, often in enumerate((0.7, 0.5, 0.5, 0.4)):
        X[:n_positive, n_words + j] = rng.random(n_positive) < often
    return X, y


@pytest.fixture
def words():
    return make_words
