"""The progress page: labels spent, the estimate of what is left, and when to stop."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from lopsided.web._access import Asks
from lopsided.web._curve import draw_curve
from lopsided.web._desk import Desk
from lopsided.web._plan import EXPLAINED, describe_plan
from lopsided.web._templates import render
from lopsided.web._view import count

router = APIRouter()


@router.get("/progress")
def show_progress(request: Request, visitor: Asks) -> Response:
    """Show labels spent, items found, the estimate, the curve and each stopping rule."""
    desk: Desk = request.app.state.desk
    standing, labels = desk.standing, desk.store.labels()
    picture = None
    if standing is not None:
        picture = draw_curve(standing.curve, [*standing.verdict.rules, standing.verdict.plan])
    return render(
        request,
        "progress",
        title="Progress",
        visitor=visitor,
        standing=standing,
        numbers=count(desk, standing, labels),
        picture=picture,
        explained=EXPLAINED,
        plan=None if standing is None else describe_plan(standing.plan),
    )
