"""Pages from the files in ``templates``. All that comes out of data is escaped."""

import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from lopsided.report._templates import make_visible
from lopsided.web._reading import link_of, mark, split_paragraphs

# Address -> what the link says. The order is that of the work.
PAGES = {
    "/screen": "Screen",
    "/progress": "Progress",
    "/why": "Why",
    "/unexpected": "Unexpected",
    "/inbox": "Inbox",
    "/simulate": "Simulate",
    "/items": "Items",
    "/import": "Import",
    "/export": "Export",
    "/people": "People",
    "/settings": "Settings",
}


def render(
    request: Request,
    template: str,
    *,
    title: str,
    status_code: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> HTMLResponse:
    """Return a page.

    Parameters
    ----------
    request : Request
    template : str
        Name of a file in ``templates``, without ``.html.j2``.
    title : str
    status_code : int, default=200
    headers : mapping or None, default=None
        Headers of the answer.
    **values : object
        The other values of the template; a missing one is an error.
    """
    desk = getattr(request.app.state, "desk", None)
    page = render_part(
        template,
        title=title,
        path=request.url.path,
        pages=PAGES,
        csrf=request.state.csrf,
        project="lopsided" if desk is None else desk.last_name,
        visitor=values.pop("visitor", None),
        is_local=request.app.state.is_local,
        **values,
    )
    return HTMLResponse(page, status_code, headers)


def render_part(template: str, **values: Any) -> str:
    """Return what a template makes of its values, as text.

    Parameters
    ----------
    template : str
        Name of a file in ``templates``, without ``.html.j2``.
    **values : object
    """
    return _environment().get_template(f"{template}.html.j2").render(**values)


def new_token() -> str:
    """Return a token by which a form that is sent twice counts once."""
    return secrets.token_hex(16)


@cache
def _environment() -> Environment:
    def finalize(value: Any) -> Any:
        return value if isinstance(value, Markup) else make_visible(str(value))

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["new_token"] = new_token
    environment.filters.update(
        mark=mark, paragraphs=split_paragraphs, link=link_of, number="{:,}".format, percent=_percent
    )
    return environment


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
