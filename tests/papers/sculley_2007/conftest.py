import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lopsided.datasets import make_lopsided
from lopsided.papers.sculley_2007 import data, methods
from lopsided.papers.sculley_2007.data import TOPICS, Stream, positive_first


def made(name, seed, n=150):
    rate = {"earn": 0.4, "acq": 0.3}.get(name, 0.04 if name in TOPICS else 0.4)
    X, y = make_lopsided(n, 8, rate, separation=4.0, random_state=seed)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    order = positive_first(y)
    return Stream(name, csr_matrix(X[order]), y[order], (np.arange(n) % 3 == 0).astype(int))


@pytest.fixture
def tiny_streams(monkeypatch):
    """Replace every stream of the paper by a made one of a few rows."""
    streams = {
        name: lambda n_items, name=name, k=k: made(name, seed=k) for k, name in enumerate(data.STREAMS)
    }
    monkeypatch.setattr(data, "STREAMS", streams)
    monkeypatch.setattr(methods, "N_DELAY", 50)
    monkeypatch.setattr(data, "find", lambda copies: None)
    data.load.cache_clear()
    yield
    data.load.cache_clear()
