"""The API: what programs and the scripts of the pages ask. It is described at ``/api/openapi.json``."""

import math
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from lopsided.text import Record
from lopsided.web._access import INTENDED, Asks
from lopsided.web._desk import Desk
from lopsided.web._evidence import describe_evidence
from lopsided.web._numbers import Id
from lopsided.web._templates import render_part
from lopsided.web._view import count, screen_parts
from lopsided.web.pages._screen import describe_search


class Failure(BaseModel):
    """An error as JSON."""

    ok: bool = False
    error: str
    status: int


_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Failure} for code in (400, 401, 403, 404, 409, 413, 421, 422, 503)
}
router = APIRouter(responses=_ERRORS)
Number = Annotated[Id, Path()]
Token = Annotated[str, Field(min_length=8, max_length=100, pattern=r"^[\w-]+$")]


class GivenAnswer(BaseModel):
    """The label of an item."""

    item: Id
    label: Annotated[int | None, Field(ge=1, lt=2**31, description="Number of the label; null skips.")] = None
    token: Annotated[Token, Field(description="Sent twice under one token, an answer counts once.")]
    reason: Annotated[str, Field(max_length=40)] = "given"
    seconds: Annotated[float | None, Field(ge=0, le=86400)] = None


class Once(BaseModel):
    """A token by which a change that is sent twice counts once."""

    token: Token


class SomeWords(BaseModel):
    """Words, with spaces between them."""

    words: Annotated[str, Field(max_length=1000)] = ""


class NewNote(Once):
    """A note about an item."""

    text: Annotated[str, Field(max_length=4000)]


class NewTag(BaseModel):
    """A tag, or a reason to exclude an item."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    kind: Annotated[str, Field(pattern="^(tag|exclusion reason)$")] = "tag"


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


@router.get("/session")
def read_session(visitor: Asks) -> dict[str, Any]:
    """Return who asks, and what their scripts send back."""
    return {"ok": True, "user": visitor.name, "csrf": visitor.csrf}


@router.get("/next")
def read_next(request: Request, visitor: Asks) -> dict[str, Any]:
    """Return the item that the reviewer has before them; the same until it is answered."""
    desk = _desk(request)
    return screen_parts(desk, visitor, desk.next(visitor.id))


@router.post("/answers", dependencies=[INTENDED])
def take_answer(request: Request, visitor: Asks, answer: GivenAnswer) -> dict[str, Any]:
    """Take an answer; return what comes next. The answer is on the disk before this returns."""
    desk = _desk(request)
    desk.answer(
        visitor.id,
        answer.item,
        answer.label,
        reason=answer.reason,
        token=answer.token,
        seconds=answer.seconds,
    )
    return screen_parts(desk, visitor, desk.next(visitor.id))


@router.post("/undo", dependencies=[INTENDED])
def undo(request: Request, visitor: Asks, once: Once) -> dict[str, Any]:
    """Take back the reviewer's last answer; return its item."""
    desk = _desk(request)
    undone = desk.undo(visitor.id, once.token)
    note = "There is nothing to undo." if undone is None else "Your last answer was undone."
    return screen_parts(desk, visitor, desk.next(visitor.id), note)


@router.post("/search", dependencies=[INTENDED])
def search(request: Request, visitor: Asks, words: SomeWords) -> dict[str, Any]:
    """Show items with these words first, until one of them is relevant."""
    desk = _desk(request)
    n = desk.search(visitor.id, words.words.strip())
    note = describe_search(n) if words.words.strip() else "The search has ended."
    return screen_parts(desk, visitor, desk.next(visitor.id), note)


@router.put("/words", dependencies=[INTENDED])
def set_words(request: Request, visitor: Asks, words: SomeWords) -> dict[str, Any]:
    """Mark these words in every item."""
    desk = _desk(request)
    own = list(dict.fromkeys(words.words.replace(",", " ").split()))
    desk.store.update_project(highlights=own)
    return screen_parts(desk, visitor, desk.next(visitor.id))


