"""The page that says how far one is, what is left, and when to stop."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from lopsided.web._access import Asks
from lopsided.web._curve import draw_curve
from lopsided.web._desk import Desk
from lopsided.web._templates import render
from lopsided.web._view import count

router = APIRouter()
_RULES = {
    "target recall": "Stops once the interval says that enough of all relevant items have been found.",
    "run of irrelevant": "Stops after many irrelevant answers in a row. It knows nothing of what is left.",
    "saturation": "Stops once further labels no longer change the model.",
}


@router.get("/progress")
def show_progress(request: Request, visitor: Asks) -> Response:
    """Show labels spent, items found, the estimate, the curve and each stopping rule."""
    desk: Desk = request.app.state.desk
    standing, labels = desk.standing, desk.store.labels()
    picture = None
    if standing is not None:
        picture = draw_curve(standing.curve, standing.stop_reasons)
    return render(
        request,
        "progress",
        title="Progress",
        visitor=visitor,
        standing=standing,
        numbers=count(desk, standing, labels),
        picture=picture,
        explained=_RULES,
    )
