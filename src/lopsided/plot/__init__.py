"""Pictures of borders, boundaries and streams, and the numbers behind them; matplotlib comes late."""

from lopsided.plot._boundary import BoundaryDisplay
from lopsided.plot._label_curve import LabelCurve, label_curve, mean_label_curve
from lopsided.plot._label_curve_display import LabelCurveDisplay
from lopsided.plot._margin import MarginImbalance, MarginImbalanceDisplay, margin_imbalance
from lopsided.plot._stream import StreamDisplay
from lopsided.plot._support_ratio import SupportRatioDisplay

__all__ = [
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
]
