import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from experiments.unit_laws import FULL, units_of
from lopsided.papers.yu_2003 import PAPER
from lopsided.papers.yu_2003.data import PAGES, TABLE1, draw, draw_islands
from lopsided.papers.yu_2003.methods import (
    COMPARED,
    METHODS,
    OSVM,
    OSVM_GAMMA,
    OSVM_NU,
    OURS,
    SVM_NN,
    TSVM,
    as_printed,
    count,
)
from lopsided.papers.yu_2003.units import run, widen
from lopsided.pu import SMC, SVMC

PEERS = ("Elkan-Noto", "nnPU", "PU bagging")
OWN = [name for name in METHODS if name not in PEERS]


@pytest.mark.parametrize("method", OWN)
def test_run(made_data, method):
    name = METHODS[method].rows[-1]
    outcome = run(name, method, 5)
    assert (outcome.row, outcome.method, outcome.seed) == (name, method, 5)
    assert (outcome.counts.n, outcome.counts.n_positive) == (300, 30)
    assert outcome.counts.n + outcome.rest.n <= 600
    assert outcome.seconds >= 0
    assert replace(run(name, method, 5), seconds=outcome.seconds) == outcome
    assert (outcome.n_iter > 0) == (method not in (TSVM, OSVM, SVM_NN))


def test_what_the_labels_of_the_heap_are_worth(made_data):
    f1, found = {}, {}
    for method in COMPARED:
        counts = run("b-cancer", method, 0).counts
        f1[method], found[method] = counts.f(), counts.tp + counts.fp
    assert f1[TSVM] >= max(f1["SMC"], f1["SVMC"])
    assert min(f1["SMC"], f1["SVMC"], f1[OURS]) > 0.9
    assert found[SVM_NN] < found[TSVM]


def test_the_algorithm_as_printed_is_unguarded():
    svmc, smc = as_printed(gamma=14.0), as_printed("all")
    assert (svmc.keep, svmc.guarded, svmc.max_new, svmc.max_reject, svmc.nu) == (
        *("support_vectors", False, None, None),
        0.01,
    )
    assert smc.keep == "all"
    setup = draw_islands(0)
    for own, ours in ((smc, SMC(max_reject=None)), (as_printed(), SVMC(guarded=False, max_new=None))):
        np.testing.assert_array_equal(
            *(model.fit(setup.X, setup.is_known).decision_function(setup.U) for model in (own, ours))
        )


def test_the_one_class_svm_has_its_best_parameters(made_data):
    """No single setting of the grid beats it on U."""
    setup = draw("b-cancer", 1)
    best = run("b-cancer", OSVM, 1).counts.f()
    for nu in OSVM_NU:
        for gamma in OSVM_GAMMA[::3]:
            machine = OneClassSVM(nu=nu, gamma=gamma).fit(setup.X[:40])
            assert count(setup.truth, machine.decision_function(setup.U)).f() <= best + 1e-12


class FakePeer:
    """What the classifiers of pulearn have in common; it finds what lies near the mean of the positives."""

    calls = ()

    def __init__(self, random_state=None, **settings):
        type(self).calls = (*self.calls, settings)
        assert 0 <= random_state < 2**32

    def fit(self, X, y):
        assert set(np.unique(y)) == {0, 1}
        self.mean = np.asarray(X[y == 1].mean(axis=0)).ravel()
        return self

    def predict_proba(self, X):
        near = 1 / (1 + np.asarray(abs(X - self.mean)).sum(axis=1))
        return np.column_stack([1 - near, near])


@pytest.fixture
def fake_pulearn(monkeypatch):
    FakePeer.calls = ()
    names = ("ElkanotoPuClassifier", "BaggingPuClassifier", "NNPUClassifier")
    module = SimpleNamespace(**dict.fromkeys(names, FakePeer), __spec__=SimpleNamespace())
    monkeypatch.setitem(sys.modules, "pulearn", module)


def test_peers_are_asked_as_documented(made_data, fake_pulearn):
    for method in ("Elkan-Noto", "PU bagging", "nnPU"):
        outcome = run("letter_A", method, 2**32 + 1)
        assert outcome.counts.n == 300
    elkan_noto, bagging, nnpu = FakePeer.calls
    assert set(elkan_noto) == {"estimator", "hold_out_ratio"}
    assert hasattr(elkan_noto["estimator"], "predict_proba")
    assert (bagging["max_samples"], bagging["n_estimators"]) == (40, 30)
    assert nnpu == {"prior": 0.1}


def test_peers_are_among_the_others():
    methods = {unit.arguments[1] for unit in units_of(PAPER, "others", FULL)}
    assert methods == {"S-EM", "Roc-SVM", "PEBL", "Elkan-Noto", "PU bagging", "nnPU"}


def test_peers_that_are_missing(made_data, monkeypatch):
    monkeypatch.setitem(sys.modules, "pulearn", None)
    with pytest.raises(ImportError, match=r"pip install 'lopsided\[peers\]'"):
        run("b-cancer", "nnPU", 0)


def test_names_that_are_not_there():
    with pytest.raises(ValueError, match=r"no method 'SVDD'.*OSVM"):
        run("letter_A", "SVDD", 0)


def test_letter_a_comes_near_the_printed_figures(need):
    need("letter")
    for method in (TSVM, "SVMC"):
        published = TABLE1.value("f1", row="letter_A", method=method)
        assert run("letter_A", method, 0).counts.f() == pytest.approx(published, abs=0.02)


def test_a_wide_kernel_swallows_the_positives_where_nothing_guards_them(need):
    need("letter")
    f1 = {method: widen(method, 1.0, 0).values["f1"] for method in ("SVMC", "SVMC, guarded")}
    assert f1["SVMC"] < 0.5
    assert f1["SVMC, guarded"] > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_pages_come_near_the_printed_figures(need, name):
    need("webkb")
    for method in (TSVM, "SVMC", OURS):
        published = TABLE1.value("f1", row=name, method="SVMC" if method == OURS else method)
        assert run(name, method, 0).counts.f() == pytest.approx(published, abs=0.06)
