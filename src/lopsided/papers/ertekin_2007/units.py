"""Units of work: each is a function of the name of a problem, a method and a seed.

Scores of units are between 0 and 1; those that are measured for tables are in percent, as published.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lopsided.experiments import Measurements
from lopsided.metrics import geometric_mean_score, prbep_score, roc_auc_score, roc_curve
from lopsided.papers.ertekin_2007.data import SOURCES, TABLE2, load
from lopsided.papers.ertekin_2007.methods import BOTH, prepare, train
from lopsided.plot import LabelCurve, MarginImbalance, label_curve, margin_imbalance
from lopsided.problems.rare import RareProblem
from lopsided.runs import Work


@dataclass(frozen=True)
class RunScores:
    """The scores at the end of one run."""

    problem: str
    method: str
    seed: int
    g_mean: float
    auc: float
    prbep: float
    class_ratio: float
    """Negatives for each positive in the problem's training set."""
    n_train: int
    """Examples in the problem's training set."""
    n_labels: int
    """Examples learned from; with SMOTE, made ones included."""
    n_support_pos: int
    n_support_neg: int
    seconds: float
    """Time to change the training set and to train."""
    stop_reason: str

    @property
    def sv_ratio(self) -> float:
        """Return the negative support vectors for each positive one; infinity without a positive one."""
        return self.n_support_neg / self.n_support_pos if self.n_support_pos else math.inf

    @property
    def label_share(self) -> float:
        """Return the share of the training set that was learned from."""
        return self.n_labels / self.n_train


def run(problem: str, method: str, seed: int) -> RunScores:
    """Train one method on a problem of the paper and score it on the test set."""
    return learn(load(problem), method, seed)


def learn(problem: RareProblem, method: str, seed: int) -> RunScores:
    """Train one method on any problem and score it on the test set."""
    machine, seconds = train(problem, method, seed)
    f = machine.decision_function(problem.X_test)
    n_negative, n_positive = (int(n) for n in machine.n_support_)
    return RunScores(
        problem=problem.name,
        method=method,
        seed=seed,
        g_mean=geometric_mean_score(problem.y_test, (f > 0).astype(int)),
        auc=roc_auc_score(problem.y_test, f),
        prbep=prbep_score(problem.y_test, f),
        class_ratio=problem.ratio,
        n_train=problem.n_train,
        n_labels=int(machine.n_labels_),
        n_support_pos=n_positive,
        n_support_neg=n_negative,
        seconds=seconds,
        stop_reason=str(machine.stop_reason_),
    )


def scores(run: RunScores) -> dict[str, float]:
    """Return what Tables 1 and 3 have: scores and labels in percent, ratios, seconds."""
    return {
        "gmeans": 100 * run.g_mean,
        "auc": 100 * run.auc,
        "prbep": 100 * run.prbep,
        "class_ratio": run.class_ratio,
        "sv_ratio": run.sv_ratio,
        "labels": 100 * run.label_share,
        "seconds": run.seconds,
    }


@dataclass(frozen=True)
class ProblemSize:
    """Size and parameters of a problem: a line of Table 2."""

    problem: str
    ours: dict[str, float]
    spread: dict[str, float] = field(default_factory=dict)
    """Empty: nothing is drawn at random. Results that are kept have this field."""
    printed: dict[str, float] = field(default_factory=dict)
    """Empty where the paper has no such line."""
    deviation: str = ""
    """What differs from the paper's data."""


def describe(problem: str) -> ProblemSize:
    """Return a line of Table 2. It reads the data."""
    data = load(problem)
    n_positive = int(data.y_train.sum())
    ours = {
        "n_features": float(data.X_train.shape[1]),
        "n_pos": float(n_positive),
        "n_neg": float(data.n_train - n_positive),
        "ratio": data.ratio,
        "C": float(data.C),
        "gamma": float(data.gamma),
    }
    published = {metric: TABLE2.value(metric, problem=problem) for metric in ours}
    printed = {metric: value for metric, value in published.items() if value is not None}
    return ProblemSize(problem, ours, {}, printed, SOURCES[problem].deviation)


