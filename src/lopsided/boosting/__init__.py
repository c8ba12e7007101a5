"""Uneven boosting: a short list of rules for a rare class."""

from lopsided.boosting._adaboost import AdaBoostStumps, AdaUBoostStumps
from lopsided.boosting._lpboost import LPBoostStumps, LPUBoostStumps
from lopsided.boosting._rules import Rule

__all__ = ["AdaBoostStumps", "AdaUBoostStumps", "LPBoostStumps", "LPUBoostStumps", "Rule"]
