"""Pictures without a screen, and a learner with the methods of an online SVM, simple enough to check."""

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC

from lopsided.datasets import make_lopsided


class FakeLearner(ClassifierMixin, BaseEstimator):
    """Remembers the rows it was given; `finish` fits a batch SVM on them. Stops after a third of the rows."""

    calls = ()  # what was passed to partial_fit, for tests that look; set on the class by a fixture

    def __init__(
        self,
        C=1.0,
        gamma="scale",
        class_weight=None,
        selection="random",
        stopping=None,
        max_labels=None,
        n_epochs=1,
        random_state=None,
    ):
        self.C = C
        self.gamma = gamma
        self.class_weight = class_weight
        self.selection = selection
        self.stopping = stopping
        self.max_labels = max_labels
        self.n_epochs = n_epochs
        self.random_state = random_state

    def fit(self, X, y):
        order = np.random.default_rng(self.random_state).permutation(len(y))
        if self.selection == "active":  # a fifth of the order at random, the rest by distance to that model
            start = len(y) // 5
            f = SVC(kernel="linear").fit(X[order[:start]], y[order[:start]]).decision_function(X)
            rest = order[start:]
            order = np.concatenate([order[:start], rest[np.argsort(np.abs(f[rest]))]])
        stop = len(y) if self.stopping is None else len(y) // 3
        stop = min(stop, len(y) if self.max_labels is None else self.max_labels)
        self.queried_, self.n_labels_ = order[:stop], stop
        self.stop_reason_ = "exhausted" if stop == len(y) else self.stopping or "max_labels"
        self.gamma_ = 1 / (X.shape[1] * X.var()) if self.gamma == "scale" else self.gamma
        rows = self.queried_
        self.partial_fit(X[rows], y[rows], classes=np.unique(y)).finish()
        positives = np.cumsum(y[rows] == self.classes_[1])
        n_labels = np.arange(1, stop + 1)
        self.history_ = {
            "n_labels": n_labels,
            "n_support_positive": positives,
            "n_support_negative": n_labels - positives,
        }
        return self

    def partial_fit(self, X, y, classes=None):
        assert not getattr(self, "finished_", False)  # a copy is finished, never what still learns
        type(self).calls = (*self.calls, (self, len(y), classes))
        if not hasattr(self, "classes_"):
            self.classes_, self.rows_, self.labels_ = np.asarray(classes), [], []
        self.rows_.append(X)
        self.labels_.append(y)
        self.finished_ = False
        return self

    def finish(self):
        assert not self.finished_
        self.finished_ = True
        X, y = np.concatenate(self.rows_), np.concatenate(self.labels_)
        self.model_, self.n_support_ = None, np.zeros(2, int)
        if len(np.unique(y)) == 2:
            weight = self.class_weight
            self.model_ = SVC(kernel="linear", C=self.C, class_weight=weight).fit(X, y)
            self.n_support_ = self.model_.n_support_
        return self

    def decision_function(self, X):
        assert self.finished_
        return np.zeros(X.shape[0]) if self.model_ is None else self.model_.decision_function(X)


@pytest.fixture(autouse=True)
def closed_figures():
    """Draw without a screen, change no setting of matplotlib, leave no figure open."""
    mpl.use("Agg")
    from matplotlib import pyplot

    before = dict(mpl.rcParams)
    yield
    assert dict(mpl.rcParams) == before
    pyplot.close("all")


@pytest.fixture
def fake():
    """Return the class of a fake online learner, its notebook empty."""
    FakeLearner.calls = ()
    return FakeLearner


@pytest.fixture
def four_parts():
    """Return X, y, X_test, y_test of a small lopsided problem."""
    X, y = make_lopsided(n_samples=600, n_features=5, positive_rate=0.1, random_state=0)
    return X[:300], y[:300], X[300:], y[300:]


@pytest.fixture
def no_matplotlib(monkeypatch):
    """Make matplotlib look absent."""
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