@router.post("/items/{item}/evidence", dependencies=[INTENDED])
def read_evidence(request: Request, visitor: Asks, item: Number) -> dict[str, Any]:
    """Return the words of an item that speak for and against it."""
    desk = _desk(request)
    desk.store.item(item)
    found = describe_evidence(desk.session.evidence(item - 1))
    return {"ok": True, **found, "html": render_part("evidence", **found)}


@router.put("/items/{item}/note", dependencies=[INTENDED])
def set_note(request: Request, visitor: Asks, item: Number, note: NewNote) -> dict[str, Any]:
    """Keep the reviewer's note about an item."""
    _desk(request).store.note(item, visitor.id, note.text, token=note.token)
    return {"ok": True}


@router.put("/items/{item}/tags/{tag}", dependencies=[INTENDED])
def set_tag(request: Request, visitor: Asks, item: Number, tag: Number, once: Once) -> dict[str, Any]:
    """Tag an item."""
    _desk(request).store.tag(item, visitor.id, tag, token=once.token)
    return {"ok": True}


@router.delete("/items/{item}/tags/{tag}", dependencies=[INTENDED])
def remove_tag(request: Request, visitor: Asks, item: Number, tag: Number, once: Once) -> dict[str, Any]:
    """Take a tag from an item."""
    _desk(request).store.untag(item, visitor.id, tag, token=once.token)
    return {"ok": True}


@router.post("/tags", dependencies=[INTENDED])
def add_tag(request: Request, visitor: Asks, tag: NewTag) -> dict[str, Any]:
    """Add a tag, or a reason to exclude items."""
    store = _desk(request).store
    made = store.add_tag(tag.name.strip(), tag.kind)
    html = render_part("tags", tags=[tag for tag in store.tags() if not tag.retired], chosen=frozenset())
    return {"ok": True, "id": made.id, "name": made.name, "html": html}


@router.get("/standing")
def read_standing(request: Request, visitor: Asks) -> dict[str, Any]:
    """Return labels spent, relevant items found, and the estimate of what is left."""
    desk = _desk(request)
    numbers = count(desk, desk.standing, desk.store.labels())
    estimate = None if desk.standing is None else desk.standing.estimate._asdict()
    verdict = None if desk.standing is None else desk.standing.verdict
    rules = [] if verdict is None else [rule._asdict() for rule in (*verdict.rules, verdict.plan)]
    return {
        "ok": True,
        "n_labels": numbers.n_labels,
        "n_items": numbers.n_items,
        "n_found": numbers.n_found,
        "estimate": estimate,
        "stop_reasons": rules,
    }


class NewItem(BaseModel):
    """An item for the inbox."""

    id: Annotated[str, Field(min_length=1, max_length=500)]
    title: Annotated[str, Field(max_length=10_000)] = ""
    text: Annotated[str, Field(max_length=1_000_000)] = ""
    fields: Annotated[dict[str, str], Field(max_length=200)] = {}


class NewItems(BaseModel):
    """A batch of items for the inbox."""

    items: Annotated[list[NewItem], Field(min_length=1, max_length=1000)]


@router.post("/items", dependencies=[INTENDED])
def take_items(request: Request, visitor: Asks, batch: NewItems) -> dict[str, Any]:
    """Take items; say which of them are shown. An item that is sent again gets the same answer."""
    records = [Record(item.id, item.title, item.text, item.fields) for item in batch.items]
    arrivals = request.app.state.inbox.take(records)
    return {"ok": True, "items": [arrival._asdict() for arrival in arrivals]}


@router.get("/inbox")
def read_inbox(request: Request, visitor: Asks) -> dict[str, Any]:
    """Return how many items came, were shown and wait, and how many relevant ones are being missed."""
    report = request.app.state.inbox.report()
    missed = None
    if report.missed is not None:
        value, low, high, confidence = (
            None if not math.isfinite(number) else number
            for number in (
                report.missed.value,
                report.missed.low,
                report.missed.high,
                report.missed.confidence,
            )
        )
        missed = {"value": value, "low": low, "high": high, "confidence": confidence}
    return {"ok": True, **report._asdict(), "missed": missed}
