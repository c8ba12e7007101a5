from dataclasses import replace
from functools import partial

import pytest

from lopsided.datasets import make_lopsided
from lopsided.papers.ertekin_2007 import data
from lopsided.problems.rare import ProblemSource


def read(n_train, n_test, rate, seed):
    X, y = make_lopsided(n_samples=n_train + n_test, n_features=6, positive_rate=rate, random_state=seed)
    return X[:n_train], y[:n_train], X[n_train:], y[n_train:]


@pytest.fixture
def tiny(monkeypatch):
    """A made problem of a few hundred rows under the name "tiny"."""
    source = ProblemSource("made", partial(read, 600, 300, 0.1, 0), 1.0, 0.1)
    monkeypatch.setitem(data.SOURCES, "tiny", source)
    data.load.cache_clear()
    yield data.load("tiny")
    data.load.cache_clear()


@pytest.fixture
def tiny_sources(monkeypatch):
    """Every problem of the paper replaced by a made one of a few hundred rows."""
    for name, source in data.SOURCES.items():
        made = partial(read, 300, 200, 0.05 if "30" in name else 0.1, 1)
        monkeypatch.setitem(data.SOURCES, name, replace(source, read=made, C=1.0, gamma=0.1))
    data.load.cache_clear()
    yield
    data.load.cache_clear()
