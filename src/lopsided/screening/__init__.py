"""Find the few documents that matter: what to show next, when to stop, how much is left."""

from lopsided.screening._duplicates import DuplicateIndex, group_duplicates
from lopsided.screening._evidence import RecordEvidence, Term
from lopsided.screening._progress import Curve, RecallCurve, expected_labels_for_next, recall_curve
from lopsided.screening._question import Question
from lopsided.screening._record import Reason, Screened
from lopsided.screening._remaining import Remaining, estimate_remaining
from lopsided.screening._session import ScreeningSession
from lopsided.screening._simulate import SimulatedScreening, simulate
from lopsided.screening._stop_plan import PlanVerdict, StopPlan, judge_plan
from lopsided.screening._stopping import StopReason, can_stop, stop_reasons
from lopsided.screening._strategies import STRATEGIES

__all__ = [
    "STRATEGIES",
    "Curve",
    "DuplicateIndex",
    "PlanVerdict",
    "Question",
    "Reason",
    "RecallCurve",
    "RecordEvidence",
    "Remaining",
    "Screened",
    "ScreeningSession",
    "SimulatedScreening",
    "StopPlan",
    "StopReason",
    "Term",
    "can_stop",
    "estimate_remaining",
    "expected_labels_for_next",
    "group_duplicates",
    "judge_plan",
    "recall_curve",
    "simulate",
    "stop_reasons",
]
