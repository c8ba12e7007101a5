"""The page of unexpected items: unlike anything labeled so far, to be labeled or dismissed."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from lopsided.unexpected import find_unexpected
from lopsided.web._access import INTENDED, Asks
from lopsided.web._computed import Computer
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble
from lopsided.web._numbers import Id
from lopsided.web._templates import render
from lopsided.web._view import item_heading

router = APIRouter()
FEWEST = 30  # labeled items below which everything is unexpected
_LOOKED_AT = 5000  # items without a label that are looked through at once
_LISTED = 15
_PATIENCE = 1.5


class Shelved(NamedTuple):
    """An item of the shelf."""

    item_id: int
    words: tuple[str, ...]
    pvalue: float | None
    flagged: bool


class Shelf(NamedTuple):
    """The unexpected items, and the number of items they were found among."""

    entries: list[Shelved]
    n_known: int
    n_looked_at: int
    n_flagged: int
    caveat: str


class ShownEntry(NamedTuple):
    """An entry with its text."""

    entry: Shelved
    item: Any
    heading: str


@router.get("/unexpected")
def show_shelf(request: Request, visitor: Asks) -> Response:
    """Show what is unlike anything labeled so far."""
    desk: Desk = request.app.state.desk
    n_labels = desk.votes.n_labels
    computed = None
    if n_labels >= FEWEST:
        computer: Computer = desk.computer("unexpected", lambda: _find(desk))
        # A handful of labels more changes little, and the page should not compute without end.
        state = n_labels // 20, desk.store.n_items
        computed = computer.get(state)
        if computed.is_running:
            computer.wait(_PATIENCE)
            computed = computer.get(state)
    entries = []
    if computed is not None and computed.value is not None:
        gone = desk.store.dismissed()
        for entry in computed.value.entries:
            if entry.item_id not in gone and desk.votes.meaning(entry.item_id) is None:
                item = desk.store.item(entry.item_id)
                entries.append(ShownEntry(entry, item, item_heading(item)))
    return render(
        request,
        "unexpected",
        title="Unexpected",
        visitor=visitor,
        computed=computed,
        entries=entries[:_LISTED],
        n_labels=n_labels,
        fewest=FEWEST,
        labels=desk.store.labels(),
    )


@router.post("/unexpected/{item}/name", dependencies=[INTENDED])
def name_item(
    request: Request,
    visitor: Asks,
    item: Id,
    token: Annotated[str, Form(max_length=100)],
    label: Annotated[str, Form(max_length=9)] = "",
    name: Annotated[str, Form(max_length=80)] = "",
    relevant: Annotated[bool, Form()] = False,
) -> Response:
    """Give an item a label that is there, or a new one that the page then learns."""
    desk: Desk = request.app.state.desk
    if name.strip():
        same = [known for known in desk.store.labels() if known.name == name.strip()]
        chosen = (same[0] if same else desk.add_label(name.strip(), relevant)).id
    elif label.isdecimal():
        chosen = int(label)
    else:
        raise Trouble("No label was chosen. Choose one or enter a new one.", 422)
    desk.answer(visitor.id, item, chosen, reason="unexpected", token=token)
    return RedirectResponse("/unexpected", 303)


@router.post("/unexpected/{item}/dismiss", dependencies=[INTENDED])
def dismiss_item(
    request: Request, visitor: Asks, item: Id, token: Annotated[str, Form(max_length=100)]
) -> Response:
    """Take an item off the shelf."""
    desk: Desk = request.app.state.desk
    desk.change(lambda: desk.store.dismiss(item, visitor.id, token))
    return RedirectResponse("/unexpected", 303)


def _find(desk: Desk) -> Shelf:
    store, votes = desk.store, desk.votes
    kinds = votes.kinds()
    known = [store.item(item) for item in kinds]
    left = np.array([row + 1 for row in range(store.n_items) if row + 1 not in kinds], dtype=int)
    rng = np.random.default_rng(store.project.seed)
    if not len(left):
        raise ValueError("Every item has a label, so no item can be unexpected.")
    if len(left) > _LOOKED_AT:
        left = np.sort(rng.choice(left, _LOOKED_AT, replace=False))
    new = [store.item(int(item)) for item in left]
    report = find_unexpected(
        [f"{item.title}\n{item.text}" for item in known],
        [f"{item.title}\n{item.text}" for item in new],
        classes=list(kinds.values()),
    )
    entries = [
        Shelved(new[record.row].id, record.words, record.pvalue, bool(record.flagged))
        for record in report.first(3 * _LISTED)
    ]
    return Shelf(entries, len(known), len(new), report.n_flagged or 0, report.caveat or "")
