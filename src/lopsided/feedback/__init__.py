"""Learning where a label comes back only for what was shown."""

from lopsided.feedback._decision import Decision
from lopsided.feedback._explorers import AppleTasting, EpsilonGreedy, LabelEfficient, SoftmaxExplorer
from lopsided.feedback._filter import OneSidedFilter
from lopsided.feedback._missed import MissedEstimate, missed_positives
from lopsided.feedback._report import StreamReport
from lopsided.feedback._stream import run_stream
from lopsided.feedback._value_report import ValueReport
from lopsided.feedback._values import ValueFilter, run_value_stream

__all__ = [
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
]
