from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.svm import SVC

from lopsided import LASVC, make_lopsided
from lopsided.bench import Skipped, _lasvm, _problems, measure, run
from lopsided.bench._problems import SpeedProblem


@pytest.fixture
def small(monkeypatch):
    """Little made-up data in place of every problem, and no second process."""
    X, y = make_lopsided(n_samples=900, positive_rate=0.2, random_state=0)
    X = X.astype(np.float32)
    problem = SpeedProblem(X[:700], y[:700], X[700:], y[700:], C=10, gamma=0.1)
    sparse = problem._replace(X=csr_matrix(problem.X), X_test=csr_matrix(problem.X_test))
    for name in ("mnist_8", "usps_0", "letters", "forest"):
        monkeypatch.setattr(_lasvm, name, lambda: problem)
    monkeypatch.setattr(_lasvm, "adult", lambda: sparse)
    monkeypatch.setattr(_lasvm, "reuters", lambda topic, C, gamma: sparse)
    monkeypatch.setattr(_lasvm, "run_alone", lambda target, limit=None: None)
    for cached in (_lasvm._twins, _lasvm._lines):
        cached.cache_clear()
    yield problem
    for cached in (_lasvm._twins, _lasvm._lines):
        cached.cache_clear()


NAMES = [row.name for row in _lasvm.rows()]


