"""Find the few documents that matter: what to show next, when to stop, how much is left."""

from lopsided.screening._evidence import RecordEvidence, Term
from lopsided.screening._record import Reason, Screened
from lopsided.screening._remaining import Remaining, estimate_remaining
from lopsided.screening._session import Curve, Question, ScreeningSession
from lopsided.screening._simulate import SimulatedScreening, simulate
from lopsided.screening._stopping import StopReason, stop_reasons
from lopsided.screening._strategies import STRATEGIES

__all__ = [
    "STRATEGIES",
    "Curve",
    "Question",
    "Reason",
    "RecordEvidence",
    "Remaining",
    "Screened",
    "ScreeningSession",
    "SimulatedScreening",
    "StopReason",
    "Term",
    "estimate_remaining",
    "simulate",
    "stop_reasons",
]
