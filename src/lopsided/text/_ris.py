"""RIS, the exchange format of reference managers: `TY  - JOUR` opens a record, `ER  - ` closes it.

The package rispy loses records where an ``ER`` line is missing or lines end with CR, and does not say so.
"""

import re
from collections.abc import Iterator

from lopsided.text._documents import Document
from lopsided.text._source import DocumentFile
from lopsided.text._tables import require_columns

_TAGGED = re.compile(r"([A-Z][A-Z0-9]) {1,2}- ?(.*)", re.DOTALL)
_TITLE = ("TI", "T1", "CT", "BT")  # the first one present; databases differ in which they write
_ABSTRACT = ("AB", "N2")
RisRecord = dict[str, list[list[str]]]  # by tag: fields, each in the lines it was written in


def iter_ris(source: DocumentFile, text: str | None, id: str | None, label: str | None) -> Iterator[Document]:
    """Yield the records of a RIS file; the text is title and abstract, or the tag that `text` names."""
    tags: dict[str, None] = {}  # in the order in which they are met
    for start, record in read_ris(source):
        tags.update(dict.fromkeys(record))
        yield _document(source, record, start, text, id, label)
    # A record may lack a tag; a tag that no record has is a misspelt name.
    if tags:
        asked = {"text": text, "id": id, "label": label}
        require_columns({name: tag for name, tag in asked.items() if tag is not None}, tags, source)


def read_ris(source: DocumentFile) -> Iterator[tuple[str, RisRecord]]:
    """Yield the place of each record of a RIS file, and by tag its fields, each in the lines it stands in."""
    record: RisRecord | None = None
    tag, start, size, outside = "TY", "", 0, 0
    for number, line in source.lines(lone_cr=True):
        here = f"{source.name}:{number}"
        content = source.decode(here, line).rstrip("\r\n")
        match = _TAGGED.fullmatch(content)
        if match and match[1] == "TY":
            if record is not None:
                source.repair(start, "no ER line at the end of the record")
                yield start, record
            record, start, size = {}, here, 0
        if record is None:
            outside += bool(content.strip())
            continue
        if match and match[1] == "ER":
            yield start, record
            record = None
            continue
        if match:
            tag, content = match[1], match[2]
        size += len(line)
        if size > source.max_bytes:
            if size - len(line) <= source.max_bytes:
                source.repair(start, f"cut to {source.max_bytes:,} bytes")
        elif match:
            record.setdefault(tag, []).append([content.strip()])
        elif content.strip():  # a long field goes on in the next line
            record[tag][-1].append(content.strip())
    if record is not None:
        source.repair(start, "no ER line at the end of the record")
        yield start, record
    if outside:
        source.skip(source.name, f"{outside:,} lines outside any record")


def _document(
    source: DocumentFile,
    record: RisRecord,
    start: str,
    text: str | None,
    id: str | None,
    label: str | None,
) -> Document:
    if text is None:
        parts = [_first(record, _TITLE), _first(record, _ABSTRACT)]
        content = "\n".join(part for part in parts if part)
    else:
        content = "\n".join(" ".join(lines) for lines in record.get(text, []))
    name = source.identify(start, _first(record, (id,))) if id is not None else start
    return Document(name, source.clean(name, content), _first(record, (label,)) or None if label else None)


def _first(record: RisRecord, tags: tuple[str, ...]) -> str:
    return next((" ".join(record[tag][0]) for tag in tags if tag in record), "")
