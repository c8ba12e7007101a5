"""Linear learners that take in one example at a time, and the protocol by which filters teach a learner.

Names are loaded on first use: the mail filter takes its learner from here, and must not wait for
scikit-learn.
"""

from typing import TYPE_CHECKING

from lopsided._lazy import load_on_first_use

if TYPE_CHECKING:
    from lopsided.online._base import OnlineLearner as OnlineLearner
    from lopsided.online._core_learner import CoreLearner as CoreLearner
    from lopsided.online._learner import Learner as Learner
    from lopsided.online._margin_perceptron import MarginPerceptron as MarginPerceptron
    from lopsided.online._online_svm import OnlineSVM as OnlineSVM
    from lopsided.online._regressor import OnlineRegressor as OnlineRegressor
    from lopsided.online._relaxed_online_svm import RelaxedOnlineSVM as RelaxedOnlineSVM
    from lopsided.online._rows import MeasuredRows as MeasuredRows
    from lopsided.online._winnow import Winnow as Winnow

_HOME = {
    "CoreLearner": "_core_learner",
    "Learner": "_learner",
    "MarginPerceptron": "_margin_perceptron",
    "MeasuredRows": "_rows",
    "OnlineLearner": "_base",
    "OnlineRegressor": "_regressor",
    "OnlineSVM": "_online_svm",
    "RelaxedOnlineSVM": "_relaxed_online_svm",
    "Winnow": "_winnow",
}
__all__ = [
    "CoreLearner",
    "Learner",
    "MarginPerceptron",
    "MeasuredRows",
    "OnlineLearner",
    "OnlineRegressor",
    "OnlineSVM",
    "RelaxedOnlineSVM",
    "Winnow",
]
__getattr__ = load_on_first_use(__name__, _HOME)
