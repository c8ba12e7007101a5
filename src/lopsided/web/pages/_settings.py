"""The page of settings: what is looked for, the labels, the tags, and how the next item is chosen."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from lopsided.screening import STRATEGIES
from lopsided.web._access import INTENDED, Administers, Asks
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble
from lopsided.web._numbers import Id
from lopsided.web._templates import render

router = APIRouter()
_TAKEN = frozenset("sutocme/?")  # keys that do something else
_EXPLAINED = {
    "mixed": "the most likely one; now and then one drawn at random (recommended)",
    "most likely": "always the one that is most likely relevant",
    "border": "the one about which the model is least sure: it trains a model, and does not find all",
    "random": "drawn at random: slow, and the most honest estimate",
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
        strategies={name: _EXPLAINED.get(name, "") for name in STRATEGIES},
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
    """Keep what the form says."""
    desk: Desk = request.app.state.desk
    if strategy not in STRATEGIES:
        raise Trouble(f"There is no strategy '{strategy}'. Choose one of {', '.join(STRATEGIES)}.", 422)
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
        raise Trouble(f"The key '{key}' does something already. Choose another letter.", 409)
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
