"""The page of rules: what tells relevant items from the rest, in a few words that can be read."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from lopsided.boosting import find_rules
from lopsided.web._access import Asks
from lopsided.web._desk import Desk
from lopsided.web._templates import render

router = APIRouter()
FEWEST = 4  # labeled items of either kind from which rules are worth reading
_PATIENCE = 1.5  # seconds for which a page waits before it says that it computes


@router.get("/why")
def show_rules(request: Request, visitor: Asks) -> Response:
    """Show the rules of the labels so far, and the words of the model."""
    desk: Desk = request.app.state.desk
    votes = desk.votes
    meanings = votes.meanings()
    n_relevant = sum(meanings.values())
    computed = None
    if min(n_relevant, len(meanings) - n_relevant) >= FEWEST:
        computer = desk.computer("rules", lambda: _find(desk))
        state = len(meanings), n_relevant
        computed = computer.get(state)
        if computed.is_running:
            computer.wait(_PATIENCE)
            computed = computer.get(state)
    return render(
        request,
        "why",
        title="Why",
        visitor=visitor,
        computed=computed,
        fewest=FEWEST,
        n_relevant=n_relevant,
        n_others=len(meanings) - n_relevant,
        terms=[] if desk.standing is None else desk.standing.terms,
    )


def _find(desk: Desk) -> Any:
    items = [(desk.store.item(item), relevant) for item, relevant in desk.votes.meanings().items()]
    texts = [f"{item.title}\n{item.text}" for item, _ in items]
    labels = ["relevant" if relevant else "not" for _, relevant in items]
    return find_rules(texts, labels, positive="relevant", random_state=0)
