"""The settings page: the question, labels, tags, the strategy and the stopping rules."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from lopsided.screening import STRATEGIES, StopPlan
from lopsided.screening._stop_plan import RULES
from lopsided.web._access import INTENDED, Administers, Asks
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble
from lopsided.web._numbers import Id
from lopsided.web._plan import EXPLAINED, stop_plan, with_plan
from lopsided.web._templates import render

router = APIRouter()
_TAKEN = frozenset("sutocme/?")  # keys that do something else
_STRATEGIES = {
    "mixed": "the most likely item; now and then one drawn at random (recommended)",
    "most likely": "always the most likely item; without random checks, what is left is harder to estimate",
    "border": "the item the model is least sure about: good for training a model, slow at finding everything",
    "random": "items drawn at random: slow, with the most reliable estimate of what is left",
}
Short = Annotated[str, Form(max_length=200)]


@router.get("/settings")
def show_settings(request: Request, visitor: Asks, saved: bool = False) -> Response:
    """Show the settings of the project."""
    desk: Desk = request.app.state.desk
    return render(
        request,
        "settings",
        title="Settings",
        visitor=visitor,
        settings=desk.store.project,
        labels=desk.store.labels(),
        tags=desk.store.tags(),
        strategies={name: _STRATEGIES.get(name, "") for name in STRATEGIES},
        plan=stop_plan(desk.store.project),
        rules={name: EXPLAINED[name] for name in RULES},
        saved=saved,
    )


@router.post("/settings", dependencies=[INTENDED])
def save_settings(
    request: Request,
    visitor: Administers,
    name: Short,
    question: Annotated[str, Form(max_length=2000)] = "",
    criteria: Annotated[str, Form(max_length=20000)] = "",
    highlights: Annotated[str, Form(max_length=2000)] = "",
    strategy: Short = "mixed",
    reviewers_per_item: Annotated[int, Form(ge=1, le=9)] = 1,
    blind: Annotated[bool, Form()] = False,
) -> Response:
    """Save the settings of the form."""
    desk: Desk = request.app.state.desk
    if strategy not in STRATEGIES:
        raise Trouble(f"There is no strategy '{strategy}'. Choose one of: {', '.join(STRATEGIES)}.", 422)
    before = desk.store.project
    after = desk.store.update_project(
        name=name.strip() or before.name,
        question=question.strip(),
        criteria=criteria.strip(),
        highlights=list(dict.fromkeys(highlights.replace(",", " ").split())),
        strategy=strategy,
        reviewers_per_item=reviewers_per_item,
        blind=blind,
    )
    if (before.strategy, before.question) != (after.strategy, after.question):
        desk.start_anew()
    return RedirectResponse("/settings?saved=1", 303)


@router.post("/settings/stopping", dependencies=[INTENDED])
def save_plan(
    request: Request,
    visitor: Administers,
    rules: Annotated[
        list[Literal["target recall", "run of irrelevant", "saturation"]], Form(max_length=9)
    ] = [],  # noqa: B006
    combine: Annotated[Literal["all", "any"], Form()] = "all",
    target: Annotated[float, Form(ge=1, le=100)] = 95,
    confidence: Annotated[float, Form(ge=50, le=99.9)] = 95,
    run_length: Annotated[int, Form(ge=1, le=100_000)] = 50,
) -> Response:
    """Keep the stopping rules that the form names, and their numbers in percent and in answers."""
    desk: Desk = request.app.state.desk
    chosen = tuple(name for name in RULES if name in rules)
    plan = StopPlan(chosen, combine, target / 100, confidence / 100, run_length)
    desk.change(lambda: desk.store.update_project(options=with_plan(desk.store.project.options, plan)))
    return RedirectResponse("/settings?saved=1#stopping", 303)


@router.post("/settings/label", dependencies=[INTENDED])
def add_label(
    request: Request,
    visitor: Administers,
    name: Short,
    relevant: Annotated[bool, Form()] = False,
    key: Short = "",
) -> Response:
    """Add a label."""
    desk: Desk = request.app.state.desk
    key = key.strip().lower()[:1]
    if key in _TAKEN or any(label.key == key for label in desk.store.labels() if key):
        raise Trouble(f"The key '{key}' is already in use. Choose another one.", 409)
    desk.add_label(name, relevant, key)
    return RedirectResponse("/settings#labels", 303)


@router.post("/settings/tag", dependencies=[INTENDED])
def add_tag(request: Request, visitor: Administers, name: Short, kind: Short = "tag") -> Response:
    """Add a tag, or a reason to exclude items."""
    request.app.state.desk.store.add_tag(name, kind)
    return RedirectResponse("/settings#tags", 303)


@router.post("/settings/tag/{tag}", dependencies=[INTENDED])
def retire_tag(
    request: Request, visitor: Administers, tag: Id, retired: Annotated[bool, Form()] = False
) -> Response:
    """Retire a tag, or bring it back."""
    request.app.state.desk.store.update_tag(tag, retired=retired)
    return RedirectResponse("/settings#tags", 303)
