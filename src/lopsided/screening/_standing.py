"""The progress of a person who labels: counts, what is left, and which stopping rules fire."""

from typing import Any, NamedTuple

from lopsided.screening._remaining import Remaining
from lopsided.screening._session import ScreeningSession
from lopsided.screening._stopping import StopReason


class LabelingProgress(NamedTuple):
    """The progress of a session.

    Examples
    --------
    >>> LabelingProgress(n_labels=42, n_yes=7, n_skipped=3, n_left=455).n_yes
    7
    """

    n_labels: int
    n_yes: int
    n_skipped: int
    n_left: int  # texts not yet asked about
    estimate: Remaining | None = None
    stop_reasons: tuple[StopReason, ...] = ()

    @property
    def fired(self) -> list[StopReason]:
        """The stopping rules that fire."""
        return [reason for reason in self.stop_reasons if reason.fires]

    @property
    def stop(self) -> str | None:
        """The rule on what is left that fires, or "exhausted" when no text is left; None while none fires."""
        if not self.n_left:
            return "exhausted"
        return next((reason.rule for reason in self.fired if reason.rule != "saturation"), None)

    def as_record(self) -> dict[str, Any]:
        """Return all of it for JSON; the numbers of the estimate are None where it cannot tell."""
        told = self.estimate if self.estimate is not None and self.estimate.can_tell else None
        return {
            "n_labels": self.n_labels,
            "n_yes": self.n_yes,
            "n_skipped": self.n_skipped,
            "n_left": self.n_left,
            "yes_left": None if told is None else round(told.left, 1),
            "yes_left_low": None if told is None else told.low,
            "yes_left_high": None if told is None else told.high,
            "estimate": "" if self.estimate is None else self.estimate.sentence,
            "stop_rules": [reason.rule for reason in self.fired],
            "stop": self.stop,
        }


def measure_progress(session: ScreeningSession) -> LabelingProgress:
    """Return counts of a screening session, what is left, and what the stopping rules say.

    Examples
    --------
    >>> measure_progress(ScreeningSession(["a ship", "wheat", "corn"])).n_left
    3
    """
    n_labels, n_left = session.n_labels, session.n_left
    return LabelingProgress(
        n_labels=n_labels,
        n_yes=session.n_found,
        n_skipped=session.n_items - n_labels - n_left,
        n_left=n_left,
        estimate=session.estimate(),
        stop_reasons=tuple(session.stop_reasons()),
    )
