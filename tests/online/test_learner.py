"""All that filters teach is a learner by one protocol, and the mail filter's is made as its estimator is."""

import inspect

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from lopsided.feedback._adapter import LearnerAdapter
from lopsided.mail._engine import MessageLearner
from lopsided.mail._features import columns_of
from lopsided.mail._settings import LEARNERS, Settings
from lopsided.mail._twin import learner_of
from lopsided.online import Learner, MarginPerceptron, OnlineSVM, RelaxedOnlineSVM, Winnow
from lopsided.online._recipes import perceptron_rule, svm_recipe

X, MESSAGE = np.array([[1.0, 0.0], [0.0, 1.0]]), columns_of(b"cheap pills", 2**10)
OURS = [MarginPerceptron, OnlineSVM, RelaxedOnlineSVM, Winnow]
ALL = [
    *((make(), X) for make in OURS),
    (LearnerAdapter(SGDClassifier()), X),
    *((MessageLearner(Settings.of(name, n_features=2**10)), MESSAGE) for name in LEARNERS),
]


def protocol():
    return {name: part for name, part in vars(Learner).items() if inspect.isfunction(part) and name[0] != "_"}


@pytest.mark.parametrize(("learner", "items"), ALL, ids=lambda each: type(each).__name__)
def test_they_take_what_the_protocol_says(learner, items):
    for name, method in protocol().items():
        wanted = list(inspect.signature(method).parameters)[1:]
        there = inspect.signature(getattr(learner, name)).parameters
        is_any = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in there.values())
        assert is_any or name == "rows" or list(there) == wanted, name
        assert len(there) == len(wanted) or is_any, name
    assert learner.rows_at_a_time > 0


@pytest.mark.parametrize(("learner", "items"), ALL, ids=lambda each: type(each).__name__)
def test_they_do_what_the_protocol_says(learner, items):
    assert not learner.knows_positives
    rows = learner.rows(items)
    assert len(learner.scores(rows)) == (2 if items is X else 1)
    before = learner.n_unfinished
    learner.learn(rows, 0, 1)
    learner.learn(rows, 0, -1)
    learner.warn_unfinished(before, 2)
    assert np.isfinite(learner.scores(rows)).all()
    assert isinstance(learner.state(), dict)
    assert learner.state()
    assert learner.knows_positives


@pytest.mark.parametrize("name", LEARNERS)
def test_the_mail_filter_learns_as_its_estimator(name):
    settings = Settings.of(name, n_features=2**10)
    ours, estimator = MessageLearner(settings), learner_of(settings)
    rows = ours.rows(MESSAGE)
    table = np.zeros((1, 2**10), np.float32)
    table[0, MESSAGE] = 1 / np.sqrt(len(MESSAGE))
    checked = estimator.rows(table)
    for sign in (1, -1, -1, 1):
        ours.learn(rows, 0, sign)
        estimator.learn(checked, 0, sign)
        np.testing.assert_allclose(ours.scores(rows), estimator.scores(checked), rtol=1e-6)


def defaults(make):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(make).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


@pytest.mark.parametrize(
    ("recipe", "estimator"), [(perceptron_rule, MarginPerceptron), (svm_recipe, RelaxedOnlineSVM)]
)
def test_defaults_of_recipes_are_those_of_the_estimators(recipe, estimator):
    costs = {"cost_negative": 1.0, "cost_positive": 1.0}  # class_weight=None
    known = defaults(estimator) | (costs if recipe is perceptron_rule else {})
    for name, value in defaults(recipe).items():
        assert value == known[name], name
