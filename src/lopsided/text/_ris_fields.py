"""The tags of RIS by readable names, for records and for writing them back.

rispy 0.10, which reads RIS too, was tried on malformed samples. It gives no record, and no word about it,
where the last one lacks its ER line, where the file begins with a byte order mark and where tags stand before
a single blank; of two records without an ER line between them it gives the first; bytes that are not UTF-8
are an error; and it holds the whole file in memory. So we keep our reader.
"""

from collections.abc import Iterator

from lopsided.text._ris import RisRecord, read_ris
from lopsided.text._source import DocumentFile

# name -> its tags. Databases differ in which they write; the first one present counts, others keep their tag.
TAGS: dict[str, tuple[str, ...]] = {
    "title": ("TI", "T1", "CT", "BT"),
    "abstract": ("AB", "N2"),
    "authors": ("AU", "A1"),
    "year": ("PY", "Y1"),
    "journal": ("JO", "JF", "T2", "JA", "J2"),
    "doi": ("DO",),
    "keywords": ("KW",),
    "label": ("LB",),
    "notes": ("N1",),
    "type": ("TY",),
    "id": ("ID",),
    "accession number": ("AN",),
    "url": ("UR",),
    "volume": ("VL",),
    "issue": ("IS",),
    "start page": ("SP",),
    "end page": ("EP",),
    "date": ("DA",),
    "language": ("LA",),
    "issn": ("SN",),
    "publisher": ("PB",),
    "place": ("CY",),
    "address": ("AD",),
    "database": ("DB",),
    "database provider": ("DP",),
    "editors": ("ED", "A2"),
    "short title": ("ST",),
    "edition": ("ET",),
    "series": ("T3",),
    "access date": ("Y2",),
    "file": ("L1",),
    "link": ("LK",),
}
# How ASReview writes down a label, as a note.
_NOTED_LABELS = {"ASReview_relevant": "1", "ASReview_irrelevant": "0"}


def iter_ris_rows(source: DocumentFile) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the place of each record of a RIS file, and its fields by readable names."""
    for start, record in read_ris(source):
        yield start, _name_fields(record)


def _name_fields(record: RisRecord) -> dict[str, str]:
    """Return the fields by name; several values are joined by a semicolon, those of an abstract by line."""
    left = {
        tag: ["\n".join(lines) if tag in TAGS["abstract"] else " ".join(lines) for lines in fields]
        for tag, fields in record.items()
    }
    row = {}
    for name, tags in TAGS.items():
        tag = next((tag for tag in tags if any(left.get(tag, ()))), None)
        if tag is not None:
            row[name] = ("\n" if name == "abstract" else "; ").join(filter(None, left.pop(tag)))
    for note in row.get("notes", "").split("; "):
        if note in _NOTED_LABELS:
            row.setdefault("label", _NOTED_LABELS[note])
    said = set(row.values())  # title or abstract is often there twice, under two tags
    for tag, values in left.items():
        value = "; ".join(filter(None, values))
        if value and value not in said:
            row[tag] = value
    return row
