"""The page that lists items: with a label, skipped, or all, so that any of them can be looked at again."""

from itertools import islice
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from lopsided.web._access import Asks
from lopsided.web._desk import Desk
from lopsided.web._numbers import IdOrNone
from lopsided.web._templates import render
from lopsided.web._view import item_heading

router = APIRouter()
_PAGE = 50


class ListedItem(NamedTuple):
    """An item of the list, with the labels that its reader may see."""

    item: Any
    heading: str
    votes: list[str]


@router.get("/items")
def list_items(request: Request, visitor: Asks, show: str = "labeled", after: IdOrNone = 0) -> Response:
    """List items in the order of their arrival."""
    desk: Desk = request.app.state.desk
    store = desk.store
    current = store.current(seen_by=visitor.id)
    labels = {label.id: label.name for label in store.labels()}
    choices = {
        "labeled": "With a label",
        **{str(i): name for i, name in labels.items()},
        "skipped": "Skipped",
        "all": "All",
    }
    show = show if show in choices else "labeled"
    if show == "all":
        found = [item.id for item in islice(store.items(after=after), _PAGE + 1)]
    else:
        chosen = store.skipped(visitor.id) if show == "skipped" else set(current)
        if show.isdecimal():
            chosen = {item for item, votes in current.items() if int(show) in votes.values()}
        found = sorted(item for item in chosen if item > after)[: _PAGE + 1]
    listed = []
    for item_id in found[:_PAGE]:
        item = store.item(item_id)
        votes = sorted({labels[label] for label in current.get(item_id, {}).values()})
        listed.append(ListedItem(item, item_heading(item), votes))
    return render(
        request,
        "items",
        title="Items",
        visitor=visitor,
        listed=listed,
        show=show,
        choices=choices,
        next=listed[-1].item.id if len(found) > _PAGE else None,
    )
