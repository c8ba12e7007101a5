from functools import cache

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lopsided.papers.li_2007 import data, methods
from lopsided.papers.li_2007.data import NEWSGROUPS, REUTERS
from lopsided.papers.li_2007.methods import METHODS, OURS
from lopsided.problems import Texts

N_CLASS = 30  # documents a class


def made(n_classes, names):
    """Return documents whose class has words of its own, beside those that all use, and their counts."""
    rng = np.random.default_rng(5)
    n_words, target = 12 * n_classes + 60, np.repeat(np.arange(n_classes), N_CLASS)
    counts = rng.poisson(0.4, (len(target), n_words)) * (np.arange(n_words) >= 12 * n_classes)
    for i, label in enumerate(target):
        counts[i, 12 * label : 12 * label + 12] = rng.poisson(0.8, 12)
    return Texts([""] * len(target), target, names), csr_matrix(counts, dtype=np.float64)


@pytest.fixture
def forget():
    """Return a function that empties what is kept in memory."""

    def clear():
        data.load.cache_clear()
        data._occurring.cache_clear()
        data.count.cache_clear()
        methods._trained_one_class.cache_clear()

    return clear


@pytest.fixture
def made_data(monkeypatch, forget):
    """Replace both collections by made ones of a few documents."""
    groups = [*dict.fromkeys(data._GROUPS.values()), *(f"group {k}" for k in range(11))]
    topics = [f"topic {k}" for k in range(30)]
    sources = {NEWSGROUPS: lambda: made(20, groups), REUTERS: lambda: made(30, topics)}
    source = cache(lambda name: sources[name]())

    def count(name, protocol):
        return source(name)[1] if protocol == "B" else source(name)[1][:, ::2]

    monkeypatch.setattr(data, "load", cache(lambda name: source(name)[0]))
    monkeypatch.setattr(data, "count", cache(count))
    monkeypatch.setattr(methods, "_N_TOPICS", 5)
    forget()
    yield sources
    forget()


@pytest.fixture
def without_detector(monkeypatch):
    """Put a method that takes no time in the place of the detector and of the peers."""

    def by_length(setup):
        return np.asarray(setup.U.sum(axis=1)).ravel() - 1.5

    for name in (OURS, "ECOD", "COPOD", "kNN"):
        monkeypatch.setitem(METHODS, name, by_length)
