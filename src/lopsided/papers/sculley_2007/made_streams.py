"""Units of work on made streams, on which learners come to a halt: the paper's figures in numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lopsided.datasets import make_one_sided
from lopsided.experiments import SEEDS, Ask, Extent, Grid, seeds
from lopsided.feedback import OneSidedFilter, run_stream
from lopsided.online import MarginPerceptron
from lopsided.papers.sculley_2007.methods import COSTS, EFFICIENT, FULL, GRIDS, TASTING, make_explorer
from lopsided.runs import Work

PERCEPTRON, MARGIN, LARGER_MARGIN, COSTLY = "perceptron", "margin", "larger margin", "costs"
FEATURE_MAP, SMALLER_STEPS = "feature map", "smaller steps"
SETTINGS: dict[str, dict[str, Any]] = {  # of MarginPerceptron; what is not named is as in Table 1
    PERCEPTRON: {"margin": 0.0},
    MARGIN: {},
    FULL: {},
    LARGER_MARGIN: {},
    COSTLY: {},
    FEATURE_MAP: {"kernel": "rbf", "gamma": 0.5},
    SMALLER_STEPS: {"eta0": 0.01},
    TASTING: {},
    EFFICIENT: {},
}
TRIED: dict[str, tuple[float, ...]] = {  # on other draws of a case: margins, costs of positives, betas
    LARGER_MARGIN: COSTS["PWM"][2:],
    COSTLY: COSTS["PWM"][1:],
    EFFICIENT: GRIDS[EFFICIENT],
}
Cases = Mapping[str, Sequence[str]]
"""Case -> settings."""
_HALTING = (MARGIN, FULL, TASTING, EFFICIENT)
FIGURE1: Cases = dict.fromkeys(("noise", "overlap"), (PERCEPTRON, MARGIN))
FIGURE8: Cases = {
    "gap": (*_HALTING, LARGER_MARGIN),
    "stripe": (*_HALTING, LARGER_MARGIN, COSTLY, FEATURE_MAP),
}
TEXT: Cases = {"malicious": _HALTING, "overshoot": (*_HALTING, SMALLER_STEPS)}

DRAWS = SEEDS.at_least(5)  # of a made stream, in a quick run
N_ITEMS, N_PARTS = 2000, 20  # of a made stream
N_FOLLOWED = 300  # items
_M = 2.0  # the margin m of Figures 6 and 7
_NOISE, _SHRUNK = 0.05, 0.2  # share of wrong labels; rows as short as those of "overlap"


def make_case(case: str, seed: int, n_samples: int = N_ITEMS) -> tuple[NDArray[Any], NDArray[Any]]:
    """Draw a stream of :func:`lopsided.make_one_sided`, or "noise": the separable one with wrong labels."""
    if case != "noise":
        return make_one_sided(case, n_samples, random_state=seed)
    X, y = make_one_sided("separable", n_samples, random_state=seed)
    wrong = np.random.default_rng([seed, 1]).random(n_samples) < _NOISE
    wrong[0] = False  # a positive, as in every case
    return X * _SHRUNK, np.where(wrong, 1 - y, y)


@dataclass(frozen=True)
class Simulation:
    """The result of a setting of the margin perceptron on a made stream."""

    case: str
    setting: str
    value: float | None
    """Value of what ``TRIED`` varies."""
    seed: int
    recall: float
    """Recall in the second half of the stream."""
    f1: float
    n_labels: int
    shown: tuple[float, ...]
    """Share of the positives that is shown in each of ``N_PARTS`` parts of the stream."""


def simulate(case: str, setting: str, value: float | None, seed: int) -> Simulation:
    """Draw a case and replay it."""
    X, y = make_case(case, seed)
    machine = _make_filter(setting, value, seed)
    report = run_stream(machine, X, y, feedback="full" if setting == FULL else "one-sided")
    late = report.y & (np.arange(len(y)) >= len(y) // 2)
    recall = float(report.show[late].mean())
    parts = np.array_split(np.arange(len(y)), N_PARTS)
    shown = tuple(float(report.show[part[report.y[part]]].mean()) for part in parts)
    return Simulation(case, setting, value, seed, recall, report.f1, report.n_labels, shown)


def _make_filter(setting: str, value: float | None, seed: int) -> OneSidedFilter:
    settings = dict(SETTINGS[setting])
    if setting == LARGER_MARGIN:
        settings["margin"] = value
    elif setting == COSTLY:
        settings["class_weight"] = {0: 1.0, 1: value}
    explorer = make_explorer(setting, value) if setting in (TASTING, EFFICIENT) else None
    return OneSidedFilter(MarginPerceptron(**settings), explorer, random_state=seed)


def late_recall(result: "Simulation | PlanePath") -> dict[str, float]:
    """Return the recall in the second half of a stream, and F1; a path has neither."""
    if isinstance(result, PlanePath):
        return {}
    return {"recall": result.recall, "f1": result.f1}


def at_best(cases: Cases) -> Callable[[Extent, Ask], list[tuple[str, str, float | None]]]:
    """Return an axis: each setting of each case, with the value that is best on other draws."""
    names = [(case, setting) for case, settings in cases.items() for setting in settings]
    tried = [(*name, value) for name in names for value in TRIED.get(name[1], ())]

    def choose(extent: Extent, ask: Ask) -> list[tuple[str, str, float | None]]:
        others = seeds(len(DRAWS.of(extent)), master=1)
        grid = Grid(simulate, together={("case", "setting", "value"): tried}, seed=others)
        best = grid.measure(extent, ask, late_recall).best("value", "f1", within=("case", "setting"))
        values = {name: part.labels("value")[0] for name, part in best.split("case", "setting").items()}
        return [(*name, values.get(name)) for name in names]

    return choose


@dataclass(frozen=True, eq=False)
class PlanePath:
    """The positions of a learner's plane along a made stream."""

    case: str
    setting: str
    seed: int
    value: float | None
    place: NDArray[np.float64]
    """After each item: the u (second feature) from which on f >= 0 where v = 0; NaN while there is none."""
    slope: NDArray[np.float64]
    """After each item: by how much u grows along the plane where v (third feature) grows by 1."""
    accepted: NDArray[np.float64]
    """After each item: the share of all positives of the stream that f >= 0 would show."""


