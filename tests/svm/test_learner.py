"""The rows are made so that what must be learned, and when it is enough, is known."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix, vstack
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from lopsided.svm._learner import WINDOW, AnswerLearner


def two_heaps(n=400, noise=0.1, seed=0):
    """Unit rows around two directions, one in eight of them positive."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 8 == 0
    X = rng.normal(scale=noise, size=(n, 5))
    X[y, 0] += 1
    X[~y, 1] += 1
    return csr_matrix(normalize(X)), y


def learner_of(X):
    return AnswerLearner(X, np.ones(X.shape[0], dtype=bool))


def teach(learner, y, rows, *, at_border=False):
    for row in rows:
        learner.learn(int(row), bool(y[row]), at_border=at_border)


@pytest.mark.parametrize("noise", [0.2, 0.6])
def test_scores_are_those_of_an_exact_svm(noise):
    X, y = two_heaps(noise=noise)
    learner = learner_of(X)
    teach(learner, y, range(60))
    exact = SVC(C=10.0, kernel="linear", tol=1e-6).fit(X[:60], y[:60])
    np.testing.assert_allclose(learner.scores, exact.decision_function(X), atol=0.01)
    assert learner.n_support == len(exact.support_)


def test_the_order_of_the_answers_does_not_matter():
    X, y = two_heaps(noise=0.6)
    learner, turned = learner_of(X), learner_of(X)
    teach(learner, y, range(60))
    teach(turned, y, reversed(range(60)))
    np.testing.assert_allclose(turned.scores, learner.scores, atol=0.01)


def test_no_scores_until_both_answers_are_known():
    X, y = two_heaps()
    learner = learner_of(X)
    teach(learner, y, np.flatnonzero(~y)[:5])
    assert learner.scores is None
    assert learner.n_support == 0
    assert learner.reason_to_stop() is None
    teach(learner, y, [0])
    assert learner.scores[0] > 0


def test_the_closest_row():
    X, y = two_heaps(noise=0.6)
    learner = learner_of(X)
    teach(learner, y, range(30))
    pool = np.arange(100, 160)
    assert learner.closest(pool) == pool[np.abs(learner.scores[pool]).argmin()]


def test_settled_when_the_yes_rows_stay_the_same():
    X, y = two_heaps()
    learner = learner_of(X)
    teach(learner, y, [0, *range(1, WINDOW + 1)])  # the second answer is the first no: from here on it counts
    assert learner.reason_to_stop() is None
    teach(learner, y, [WINDOW + 1])
    assert learner.reason_to_stop() == "settled"


def test_not_settled_while_yes_rows_are_found():
    """Orthogonal rows teach nothing about one another, so each yes changes the yes rows."""
    X = csr_matrix(np.eye(300))
    y = np.arange(300) % 2 == 0
    learner = learner_of(X)
    for row in range(200):
        teach(learner, y, [row])
        assert learner.reason_to_stop() is None


def test_a_copy_that_may_not_be_asked_does_not_count():
    X, y = two_heaps()
    askable = np.ones(len(y), dtype=bool)
    askable[200:] = False
    learner = AnswerLearner(X, askable)
    teach(learner, y, range(20))
    assert max(learner._yes[-1]) < 200


def test_an_answer_counts_more_than_the_prediction():
    X = csr_matrix(np.tile([[1.0, 0.0]], (6, 1)))  # six equal rows: no model tells them apart
    learner = learner_of(X)
    teach(learner, [True, False, False, False], range(4))
    assert (learner.scores < 0).all()
    assert learner._yes[-1].tolist() == [0]


def exhaust_margin(learner, y):
    """Ask about the closest rows until the margin is said to be empty."""
    teach(learner, y, [0, 1, 2, 8])
    while learner.reason_to_stop() is None:
        row = learner.closest(np.setdiff1d(np.arange(len(y)), list(learner._labels)))
        assert len(learner._labels) < WINDOW, "the margin of two tight heaps is empty long before"
        teach(learner, y, [row], at_border=True)


def test_margin_exhausted():
    X, y = two_heaps(noise=0.01)
    learner = learner_of(X)
    exhaust_margin(learner, y)
    assert learner.reason_to_stop() == "margin"
    # the same rows, not chosen at the border, say nothing about the margin
    other = learner_of(X)
    teach(other, y, list(learner._labels))
    assert other.reason_to_stop() is None


def test_the_margin_may_fill_again():
    X, y = two_heaps(noise=0.01)
    between = csr_matrix(normalize([[1.0, 1.1, 0, 0, 0]]))
    learner = learner_of(vstack([X, between]).tocsr())
    exhaust_margin(learner, y)
    assert abs(learner.scores[-1]) < 1
    teach(learner, [*y, False], [len(y)], at_border=True)
    assert learner.reason_to_stop() is None


def test_a_copy_goes_its_own_way():
    X, y = two_heaps(noise=0.6)
    learner = learner_of(X)
    teach(learner, y, range(30))
    before = learner.scores.copy()
    twin = learner.copy()
    assert twin._X is learner._X
    teach(twin, y, range(30, 60))
    np.testing.assert_array_equal(learner.scores, before)
    teach(learner, y, range(30, 60))
    np.testing.assert_allclose(learner.scores, twin.scores, atol=1e-9)
    assert learner.reason_to_stop() == twin.reason_to_stop()


def test_a_copy_counts_for_itself_what_lay_outside_the_margin():
    X, y = two_heaps(noise=0.01)
    learner = learner_of(X)
    teach(learner, y, [0, 1, 2, 8])
    exhaust_margin(learner.copy(), y)
    teach(learner, y, [3], at_border=True)
    assert learner.reason_to_stop() is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_zeros_are_learned_too(dtype):
    X = csr_matrix(np.array([[1, 0], [0, 1], [0, 0], [0, 0]], dtype=dtype))
    learner = learner_of(X)
    teach(learner, np.array([True, False, True, False]), range(4))
    assert np.isfinite(learner.scores).all()
