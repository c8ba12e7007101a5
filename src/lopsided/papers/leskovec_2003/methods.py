"""The boosters that the paper compares, with all their settings, and the SVM."""

from typing import Any, NamedTuple

import numpy as np

from lopsided.boosting import AdaBoostStumps, AdaUBoostStumps, LPBoostStumps, LPUBoostStumps
from lopsided.boosting._ensemble import Ensemble
from lopsided.boosting._training import boost_stumps
from lopsided.boosting._weak import LEARNERS
from lopsided.papers.leskovec_2003.data import CategoryTask

SVM, ADA, ADA_U, LP, LP_U = "SVM", "AdaBoost", "AdaUBoost", "LPBoost", "LPUBoost"
BOOSTERS = (ADA, ADA_U, LP, LP_U)
METHODS = (SVM, *BOOSTERS)
BETAS = (2, 4, 8)
N_ROUNDS, QUICK_ROUNDS = 300, 30


class Setting(NamedTuple):
    """A method and its parameters."""

    method: str
    learner: str = ""
    beta: float = 1.0
    nu: float = 0.0
    divisor: int = 0
    """The lower bound is the upper one divided by it; 0: there is none."""
    of_share: bool = False
    """Whether nu is a multiple of the share of positives in place of a share of all documents."""

    def __str__(self) -> str:
        if self.method == SVM:
            return "C 1"
        parts = [self.learner]
        if self.method in (ADA_U, LP_U):
            parts.append(f"beta {self.beta:g}")
        if self.nu:
            parts.append(f"nu {self.nu:g}{' of the share' if self.of_share else ''}")
        if self.divisor:
            parts.append(f"bound 1/{self.divisor}")
        return ", ".join(parts)


def _settings(
    betas: tuple[int, ...], pairs: tuple[tuple[float, int], ...], *, of_share: bool = False
) -> tuple[Setting, ...]:
    """Return the SVM and every booster with each weak learner, beta, and pair of nu and divisor."""
    settings = [Setting(SVM)]
    for learner in LEARNERS:
        settings.append(Setting(ADA, learner))
        settings += [Setting(ADA_U, learner, beta) for beta in betas]
        settings += [Setting(LP, learner, 1, *pair, of_share) for pair in pairs]
        settings += [Setting(LP_U, learner, beta, *pair, of_share) for pair in pairs for beta in betas]
    return tuple(settings)


PUBLISHED_SETTINGS = _settings(BETAS, ((0.1, 0), (0.1, 50), (0.2, 0), (0.2, 50)))
QUICK_SETTINGS = _settings((4,), ((0.1, 50), (0.2, 50)))
# Not the paper's: nu counts in shares of the positives, which leaves no room for lower bounds.
SHARE_SETTINGS = _settings(BETAS, ((0.25, 0), (0.5, 0), (1.0, 0), (2.0, 0)), of_share=True)
FOLLOWED_LEARNERS = ("real.mh", "real.lp"), ("disc.mh",)  # round by round; the second were added later


def followed(learners: tuple[str, ...]) -> tuple[Setting, ...]:
    """Return a setting of each booster with each of these learners."""
    return tuple(
        Setting(method, learner, *parameters)
        for learner in learners
        for method, *parameters in ((ADA,), (ADA_U, 4), (LP, 1, 0.1), (LP_U, 4, 0.1))
    )


def stand_in(setting: Setting) -> Setting:
    """Return the setting whose run stands for this one: the largest edge r is the smallest sqrt(1 - r^2)."""
    return setting._replace(learner="disc.mh") if setting.learner == "disc.lp" else setting


_LARGEST_NU = 0.9  # below 1, which would leave one model


def _booster(setting: Setting, n_rounds: int, share: float) -> Any:
    how: dict[str, Any] = {"weak_learner": setting.learner, "n_rounds": n_rounds}
    if setting.method == ADA:
        return AdaBoostStumps(**how)
    if setting.method == ADA_U:
        return AdaUBoostStumps(setting.beta, **how)
    nu = min(setting.nu * share, _LARGEST_NU) if setting.of_share else setting.nu
    how |= {"nu": nu, "lower_bound_divisor": setting.divisor or None}
    return LPBoostStumps(**how) if setting.method == LP else LPUBoostStumps(setting.beta, **how)


def boosted(task: CategoryTask, setting: Setting, n_rounds: int, **changed: Any) -> Ensemble:
    """Boost as `fit` does, on stumps that are indexed already and without its warnings."""
    booster = _booster(setting, n_rounds, float(np.mean(task.signs > 0))).set_params(**changed)
    return boost_stumps(booster, task.stumps, task.signs, np.ones(len(task.rows)))
