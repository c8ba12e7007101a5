"""Pages from the files in ``templates``: each is one file that loads nothing, and runs no script but ours.

The templates escape whatever comes out of data. The only text that they take for HTML is the pictures that
`lopsided.report._figures` draws.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lopsided.report._blocks import Block, Table, Text
from lopsided.report._figures import DARK, HOW_TO_DRAW, LIGHT, draw_all
from lopsided.report._text import write_blocks, write_number

if TYPE_CHECKING:  # imported for the first page: most callers write none
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


def render_page(template: str, *, title: str, notes: Iterable[str] = (), **values: Any) -> str:
    """Return the page that a template makes of its values.

    Parameters
    ----------
    template : str
        Name of a file in ``templates``, without ``.html.j2``.
    title : str
        Title of the page, and its heading.
    notes : iterable of str, default=()
        Lines at the foot of the page.
    **values : object
        The other values of the template; a missing one is an error.
    """
    file = _environment().get_template(f"{template}.html.j2")
    return file.render(title=title, notes=list(notes), **values)


def group_blocks(
    blocks: Sequence[Block], name: str = "", pictures: Iterable[str] | None = None
) -> list[dict[str, Any]]:
    """Return blocks as the macro ``show_blocks`` takes them, with figures in a row as one group.

    Parameters
    ----------
    blocks : sequence of Block
    name : str
        Prefix of the names of the pictures, where they are drawn here.
    pictures : iterable of str, optional
        SVG of each plot and bar chart, in their order, where it is drawn already; the empty string stands
        for a picture that cannot be drawn.
    """
    from markupsafe import Markup

    drawn = iter(draw_all(blocks, name).values() if pictures is None else pictures)
    groups: list[dict[str, Any]] = []
    for is_figure, some in groupby(blocks, key=lambda block: not isinstance(block, Table | Text)):
        if is_figure:
            figures = [{"picture": Markup(next(drawn, "")), "numbers": write_blocks([b])} for b in some]
            groups.append({"figures": figures})
        else:
            groups += [{"table" if isinstance(block, Table) else "text": block} for block in some]
    return groups


def palette() -> str:
    """Return the colours of every page, as CSS."""
    return (_TEMPLATES / "palette.css").read_text(encoding="utf-8")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: Any) -> Any:
        """Return HTML of the templates as it is, and anything else as text, which is then escaped."""
        return value if isinstance(value, Markup) else make_visible(str(value))

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(light=LIGHT, dark=DARK, how_to_draw=HOW_TO_DRAW)
    environment.filters.update(number=write_number, signed=_signed, sha256=_sha256)
    return environment


def make_visible(text: str) -> str:
    r"""Return text in which signs stand for control characters and for halves of characters.

    Line breaks of Windows, and of text fields in a form, become plain ones.

    Examples
    --------
    >>> make_visible("a\x1b[2Jb\ud800")
    'a␛[2Jb�'
    >>> make_visible("one\r\ntwo")
    'one\ntwo'
    """
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else _sign(c) for c in text)


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{REPLACEMENT CHARACTER}" if code < 0xA0 or 0xD800 <= code < 0xE000 else character


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}"


def _sha256(text: str) -> str:
    """Return the digest of a script as a content security policy names it."""
    return b64encode(sha256(text.encode()).digest()).decode()
