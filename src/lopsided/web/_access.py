"""Access: one person on this machine, somebody with an account, or a program with a token."""

import secrets
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

JSON = "application/json"


class Visitor(NamedTuple):
    """Somebody who may see the pages.

    Parameters
    ----------
    id : int
        Number of the user in the store.
    name : str
    csrf : str
        What a form or a script must send back.
    is_local : bool
        True for the one person of a project without accounts.
    is_admin : bool
        Whether settings and accounts may be changed.
    """

    id: int
    name: str
    csrf: str
    is_local: bool
    is_admin: bool


class LoginNeededError(HTTPException):
    """Nobody has logged in yet."""

    def __init__(self) -> None:
        super().__init__(401, "Log in first, or send a token as 'Authorization: Bearer TOKEN'.")


def read_visitor(request: Request) -> Visitor:
    """Return who asks; raise where nobody has logged in.

    Parameters
    ----------
    request : Request
    """
    store, csrf = request.app.state.desk.store, request.state.csrf
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        user = store.user_of_token(token.strip())
        if user is None:
            raise HTTPException(401, "The token is not known. Make a new one on the page People.")
        return Visitor(user.id, user.name, "", False, user.admin)
    if not has_accounts(store):
        if not request.app.state.is_local:
            raise LoginNeededError
        user = request.app.state.desk.local_user
        return Visitor(user.id, user.name, csrf, True, True)
    user = store.user_of_login(request.state.session) if request.state.has_cookie else None
    if user is None:
        raise LoginNeededError
    return Visitor(user.id, user.name, csrf, False, user.admin)


def read_admin(visitor: Annotated[Visitor, Depends(read_visitor)]) -> Visitor:
    """Return who asks, if they may change settings and accounts; raise if not.

    Parameters
    ----------
    visitor : Visitor
    """
    if not visitor.is_admin:
        raise HTTPException(403, "Only an administrator of the project may do this. Ask one.")
    return visitor


def has_accounts(store: Any) -> bool:
    """Return whether people have to log in: somebody has a password.

    Parameters
    ----------
    store : Store
    """
    return any(user.has_password and user.active for user in store.users())


async def check_intent(request: Request) -> None:
    """Raise unless a form or a script of our own pages, or a program, sent the request.

    Parameters
    ----------
    request : Request
    """
    if request.headers.get("authorization", "").lower().startswith("bearer "):
        return  # no browser adds it by itself
    told: Any = request.headers.get("x-csrf-token")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if told is None and kind != JSON:
        told = (await request.form()).get("csrf")
    if isinstance(told, str) and secrets.compare_digest(told.encode(), request.state.csrf.encode()):
        return
    if told is None and kind == JSON and _is_program(request) and request.app.state.is_local:
        return
    raise HTTPException(
        403, "The page was opened before the server was started anew. Reload it, and try again."
    )


def _is_program(request: Request) -> bool:
    """Return whether no browser sent a request: browsers tell where a request comes from."""
    return not any(name in request.headers for name in ("cookie", "origin", "referer", "sec-fetch-site"))


Asks = Annotated[Visitor, Depends(read_visitor)]
Administers = Annotated[Visitor, Depends(read_admin)]
INTENDED = Depends(check_intent)
