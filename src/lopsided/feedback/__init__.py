"""Learning where a label comes back only for what was shown.

Names are loaded on first use: the mail filter takes its gate from here, and must not wait for scikit-learn.
"""

from typing import TYPE_CHECKING

from lopsided._lazy import load_on_first_use

if TYPE_CHECKING:
    from lopsided.feedback._decision import Decision as Decision
    from lopsided.feedback._explorers import AppleTasting as AppleTasting
    from lopsided.feedback._explorers import EpsilonGreedy as EpsilonGreedy
    from lopsided.feedback._explorers import LabelEfficient as LabelEfficient
    from lopsided.feedback._explorers import SoftmaxExplorer as SoftmaxExplorer
    from lopsided.feedback._filter import OneSidedFilter as OneSidedFilter
    from lopsided.feedback._missed import MissedEstimate as MissedEstimate
    from lopsided.feedback._missed import missed_positives as missed_positives
    from lopsided.feedback._report import StreamReport as StreamReport
    from lopsided.feedback._stream import run_stream as run_stream
    from lopsided.feedback._value_report import ValueReport as ValueReport
    from lopsided.feedback._values import ValueFilter as ValueFilter
    from lopsided.feedback._values import run_value_stream as run_value_stream

_HOME = {
    "AppleTasting": "_explorers",
    "Decision": "_decision",
    "EpsilonGreedy": "_explorers",
    "LabelEfficient": "_explorers",
    "MissedEstimate": "_missed",
    "OneSidedFilter": "_filter",
    "SoftmaxExplorer": "_explorers",
    "StreamReport": "_report",
    "ValueFilter": "_values",
    "ValueReport": "_value_report",
    "missed_positives": "_missed",
    "run_stream": "_stream",
    "run_value_stream": "_values",
}
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
__getattr__ = load_on_first_use(__name__, _HOME)
