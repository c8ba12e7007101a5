import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.preprocessing import normalize

from lopsided.papers.leskovec_2003 import data, units
from lopsided.papers.leskovec_2003.data import CATEGORIES, Corpus


def made():
    """Sixteen categories, some large and some of a few documents, each with words of its own."""
    rng = np.random.default_rng(7)
    n_categories, sides = len(CATEGORIES), []
    for n in (240, 120):
        has = np.zeros((n, n_categories), dtype=bool)
        for j in range(n_categories):
            has[rng.permutation(n)[: max(4, n // (3 + 2 * j))], j] = True
        own = has & (rng.random(has.shape) < 0.8) | (rng.random(has.shape) < 0.03)
        noise = rng.random((n, 30)) < 0.3
        sides.append((csr_matrix(np.hstack([own, noise]), dtype=np.float64), has))
    presence = (sides[0][0], sides[1][0])
    stems = [*CATEGORIES, *(f"noise{k}" for k in range(30))]
    has = {name: (sides[0][1][:, j], sides[1][1][:, j]) for j, name in enumerate(CATEGORIES)}
    return Corpus(presence, tuple(normalize(X) for X in presence), stems, has)


@pytest.fixture
def made_data(monkeypatch):
    """Replace the documents by a few made ones."""
    corpus = made()
    for module in (data, units):
        monkeypatch.setattr(module, "load", lambda: corpus)
    data.draw.cache_clear()
    yield corpus
    data.draw.cache_clear()
