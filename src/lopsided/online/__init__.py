"""Linear learners that take in one example at a time."""

from lopsided.online._margin_perceptron import MarginPerceptron
from lopsided.online._online_svm import OnlineSVM
from lopsided.online._regressor import OnlineRegressor
from lopsided.online._relaxed_online_svm import RelaxedOnlineSVM
from lopsided.online._winnow import Winnow

__all__ = ["MarginPerceptron", "OnlineRegressor", "OnlineSVM", "RelaxedOnlineSVM", "Winnow"]
