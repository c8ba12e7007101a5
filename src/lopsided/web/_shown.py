"""The item before a reviewer, and the state of the model."""

from typing import Any, NamedTuple


class ShownNow(NamedTuple):
    """An item before a reviewer.

    Parameters
    ----------
    item_id : int
    reason : str
        Why it is shown.
    probability : float or None
        Of being relevant, as the model had it.
    token : str
        What comes back with the answer, so that it counts once.
    since : float
        When it was shown.
    """

    item_id: int
    reason: str
    probability: float | None
    token: str
    since: float


class ModelStanding(NamedTuple):
    """The state of the model at some number of labels.

    Parameters
    ----------
    n_events : int
        How many events of the log it knows.
    estimate : Estimate
    plan : StopPlan
        The stopping rules that the project follows.
    verdict : PlanVerdict
        What each rule says, and what the plan makes of it.
    terms : tuple of Term
    curve : Curve
    """

    n_events: int
    estimate: Any
    plan: Any
    verdict: Any
    terms: tuple[Any, ...]
    curve: Any
