"""T8, T8b: positives and unlabeled data; SVMC against SMC, one SVM, and itself on fewer rows."""

import math
from collections.abc import Iterator
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import f1_score
from sklearn.svm import SVC

from lopsided.bench._measure import Quality, Row, Timed
from lopsided.bench._problems import forest
from lopsided.problems.uci import read_letters
from lopsided.pu import SMC, SVMC
from lopsided.pu._width import gamma_of_positives

_LETTERS = "ABCDE"
_SIZES = (10_000, 1_000_000)
_N_KNOWN = 1_000


class KnownAndUnlabeled(NamedTuple):
    """Rows, which of them are known positives, and which are positive."""

    X: Any
    y: NDArray[np.int64]
    truth: NDArray[np.int64]


def rows() -> Iterator[Row]:
    """Yield the rows, which read their data when they are measured."""
    work = "SVMC on the letters A to E, 10,000 unlabeled rows each"
    yield Row(
        "T8",
        work,
        "SMC, the same but all negatives are kept",
        ours=lambda: _on_letters(SVMC()),
        peer=lambda: _on_letters(SMC()),
        must=4,
        aim=10,
        quality=_f1_on_letters,
    )
    yield Row(
        "T8 svc",
        work,
        "one SVC (C = 100, the same gamma) on positives against unlabeled data",
        ours=lambda: _on_letters(SVMC()),
        peer=_one_svc,
        must=1,
        aim=5,
    )
    small, large = _SIZES
    growth = large / small
    yield Row(
        "T8b",
        f"SVMC, {large:,} unlabeled rows of forest",
        f"itself, {small:,} of them",
        ours=lambda: _fit_on_forest(large),
        peer=lambda: _fit_on_forest(small),
        must=growth**-1.3,
        aim=growth**-1.05,
        repeats=2,
        quality=_exponent,
    )


# The data


@cache
def _letters() -> list[KnownAndUnlabeled]:
    """Return five unlabeled sets, each half of the rows; the letter's rows among the others are known."""
    X, letter = read_letters()
    order = np.random.default_rng(0).permutation(len(letter))
    unlabeled, others = order[:10_000], order[10_000:]
    problems = []
    for wanted in _LETTERS:
        chosen = np.concatenate([others[letter[others] == wanted], unlabeled])
        known = np.arange(len(chosen)) < len(chosen) - len(unlabeled)
        problems.append(
            KnownAndUnlabeled(X[chosen], known.astype(int), (letter[chosen] == wanted).astype(int))
        )
    return problems


@cache
def _forest(n: int) -> KnownAndUnlabeled:
    """Return an unlabeled set in which Krummholz (one row in 28) is wanted, and 1,000 known rows of it."""
    problem = forest("Krummholz")
    known = np.flatnonzero(problem.y)[-_N_KNOWN:]
    unlabeled = np.setdiff1d(np.arange(min(n + _N_KNOWN, len(problem.y))), known)[:n]
    chosen = np.concatenate([known, unlabeled])
    return KnownAndUnlabeled(
        problem.X[chosen], (np.arange(len(chosen)) < _N_KNOWN).astype(int), problem.y[chosen]
    )


# The sides


def _on_letters(model: Any) -> Timed:
    """Return the time of five fits, and F1 on each unlabeled set."""
    seconds, scores = 0.0, []
    for sample in _letters():
        start = perf_counter()
        model.fit(sample.X, sample.y)
        seconds += perf_counter() - start
        hidden = sample.y == 0
        scores.append(f1_score(sample.truth[hidden], model.predict(sample.X[hidden])))
    return Timed(seconds, scores)


def _one_svc() -> Timed:
    seconds = 0.0
    for sample in _letters():
        gamma = gamma_of_positives(sample.X[sample.y == 1], sample.X)
        start = perf_counter()
        SVC(C=100, gamma=gamma).fit(sample.X, sample.y)
        seconds += perf_counter() - start
    return Timed(seconds)


def _fit_on_forest(n: int) -> Timed:
    sample = _forest(n)
    start = perf_counter()
    model = SVMC(n_jobs=2).fit(sample.X, sample.y)
    seconds = perf_counter() - start
    hidden = sample.y == 0
    return Timed(seconds, (seconds, f1_score(sample.truth[hidden], model.predict(sample.X[hidden]))))


# What the answers are worth


def _f1_on_letters(ours: list[float], peer: list[float]) -> Quality:
    figures = ", ".join(f"{name} {a:.3f} {b:.3f}" for name, a, b in zip(_LETTERS, ours, peer, strict=True))
    return Quality(f"F1, SMC's behind: {figures}", all(a > b - 0.03 for a, b in zip(ours, peer, strict=True)))


def _exponent(ours: tuple[float, float], peer: tuple[float, float]) -> Quality:
    small, large = _SIZES
    exponent = math.log(ours[0] / peer[0]) / math.log(large / small)
    return Quality(
        f"time grows as rows to the power {exponent:.2f} (last runs); F1 {peer[1]:.3f} and {ours[1]:.3f}",
        True,
    )
