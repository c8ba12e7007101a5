from dataclasses import replace

import numpy as np
import pytest

from lopsided.papers.sculley_2007 import methods
from lopsided.papers.sculley_2007.data import Stream
from lopsided.papers.sculley_2007.methods import (
    BIASED,
    BIASES,
    COSTS,
    EFFICIENT,
    GRIDS,
    LEARNERS,
    MARGIN_LEARNERS,
    PARTIAL,
    TASTING,
    VARIANTS,
    Method,
    candidates,
    feedback_on,
    make_filter,
)


def test_costs_reach_the_learner():
    svm = make_filter(Method("ROSVM", cost=2.0), 0).learner
    assert (svm.C, svm.class_weight, svm.buffer_size) == (100.0, {0: 0.02, 1: 1.0}, 1000)
    assert (svm.update_margin, svm.max_passes) == (1.0, 1)
    pwm = make_filter(Method("PWM", cost=8.0, bias=0.25), 0)
    assert pwm.learner.class_weight == {0: 1.0, 1: 8.0}
    assert pwm.bias == 0.25
    assert (pwm.learner.margin, pwm.learner.eta0) == (2.0, 1.0)
    assert make_filter(Method("Perceptron"), 0).learner.margin == 0.0


def test_parameters_reach_the_explorer():
    assert make_filter(Method("PWM", EFFICIENT, 0.5), 0).explorer.beta == 0.5
    assert make_filter(Method("PWM", "epsilon-greedy", 0.1), 0).explorer.epsilon == 0.1
    assert make_filter(Method("PWM", "softmax", 2.0), 0).explorer.temperature == 2.0
    assert make_filter(Method("PWM", BIASED, bias=0.1), 0).explorer is None


STREAM = Stream("earn", np.eye(3), np.array([1, 0, 1]), np.array([0, 1, 1]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make_filter(Method("Winnow"), 0), "no learner 'Winnow'.*PWM"),
        (lambda: make_filter(Method("PWM", "greedy"), 0), "no variant 'greedy'.*epsilon-greedy"),
        (lambda: feedback_on(replace(STREAM, partial=None), PARTIAL), "earn.*trec07p"),
    ],
)
def test_names_that_are_not_there(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_feedback(monkeypatch):
    monkeypatch.setattr(methods, "N_DELAY", 2)
    assert feedback_on(STREAM, methods.DELAY).tolist() == [True, True, False]
    assert feedback_on(STREAM, PARTIAL).tolist() == [False, True, True]
    assert feedback_on(STREAM, methods.FULL) == "full"
    assert feedback_on(STREAM, TASTING) == "one-sided"


def test_the_grid_is_the_declared_one():
    assert GRIDS[EFFICIENT] == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10])
    assert len(BIASES) == 9
    assert BIASES[0] == 0
    assert [len(COSTS[learner]) for learner in MARGIN_LEARNERS] == [18, 8]


def test_candidates_have_each_value_of_the_grid():
    assert candidates("PWM", EFFICIENT) == [Method("PWM", EFFICIENT, b) for b in GRIDS[EFFICIENT]]
    assert candidates("PWM", BIASED) == [Method("PWM", BIASED, bias=b) for b in BIASES[1:]]


def test_methods_that_weigh_costs():
    by_bias, by_cost = methods.weighed(by_cost=False), methods.weighed(by_cost=True)
    assert len(by_bias) == 2 * 3 * 9
    assert len(by_cost) == 3 * (18 + 8)
    for found in (by_bias, by_cost):
        assert {m.parameter for m in found if m.variant == EFFICIENT} == {1e-4}
        assert {m.parameter for m in found if m.variant != EFFICIENT} == {None}
    assert {m.cost for m in by_bias} == {None}
    assert {m.bias for m in by_cost} == {0.0}
    assert {m.cost for m in by_cost if m.learner == "PWM"} == set(COSTS["PWM"])


def test_names():
    assert methods.names(LEARNERS[:2], VARIANTS[::2]) == [
        "ROSVM",
        "ROSVM + apple tasting",
        "PWM",
        "PWM + apple tasting",
    ]
