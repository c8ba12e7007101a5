"""Units of work: each is a function of names, numbers and a seed."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import IsolationForest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, OneClassSVM

from lopsided.experiments import check_name, timed
from lopsided.metrics import Counts
from lopsided.papers.yu_2003.data import ISLANDS, PuDraw, draw, draw_islands
from lopsided.papers.yu_2003.methods import METHODS, NU, OSVM, TSVM, as_printed, count, fit, fitted, separate
from lopsided.pu import SVMC
from lopsided.runs import Work, one_thread


@dataclass(frozen=True)
class MethodRun:
    """The counts of one method on one set-up."""

    row: str
    method: str
    seed: int
    counts: Counts
    """Counts on U."""
    rest: Counts
    """Counts on the rows in neither P nor U."""
    seconds: float
    n_iter: int
    """0 where nothing is repeated."""


def scores(run: MethodRun) -> dict[str, float]:
    """Return what Table 1 has; ``rest_`` are rows in neither P nor U, where F1 needs a positive."""
    return {
        **_scores(run.counts),
        "acc": 100 * run.counts.accuracy(),
        **({"rest_f1": run.rest.f()} if run.rest.n_positive else {}),
        "rest_acc": 100 * run.rest.accuracy(),
        "seconds": run.seconds,
        "iterations": run.n_iter,
    }


def _scores(counts: Counts) -> dict[str, float]:
    return {"f1": counts.f(), "precision": counts.precision(), "recall": counts.recall()}


def run(row: str, method: str, seed: int) -> MethodRun:
    """Learn one row of Table 1."""
    check_name("method", method, METHODS)
    how = METHODS[method]
    setup = draw(row, seed, how.form)
    with one_thread():
        learned, seconds = timed(lambda: how.learn(setup))
        counts = count(setup.truth, learned.scores(setup.U))
        rest = count(setup.truth_rest, learned.scores(setup.X_rest))
    return MethodRun(row, method, seed, counts, rest, seconds, learned.n_iter)


@dataclass(frozen=True)
class SettingScores:
    """The numbers of one setting of a method on one set-up."""

    data: str
    setting: str
    seed: int
    values: Mapping[str, float]


def setting_scores(
    result: "SettingScores | list[SettingScores] | Sketch",
) -> list[tuple[dict[str, str], Mapping[str, float]]]:
    """Return numbers by data and setting; a sketch has none."""
    found = [] if isinstance(result, Sketch) else result if isinstance(result, list) else [result]
    return [({"data": one.data, "setting": one.setting}, one.values) for one in found]


def _rest_scores(setup: PuDraw, scores: Callable[[Any], Any]) -> dict[str, float]:
    return _scores(count(setup.truth_rest, scores(setup.X_rest)))


WIDTHS = tuple(2.0**k for k in range(-4, 9, 2))


def tighten(name: str, gamma: float, seed: int) -> SettingScores:
    """Score a one-class SVM of Figure 1, which covers nearly all of P; narrow kernels need more vectors."""
    setup = draw(name, seed)
    machine = OneClassSVM(nu=NU, gamma=gamma).fit(setup.P)
    labeled_recall = float(np.mean(machine.decision_function(setup.P) >= 0))
    values = {"gamma": gamma, "n_support": len(machine.support_), "labeled_recall": labeled_recall}
    values |= _rest_scores(setup, machine.decision_function)
    return SettingScores(name, f"gamma {gamma:g}", seed, values)


MAPPED, LAST = "mapping", "last boundary"
_ROUGH = 4.0  # kappa: the first look covers a wide area around the positives, as in the paper's figure


def after(k: int) -> str:
    """Return the name of the boundary after iteration k."""
    return f"boundary {k}"


def _boundaries(setup: PuDraw) -> dict[str, Callable[[Any], Any]]:
    """Return the scores of the mapping, of each boundary after it, of the SVM and of the one-class SVM."""
    model = as_printed(kappa=_ROUGH).fit(setup.X, setup.is_known)
    found: dict[str, Callable[[Any], Any]] = {
        MAPPED: model.mapping_.scores,
        LAST: model.decision_function,
        TSVM: separate(setup, with_truth=True).scores,
        OSVM: OneClassSVM(nu=NU, gamma=model.gamma_).fit(setup.P).decision_function,
    }
    for k in range(1, model.n_iter_):
        early = fit(as_printed(kappa=_ROUGH, max_iter=k), setup.X, setup.is_known)
        found[after(k)] = early.decision_function
    return found


def converge(seed: int) -> list[SettingScores]:
    """Score the boundaries of Figures 2 and 5."""
    setup = draw_islands(seed)
    return [
        SettingScores(ISLANDS, setting, seed, _rest_scores(setup, scores) | {"area": _area(scores)})
        for setting, scores in _boundaries(setup).items()
    ]


def _area(scores: Callable[[Any], Any], n: int = 100) -> float:
    """Return how much of the square is predicted positive, islands being two units apart."""
    return 36 * float(np.mean(_on_square(scores, n)[1] >= 0))


def _on_square(
    scores: Callable[[Any], Any], n: int, reach: float = 3.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return coordinates, and the scores at n times n points: a line for each y."""
    side = np.linspace(-reach, reach, n)
    square = np.column_stack([part.ravel() for part in np.meshgrid(side, side)])
    return side, np.ravel(scores(square)).reshape(n, n)


