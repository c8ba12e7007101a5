"""The stopping rules that a project follows, as its settings keep them."""

from typing import Any

from lopsided.screening import StopPlan

EXPLAINED = {
    "target recall": "Enough of the relevant items have been found, even at the upper end of the estimate of "
    "what is left. Only this rule measures how much you would miss.",
    "run of irrelevant": "Many answers in a row were not relevant. Simple and common, but it does not "
    "know how much is left.",
    "saturation": "New labels no longer change the model. It applies only to the strategy Border, and rarely "
    "fires there.",
}
_OPTION = "stopping"


def stop_plan(project: Any) -> StopPlan:
    """Return the plan of a project; the default one where none was chosen.

    Parameters
    ----------
    project : ProjectSettings
    """
    kept = project.options.get(_OPTION, {})
    return StopPlan(**{**kept, "rules": tuple(kept["rules"])}) if kept else StopPlan()


def with_plan(options: dict[str, Any], plan: StopPlan) -> dict[str, Any]:
    """Return the options of a project with another plan.

    Parameters
    ----------
    options : dict
    plan : StopPlan
    """
    return options | {_OPTION: plan._asdict() | {"rules": list(plan.rules)}}


def describe_plan(plan: StopPlan) -> str:
    """Return the rules of a plan in a few words.

    Parameters
    ----------
    plan : StopPlan

    Examples
    --------
    >>> describe_plan(StopPlan())
    '95 % recall with 95 % confidence, and 50 irrelevant answers in a row'
    """
    words = {
        "target recall": f"{100 * plan.target_recall:g} % recall with {100 * plan.confidence:g} % confidence",
        "run of irrelevant": f"{plan.run_length:,} irrelevant answers in a row",
        "saturation": f"a model that {plan.run_length:,} answers hardly change",
    }
    chosen = [words[rule] for rule in plan.rules]
    return (", and " if plan.combine == "all" else ", or ").join(chosen) or "no rule"
