"""Seven drug-class reviews: which of the search results the reviewers wanted."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from lopsided.datasets._bunch import check_choice, make_bunch
from lopsided.datasets._cache import blaming, load
from lopsided.datasets._layout import Copy, Counts, DataSet

SOURCE = "the drug-class reviews of Cohen et al. 2006, as the GitHub repository asreview/asreview had them"
# records, passed the first screening, included in the review
_SIZES = {
    "adhd": (851, 84, 20),
    "beta-blockers": (2072, 302, 42),
    "calcium-channel-blockers": (1218, 279, 100),
    "estrogens": (368, 80, 80),
    "nsaids": (393, 88, 41),
    "oral-hypoglycemics": (503, 139, 136),
    "triptans": (671, 218, 24),
}


def fetch_screening(name: str) -> Bunch:
    """Load the search results of a systematic review, with the decisions of its reviewers.

    Parameters
    ----------
    name : {"adhd", "beta-blockers", "calcium-channel-blockers", "estrogens", "nsaids", \
"oral-hypoglycemics", "triptans"}
        Which review.

    Returns
    -------
    Bunch
        ``data`` (list of str: title, a line break, abstract), ``target`` (1: passed the screening of titles
        and abstracts), ``target_names``, ``split`` (None), ``included`` (1: in the review at the end),
        ``titles``, ``abstracts``, ``keywords``, ``ids`` (of PubMed), ``provenance``, ``DESCR``.

    Examples
    --------
    >>> from lopsided.datasets import fetch_screening
    >>> review = fetch_screening("adhd")  # doctest: +SKIP
    >>> len(review.data), review.target.sum(), review.included.sum()  # doctest: +SKIP
    (851, 84, 20)
    """
    check_choice("name", name, sorted(_SIZES))
    data_set = SCREENING[f"screening-{name}"]
    loaded = load(data_set)
    with blaming(loaded):
        records = loaded.contents[0]
        return make_bunch(
            data_set,
            loaded,
            data=[f"{r['title']}\n{r['abstract']}" for r in records],
            target=np.array([r["passed_abstract"] for r in records], dtype=np.intp),
            target_names=["not passed", "passed"],
            rows={
                "included": np.array([r["included"] for r in records], dtype=np.intp),
                "titles": [r["title"] for r in records],
                "abstracts": [r["abstract"] for r in records],
                "keywords": [r["keywords"] for r in records],
                "ids": [r["id"] for r in records],
            },
        )


def _count(records: list[dict[str, Any]]) -> Counts:
    return {
        "records": len(records),
        "passed": sum(r["passed_abstract"] for r in records),
        "included": sum(r["included"] for r in records),
        "included without having passed": sum(r["included"] > r["passed_abstract"] for r in records),
        "repeated records": len(records) - len({(r["title"], r["abstract"]) for r in records}),
    }


SCREENING = {
    f"screening-{name}": DataSet(
        name=f"screening-{name}",
        title=f"Screening, {name}: {n:,} search results, {passed} passed, {included} included.",
        source=SOURCE,
        terms="Judgements free for research; abstracts belong to their publishers.",
        copies=(
            Copy(
                files=(f"screening/{name}.jsonl.xz",),
                fields=("id", "title", "abstract", "keywords", "passed_abstract", "included"),
                count=_count,
                published={"records": n, "passed": passed, "included": included},
                peculiar={
                    "included without having passed": int(name == "calcium-channel-blockers"),
                    "repeated records": int(name in ("adhd", "beta-blockers")),
                },
            ),
        ),
    )
    for name, (n, passed, included) in _SIZES.items()
}
