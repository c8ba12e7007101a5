"""Roles of columns, told from their names in common exports."""

import re
from collections.abc import Mapping, Sequence

from lopsided.text._records import Roles

# Names without case, blanks and punctuation, in the order in which they are preferred: PubMed, Scopus, Web of
# Science, ASReview, Zotero, Covidence, EndNote; ticket systems and mail; and what people call a column.
_TITLES = (
    *("title", "primarytitle", "ti", "articletitle", "documenttitle", "papertitle", "t1", "titles"),
    *("subject", "headline", "summary", "filename"),
)
_TEXTS = (
    *("abstract", "ab", "notesabstract", "abstractnote", "abstracttext", "abstracts", "n2"),
    *("text", "body", "message", "content", "contents", "description", "document", "comment", "fulltext"),
    *("summary", "review", "notes"),
)
_IDS = (
    *("recordid", "id", "pmid", "pubmedid", "ut", "utuniquewosid", "uniquewosid", "uniqueid", "eid", "key"),
    *(
        "covidence",
        "covidencenumber",
        "accessionnumber",
        "an",
        "itemid",
        "docid",
        "documentid",
        "uid",
        "uuid",
    ),
    *("citationkey", "doi", "messageid", "ticket", "ticketid", "issuekey", "referenceid"),
)
_LABELS = (
    *("labelincluded", "finalincluded", "included", "include", "includedflag", "relevant", "isrelevant"),
    *("relevance", "asreviewlabel", "label", "labels", "decision", "screeningdecision", "y"),
)
_MOSTLY = 0.9  # share of ids that differ; a copied row does not make a column useless
_NEITHER = re.compile(r"[\W_]+")


def suggest_roles(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> Roles:
    """Return the roles that the names of columns suggest; a column without a value in any row comes last.

    An id must differ between most rows that have one.

    Examples
    --------
    >>> suggest_roles(["PMID", "Title", "AB", "label_included"], [])
    Roles(title='Title', text=('AB',), id='PMID', label='label_included')
    """
    known: dict[str, str] = {}
    for column in columns:
        known.setdefault(_NEITHER.sub("", column.casefold()), column)

    def choose(names: Sequence[str], *taken: str | None) -> str | None:
        there = [known[name] for name in names if name in known and known[name] not in taken]
        filled = [column for column in there if any(row.get(column, "").strip() for row in rows)]
        return next(iter(filled or there), None)

    text = choose(_TEXTS)
    title = choose(_TITLES, text)
    ids = [name for name in _IDS if name in known and _tells_apart(known[name], rows)]
    return Roles(title, () if text is None else (text,), choose(ids), choose(_LABELS))


def _tells_apart(column: str, rows: Sequence[Mapping[str, str]]) -> bool:
    ids = [id for row in rows if (id := row.get(column, "").strip())]
    return not rows or (bool(ids) and len(set(ids)) >= _MOSTLY * len(ids))