@dataclass(frozen=True, eq=False)
class Sketch:
    """The islands of one draw, and boundaries on them as points in the plane."""

    labeled: NDArray[np.float64]
    heap: NDArray[np.float64]
    edges: dict[str, NDArray[np.float64]]


DRAWN_WIDTHS = (1.0, 16.0, 64.0)  # of the one-class SVM of Figure 1


def one_class_of(gamma: float) -> str:
    """Return the name of a one-class SVM."""
    return f"one-class SVM, gamma {gamma:g}"


def sketch(seed: int) -> Sketch:
    """Draw the boundaries of Figures 1, 2 and 5."""
    setup = draw_islands(seed)
    found = _boundaries(setup)
    for gamma in DRAWN_WIDTHS:
        found[one_class_of(gamma)] = OneClassSVM(nu=NU, gamma=gamma).fit(setup.P).decision_function
    edges = {name: _edge(scores) for name, scores in found.items()}
    return Sketch(np.round(setup.P, 3), np.round(setup.U, 3), edges)


def _edge(scores: Callable[[Any], Any], n: int = 107) -> NDArray[np.float64]:
    """Return the points where scores change their sign, by linear interpolation on a grid."""
    side, f = _on_square(scores, n, reach=4.0)  # beyond all islands: a mapping may take in all of them
    step, points = side[1] - side[0], []
    for values, is_upright in ((f, False), (f.T, True)):
        here, there = values[:, :-1], values[:, 1:]
        line, k = np.nonzero((here >= 0) != (there >= 0))
        along = side[k] + step * here[line, k] / (here[line, k] - there[line, k])
        points.append(np.column_stack([side[line], along] if is_upright else [along, side[line]]))
    return np.round(np.vstack(points), 3)


MAPPINGS: dict[str, dict[str, Any]] = {
    "osvm, kappa 0": {"kappa": 0.0},
    "osvm, kappa 1": {"kappa": 1.0},
    "osvm, kappa 4": {"kappa": 4.0},
    "naive Bayes": {"mapper": GaussianNB(), "kappa": 0.0},
    "isolation forest": {"mapper": IsolationForest(random_state=0), "kappa": 0.0},
}


