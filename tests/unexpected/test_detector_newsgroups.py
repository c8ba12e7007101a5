"""Tests of UnexpectedDetector on 20 Newsgroups: p-values of known groups, strangers found, mistakes."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import f1_score, roc_auc_score

from lopsided.datasets import fetch_newsgroups
from lopsided.unexpected._detector import UnexpectedDetector


@cache
def load():
    bunch = fetch_newsgroups(version="original")
    return np.array(bunch.data, dtype=object), np.array(bunch.target_names)[bunch.target]


@pytest.fixture
def messages(need):
    need("newsgroups")
    return load()


def problem(messages, pair, seed, n_unexpected):
    """Seven tenths of both groups are known; the rest is to be judged, with some of the other groups."""
    texts, group = messages
    rng = np.random.default_rng(seed)
    members = [rng.permutation(np.flatnonzero(group == name)) for name in pair]
    known = np.concatenate([rows[: round(0.7 * len(rows))] for rows in members])
    new = np.concatenate([rows[round(0.7 * len(rows)) :] for rows in members])
    strangers = rng.choice(np.flatnonzero(~np.isin(group, pair)), n_unexpected, replace=False)
    rows = np.concatenate([known, new, strangers])
    X = CountVectorizer(stop_words="english", dtype=np.float64).fit_transform(texts[rows])
    y = np.concatenate([np.unique(group[known], return_inverse=True)[1], np.full(len(rows) - len(known), -1)])
    return X, y, np.arange(len(rows) - len(known)) >= len(new)


def test_pvalues_are_uniform_on_messages_of_known_groups(messages):
    X, y, _ = problem(messages, ("rec.autos", "talk.politics.guns"), 0, 0)
    p = UnexpectedDetector(random_state=0).fit(X, y).pvalues(X[y < 0])
    # 1400 known and 600 new messages: the bound at 0.1 % of the two-sample test is 1.95 sqrt(1/1400 + 1/600).
    assert kstest(p, "uniform").statistic < 0.095


def test_pvalues_of_messages_that_were_not_in_fit(messages):
    X, y, _ = problem(messages, ("rec.sport.hockey", "alt.atheism"), 1, 0)
    detector = UnexpectedDetector(random_state=0).fit(X[y >= 0], y[y >= 0] + 1)
    assert kstest(detector.pvalues(X[y < 0]), "uniform").statistic < 0.095


def test_strangers_are_found(messages):
    X, y, truth = problem(messages, ("rec.motorcycles", "soc.religion.christian"), 2, 30)
    detector = UnexpectedDetector(random_state=0).fit(X, y)
    new = X[y < 0]
    assert roc_auc_score(truth, -detector.decision_function(new)) > 0.93
    assert f1_score(truth, detector.predict(new) == 0) > 0.5


@pytest.mark.slow
def test_the_rate_of_false_discoveries_holds_on_messages(messages):
    pairs = [("rec.autos", "talk.politics.mideast"), ("misc.forsale", "talk.religion.misc")]
    shares = []
    for seed in range(25):
        for pair in pairs:
            X, y, truth = problem(messages, pair, seed, 60)
            flagged = UnexpectedDetector(random_state=0).fit(X, y).predict(X[y < 0]) == 0
            shares.append((flagged & ~truth).sum() / max(1, flagged.sum()))
    assert np.mean(shares) < 0.3 + 2.5 * np.std(shares) / np.sqrt(len(shares))
