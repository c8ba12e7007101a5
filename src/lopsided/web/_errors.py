"""Errors as a person or a program can read them: a page that says what to do, or one shape of JSON."""

from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from lopsided.terminal import say
from lopsided.web._access import LoginNeededError
from lopsided.web._templates import render

_HEADINGS = {
    400: "That did not work",
    401: "Please log in",
    403: "Not allowed",
    404: "Not found",
    405: "That did not work",
    409: "Nothing was changed",
    413: "Too large",
    422: "Please check your input",
    503: "One moment",
    507: "No space left",
}
# What a store says of its errors -> status.
_STATUS = {"missing": 404, "conflict": 409, "busy": 503, "full": 507, "lost": 503, "unusable": 503}
_MISSING = "There is no page at this address. Go back, or continue screening."
_NO_PAGE = "This address only accepts forms and has no page. Go back, or continue screening."


class Trouble(HTTPException):
    """An error in one sentence that says what to do.

    Parameters
    ----------
    error : str
    status : int, default=400
    """

    def __init__(self, error: str, status: int = 400) -> None:
        super().__init__(status, error)


def add_handlers(app: FastAPI) -> None:
    """Let an application answer errors by pages and JSON.

    Parameters
    ----------
    app : FastAPI
    """
    app.add_exception_handler(HTTPException, _on_known)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(ValueError, _on_mistake)
    app.add_exception_handler(Exception, _on_unknown)


def wants_json(request: Request) -> bool:
    """Return whether a program asks, or a script of ours.

    Parameters
    ----------
    request : Request
    """
    accept = request.headers.get("accept", "")
    return request.url.path.startswith("/api/") or ("json" in accept and "html" not in accept)


def answer_error(request: Request, status: int, error: str) -> Response:
    """Return an error as a page, or as JSON where a program asks.

    Parameters
    ----------
    request : Request
    status : int
    error : str
    """
    if wants_json(request):
        return JSONResponse({"ok": False, "error": error, "status": status}, status)
    heading = _HEADINGS.get(status, "Something went wrong")
    error = error[:1].upper() + error[1:]
    return render(request, "error", title=heading, error=error, status=status, status_code=status)


def _on_known(request: Request, error: Any) -> Response:
    if isinstance(error, LoginNeededError) and not wants_json(request) and request.method == "GET":
        return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
    told = str(error.detail)
    if error.status_code == 404 and told == "Not Found":
        told = _MISSING
    if error.status_code == 405 and told == "Method Not Allowed" and not wants_json(request):
        told = _NO_PAGE
    answer = answer_error(request, error.status_code, told)
    answer.headers.update(error.headers or {})
    return answer


def _on_invalid(request: Request, error: Any) -> Response:
    parts = [_describe(one) for one in error.errors()[:5]]
    return answer_error(request, 422, "; ".join(parts))


def _describe(problem: Any) -> str:
    """Return what is wrong with a value of a request, without the value: it may be a password."""
    name = ".".join(str(part) for part in problem["loc"][1:])
    return f"{name or 'the request'}: {problem['msg']}"


def _on_mistake(request: Request, error: Any) -> Response:
    """Answer a ValueError, which the library raises for what a user got wrong, in a sentence."""
    return answer_error(request, _STATUS.get(getattr(error, "kind", ""), 400), str(error))


def _on_unknown(request: Request, error: Any) -> Response:
    say(f"{request.method} {request.url.path} failed: {type(error).__name__}: {error}")
    full = isinstance(error, OSError)
    sentence = "An unexpected error occurred on the server. Everything confirmed so far is saved. Try again."
    if full:
        why = error.strerror or error
        sentence = f"A file cannot be written or read ({why}). Free some disk space and try again."
    return answer_error(request, 507 if full else 500, sentence)
