"""Learning from lopsided labels.

Positives are rare, or only positives are known, or labels come back only for what was shown, or the
test data hold a class nobody expected. Every public name is importable from here; each is loaded from
its folder on first use, so that ``import lopsided`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lopsided import boosting as boosting
    from lopsided import datasets as datasets
    from lopsided import feedback as feedback
    from lopsided import metrics as metrics
    from lopsided import online as online
    from lopsided import plot as plot
    from lopsided import pu as pu
    from lopsided import svm as svm
    from lopsided import text as text
    from lopsided import unexpected as unexpected
    from lopsided import utils as utils
    from lopsided._persistence import load as load
    from lopsided._persistence import save as save
    from lopsided.boosting import AdaBoostStumps as AdaBoostStumps
    from lopsided.boosting import AdaUBoostStumps as AdaUBoostStumps
    from lopsided.boosting import LPBoostStumps as LPBoostStumps
    from lopsided.boosting import LPUBoostStumps as LPUBoostStumps
    from lopsided.boosting import LPUBoostStumpsCV as LPUBoostStumpsCV
    from lopsided.boosting import Rule as Rule
    from lopsided.boosting import RuleList as RuleList
    from lopsided.boosting import RuleReport as RuleReport
    from lopsided.boosting import find_rules as find_rules
    from lopsided.boosting import load_rules as load_rules
    from lopsided.datasets import fetch_citeseer as fetch_citeseer
    from lopsided.datasets import fetch_covtype as fetch_covtype
    from lopsided.datasets import fetch_kdd99 as fetch_kdd99
    from lopsided.datasets import fetch_mnist as fetch_mnist
    from lopsided.datasets import fetch_newsgroups as fetch_newsgroups
    from lopsided.datasets import fetch_reuters21578 as fetch_reuters21578
    from lopsided.datasets import fetch_screening as fetch_screening
    from lopsided.datasets import fetch_spamassassin as fetch_spamassassin
    from lopsided.datasets import fetch_table as fetch_table
    from lopsided.datasets import fetch_trec05p as fetch_trec05p
    from lopsided.datasets import fetch_trec06p as fetch_trec06p
    from lopsided.datasets import fetch_trec07p as fetch_trec07p
    from lopsided.datasets import fetch_uci as fetch_uci
    from lopsided.datasets import fetch_usps as fetch_usps
    from lopsided.datasets import fetch_webkb as fetch_webkb
    from lopsided.datasets import make_islands as make_islands
    from lopsided.datasets import make_lopsided as make_lopsided
    from lopsided.datasets import make_one_sided as make_one_sided
    from lopsided.datasets import make_topics as make_topics
    from lopsided.datasets import make_waveform as make_waveform
    from lopsided.feedback import AppleTasting as AppleTasting
    from lopsided.feedback import Decision as Decision
    from lopsided.feedback import EpsilonGreedy as EpsilonGreedy
    from lopsided.feedback import LabelEfficient as LabelEfficient
    from lopsided.feedback import MissedEstimate as MissedEstimate
    from lopsided.feedback import OneSidedFilter as OneSidedFilter
    from lopsided.feedback import SoftmaxExplorer as SoftmaxExplorer
    from lopsided.feedback import StreamReport as StreamReport
    from lopsided.feedback import ValueFilter as ValueFilter
    from lopsided.feedback import ValueReport as ValueReport
    from lopsided.feedback import missed_positives as missed_positives
    from lopsided.feedback import run_stream as run_stream
    from lopsided.feedback import run_value_stream as run_value_stream
    from lopsided.metrics import average_ranks as average_ranks
    from lopsided.metrics import geometric_mean_score as geometric_mean_score
    from lopsided.metrics import label_cost as label_cost
    from lopsided.metrics import lee_liu_score as lee_liu_score
    from lopsided.metrics import lee_liu_scorer as lee_liu_scorer
    from lopsided.metrics import prbep_score as prbep_score
    from lopsided.metrics import wilcoxon_signed_rank as wilcoxon_signed_rank
    from lopsided.metrics import work_saved_over_sampling as work_saved_over_sampling
    from lopsided.online import MarginPerceptron as MarginPerceptron
    from lopsided.online import OnlineRegressor as OnlineRegressor
    from lopsided.online import OnlineSVM as OnlineSVM
    from lopsided.online import RelaxedOnlineSVM as RelaxedOnlineSVM
    from lopsided.online import Winnow as Winnow
    from lopsided.plot import BoundaryDisplay as BoundaryDisplay
    from lopsided.plot import LabelCurve as LabelCurve
    from lopsided.plot import LabelCurveDisplay as LabelCurveDisplay
    from lopsided.plot import MarginImbalance as MarginImbalance
    from lopsided.plot import MarginImbalanceDisplay as MarginImbalanceDisplay
    from lopsided.plot import StreamDisplay as StreamDisplay
    from lopsided.plot import SupportRatioDisplay as SupportRatioDisplay
    from lopsided.plot import label_curve as label_curve
    from lopsided.plot import margin_imbalance as margin_imbalance
    from lopsided.plot import mean_label_curve as mean_label_curve
    from lopsided.pu import PEBL as PEBL
    from lopsided.pu import SMC as SMC
    from lopsided.pu import SVMC as SVMC
    from lopsided.pu import FindReport as FindReport
    from lopsided.pu import MappingConvergence as MappingConvergence
    from lopsided.pu import PositiveShare as PositiveShare
    from lopsided.pu import PositiveUnlabeledFold as PositiveUnlabeledFold
    from lopsided.pu import RocSVM as RocSVM
    from lopsided.pu import SpyEM as SpyEM
    from lopsided.pu import estimate_positive_share as estimate_positive_share
    from lopsided.pu import find_more as find_more
    from lopsided.svm import LASVC as LASVC
    from lopsided.svm import LASVCCV as LASVCCV
    from lopsided.svm import pool_size_for as pool_size_for
    from lopsided.text import ByteGramVectorizer as ByteGramVectorizer
    from lopsided.text import StemmedVectorizer as StemmedVectorizer
    from lopsided.text import iter_documents as iter_documents
    from lopsided.text import mail_text as mail_text
    from lopsided.text import read_documents as read_documents
    from lopsided.unexpected import LGN as LGN
    from lopsided.unexpected import ArtificialNegatives as ArtificialNegatives
    from lopsided.unexpected import OpenSetClassifier as OpenSetClassifier
    from lopsided.unexpected import UnexpectedDetector as UnexpectedDetector
    from lopsided.unexpected import UnexpectedReport as UnexpectedReport
    from lopsided.unexpected import find_unexpected as find_unexpected

# folder -> the public names that live in it
_PUBLIC = {
    "_persistence": ("load", "save"),
    "boosting": (
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
    ),
    "datasets": (
        "fetch_citeseer",
        "fetch_covtype",
        "fetch_kdd99",
        "fetch_mnist",
        "fetch_newsgroups",
        "fetch_reuters21578",
        "fetch_screening",
        "fetch_spamassassin",
        "fetch_table",
        "fetch_trec05p",
        "fetch_trec06p",
        "fetch_trec07p",
        "fetch_uci",
        "fetch_usps",
        "fetch_webkb",
        "make_islands",
        "make_lopsided",
        "make_one_sided",
        "make_topics",
        "make_waveform",
    ),
    "feedback": (
        "AppleTasting",
        "Decision",
        "EpsilonGreedy",
        "LabelEfficient",
        "MissedEstimate",
        "OneSidedFilter",
        "SoftmaxExplorer",
        "StreamReport",
        "ValueFilter",
        "ValueReport",
        "missed_positives",
        "run_stream",
        "run_value_stream",
    ),
    "metrics": (
        "average_ranks",
        "geometric_mean_score",
        "label_cost",
        "lee_liu_score",
        "lee_liu_scorer",
        "prbep_score",
        "wilcoxon_signed_rank",
        "work_saved_over_sampling",
    ),
    "online": ("MarginPerceptron", "OnlineRegressor", "OnlineSVM", "RelaxedOnlineSVM", "Winnow"),
    "plot": (
        "BoundaryDisplay",
        "LabelCurve",
        "LabelCurveDisplay",
        "MarginImbalance",
        "MarginImbalanceDisplay",
        "StreamDisplay",
        "SupportRatioDisplay",
        "label_curve",
        "margin_imbalance",
        "mean_label_curve",
    ),
    "pu": (
        "PEBL",
        "SMC",
        "SVMC",
        "FindReport",
        "MappingConvergence",
        "PositiveShare",
        "PositiveUnlabeledFold",
        "RocSVM",
        "SpyEM",
        "estimate_positive_share",
        "find_more",
    ),
    "svm": ("LASVC", "LASVCCV", "pool_size_for"),
    "text": ("ByteGramVectorizer", "StemmedVectorizer", "iter_documents", "mail_text", "read_documents"),
    "unexpected": (
        "LGN",
        "ArtificialNegatives",
        "OpenSetClassifier",
        "UnexpectedDetector",
        "UnexpectedReport",
        "find_unexpected",
    ),
}
_SUBPACKAGES = (
    "bench",
    "boosting",
    "cli",
    "datasets",
    "demo",
    "feedback",
    "mail",
    "metrics",
    "online",
    "plot",
    "pu",
    "reproduce",
    "svm",
    "text",
    "unexpected",
    "utils",
)
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted(
    [
        *_HOME,
        "boosting",
        "datasets",
        "feedback",
        "metrics",
        "online",
        "plot",
        "pu",
        "svm",
        "text",
        "unexpected",
        "utils",
    ]
)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("lopsided")
    if name in _SUBPACKAGES:
        return import_module(f"lopsided.{name}")
    if name in _HOME:
        value = getattr(import_module(f"lopsided.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'lopsided' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
