"""Web pages of university departments."""

from lopsided.datasets import fetch_webkb
from lopsided.problems._records import Texts


def read_pages() -> Texts:
    """Return all pages with their HTTP headers."""
    pages = fetch_webkb()
    return Texts(pages.data, pages.target, pages.target_names)


def read_bodies() -> Texts:
    """Return all pages without their HTTP headers."""
    pages = read_pages()
    return pages._replace(texts=[page.partition("\n\n")[2] for page in pages.texts])
