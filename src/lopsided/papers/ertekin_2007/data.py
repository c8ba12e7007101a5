"""Data of the paper: a rare class against the rest, with the parameters of the machine."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets import make_waveform
from lopsided.experiments import Published, read_texts
from lopsided.problems import Split, rare
from lopsided.problems.citeseer import read_papers
from lopsided.problems.rare import ProblemSource, RareProblem, load_problem
from lopsided.problems.uci import read_abalone, read_adult

TABLE1, TABLE2, TABLE3, TABLE4, FIGURE2, FIGURE7 = (
    Published.read(__package__, name)
    for name in ("table1", "table2", "table3", "table4", "figure2", "figure7")
)


@cache
def load(name: str) -> RareProblem:
    """Read a problem of ``SOURCES``; a process reads each once."""
    return load_problem(name, SOURCES, "in this paper")


def _read_citeseer(name: str) -> Split:
    X, topics = read_papers()
    y = (topics == name).astype(int)
    return hold_out(X, y, *(round(n * 2 / 3) for n in np.bincount(y)))


def _read_citeseer_fold(fold: int) -> Split:
    """Train on two thirds of the training set of DB, test on the other."""
    whole = load("citeseer-db")
    X, y = whole.X_train, whole.y_train
    held_out = np.arange(len(y)) % 3 == fold  # the rows are in random order already
    return Split(X[~held_out], y[~held_out], X[held_out], y[held_out])


def _read_abalone(n_rings: int) -> Split:
    X, rings = read_abalone()
    return hold_out(X, (rings == n_rings).astype(int), 3407, 352)


def _read_abalone_with_rings(n_rings: int) -> Split:
    """Return abalone with the ring count, from which the class is made, among the attributes."""
    X, rings = read_abalone()
    sex = X[:, :3].argmax(axis=1)
    return hold_out(np.column_stack([sex, X[:, 3:], rings]), (rings == n_rings).astype(int), 3407, 352)


def _read_adult(ratio: int) -> Split:
    X_train, y_train, X_test, y_test = read_adult()
    keep = thin(y_train, ratio) if ratio > 3 else np.arange(len(y_train))
    return Split(X_train[keep], y_train[keep], X_test, y_test)


def _read_waveform(ratio: int) -> Split:
    X, wave = make_waveform(10_000, random_state=_DATA_SEED)
    y = (wave == 1).astype(int)
    keep = thin(y[:5000], ratio)
    return Split(X[keep], y[keep], X[5000:], y[5000:])


_DATA_SEED = 2007  # data are the same in every run: runs differ in what methods draw


def hold_out(X: Any, y: NDArray[Any], n_negative: int, n_positive: int) -> Split:
    """Draw so many training examples of each class, in random order; the others test."""
    generator = np.random.default_rng(_DATA_SEED)
    order = generator.permutation(len(y))
    place = np.empty(len(y), dtype=int)  # of each example among those of its class, in this order
    for label in (0, 1):
        mine = order[y[order] == label]
        place[mine] = np.arange(len(mine))
    is_train = place[order] < np.array([n_negative, n_positive])[y[order]]
    train, test = order[is_train], order[~is_train]
    return Split(X[train], y[train], X[test], y[test])


def thin(y: NDArray[Any], ratio: int) -> NDArray[np.intp]:
    """Return the rows that stay when positives are removed at random: ``ratio`` negatives for each.

    The positives of a large ratio are among those of a smaller one.
    """
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    n_positive = min(round(len(negative) / ratio), len(positive))
    kept = np.random.default_rng(_DATA_SEED).permutation(positive)[:n_positive]
    return np.sort(np.concatenate([negative, kept]))


READERS = rare.READERS | {
    "CiteSeer": _read_citeseer,
    "CiteSeer fold": _read_citeseer_fold,
    "abalone": _read_abalone,
    "abalone with rings": _read_abalone_with_rings,
    "Adult": _read_adult,
    "Waveform": _read_waveform,
}
_TEXTS = read_texts(__package__, "sources.toml")


def _source(group: str, of: Any, C: float, gamma: float, notes: Sequence[str]) -> ProblemSource:
    return ProblemSource(
        group, partial(READERS[group], of), C, gamma, " ".join(_TEXTS["notes"][n] for n in notes)
    )


def _sources(part: str) -> dict[str, ProblemSource]:
    return {name: _source(**told) for name, told in _TEXTS[part].items()}


_PARTS = ("tables", "leaks", "adults", "waveforms", "folds")
_OF_TABLES, _LEAKS, ADULTS, WAVEFORMS, FOLDS = map(_sources, _PARTS)
SOURCES = _OF_TABLES | _LEAKS | ADULTS | WAVEFORMS | FOLDS
ROWS = tuple(_OF_TABLES)
PRINTED_ABALONE = "abalone-7"
ABALONES = (PRINTED_ABALONE, *_LEAKS)
QUICK_ROWS = tuple(name for name in ROWS if name != "mnist-8")
