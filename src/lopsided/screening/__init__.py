"""Find the few documents that matter: what to show next, when to stop, how much is left."""

from lopsided.screening._evidence import Evidence, Term
from lopsided.screening._record import Reason, Screened
from lopsided.screening._remaining import Estimate, estimate_remaining
from lopsided.screening._session import Curve, Question, ScreeningSession
from lopsided.screening._stopping import StopReason, stop_reasons
from lopsided.screening._strategies import STRATEGIES

__all__ = [
    "STRATEGIES",
    "Curve",
    "Estimate",
    "Evidence",
    "Question",
    "Reason",
    "Screened",
    "ScreeningSession",
    "StopReason",
    "Term",
    "estimate_remaining",
    "stop_reasons",
]
