"""Scores that stay honest when classes are unequal or labels are missing."""

from lopsided.metrics._break_even import interpolated_break_even, prbep_score
from lopsided.metrics._cost import label_cost
from lopsided.metrics._counts import Counts, fbeta_score, geometric_mean_score, macro_fbeta, micro_fbeta
from lopsided.metrics._folds import RoundRobinFold, fold_fbeta_score, mean_fold_score
from lopsided.metrics._lee_liu import lee_liu_score, lee_liu_scorer
from lopsided.metrics._ranks import average_ranks, competition_ranks
from lopsided.metrics._roc import roc_auc_score, roc_curve
from lopsided.metrics._screening import average_time_to_discovery, work_saved_over_sampling
from lopsided.metrics._wilcoxon import WilcoxonResult, wilcoxon_signed_rank

__all__ = [
    "Counts",
    "RoundRobinFold",
    "WilcoxonResult",
    "average_ranks",
    "average_time_to_discovery",
    "competition_ranks",
    "fbeta_score",
    "fold_fbeta_score",
    "geometric_mean_score",
    "interpolated_break_even",
    "label_cost",
    "lee_liu_score",
    "lee_liu_scorer",
    "macro_fbeta",
    "mean_fold_score",
    "micro_fbeta",
    "prbep_score",
    "roc_auc_score",
    "roc_curve",
    "wilcoxon_signed_rank",
    "work_saved_over_sampling",
]
