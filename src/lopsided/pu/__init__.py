"""Positives and unlabeled data: find more like these, with nobody to say what is negative."""

from lopsided.pu._find import find_more
from lopsided.pu._find_report import FindRecord, FindReport
from lopsided.pu._folds import PositiveUnlabeledFold
from lopsided.pu._mapping_convergence import SMC, SVMC, MappingConvergence
from lopsided.pu._pebl import PEBL
from lopsided.pu._roc_svm import RocSVM
from lopsided.pu._share import PositiveShare, estimate_positive_share
from lopsided.pu._spy_em import SpyEM

__all__ = [
    "PEBL",
    "SMC",
    "SVMC",
    "FindRecord",
    "FindReport",
    "MappingConvergence",
    "PositiveShare",
    "PositiveUnlabeledFold",
    "RocSVM",
    "SpyEM",
    "estimate_positive_share",
    "find_more",
]
