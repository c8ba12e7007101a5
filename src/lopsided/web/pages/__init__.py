"""The pages, one a file. Each has a ``router``."""

from lopsided.web.pages import (
    _export,
    _import,
    _inbox,
    _items,
    _people,
    _progress,
    _screen,
    _settings,
    _simulate,
    _unexpected,
    _why,
)

ROUTERS = [
    page.router
    for page in (
        _screen,
        _import,
        _export,
        _progress,
        _why,
        _unexpected,
        _inbox,
        _simulate,
        _items,
        _people,
        _settings,
    )
]
