"""T9, T10: boosting over words, against scikit-learn's AdaBoost and linear programs from scratch."""

from collections.abc import Callable, Iterator
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from lopsided.bench._measure import Quality, Row, Timed
from lopsided.boosting import AdaBoostStumps, LPBoostStumps
from lopsided.boosting._stumps import PresenceStumps
from lopsided.boosting._weak import StumpLearner
from lopsided.problems.reuters import read_stems

_N_ROUNDS = 50
_TOL = 1e-6


class WordPresence(NamedTuple):
    """Presence of words, and labels 0 and 1."""

    X: Any
    y: NDArray[np.int64]


def rows() -> Iterator[Row]:
    """Yield the rows, which read their data when they are measured."""
    made, real = "9,603 made documents of 6,242 words", "Reuters earn, 9,603 documents"
    yield _adaboost_row("T9", made_words, made)
    yield _adaboost_row("T9 earn", earn, real)
    yield _lpboost_row("T10", made_words, made, nu=0.3, must=6, aim=15)
    yield _lpboost_row("T10 earn", earn, real, nu=0.2, must=2.5, aim=10)


def _adaboost_row(name: str, problem: Callable[[], WordPresence], about: str) -> Row:
    return Row(
        name,
        f"{_N_ROUNDS} rounds of AdaBoostStumps (Real.MH), {about}",
        "scikit-learn's AdaBoostClassifier with trees of depth 1",
        ours=lambda: _adaboost(problem()),
        peer=lambda: _adaboost_of_scikit_learn(problem()),
        must=25,
        aim=60,
        quality=_training_errors,
    )


def _lpboost_row(
    name: str, problem: Callable[[], WordPresence], about: str, nu: float, must: float, aim: float
) -> Row:
    return Row(
        name,
        f"LPBoostStumps (Disc.LP, nu = {nu}) to the optimum, {about}",
        "the same, but linprog from scratch each round",
        ours=lambda: _lpboost(problem(), nu),
        peer=lambda: _lpboost_from_scratch(problem(), nu),
        must=must,
        aim=aim,
        repeats=2,
        quality=_same_optimum,
    )


# The data


@cache
def made_words() -> WordPresence:
    """Return as many made documents as the paper has, with the positives of earn and five telling words."""
    rng = np.random.default_rng(0)
    n, n_words, n_positive = 9_603, 6_242, 2_877
    rate = 1 / (np.arange(n_words) + 10.0)
    rate *= 50 / rate.sum()  # words a document
    y = (np.arange(n) < n_positive).astype(np.int64)
    telling = dict(zip(range(100, 600, 100), (0.7, 0.6, 0.5, 0.4, 0.3), strict=True))
    columns = []
    for j in range(n_words):
        there = rng.random(n) < rate[j]
        if j in telling:
            there |= (rng.random(n) < telling[j]) & (y == 1)
        columns.append(np.flatnonzero(there))
    starts = np.concatenate([[0], np.cumsum([len(column) for column in columns])]).astype(np.int32)
    documents = np.concatenate(columns).astype(np.int32)  # the peer takes no longer indices
    by_word = csr_array((np.ones(starts[-1]), documents, starts), shape=(n_words, n))
    return WordPresence(csr_array(by_word.T), y)


@cache
def earn() -> WordPresence:
    """Return the topic earn of Reuters, by the stems of the paper."""
    train = read_stems("binary", norm=None).train
    return WordPresence(train.documents.astype(np.float64), train.labels("earn").astype(np.int64))


# The sides


def _adaboost(problem: WordPresence) -> Timed:
    return _timed_fit(AdaBoostStumps(n_rounds=_N_ROUNDS), problem)


def _adaboost_of_scikit_learn(problem: WordPresence) -> Timed:
    stump = DecisionTreeClassifier(max_depth=1)
    return _timed_fit(AdaBoostClassifier(stump, n_estimators=_N_ROUNDS), problem)


def _timed_fit(model: Any, problem: WordPresence) -> Timed:
    """Return the time of the fit, and the training error."""
    start = perf_counter()
    model.fit(problem.X, problem.y)
    seconds = perf_counter() - start
    return Timed(seconds, float(np.mean(model.predict(problem.X) != problem.y)))


def _lpboost(problem: WordPresence, nu: float) -> tuple[float, int]:
    """Return the optimum, and the number of rounds until there."""
    model = LPBoostStumps(nu, weak_learner="disc.lp", tol=_TOL).fit(problem.X, problem.y)
    return float(model.history_["bound"][-1]), int(model.n_rounds_)


def _lpboost_from_scratch(problem: WordPresence, nu: float, n_rounds: int = 300) -> tuple[float, int]:
    """Return the same from equal weak learners and rows, with a new program in each round."""
    signs = np.where(problem.y == 1, 1, -1).astype(np.int8)
    learner = StumpLearner(PresenceStumps(problem.X), "disc.lp", signs, 1.0)
    n = len(signs)
    u, bound = np.full(n, 1 / n), -np.inf
    edges: list[Any] = []  # over u, the balance sum_i u_i y_i, and B
    sums = csr_array(np.array([[*np.ones(n), 0.0, 0.0], [*signs, -1.0, 0.0]]))
    while len(edges) < n_rounds:
        weak = learner.propose(u)
        if weak is None or (u * signs) @ weak.values <= bound + _TOL:
            break
        usual = np.median(weak.values)
        edges.append(csr_array(np.array([[*(signs * (weak.values - usual)), usual, -1.0]])))
        solution = linprog(
            np.append(np.zeros(n + 1), 1.0),
            A_ub=vstack(edges),
            b_ub=np.zeros(len(edges)),
            A_eq=sums,
            b_eq=[1.0, 0.0],
            bounds=[*[(0, 1 / (nu * n))] * n, (None, None), (None, None)],
            method="highs",
        )
        u, bound = solution.x[:n], float(solution.x[-1])
    return bound, len(edges)


# What the answers are worth


def _training_errors(ours: float, peer: float) -> Quality:
    return Quality(f"training error {ours:.4f}, scikit-learn's {peer:.4f}", ours <= peer + 0.01)


def _same_optimum(ours: tuple[float, int], peer: tuple[float, int]) -> Quality:
    return Quality(
        f"optimum {ours[0]:.8f} after {ours[1]} rounds, from scratch {peer[0]:.8f} after {peer[1]}",
        abs(ours[0] - peer[0]) <= 2 * _TOL,
    )
