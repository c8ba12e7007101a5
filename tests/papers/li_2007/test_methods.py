import sys
from types import ModuleType

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from lopsided.papers.li_2007 import methods, units
from lopsided.papers.li_2007.data import PROTOCOLS, draw
from lopsided.papers.li_2007.methods import BASELINES, LGN_, METHODS, OSVM, OURS, READINGS
from lopsided.papers.li_2007.units import run
from lopsided.runs import Unit
from lopsided.runs._perform import perform


@pytest.mark.parametrize(
    "method", [*BASELINES, *READINGS, "OSVM nu 0.1", "artificial + SVM", "isolation forest", "LOF"]
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_method_ranks_strangers_below_the_known(made_data, method, protocol):
    score = run("graphic-crypt", method, 50, protocol, 0)
    assert (score.protocol, score.line, score.column) == (protocol, "graphic-crypt", method)
    assert 0 <= score.value <= 100
    if method not in ("PEBL", "LOF"):
        assert score.auc > 60


def test_the_one_class_svm_is_the_one_of_libsvm(made_data):
    setup = draw("os-med", 50, "A", 0)
    P, U = setup.tfidf.P, setup.tfidf.U
    expected = OneClassSVM(kernel="linear", nu=0.5).fit(P).decision_function(U)
    np.testing.assert_allclose(METHODS[OSVM](setup), expected, rtol=1e-6, atol=1e-9)


class FakeDetector:
    """What detectors of PyOD and our own have in common here: strange is what has little of the known."""

    def __init__(self, contamination=0.05, random_state=None):
        assert contamination == 0.05
        self.contamination, self.random_state = contamination, random_state

    def fit(self, X, y=None):
        self.known, self.y = X if y is None else X[y != -1], y
        self.center = np.asarray(self.known.mean(axis=0)).ravel()
        self.threshold_ = float(np.quantile(self.decision_function(self.known), 0.95))
        return self

    def decision_function(self, X):
        rows = np.asarray(X.todense()) if hasattr(X, "todense") else X
        return -np.abs(rows @ self.center)


def test_detectors_of_pyod_have_their_own_threshold(made_data, monkeypatch):
    for module, name in (("ecod", "ECOD"), ("copod", "COPOD"), ("knn", "KNN")):
        fake = ModuleType(f"pyod.models.{module}")
        setattr(fake, name, FakeDetector)
        monkeypatch.setitem(sys.modules, fake.__name__, fake)
        monkeypatch.setitem(sys.modules, "pyod.models", ModuleType("pyod.models"))
        monkeypatch.setitem(sys.modules, "pyod", ModuleType("pyod"))
    setup = draw("os-med", 50, "A", 0)
    P, U = methods._topics(setup)
    np.testing.assert_allclose(np.linalg.norm(P, axis=1), 1)
    model = FakeDetector().fit(P)
    for method in ("ECOD", "COPOD", "kNN"):
        scores = METHODS[method](setup)
        np.testing.assert_allclose(scores, model.threshold_ - model.decision_function(U))


def test_peers_that_are_missing(made_data, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyod.models.ecod", None)
    skipped = perform(Unit(units.__name__, "run", ("os-med", "ECOD", 5, "A", 0)))
    assert skipped.status == "skipped"
    assert skipped.text == "ECOD needs pyod, which is not installed. Run: pip install 'lopsided[peers]'"


def test_our_detector_is_asked_with_the_classes(made_data, monkeypatch):
    made = []

    class Recorded(FakeDetector):
        def fit(self, X, y=None):
            made.append(self)
            return super().fit(X, y)

    monkeypatch.setattr(methods, "UnexpectedDetector", Recorded)
    setup = draw("os-med", 50, "A", 7)
    assert METHODS[OURS](setup).shape == setup.truth.shape
    (detector,) = made
    np.testing.assert_array_equal(detector.y, setup.y)
    assert detector.random_state == 7


def test_methods_that_are_not_there(made_data):
    with pytest.raises(ValueError, match=r"no method 'SVDD'.*OSVM"):
        run("os-med", "SVDD", 5, "A", 0)


@pytest.mark.slow
def test_a_pair_of_newsgroups(need):
    """The readings in their order, and as many documents as the paper has."""
    need("newsgroups")
    setup = draw("graphic-crypt", 5, "A", 0)
    assert (setup.n_known, len(setup.truth), setup.truth.sum()) == (1400, 630, 30)
    F = {name: run("graphic-crypt", name, 5, "A", 0).value for name in (*READINGS, "Roc-SVM")}
    assert F[LGN_] > 1.2 * F["LGN posterior"] > 1.2 * F["LGN printed"]
    assert F[LGN_] > 40
    assert F["Roc-SVM"] < 15
