import numpy as np
import pytest
from scipy.sparse import csc_array, csr_matrix
from sklearn.preprocessing import normalize

from lopsided.papers.leskovec_2003 import data, units, variations
from lopsided.papers.leskovec_2003.data import CATEGORIES, PRESENCE, TFIDF
from lopsided.problems import Topics
from lopsided.problems.reuters import TopicSplit


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
    stems = [*CATEGORIES, *(f"noise{k}" for k in range(30))]
    train, test = (Topics(X, csc_array(has, dtype=int), CATEGORIES) for X, has in sides)
    presence = TopicSplit(train, test, stems)
    tfidf = (side._replace(documents=normalize(side.documents)) for side in (train, test))
    return {PRESENCE: presence, TFIDF: TopicSplit(*tfidf, stems)}


@pytest.fixture
def made_data(monkeypatch):
    """Replace the documents by a few made ones."""
    forms = made()
    for module in (data, units, variations):
        monkeypatch.setattr(module, "load", lambda form=PRESENCE: forms[form])
    data.draw.cache_clear()
    yield forms[PRESENCE]
    data.draw.cache_clear()