@dataclass(frozen=True, eq=False)
class Trace:
    """The course of one run: scores and support vectors against labels, to the end of the training set."""

    problem: str
    method: str
    seed: int
    curve: LabelCurve
    class_ratio: float


def trace(problem: str, method: str, seed: int, n_points: int) -> Trace:
    """Return the curve of one method through its training set, which marks where it would stop and goes on.

    Not so full search, which looks at the whole set for every label.
    """
    data = load(problem)
    machine, X, y = prepare(data, method, seed)
    last = 1 if method == "exhaustive" else None  # its curve ends where it stops, and not before
    curve = label_curve(machine, X, y, data.X_test, data.y_test, n_points, max_labels=last, name=method)
    return Trace(problem, method, seed, curve, data.ratio)


Traces = dict[str, dict[str, list[Trace]]]
"""Problem -> method -> its runs."""


def traces_of(t: Measurements, methods: Iterable[str] = BOTH) -> Traces:
    """Return the runs of the problems that have some of each of these methods, and of other methods there."""
    return {
        problem: {method: runs.results(Trace) for method, runs in part.split("method").items()}
        for problem, part in t.with_every("problem", method=methods).split("problem").items()
    }


def support_ratio(curve: LabelCurve) -> NDArray[np.float64]:
    """Return the negative support vectors for each positive one; infinity where there is none of these."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(curve.n_support_negative / curve.n_support_positive, dtype=np.float64)


CURVE, STOP = "curve", "stop"


def curve_or_stop(result: Trace | RunScores) -> list[tuple[dict[str, str], Mapping[str, float]]]:
    """Return the scores of a run at its stop; a curve, which is drawn as it is, has none."""
    return [({"part": CURVE}, {}) if isinstance(result, Trace) else ({"part": STOP}, scores(result))]


@dataclass(frozen=True, eq=False)
class Roc:
    """The ROC curve of one run on the test set, and the area under it."""

    problem: str
    method: str
    seed: int
    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    auc: float
    """Area under the whole curve, not under these points."""


# Where curves are kept: close to each other on the left, where they differ.
_FPR = np.linspace(0, 1, 101) ** 2


def receive(problem: str, method: str, seed: int) -> Roc:
    """Train one method and draw its ROC curve."""
    data = load(problem)
    f = train(data, method, seed)[0].decision_function(data.X_test)
    fpr, tpr = roc_curve(data.y_test, f)[:2]
    return Roc(problem, method, seed, _FPR, np.interp(_FPR, fpr, tpr), roc_auc_score(data.y_test, f))


@dataclass(frozen=True)
class Weighing:
    """The counts of both classes in all training data and within the margin of one run."""

    problem: str
    method: str
    seed: int
    counts: MarginImbalance


def weigh(problem: str, method: str, seed: int) -> Weighing:
    """Train one method and count the training examples of each class within its margin."""
    data = load(problem)
    machine, _ = train(data, method, seed)
    return Weighing(problem, method, seed, margin_imbalance(machine, data.X_train, data.y_train))


def class_ratios(weighing: Weighing) -> dict[str, float]:
    """Return the class ratios of all training data and within the margin, and what is within."""
    counts = weighing.counts
    return {
        "all": counts.ratio_all,
        "within": counts.ratio_margin,
        "n_positive_within": counts.n_inside_positive,
        "n_negative_within": counts.n_inside_negative,
    }


WORK = Work(
    "lopsided.reproduce.ertekin_2007",
    {
        "LabelCurve": LabelCurve,
        "MarginImbalance": MarginImbalance,
        "Outcome": RunScores,
        "Roc": Roc,
        "Row": ProblemSize,
        "Trace": Trace,
        "Weighing": Weighing,
    },
)
