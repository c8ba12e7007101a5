"""Learners, what they do to see labels, and the parameters that are tried."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lopsided.experiments import check_name
from lopsided.feedback import AppleTasting, EpsilonGreedy, LabelEfficient, OneSidedFilter, SoftmaxExplorer
from lopsided.online import MarginPerceptron, RelaxedOnlineSVM
from lopsided.papers.sculley_2007.data import Stream

MARGIN_LEARNERS = ("ROSVM", "PWM")  # relaxed online SVM, perceptron with margins
LEARNERS = (*MARGIN_LEARNERS, "Perceptron")
PLAIN, EFFICIENT, TASTING, FULL = "unmodified", "label efficient", "apple tasting", "full feedback"
BIASED, GREEDY, SOFTMAX = "threshold bias", "epsilon-greedy", "softmax"
DELAY, PARTIAL = "delay", "partial"  # TREC's tasks: feedback for the first messages; for some of them
VARIANTS = (PLAIN, EFFICIENT, TASTING)
OTHERS = (BIASED, GREEDY, SOFTMAX)
N_DELAY = 10_000  # messages with feedback in TREC's task "delay"

EXPLORERS = {  # and the name of their parameter
    EFFICIENT: (LabelEfficient, "beta"),
    TASTING: (AppleTasting, None),
    GREEDY: (EpsilonGreedy, "epsilon"),
    SOFTMAX: (SoftmaxExplorer, "temperature"),
}
BIASES = (0.0, 0.008, 0.016, 0.032, 0.064, 0.128, 0.25, 0.75, 1.0)
COSTS = {
    "ROSVM": (0.001, 0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.125, 0.25, 0.5)
    + (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0),  # C of negatives, beside 100 for positives
    "PWM": (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0),  # step of positives, beside 1 for negatives
}
C = 100.0
BETA_REUTERS = 1e-4
_DECADES = tuple(10.0**k for k in range(-5, 2))
GRIDS: dict[str, tuple[float, ...]] = {  # tried on the tuning stream, those that explore least first
    EFFICIENT: _DECADES,
    BIASED: BIASES[1:],
    GREEDY: _DECADES[:5],  # a probability: up to 0.1
    SOFTMAX: _DECADES,
}


@dataclass(frozen=True)
class Method:
    """A learner, what it does to see labels, and what it is told about costs."""

    learner: str
    variant: str = PLAIN
    parameter: float | None = None
    """Beta, epsilon or temperature of the explorer."""
    bias: float = 0.0
    cost: float | None = None
    """See ``COSTS``; None: both classes cost the same."""

    @property
    def name(self) -> str:
        """Return learner and variant; the learner alone stands for the unmodified one."""
        return self.learner if self.variant == PLAIN else f"{self.learner} + {self.variant}"

    @property
    def draws(self) -> bool:
        """Return whether runs with different seeds differ."""
        return self.variant in EXPLORERS


def names(learners: Sequence[str], variants: Sequence[str]) -> list[str]:
    """Return the names of all learners with all variants."""
    return [Method(learner, variant).name for learner in learners for variant in variants]


def candidates(learner: str, variant: str) -> list[Method]:
    """Return a method with each value of its grid."""
    if variant == BIASED:
        return [Method(learner, variant, bias=value) for value in GRIDS[variant]]
    return [Method(learner, variant, value) for value in GRIDS[variant]]


def weighed(by_cost: bool) -> list[Method]:
    """Return the methods of Tables 2 and 3, each with every bias or every cost of its learner."""
    betas = {variant: BETA_REUTERS if variant == EFFICIENT else None for variant in VARIANTS}
    methods = [Method(learner, *beta) for learner in MARGIN_LEARNERS for beta in betas.items()]
    if by_cost:
        return [replace(method, cost=cost) for method in methods for cost in COSTS[method.learner]]
    return [replace(method, bias=bias) for method in methods for bias in BIASES]


def make_filter(method: Method, seed: int) -> OneSidedFilter:
    """Return the learner and explorer of a method, which have seen nothing."""
    check_name("learner", method.learner, LEARNERS)
    learner: Any
    if method.learner == "ROSVM":
        weights = None if method.cost is None else {0: method.cost / C, 1: 1.0}
        learner = RelaxedOnlineSVM(C=C, buffer_size=1000, class_weight=weights)
    else:
        weights = None if method.cost is None else {0: 1.0, 1: method.cost}
        margin = 2.0 if method.learner == "PWM" else 0.0
        learner = MarginPerceptron(margin=margin, eta0=1.0, class_weight=weights)
    explorer = make_explorer(method.variant, method.parameter)
    return OneSidedFilter(learner, explorer, bias=method.bias, random_state=seed)


def make_explorer(variant: str, value: float | None) -> Any:
    """Return the explorer of a variant with its parameter; None where it has none."""
    check_name("variant", variant, (PLAIN, FULL, BIASED, DELAY, PARTIAL, *EXPLORERS))
    if variant not in EXPLORERS:
        return None
    kind, parameter = EXPLORERS[variant]
    return kind(**{parameter: value} if parameter else {})


def feedback_on(stream: Stream, variant: str) -> Any:
    """Return which labels are revealed, as `lopsided.run_stream` takes it."""
    if variant == DELAY:
        return np.arange(len(stream.y)) < N_DELAY
    if variant == PARTIAL:
        if stream.partial is None:
            raise ValueError(f"{stream.name} does not say where feedback is given. Use trec07p.")
        return np.asarray(stream.partial) == 1
    return "full" if variant == FULL else "one-sided"