def remap(name: str, mapping: str, seed: int) -> SettingScores:
    """Score a mapping, and SVMC that begins with it."""
    setup = draw(name, seed)
    model = fit(as_printed(gamma=setup.gamma, **MAPPINGS[mapping]), setup.X, setup.is_known)
    strong = np.zeros(len(setup.truth), dtype=bool)
    strong[model.strong_negatives_ - setup.n_known] = True
    mapped = count(setup.truth, np.where(strong, -1, 1))
    values = {
        "strong": 100 * float(strong.mean()),
        "mapping_precision": mapped.precision(),
        "mapping_recall": mapped.recall(),
        "f1": count(setup.truth, model.decision_function(setup.U)).f(),
        "iterations": model.n_iter_,
    }
    return SettingScores(name, mapping, seed, values)


SHARES = (1.0, 0.5, 0.25, 0.125, 0.0625)


def thin(name: str, share: float, seed: int) -> SettingScores:
    """Score SVMC, trained with a part of U, on all of it."""
    setup = draw(name, seed)
    n_unlabeled = len(setup.truth)
    kept = np.random.default_rng([seed, 2]).permutation(n_unlabeled)[: round(share * n_unlabeled)]
    rows = np.concatenate([np.arange(setup.n_known), setup.n_known + np.sort(kept)])
    model = fit(as_printed(gamma=setup.gamma), setup.X[rows], setup.is_known[rows])
    found = _scores(count(setup.truth, model.decision_function(setup.U)))
    values = {"share": share, "unlabeled": len(kept), **found}
    return SettingScores(name, f"{share:g} of U", seed, values)


FIRST = (2.0, 6.0, 20.0, 60.0, 200.0, 900.0)  # where the mapping puts the first negative
_LENGTH, _CLASS_GAP, _N_LINE = 1000.0, 0.3, 100_000


class _Far(BaseEstimator):
    """A mapper in one dimension: what is farther is more negative."""

    def fit(self, X: Any, y: Any = None) -> "_Far":
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        return -np.asarray(X, dtype=np.float64)[:, 0]


def close_in(keep: str, first: float, seed: int) -> SettingScores:
    """Score the line of Theorem 1: P is 0, 0.5 and 1, U uniform but for a gap; beyond ``first`` is strong."""
    rng = np.random.default_rng(seed)
    U = rng.random(_N_LINE) * _LENGTH
    U = U[(U <= 1) | (U >= 1 + _CLASS_GAP)]
    X = np.concatenate([[0.0, 0.5, 1.0], U])[:, None]
    y = (np.arange(len(X)) < 3).astype(int)
    # The threshold lies below the least positive (1) by kappa times 0.5, its distance from the median.
    machine = SVC(kernel="linear", C=1e6, cache_size=500)
    model = as_printed(keep, mapper=_Far(), kappa=2 * (first - 1), solver=machine).fit(X, y)
    trained = {name: values[1:].tolist() for name, values in model.history_.items()}
    values = {
        "log2_gap": math.log2((first - 1) / _CLASS_GAP),
        "iterations": model.n_iter_,
        "rows": sum(3 + n for n in trained["n_training_negatives"]),
        "seconds": sum(trained["seconds_training"]),
    }
    data = "line, " + ("SMC" if keep == "all" else "SVMC")
    return SettingScores(data, f"first at {first:g}", seed, values)


GAMMAS = (14.0, 8.0, 4.0, 2.0, 1.0, 0.0625)
WIDE = "letter_B"  # the guard was made on other letters
WIDENED = ("SMC", "SVMC", "SVMC, guarded")


def widen(method: str, gamma: float, seed: int) -> SettingScores:
    """Score SMC and SVMC with a wide kernel."""
    model: Any = {"SMC": as_printed("all"), "SVMC": as_printed(), "SVMC, guarded": SVMC()}[method]
    setup = draw(WIDE, seed)
    learned = fitted(model.set_params(gamma=gamma), setup)
    f1 = count(setup.truth, learned.scores(setup.U)).f()
    values = {"gamma": gamma, "f1": f1, "iterations": learned.n_iter}
    return SettingScores(WIDE, f"{method}, gamma {gamma:g}", seed, values)


WORK = Work(
    "lopsided.reproduce.yu_2003",
    {"Counts": Counts, "Outcome": MethodRun, "Point": SettingScores, "Sketch": Sketch},
)
