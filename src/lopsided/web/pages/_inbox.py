"""The page of the inbox: what programs have sent, what waits for somebody, and how much is being missed."""

from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from lopsided.web._access import INTENDED, Asks
from lopsided.web._desk import Desk
from lopsided.web._numbers import Id
from lopsided.web._templates import render
from lopsided.web._view import item_heading

router = APIRouter()
_LISTED = 25


class Waiting(NamedTuple):
    """An item that waits for a label."""

    decision: Any
    item: Any
    heading: str


@router.get("/inbox")
def show_inbox(request: Request, visitor: Asks) -> Response:
    """Show what waits, and the report."""
    desk: Desk = request.app.state.desk
    waiting = []
    for decision in desk.store.waiting(limit=_LISTED):
        item = desk.store.item(decision.item_id)
        waiting.append(Waiting(decision, item, item_heading(item)))
    return render(
        request,
        "inbox",
        title="Inbox",
        visitor=visitor,
        waiting=waiting,
        report=request.app.state.inbox.report(),
        labels=desk.store.labels(),
        address=str(request.base_url),
    )


@router.post("/inbox/{item}", dependencies=[INTENDED])
def label_item(
    request: Request,
    visitor: Asks,
    item: Id,
    label: Annotated[Id, Form()],
    token: Annotated[str, Form(max_length=100)],
) -> Response:
    """Label an item that waits."""
    desk: Desk = request.app.state.desk
    decision = desk.store.decision(item)
    reason = "inbox check" if decision is not None and decision.explored else "inbox"
    desk.answer(visitor.id, item, label, reason=reason, token=token)
    return RedirectResponse("/inbox", 303)
