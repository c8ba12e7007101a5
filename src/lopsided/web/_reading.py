"""A text as a reader wants it: paragraphs, headings of abstracts, links, and words that are marked."""

import re
from collections.abc import Iterable, Mapping
from textwrap import dedent
from typing import NamedTuple

from markupsafe import Markup, escape

from lopsided.report._templates import make_visible

# The headings that structured abstracts have, where a sentence begins.
_HEADING = re.compile(
    r"(?:(?<=[.\s])|^)((?:BACKGROUND|CONTEXT|INTRODUCTION|RATIONALE|OBJECTIVES?|AIMS?|PURPOSE|DESIGN|SETTING"
    r"|PARTICIPANTS|PATIENTS|SUBJECTS|INTERVENTIONS?|MEASUREMENTS?|MAIN OUTCOME MEASURES?|METHODS?"
    r"|MATERIALS? AND METHODS|STUDY DESIGN|DATA SOURCES|STUDY SELECTION|DATA EXTRACTION|DATA SYNTHESIS"
    r"|RESULTS?|FINDINGS|DISCUSSION|CONCLUSIONS?|INTERPRETATION|IMPLICATIONS)(?: AND [A-Z]+)?:)\s"
)
_WORD = re.compile(r"\w+")
_SHORT = 55  # characters: where most lines of a paragraph are shorter, their ends are meant
_ENDINGS = re.compile(r"(?:ations?|ings?|edly|ed|ies|ly|es|s|e|y)$")
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", flags=re.IGNORECASE)


class Paragraph(NamedTuple):
    """A paragraph of a text.

    Parameters
    ----------
    heading : str
        "METHODS:" and the like; "" for none.
    text : str
    is_quote : bool
        Whether each of its lines begins with ">", as in answers to mail.
    keeps_lines : bool
        Whether the ends of its lines are meant.
    is_drawn : bool
        Whether columns or drawings need letters of one width.
    """

    heading: str
    text: str
    is_quote: bool
    keeps_lines: bool
    is_drawn: bool


def split_paragraphs(text: str) -> list[Paragraph]:
    r"""Return the paragraphs of a text.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> [part.heading for part in split_paragraphs("AIMS: To see. RESULTS: We saw.")]
    ['AIMS:', 'RESULTS:']
    >>> broken = "Some programs break lines of mail, because they like this length,\nor another."
    >>> split_paragraphs(broken)[0].text
    'Some programs break lines of mail, because they like this length, or another.'
    """
    found = []
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip("\n")):
        if not block.strip():
            continue
        lines = [line.rstrip() for line in dedent(block).split("\n")]
        is_quote = all(line.lstrip().startswith(">") for line in lines)
        ends = [len(line) for line in lines[:-1]]
        is_drawn = len(lines) > 1 and _is_drawn(lines)
        keeps_lines = len(lines) > 1 and (
            any(line.lstrip().startswith(">") for line in lines) or max(ends) < _SHORT or is_drawn
        )
        block = "\n".join(lines) if keeps_lines else " ".join(line.strip() for line in lines)
        pieces = [""] + _HEADING.split(block) if not keeps_lines else ["", block]
        for heading, piece in zip(pieces[::2], pieces[1::2], strict=False):
            if heading or piece.strip():
                piece = piece.rstrip() if keeps_lines else piece.strip()
                found.append(Paragraph(heading, piece, is_quote, keeps_lines, is_drawn))
    return found


def _is_drawn(lines: list[str]) -> bool:
    """Return whether columns or drawings would be lost if the lines were joined."""
    return sum(bool(re.search(r"\S {3,}\S|^\s{4,}\S|\t", line)) for line in lines) * 3 > len(lines)


def word_stem(word: str) -> str:
    """Return a word in lower case without its ending, so that "ships" and "ship" are marked alike.

    Parameters
    ----------
    word : str

    Examples
    --------
    >>> word_stem("Headaches") == word_stem("headache"), word_stem("as")
    (True, 'as')
    """
    word = word.lower()
    return _ENDINGS.sub("", word) if len(word) > 4 else word


def mark(text: str, words: Mapping[str, str]) -> Markup:
    """Return a text, escaped, in which words are marked.

    Parameters
    ----------
    text : str
    words : dict
        Stem of a word, as `word_stem` gives it -> class of its mark.

    Examples
    --------
    >>> mark("Ships & ports", {"ship": "own"})
    Markup('<mark class="own">Ships</mark> &amp; ports')
    """
    text = make_visible(text)
    if not words:
        return escape(text)
    parts, end = [], 0
    for match in _WORD.finditer(text):
        kind = words.get(word_stem(match[0]))
        if kind is not None:
            parts += [
                escape(text[end : match.start()]),
                Markup('<mark class="{}">{}</mark>').format(kind, match[0]),
            ]
            end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def link_of(name: str, value: str) -> str:
    """Return the address that a field names, or "" where it names none that is safe to follow.

    Parameters
    ----------
    name : str
        Name of the field.
    value : str

    Examples
    --------
    >>> link_of("doi", "10.1000/182"), link_of("url", "javascript:alert(1)")
    ('https://doi.org/10.1000/182', '')
    """
    value = value.strip()
    if name.lower() in ("doi", "do") and (match := _DOI.fullmatch(value)):
        return f"https://doi.org/{match[1]}"
    if name.lower() in ("pmid", "pubmed_id") and value.isdigit():
        return f"https://pubmed.ncbi.nlm.nih.gov/{value}/"
    return value if re.fullmatch(r"https?://\S+", value) else ""


def marked_words(relevant: Iterable[str], own: Iterable[str]) -> dict[str, str]:
    """Return the words to mark, as `mark` takes them; the reviewer's own win.

    Parameters
    ----------
    relevant : iterable of str
        Words that speak for relevance.
    own : iterable of str
        Words of the reviewer.
    """
    return {word_stem(word): "for" for word in relevant} | {word_stem(word): "own" for word in own}
