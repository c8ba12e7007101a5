"""Uneven boosting: a short list of rules for a rare class."""

from lopsided.boosting._adaboost import AdaBoostStumps, AdaUBoostStumps
from lopsided.boosting._find import find_rules
from lopsided.boosting._lpboost import LPBoostStumps, LPUBoostStumps
from lopsided.boosting._report import RuleReport
from lopsided.boosting._rule_file import load_rules
from lopsided.boosting._rule_list import RuleList
from lopsided.boosting._rules import Rule
from lopsided.boosting._search import LPUBoostStumpsCV

__all__ = [
    "AdaBoostStumps",
    "AdaUBoostStumps",
    "LPBoostStumps",
    "LPUBoostStumps",
    "LPUBoostStumpsCV",
    "Rule",
    "RuleList",
    "RuleReport",
    "find_rules",
    "load_rules",
]
