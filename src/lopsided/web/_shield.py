"""Checks that every request passes before a page sees it, and the headers that every answer carries."""

import hmac
import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.types import Message, Receive, Scope, Send

COOKIE = "lopsided"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": with that, browsers send "Origin: null" with forms, which is refused.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_SAFE = ("GET", "HEAD")
_SESSION = re.compile(r"[\w-]{43}")
_NAME = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]]+)(:\d{1,5})?")
_AGAIN = '<!DOCTYPE html><html lang="en"><title>One moment</title><meta http-equiv="refresh" content="0">'


class TooLargeError(HTTPException):
    """A request that holds more bytes than are taken."""

    def __init__(self, limit: int) -> None:
        size = f"{limit / 2**30:g} GiB" if limit >= 2**30 else f"{limit / 2**20:g} MiB"
        super().__init__(413, f"The request is larger than {size}. Send it in parts.")


class Shield:
    """The outermost layer: host names, origins, sizes, the session cookie and the headers of answers.

    Parameters
    ----------
    app : FastAPI
    hosts : iterable of str or None
        The names under which a browser may ask, in lower case; None for any. A page of another site cannot
        reach a server on localhost by giving its own name our address.
    max_bytes : int
        The largest body of a request.
    max_upload : int
        The largest body of a request whose path begins with ``/import``.
    """

    def __init__(self, app: FastAPI, *, hosts: Iterable[str] | None, max_bytes: int, max_upload: int) -> None:
        self.app = app
        self._hosts = None if hosts is None else frozenset(hosts)
        self._max_bytes, self._max_upload = max_bytes, max_upload
        self._secret = secrets.token_bytes(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        session, is_new = _read_session(headers)
        state = scope.setdefault("state", {})
        state["session"], state["has_cookie"] = session, not is_new
        state["csrf"] = hmac.new(self._secret, session.encode(), sha256).hexdigest()

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    answer["cache-control"] = "no-store"
                current = state["session"]
                is_page = answer.get("content-type", "").startswith("text/html")
                if current != session or (is_new and is_page):
                    answer.append("set-cookie", _cookie(current, scope["scheme"] == "https"))
            await send(message)

        if (refusal := self._refuse(scope, headers)) is not None:
            await refusal(scope, receive, send_safely)
            return
        if _comes_from_elsewhere(scope, headers):
            # The browser keeps our strict cookie back; asked again by our own page, it sends it.
            is_new = False
            await HTMLResponse(_AGAIN)(scope, receive, send_safely)
            return
        limit = self._max_upload if scope["path"].startswith("/import") else self._max_bytes
        await self.app(scope, _limited(receive, headers, limit), send_safely)

    def _refuse(self, scope: Scope, headers: Headers) -> Response | None:
        host = _host_name(headers.get("host", ""))
        if host is None or (self._hosts is not None and host not in self._hosts):
            return _plain(421, f"This server does not answer for the host '{headers.get('host', '')[:100]}'.")
        if scope["method"] in _SAFE:
            return None
        origin = headers.get("origin")
        foreign = origin is not None and origin.partition("://")[2] != headers["host"]
        if foreign or headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return _plain(403, "A page of another site may not send anything here.")
        return None


def _plain(status: int, error: str) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"ok": False, "error": error, "status": status}, status)


def _host_name(host: str) -> str | None:
    match = _NAME.fullmatch(host)
    return match[1].lower() if match else None


def _comes_from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """Return whether a link on a page of another site led here."""
    return (
        scope["method"] == "GET"
        and headers.get("sec-fetch-site") == "cross-site"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def _read_session(headers: Headers) -> tuple[str, bool]:
    """Return the name of the session, and whether it is a new one."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        found = None
    if found is not None and _SESSION.fullmatch(found.value):
        return found.value, False
    return secrets.token_urlsafe(32), True


def _cookie(session: str, secure: bool) -> str:
    return f"{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}"


def _limited(receive: Receive, headers: Headers, limit: int) -> Receive:
    """Return a ``receive`` that raises where a body is longer than it may be."""
    told = headers.get("content-length", "0")
    n_bytes = 0

    async def receive_limited() -> Message:
        nonlocal n_bytes
        if not told.isdigit() or int(told) > limit:
            raise TooLargeError(limit)
        message: Any = await receive()
        n_bytes += len(message.get("body", b""))
        if n_bytes > limit:
            raise TooLargeError(limit)
        return message

    return receive_limited