def follow(case: str, setting: str, value: float | None, seed: int, n_samples: int = N_FOLLOWED) -> PlanePath:
    """Walk a perceptron through a case and note its plane after each item."""
    X, y = make_case(case, seed, n_samples)
    machine = _make_filter(setting, value, seed)
    place, slope, accepted = np.full(n_samples, np.nan), np.full(n_samples, np.nan), np.ones(n_samples)
    for i in range(n_samples):
        now = slice(i, i + 1)
        decision = machine.decide(X[now])
        if decision.show[0]:
            machine.learn(X[now], y[now], decision)
        w = np.ravel(machine.learner.coef_) if hasattr(machine.learner, "coef_") else np.zeros(X.shape[1])
        if w[1] > 0:
            place[i] = -w[0] * X[0, 0] / w[1]  # the first feature is constant
            slope[i] = -w[2] / w[1]
        accepted[i] = (X[y == 1] @ w >= 0).mean()
    return PlanePath(case, setting, seed, value, place, slope, accepted)


@dataclass(frozen=True)
class Reduction:
    """Figure 6: a margin learner without exploration beside the active learner it is said to be."""

    seed: int
    n_rounds: int
    same_labels: int
    """Rounds in which both saw the label, or neither did."""
    same_updates: int
    """Rounds in which both moved, or neither did."""
    n_sampled: int
    """Labels that the active learner asked for although it said "negative"."""
    margin: float
    scores: NDArray[np.float64]
    """f of the first ``N_FOLLOWED`` items, as the margin learner saw them."""


def reduce_to_active_learner(seed: int) -> Reduction:
    """Compare a margin learner with the active learner L' of Reduction 1.

    L' has half the margin, its plane lies m/4 above, and it asks wherever f' >= -m/4.
    """
    X, y = make_case("overlap", seed)
    report = run_stream(OneSidedFilter(MarginPerceptron(margin=_M)), X, y)
    w = np.zeros(X.shape[1])
    same_labels = same_updates = n_sampled = 0
    for i, (x, sign) in enumerate(zip(X, np.where(y == 1, 1, -1), strict=True)):
        shifted = float(w @ x) - _M / 4
        asks = shifted >= -_M / 4
        n_sampled += asks and shifted < 0
        moves = bool(asks and sign * shifted <= _M / 4)
        if moves:
            w = w + sign * x
        # The margin learner's own rule, from its own score.
        moved = bool(report.revealed[i] and sign * report.score[i] <= _M / 2)
        same_labels += asks == bool(report.revealed[i])
        same_updates += moves == moved
    scores = np.asarray(report.score[:N_FOLLOWED], dtype=np.float64)
    return Reduction(seed, len(y), same_labels, same_updates, int(n_sampled), _M, scores)


@dataclass(frozen=True)
class Exploration:
    """Figure 7: how far positives that agree with h push the plane, as a share of the way from h to m-."""

    seed: int
    furthest: float
    reached: tuple[float, ...]
    """The furthest after each of such positives."""


def explore_greedily(seed: int) -> Exploration:
    """Learn h, then see only positives that h accepts: the plane moves towards h's lower margin.

    Rows have length 1, and the learning rate is moderate (a hundredth of m/2).
    """
    X, y = make_case("separable", seed)
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    learner = MarginPerceptron(margin=_M, eta0=_M / 200)
    machine = OneSidedFilter(learner)
    run_stream(machine, X, y, feedback="full")
    h = np.ravel(learner.coef_).copy()
    consistent = X[(y == 1) & (X @ h >= 0)]
    furthest, reached = 0.0, []
    for i in range(len(consistent)):
        now = consistent[i : i + 1]
        machine.learn(now, np.ones(1, dtype=int))
        shown = X[X @ np.ravel(learner.coef_) >= 0]
        furthest = max(furthest, -float((shown @ h).min()) / (_M / 2))
        reached.append(furthest)
    return Exploration(seed, furthest, tuple(reached))


WORK = Work(
    "lopsided.reproduce.sculley_2007",
    {"Exploration": Exploration, "Path": PlanePath, "Reduction": Reduction, "Simulation": Simulation},
)
