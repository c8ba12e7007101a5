"""The screening page: one item at a time."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from lopsided._wording import pluralize
from lopsided.web._access import INTENDED, Asks
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble
from lopsided.web._numbers import IdOrNone
from lopsided.web._templates import render
from lopsided.web._view import screen_values

router = APIRouter()
_NOTES = {"undone": "Your last answer was undone.", "nothing": "There is nothing to undo."}


@router.get("/screen")
def show_item(request: Request, visitor: Asks, item: IdOrNone = 0, note: str = "") -> Response:
    """Show the item that a reviewer has before them."""
    desk: Desk = request.app.state.desk
    if not desk.is_ready:
        return render(request, "preparing", title="Reading", visitor=visitor, desk=desk, status_code=503)
    if item:
        desk.show(visitor.id, item)
        return RedirectResponse("/screen", 303)
    shown = desk.next(visitor.id)
    if shown is None and desk.is_behind:
        return render(request, "preparing", title="Reading", visitor=visitor, desk=desk, status_code=503)
    if note.startswith("found-") and note[6:].isdecimal():
        told = describe_search(int(note[6:]))
    else:
        told = _NOTES.get(note, "")
    return render(
        request,
        "screen",
        title="Screen",
        visitor=visitor,
        note=told,
        searched="",
        **screen_values(desk, visitor, shown),
    )


@router.post("/screen/answer", dependencies=[INTENDED])
def take_answer(
    request: Request,
    visitor: Asks,
    label: Annotated[str, Form(max_length=9)],
    item: Annotated[IdOrNone, Form()] = 0,
    reason: Annotated[str, Form(max_length=40)] = "given",
    token: Annotated[str, Form(max_length=90)] = "",
) -> Response:
    """Take an answer of the form, for browsers that run no script."""
    desk: Desk = request.app.state.desk
    if label == "undo":
        undone = desk.undo(visitor.id, token + "-undo")
        return RedirectResponse(f"/screen?note={'nothing' if undone is None else 'undone'}", 303)
    if not item or not token:
        raise Trouble("The answer names no item. Go back and try again.", 422)
    if label != "skip" and not label.isdecimal():
        raise Trouble("The answer names no label. Go back and try again.", 422)
    chosen = None if label == "skip" else int(label)
    desk.answer(visitor.id, item, chosen, reason=reason, token=token)
    return RedirectResponse("/screen", 303)


@router.post("/screen/search", dependencies=[INTENDED])
def search_words(request: Request, visitor: Asks, words: Annotated[str, Form()] = "") -> Response:
    """Show items with these words first."""
    n = request.app.state.desk.search(visitor.id, words.strip())
    return RedirectResponse(f"/screen?note=found-{n}" if words.strip() else "/screen", 303)


def describe_search(n: int) -> str:
    """Return what a search found, in a sentence.

    Parameters
    ----------
    n : int
        How many items match.
    """
    if not n:
        return "No remaining item contains any of these words."
    return f"{pluralize(n, 'item')} with these words, best match first."
