"""The words of an HTML page, in time proportional to its length, however broken it is."""

import html
import re

# Possessive throughout: a tag that never ends is given up once, not once for each of its letters.
_TAG = re.compile(r"<!--|<[!?/]?+([a-zA-Z][a-zA-Z0-9]*+)?+[^<>]*+>")
_END_OF = {name: re.compile(rf"</{name}\b", re.IGNORECASE) for name in ("script", "style")}
# These do not end a word, nor do comments: `v<b></b>ia<!-- -->gra` reads as one.
_INLINE = re.compile(r"(a|abbr|acronym|b|big|cite|code|em|font|i|s|small|span|strike|strong|sub|sup|tt|u)\Z")

_LEADING_ZEROS = re.compile(r"&#0+(?=[0-9])")
# No character has such a number, and the html module raises at some of them.
_NO_CHARACTER = re.compile(r"&#[0-9]{10,}+;?")


def strip_html(page: str) -> str:
    """Return the text of a page: tags, comments, scripts and styles go, entities become characters.

    Examples
    --------
    >>> strip_html("<p>Buy <b>now</b>,<br>caf&eacute;!</p><!-- hidden --><style>p {}</style>").split()
    ['Buy', 'now,', 'café!']
    """
    pieces = []
    position = 0
    while match := _TAG.search(page, position):
        pieces.append(page[position : match.start()])
        name = (match[1] or "").lower()
        position = match.end()
        if match[0] == "<!--":
            end = page.find("-->", position)
            position = end + 3 if end >= 0 else len(page)
            continue
        if not _INLINE.match(name):
            pieces.append(" ")
        if name in _END_OF and match[0][1] != "/":
            closing = _END_OF[name].search(page, position)
            position = closing.start() if closing else len(page)
    pieces.append(page[position:])
    text = _LEADING_ZEROS.sub("&#", "".join(pieces))
    return html.unescape(_NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text))