def test_the_rows_of_the_table_are_there():
    assert NAMES == [
        "T2", "T2b", "T2c", "T3", "T3b", "T3c grain", "T3c ship", "T3c usps", "T3d mnist", "T3d adult",
        "T3d usps", "T4", "T4 twice", "T4b", "T4c",
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_row_runs_on_little_data(small, name):
    (row,) = (row for row in _lasvm.rows() if row.name == name)
    for package in row.needs:
        pytest.importorskip(package)
    measured = measure(replace(row, repeats=1))
    assert measured.ratio > 0
    assert any(character.isdigit() for character in measured.quality.figures)


def test_the_long_peer_is_stopped_at_its_limit_or_says_how_long_it_took(monkeypatch):
    monkeypatch.setattr(_lasvm, "run_alone", lambda target, limit: None)
    stopped = _lasvm._alone_until("svc_alone", 250.0)
    assert (stopped.seconds, stopped.stopped) == (250.0, True)
    monkeypatch.setattr(_lasvm, "run_alone", lambda target, limit: {"seconds": 90.0, "score": 0.99})
    done = _lasvm._alone_until("svc_alone", 250.0)
    assert (done.seconds, done.result, done.stopped) == (90.0, 0.99, False)


def test_what_runs_alone_prepares_and_answers(small):
    pytest.importorskip("imblearn")
    for name in ("svc_alone", "smote_alone"):
        steps = getattr(_lasvm, name)()
        assert next(steps) is None
        answer = next(steps)
        assert answer["seconds"] > 0
        assert 0.5 < answer["score"] <= 1
    steps = _lasvm.forest_alone()
    assert next(steps) is None
    next(steps)


def test_the_peer_of_the_last_row_reads_fewer_rows(small):
    timed = _lasvm._time_of_questions(small)
    model, whole = timed.result
    assert model.n_labels_ == len(small.y)  # fewer than a thousand
    assert 0 < timed.seconds < whole


def test_adding_rows_reads_all_of_them(small):
    assert _lasvm._more_letters().result.n_labels_ == len(small.y)


def test_the_lines_for_vowpal_wabbit_hold_the_rows(small):
    label, pairs = _lasvm._lines("train")[3].split(" | ")
    assert int(label) == 2 * small.y[3] - 1
    row = np.zeros(small.X.shape[1], dtype=np.float32)
    for pair in pairs.split():
        column, value = pair.split(":")
        row[int(column)] = value
    np.testing.assert_array_equal(row, small.X[3])
    assert _lasvm._lines("test")[0].startswith("| ")


def fitted(problem, **how):
    return LASVC(C=problem.C, gamma=problem.gamma, random_state=0, **how).fit(problem.X, problem.y)


def test_the_dual_objective_is_that_of_libsvm(small):
    problem = _lasvm.adult()
    peer = SVC(C=problem.C, gamma=problem.gamma, tol=1e-6).fit(problem.X, problem.y)
    assert _lasvm._dual_objectives(fitted(problem, n_epochs="converge"), peer).good
    assert not _lasvm._dual_objectives(fitted(problem, max_labels=100), peer).good


def test_fewer_support_vectors_are_asked_for(small):
    peer = SVC(C=small.C, gamma=small.gamma).fit(small.X, small.y)
    assert not _lasvm._fewer_support_vectors(fitted(small), peer).good
    assert _lasvm._fewer_support_vectors(fitted(small, selection="active", max_labels=60), peer).good


def scoring(scores, **more):
    return SimpleNamespace(decision_function=lambda X: scores, n_labels_=1, stop_reason_="", **more)


def test_a_lower_break_even_point_is_worse():
    problem = SpeedProblem(None, np.zeros(9), None, np.array([0, 0, 1, 1]), 1, 1)
    right, wrong = scoring(np.array([0, 1, 2, 3])), scoring(np.array([3, 2, 1, 0]))
    assert _lasvm._break_evens(problem, right, wrong).good
    assert _lasvm._break_evens(problem, right, right).good
    assert not _lasvm._break_evens(problem, wrong, right).good


def test_a_stopped_peer_is_stood_in_for(small):
    pytest.importorskip("imblearn")
    ours = fitted(small)
    assert "peer 0.1000" in _lasvm._break_evens_if_done(ours, 0.1).figures
    assert not _lasvm._break_evens_if_done(ours, 1.1).good
    assert "SMOTE and one pass of LASVC 0." in _lasvm._break_evens_if_done(ours, None).figures


@pytest.mark.parametrize(("mine", "good"), [(0.95, True), (0.9485, True), (0.947, False)])
def test_accuracies_may_be_a_little_apart(small, mine, good):
    ours, peer = (SimpleNamespace(score=lambda X, y, value=value: value) for value in (mine, 0.95))
    assert _lasvm._accuracies(small, ours, peer, within=0.002).good is good
    assert _lasvm._accuracies_if_done(ours, 0.95).good is good
    assert _lasvm._accuracies_if_done(ours, None).good


def test_scores_far_apart_are_no_answer(small):
    scores = np.zeros(3)
    assert _lasvm._equal_scores(scores, scores + 0.01).good
    assert not _lasvm._equal_scores(scores, scores + 1).good


@pytest.mark.parametrize(("grown", "good"), [(None, True), (2**30, True), (2**31, False)])
def test_memory_has_a_bound(monkeypatch, grown, good):
    monkeypatch.setattr(_lasvm, "run_alone", lambda target: grown)
    side = (SimpleNamespace(support_=[1, 2]), 0.5)
    quality = _lasvm._memory(side, side)
    assert quality.good is good
    assert ("not measured" in quality.figures) == (grown is None)


def test_rows_without_their_peer_are_skipped(monkeypatch):
    monkeypatch.setattr("lopsided.bench.is_installed", lambda package: False)
    for result in run("lasvm", ["T3b", "T3d"]):
        assert isinstance(result, Skipped)
        assert "pip install 'lopsided[peers]'" in result.reason


def test_the_problems_are_those_of_the_table(need):
    for name in ("mnist", "usps", "adult", "letter", "reuters21578"):
        need(name)
    digits = _problems.mnist_8()
    assert (digits.X.shape, digits.y.sum(), digits.X.max()) == ((60_000, 784), 5851, 1)
    zeros = _problems.usps_0()
    assert (zeros.X.shape, zeros.y.sum()) == ((7291, 256), 1194)
    np.testing.assert_allclose(np.linalg.norm(zeros.X, axis=1), 1, rtol=1e-5)
    incomes = _problems.adult()
    assert issparse(incomes.X)
    assert (incomes.X.shape[0], incomes.y.sum()) == (32_561, 7841)
    assert set(incomes.X.data) == {1}
    assert incomes.X.sum(axis=1).max() == 14  # one indicator of each of the 14 columns
    letters = _problems.letters()
    assert (letters.X.shape, letters.X.min(), letters.X.max()) == ((10_000, 16), 0, 1)
    grain = _problems.reuters("grain", C=2, gamma=1)
    assert (grain.X.shape[0], grain.y_test.sum()) == (7770, 149)
    for problem in (digits, zeros, incomes, letters, grain):
        assert problem.X.dtype == problem.X_test.dtype == np.float32
        assert problem.head(10).X.shape[0] == len(problem.head(10).y) == 10


def test_the_forest_is_a_million_rows_in_random_order(need):
    need("covtype")
    forest = _problems.forest()
    assert forest.X.shape == (1_000_000, 54)
    assert forest.X.dtype == np.float32
    share = forest.y.mean()
    assert abs(forest.y[:10_000].mean() - share) < 0.02
    copies = np.abs(forest.X[581_012:] - forest.X[: 1_000_000 - 581_012])
    assert 0 < copies.max() < 1
