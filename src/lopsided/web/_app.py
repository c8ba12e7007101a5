"""The application: pages, the API, and what stands around them."""

from collections.abc import Iterable
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

import lopsided
from lopsided.report._templates import palette
from lopsided.web import _api
from lopsided.web._attempts import Attempts
from lopsided.web._desk import Desk
from lopsided.web._errors import add_handlers
from lopsided.web._imports import Imports
from lopsided.web._inbox import Inbox
from lopsided.web._shield import Shield
from lopsided.web.pages import ROUTERS

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_STATIC = Path(__file__).parent / "static"


def create_app(
    desk: Desk,
    *,
    is_local: bool = True,
    hosts: Iterable[str] | None = LOCAL_HOSTS,
    max_bytes: int = 16 * 2**20,
    max_upload: int = 4 * 2**30,
    asreview: tuple[Path, str] | None = None,
) -> Shield:
    """Return the application that serves a project, and start its desk.

    Parameters
    ----------
    desk : Desk
    is_local : bool, default=True
        Whether only this machine can ask. Then a project without accounts needs no login, and files can be
        imported by their path.
    hosts : iterable of str or None, default=("localhost", "127.0.0.1", "[::1]")
        The names under which browsers may ask; None for any.
    max_bytes : int, default=16777216
        Bytes that a request may hold.
    max_upload : int, default=4294967296
        Bytes that a request with files may hold.
    asreview : tuple of path and str, optional
        A Python with ASReview, which simulations run beside ours, and the version there. No request names it.
    """
    app = FastAPI(
        title="lopsided",
        version=lopsided.__version__,
        description="Find the few documents that matter.",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.desk, app.state.is_local = desk, is_local
    app.state.attempts, app.state.asreview = Attempts(), asreview
    app.state.imports, app.state.inbox = Imports(desk), Inbox(desk)
    add_handlers(app)
    for router in ROUTERS:
        app.include_router(router, include_in_schema=False)
    app.include_router(_api.router, prefix="/api")
    style = palette() + (_STATIC / "style.css").read_text(encoding="utf-8")

    @app.get("/", include_in_schema=False)
    def start() -> Response:
        """Lead to the work: to the import where there is nothing yet."""
        return RedirectResponse("/screen" if desk.store.n_items else "/import", 303)

    @app.get("/static/style.css", include_in_schema=False)
    def send_style() -> Response:
        """Send the colours of the reports and the style of the pages, in one sheet."""
        return Response(style, media_type="text/css", headers={"cache-control": "no-cache"})

    @app.get("/favicon.ico", include_in_schema=False)
    def send_icon() -> Response:
        """Send the icon to browsers that ask for it by its old name."""
        return FileResponse(_STATIC / "icon.svg", media_type="image/svg+xml")

    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    # While FastAPI looks at the routes, otherwise at the first request, it silences a warning. Another thread
    # could undo that, so that the desk starts last.
    app.openapi()
    desk.start()
    return Shield(app, hosts=hosts, max_bytes=max_bytes, max_upload=max_upload)
