"""A fit that ends half-way: Ctrl-C, an oracle that fails. What was learned is kept, and the error goes on."""

import json
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from lopsided import make_lopsided
from soundness import check_sound, model


@pytest.fixture
def data():
    return make_lopsided(200, 5, 0.2, separation=2.0, random_state=0)


# Oracles


class Interrupting:
    """Answers so many questions, then does something else."""

    def __init__(self, y, n_answers, then):
        self.y, self.n_answers, self.then = y, n_answers, then
        self.answered = []

    def __call__(self, rows):
        if len(self.answered) >= self.n_answers:
            return self.then(rows)
        self.answered.extend(np.asarray(rows).tolist())
        return self.y[rows]


def throw(error):
    raise error


@pytest.mark.parametrize("n_answers", [60, 61])
@pytest.mark.parametrize("selection", ["active", "exhaustive"])
@pytest.mark.parametrize(
    ("then", "error"),
    [
        (lambda rows: throw(KeyboardInterrupt()), KeyboardInterrupt),
        (lambda rows: throw(ConnectionError("the line is dead")), ConnectionError),
        (lambda rows: None, (ValueError, TypeError)),
        (lambda rows: [np.nan] * len(rows), ValueError),
        (lambda rows: [None] * len(rows), (ValueError, TypeError)),
        (lambda rows: [], ValueError),
        (lambda rows: [0] * (len(rows) + 1), ValueError),
        (lambda rows: "perhaps", (ValueError, TypeError)),
        (lambda rows: ["perhaps"] * len(rows), (ValueError, TypeError)),
        (lambda rows: object(), (ValueError, TypeError)),
        (lambda rows: b"perhaps", (ValueError, TypeError)),
    ],
)
def test_an_oracle_that_fails_in_the_middle_keeps_what_was_learned(data, selection, n_answers, then, error):
    X, y = data
    oracle = Interrupting(y, n_answers, then)
    learner = model(selection=selection)
    with pytest.raises(error):
        learner.fit(X, oracle)
    assert learner.n_labels_ == n_answers
    assert_array_equal(learner.queried_, oracle.answered)
    check_sound(learner, X)
    assert set(learner.support_) <= set(oracle.answered)
    assert np.mean(learner.predict(X) == y) > 0.85
    learner.query(X, n=2)
    learner.partial_fit(X[:5], y[:5]).finish()  # and goes on
    check_sound(learner, X)
    complete = model(selection=selection).fit(X, y)
    assert_identical(learner.fit(X, y), complete)  # or starts afresh


def test_an_oracle_that_fails_at_once(data):
    learner = model(selection="active")
    with pytest.raises(ConnectionError, match="the line is dead"):
        learner.fit(data[0], lambda rows: throw(ConnectionError("the line is dead")))
    assert learner.query(data[0]).shape == (1,)


def test_an_oracle_that_fails_while_one_class_is_known():
    X, y = make_lopsided(200, 5, 0.005, separation=2.0, random_state=0)
    oracle = Interrupting(y, 2, lambda rows: throw(KeyboardInterrupt()))
    learner = model(selection="active")
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, oracle)
    assert len(oracle.answered) == 2
    assert learner.query(X).shape == (1,)


# Ctrl-C


def test_a_kernel_that_is_interrupted(data):
    X, y = data
    n_calls = 0

    def kernel(A, B):
        nonlocal n_calls
        n_calls += 1
        if n_calls == 100:
            raise KeyboardInterrupt
        return rbf_kernel(A, B, gamma=0.2)

    learner = model(kernel=kernel)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    assert 0 < learner.n_labels_ < len(y)
    check_sound(learner, X)
    assert set(learner.support_) <= set(learner.queried_)


def test_a_stream_that_fails_in_the_middle_of_a_chunk(data):
    X, y = data
    large = X.copy()
    large[150] = 1e300  # a number, but its products are not
    learner = model(kernel="linear").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="kernel values are not finite"):
        learner.partial_fit(large, y)
    assert 200 <= learner.n_labels_ <= 350
    check_sound(learner, X)
    assert set(learner.support_) <= set(learner.queried_)
    learner.partial_fit(X, y).finish()
    check_sound(learner, X)
    rows_of = {number: row for row, number in enumerate(learner.queried_[-len(y) :])}  # the last chunk
    for number, vector, alpha in zip(
        learner.support_, learner.support_vectors_, learner.dual_coef_[0], strict=True
    ):
        if number in rows_of:  # each row is what its number says
            assert_allclose(vector, X[rows_of[number]], rtol=1e-6)
            assert (alpha > 0) == (y[rows_of[number]] == 1)


INTERRUPT = """
import json, os, signal, sys, threading, time
import numpy as np
from lopsided import LASVC
selection, n_classes, n_jobs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
generator = np.random.default_rng(0)
X = generator.standard_normal((120_000, 20)).astype(np.float32)
y = generator.integers(0, n_classes, len(X))  # labels by chance: every row becomes a support vector
learner = LASVC(C=100, gamma=0.05, selection=selection, n_epochs="converge", n_jobs=n_jobs, random_state=0)

def interrupt(after=time.process_time() + 0.5):  # of work, however busy the machine is
    while time.process_time() < after:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    learner.fit(X, y)
    raised = False
except KeyboardInterrupt:
    raised = True
first = learner.decision_function(X[:100])
n_labels = learner.n_labels_
alphas = np.concatenate([np.ravel(a) for a in learner.dual_coef_])
learner.partial_fit(X[:10], y[:10])
again = learner.decision_function(X[:100])
print(json.dumps({
    "raised": raised, "n_labels": int(n_labels), "finite": bool(np.isfinite([first, again]).all()),
    "sum": float(alphas.sum()), "largest": float(np.abs(alphas).max()),
    "history": sorted({len(v) for v in learner.history_.values()}), "queried": len(learner.queried_),
    "goes_on": int(learner.n_labels_),
}))
"""


@pytest.mark.parametrize(
    ("selection", "n_classes", "n_jobs"),
    [("sequential", 2, 1), ("active", 2, 1), ("random", 4, 2)],
)
def test_a_signal_leaves_a_model_of_what_was_seen(selection, n_classes, n_jobs):
    arguments = [sys.executable, "-c", INTERRUPT, selection, str(n_classes), str(n_jobs)]
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    after = json.loads(run.stdout)
    assert after["raised"]
    assert 0 < after["n_labels"] < 120_000
    assert after["finite"]
    assert abs(after["sum"]) < 1e-6 * 120_000
    assert after["largest"] <= 100
    assert after["goes_on"] == after["n_labels"] + 10
    assert after["history"] == [after["goes_on"]] == [after["queried"]]


def assert_identical(one, other):
    for name in ("dual_coef_", "support_", "intercept_", "n_support_", "queried_"):
        assert_array_equal(getattr(one, name), getattr(other, name))
