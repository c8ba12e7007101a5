"""BibTeX: entries by bibtexparser, a few at a time."""

import logging
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from lopsided.terminal import one_line
from lopsided.text._source import DocumentFile

# bibtexparser holds all it is given in memory. Given a few entries at a time it needs little, and a brace
# that is never closed draws in no more than these.
_ENTRIES_AT_A_TIME = 50
_MOST_MACROS = 10_000
_BLOCK = re.compile(r"\s*@\s*[A-Za-z]+\s*[{(]")
_NAMES = {
    "author": "authors",
    "editor": "editors",
    "keyword": "keywords",
    "number": "issue",
    "note": "notes",
}
_VERBATIM = ("doi", "url", "eprint", "file")
_LONGEST_LATEX = 20_000  # characters; pylatexenc reads 20,000 a second at worst
_BARE_PERCENT = re.compile(r"(?<!\\)%")  # meant as a percent sign, though LaTeX begins a comment there


def iter_bibtex(source: DocumentFile) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place of each entry of a BibTeX file, and its fields by readable names.

    Commands of LaTeX become characters, and braces are left out.
    """
    try:
        from bibtexparser.entrypoint import parse_string
    except ImportError:
        raise ImportError(
            "reading BibTeX needs bibtexparser. Install it with: pip install 'lopsided[references]'"
        ) from None
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # what it logs becomes a problem here
    macros: dict[str, str] = {}  # text of @string by name, for the entries further on
    for first_line, text in _few_entries(source):
        before = "".join(f"@string{{{name} = {{{value}}}}}\n" for name, value in macros.items())
        try:
            library = parse_string(before + text)
        except Exception as error:  # it promises not to raise
            source.skip(f"{source.name}:{first_line}", f"not BibTeX ({type(error).__name__})")
            continue
        for macro in library.strings:
            if len(macros) < _MOST_MACROS and re.fullmatch(r"[^{}\n]*", macro.value):
                macros.setdefault(macro.key, macro.value)
        yield from _rows_of(source, library, first_line - before.count("\n"))


def _few_entries(source: DocumentFile) -> Iterator[tuple[int, str]]:
    """Yield pieces of the file that begin with an entry, and the number of their first line."""
    first, n_entries, size = 1, 0, 0
    lines: list[str] = []
    for number, line in source.lines(lone_cr=True):
        text = source.decode(f"{source.name}:{number}", line).replace("\r\n", "\n").replace("\r", "\n")
        starts = _BLOCK.match(text) is not None
        if lines and ((starts and n_entries >= _ENTRIES_AT_A_TIME) or size + len(text) > source.max_bytes):
            yield first, "".join(lines)
            first, lines, n_entries, size = number, [], 0, 0
        n_entries += starts
        size += len(text)
        lines.append(text)
    if lines:
        yield first, "".join(lines)


def _rows_of(source: DocumentFile, library: Any, first_line: int) -> Iterator[tuple[str, dict[str, str]]]:
    for block in library.blocks:
        id = f"{source.name}:{first_line + (block.start_line or 0)}"
        if not hasattr(block, "error"):
            if hasattr(block, "fields_dict"):
                yield id, _name_fields(block)
            continue
        reason = getattr(block.error, "abort_reason", None) or str(block.error)
        whole = block.ignore_error_block
        if whole is None:
            source.skip(id, f"not BibTeX ({one_line(reason[:200], 'utf-8').rstrip('. ')})")
        elif hasattr(whole, "fields"):
            if getattr(block, "duplicate_keys", None):  # the parser gives up on a field that is there twice
                fields = ", ".join(sorted(block.duplicate_keys))
                source.repair(id, f"a field stands there twice ({one_line(fields[:100], 'utf-8')})")
            yield id, _name_fields(whole)


def _name_fields(entry: Any) -> dict[str, str]:
    """Return the fields of an entry by name; of two with one name the first counts."""
    row = {"type": entry.entry_type, "citation key": entry.key}
    for field in entry.fields:
        name = field.key.strip().lower()
        value = str(field.value)
        row.setdefault(
            _NAMES.get(name, name), value.strip('{}"') if name in _VERBATIM else _plain_text(value)
        )
    if "authors" in row:
        row["authors"] = row["authors"].replace(" and ", "; ")
    return row


@cache
def _decoder() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="verbatim", keep_comments=True)


def _plain_text(latex: str) -> str:
    """Return text without the commands and braces of LaTeX."""
    if len(latex) >= 2 and latex[0] + latex[-1] == '""':  # left by a field that stands there twice
        latex = latex[1:-1]
    text = latex
    if "\\" in latex and len(latex) <= _LONGEST_LATEX:
        try:
            text = _decoder().latex_to_text(_BARE_PERCENT.sub(r"\\%", latex))
        except Exception:  # nested too deep, or what it does not know: the text as it stands
            text = latex
    return " ".join(text.replace("{", "").replace("}", "").replace("~", "\N{NO-BREAK SPACE}").split())
