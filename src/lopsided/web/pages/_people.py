"""The people page: accounts, tokens, labels per person, agreement, conflicts and the audit log."""

import math
from itertools import combinations, islice
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Form, Request
from sklearn.metrics import cohen_kappa_score
from starlette.responses import RedirectResponse, Response

from lopsided._wording import pluralize
from lopsided.web._access import INTENDED, Administers, Asks, has_accounts
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble
from lopsided.web._numbers import Id, IdOrNone
from lopsided.web._templates import render
from lopsided.web._view import item_heading

router = APIRouter()
_PAGE = 100  # lines of the log on a page
Password = Annotated[str, Form(max_length=1000)]
Name = Annotated[str, Form(max_length=200)]


class Agreement(NamedTuple):
    """The agreement of two reviewers."""

    names: tuple[str, str]
    n_both: int
    n_equal: int
    kappa: float | None


class Conflict(NamedTuple):
    """An item about which reviewers differ."""

    item: Any
    heading: str
    votes: list[tuple[str, str]]


@router.get("/login")
def show_login(request: Request, next: str = "/screen") -> Response:
    """Ask for name and password; nobody needs them in a project without accounts on this machine."""
    if request.app.state.is_local and not has_accounts(request.app.state.desk.store):
        return RedirectResponse("/", 303)
    return render(request, "login", title="Log in", error="", next=next)


@router.post("/login", dependencies=[INTENDED])
def log_in(request: Request, name: Name, password: Password, next: Annotated[str, Form()] = "/") -> Response:
    """Begin a login, under a new name of the session."""
    store, attempts = request.app.state.desk.store, request.app.state.attempts
    address = request.client.host if request.client else ""
    if wait := math.ceil(attempts.begin(name, address)):
        error = f"Too many attempts with this name. Try again in {pluralize(wait, 'second')}."
        headers = {"retry-after": str(wait)}
        return render(
            request, "login", title="Log in", error=error, next=next, status_code=429, headers=headers
        )
    user = store.check_password(name, password)
    if user is None:
        of_token = store.user_of_token(password.strip())
        user = of_token if of_token is not None and of_token.name == name.strip() else None
    if user is None:
        error = "The name or the password is wrong. Try again."
        return render(request, "login", title="Log in", error=error, next=next, status_code=401)
    attempts.succeed(name, address)
    request.state.session = store.open_login(user.id)
    is_ours = next.startswith("/") and not next.startswith(("//", "/\\"))
    return RedirectResponse(next if is_ours else "/", 303)


@router.post("/logout", dependencies=[INTENDED])
def log_out(request: Request, visitor: Asks) -> Response:
    """End a login."""
    request.app.state.desk.store.close_login(request.state.session)
    return RedirectResponse("/login", 303)


@router.get("/people")
def show_people(request: Request, visitor: Asks) -> Response:
    """Show accounts, agreement and conflicts."""
    return _show(request, visitor)


def _show(request: Request, visitor: Any, token: str = "") -> Response:
    desk: Desk = request.app.state.desk
    store = desk.store
    users = store.users()
    is_blind = store.project.blind and not visitor.is_admin
    return render(
        request,
        "people",
        title="People",
        visitor=visitor,
        users=users,
        counts=store.counts(),
        labels=store.labels(),
        settings=store.project,
        agreements=[] if is_blind else _agreements(store, users),
        conflicts=[] if is_blind else _conflicts(store, users),
        tokens=store.tokens(visitor.id),
        token=token,
        accounts=has_accounts(store),
    )


@router.post("/people", dependencies=[INTENDED])
def add_person(
    request: Request,
    visitor: Administers,
    name: Name,
    password: Password,
    admin: Annotated[bool, Form()] = False,
) -> Response:
    """Add an account. The first one may do everything, and is logged in at once."""
    store = request.app.state.desk.store
    is_first = not has_accounts(store)
    user = store.add_user(name, password, admin=admin or is_first)
    if is_first:
        request.state.session = store.open_login(user.id)
    return RedirectResponse("/people", 303)


@router.post("/people/token", dependencies=[INTENDED])
def add_token(request: Request, visitor: Asks, name: Name = "") -> Response:
    """Make a token, and show it this once."""
    return _show(request, visitor, request.app.state.desk.store.add_token(visitor.id, name))


@router.post("/people/token/{token}", dependencies=[INTENDED])
def remove_token(request: Request, visitor: Asks, token: Id) -> Response:
    """Withdraw a token of one's own."""
    store = request.app.state.desk.store
    if all(mine.id != token for mine in store.tokens(visitor.id)):
        raise Trouble("You have no such token. Reload the page.", 404)
    store.remove_token(token)
    return RedirectResponse("/people", 303)


@router.post("/people/{user}/active", dependencies=[INTENDED])
def set_active(
    request: Request, visitor: Administers, user: Id, active: Annotated[bool, Form()] = False
) -> Response:
    """Close an account, or open it again."""
    if user == visitor.id:
        raise Trouble("You cannot close your own account. Ask another administrator.")
    request.app.state.desk.store.update_user(user, active=active)
    return RedirectResponse("/people", 303)


@router.post("/people/resolve", dependencies=[INTENDED])
def resolve_conflict(
    request: Request,
    visitor: Administers,
    item: Annotated[Id, Form()],
    label: Annotated[Id, Form()],
    token: Annotated[str, Form(max_length=100)],
) -> Response:
    """Say which label an item has in the end."""
    desk: Desk = request.app.state.desk
    desk.change(lambda: desk.store.resolve(item, visitor.id, label, token))
    return RedirectResponse("/people#conflicts", 303)


@router.get("/audit")
def show_audit(request: Request, visitor: Asks, before: IdOrNone = 0) -> Response:
    """Show the log, the latest event first."""
    store = request.app.state.desk.store
    last = store.n_events if before <= 0 else min(store.n_events, before - 1)
    first = max(0, last - _PAGE)
    events = list(islice(store.events(after=first), last - first))[::-1]
    if store.project.blind and not visitor.is_admin:
        events = [event for event in events if event.user_id == visitor.id]
    return render(
        request,
        "audit",
        title="Audit log",
        visitor=visitor,
        events=events,
        names={user.id: user.name for user in store.users()},
        labels={label.id: label.name for label in store.labels()},
        tags={tag.id: tag.name for tag in store.tags()},
        earlier=first + 1 if first else None,
    )


def _agreements(store: Any, users: Any) -> list[Agreement]:
    found = []
    for one, other in combinations(users, 2):
        pairs = store.label_pairs(one.id, other.id)
        if pairs:
            mine, theirs = zip(*pairs, strict=True)
            kinds = set(mine) | set(theirs)
            kappa = float(cohen_kappa_score(mine, theirs)) if len(kinds) > 1 else None
            n_equal = sum(a == b for a, b in pairs)
            found.append(Agreement((one.name, other.name), len(pairs), n_equal, kappa))
    return found


def _conflicts(store: Any, users: Any) -> list[Conflict]:
    names = {user.id: user.name for user in users}
    labels = {label.id: label.name for label in store.labels()}
    found = []
    for item_id, votes in islice(store.conflicts().items(), 50):
        item = store.item(item_id)
        told = [(names[user], labels[label]) for user, label in votes.items()]
        found.append(Conflict(item, item_heading(item), told))
    return found
