"""Which vectors and which model find relevant records soonest, the most likely one asked first?

Only data that judge nothing are read: the choosing reviews with their keywords and without ("bare"), by both
of their labels; the 26 topics of Reuters with 25 to 450 stories that judge nothing, eight newsgroups and
three classes of web pages, thinned. The model is fitted again after each 25th part of the labels, which is
coarser than a session and much faster. Every seed but the first sees three quarters of a review's records:
otherwise all seeds would end at the same few hard ones.

    python research/screening_ranking.py [--seeds N] [--candidate NAME]...

prints the regret of each candidate: the mean, over the sets of a kind, of the logarithm of its labels to 95 %
recall divided by those of the best candidate of that set. 0.05 means 5 % more labels than the best. The last
columns compare with the first candidate: the mean logarithm over all data sets and its standard error, where
a review counts once, with all its labels, with and without keywords.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import click
import numpy as np
from scipy.sparse import hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from lopsided.datasets import fetch_screening
from lopsided.screening._features import Features
from lopsided.screening._simulate import choose_start
from lopsided.screening._words import parts_of
from remaining_check import read_topic
from screening_choose import CHOOSING_REVIEWS, read_review, read_topics

TOPICS = (
    "alum",
    "barley",
    "bop",
    "carcass",
    "cocoa",
    "copper",
    "corn",
    "cotton",
    "cpi",
    "crude",
    "dlr",
    "gas",
    "gnp",
    "ipi",
    "iron-steel",
    "livestock",
    "meal-feed",
    "money-supply",
    "nat-gas",
    "oilseed",
    "palm-oil",
    "rice",
    "rubber",
    "soybean",
    "trade",
    "yen",
)
NEWSGROUPS = {
    "sci.med": 150,
    "rec.autos": 60,
    "talk.politics.misc": 120,
    "alt.atheism": 80,
    "comp.windows.x": 100,
    "sci.crypt": 150,
    "soc.religion.christian": 100,
    "comp.os.ms-windows.misc": 100,
}
PAGES = {"faculty": 100, "student": 150, "staff": 60}
N_OTHERS = 3_000  # irrelevant documents that are kept of a newsgroup or class

_REVIEWS = ("reviews", "bare")

Parts = tuple[tuple[str, float], ...]
NOW: Parts = (("stems", 1), ("keywords", 0.7), ("pairs", 0.5))


class Candidate(NamedTuple):
    """Vectors, which are parts and their weights, and a model."""

    parts: Parts = NOW
    C: float = 0.02
    preference: float = 10
    borrowed: int = 0
    labels_to_borrow: float = 0  # at most one unlabeled record for so many labels


CANDIDATES = {
    "as before": Candidate(),
    "30 unlabeled records": Candidate(borrowed=30),
    "100 unlabeled records": Candidate(borrowed=100),
    "300 unlabeled records": Candidate(borrowed=300),
    "one for 2 labels": Candidate(borrowed=100, labels_to_borrow=2),
    "one for 3 labels": Candidate(borrowed=100, labels_to_borrow=3),
    "one for 5 labels": Candidate(borrowed=100, labels_to_borrow=5),
    "C = 0.01": Candidate(C=0.01),
    "C = 0.04": Candidate(C=0.04),
    "3 times": Candidate(preference=3),
    "30 times": Candidate(preference=30),
    "no pairs": Candidate(NOW[:2]),
    "ASReview's words": Candidate((("words", 1),)),
    "words and keywords": Candidate((("words", 1), ("keywords", 0.7))),
    "stems, keywords, words": Candidate((*NOW[:2], ("words", 1))),
}


def sets_of_records() -> Iterator[tuple[str, Sequence[Any], dict[str, Any]]]:
    """Yield kinds of sets: records, and which are relevant under each name."""
    for name in CHOOSING_REVIEWS:
        records, included = read_review(name)
        labels = {name: included, f"{name}, passed": np.asarray(fetch_screening(name).target) == 1}
        if (labels[name] == labels[f"{name}, passed"]).all():
            labels.popitem()
        yield "reviews", records, labels
        yield "bare", [record._replace(fields={}) for record in records], labels
    records, topics = read_topics(TOPICS)
    kept = np.random.default_rng(5).random(len(records)) < 0.5
    kept |= np.any(list(topics.values()), axis=0)
    rows = np.flatnonzero(kept)
    yield "Reuters", [records[i] for i in rows], {name: topics[name][rows] for name in TOPICS}
    for corpus, names in (("newsgroups", NEWSGROUPS), ("webkb", PAGES)):
        for name, n in names.items():
            texts, relevant = read_topic(corpus, name)
            rng = np.random.default_rng(24)
            few, others = (rng.permutation(np.flatnonzero(relevant == y)) for y in (True, False))
            rows = np.sort(np.concatenate([few[:n], others[:N_OTHERS]]))
            yield corpus, [texts[i] for i in rows.tolist()], {name: relevant[rows]}


def parts_of_all(records: Sequence[Any]) -> dict[str, Any]:
    """Return the parts of the vectors, each of unit length: ours, and words as ASReview has them."""
    features = Features()
    features.add(records)
    ours = [normalize(part.astype(float)) for part in features.vectors.parts]
    texts = ["\n".join(parts_of(record)[:2]) for record in records]
    words = TfidfVectorizer(sublinear_tf=True, max_df=0.95, ngram_range=(1, 2)).fit_transform(texts)
    return dict(zip(("stems", "keywords", "pairs", "words"), (*ours, words), strict=True))


def count_labels(X: Any, relevant: Any, candidate: Candidate, seed: int, *, part: float = 1.0) -> int:
    """Return the number of labels to 95 % recall, in all records or in a random part of them."""
    left = np.random.default_rng([seed, 99]).random(len(relevant)) < part
    seen = np.flatnonzero(left)
    relevant = relevant & left
    rows = seen[choose_start(relevant[seen], np.arange(len(seen)), seed, "both")].tolist()
    left[rows] = False
    fitted = 0
    while relevant[rows].sum() < np.ceil(0.95 * relevant.sum() - 1e-9):
        if len(rows) >= fitted + max(1, fitted // 25):
            fitted, scores = len(rows), score(X, rows, relevant[rows], np.flatnonzero(left), candidate, seed)
        row = int(np.where(left, scores, -np.inf).argmax())
        rows.append(row)
        left[row] = False
    return len(rows)


def score(X: Any, rows: list[int], relevant: Any, left: Any, candidate: Candidate, seed: int) -> Any:
    """Return the scores of all records."""
    rng = np.random.default_rng([seed, len(rows)])
    n_borrowed = min(candidate.borrowed, len(left))
    if candidate.labels_to_borrow:
        n_borrowed = min(n_borrowed, int(len(rows) / candidate.labels_to_borrow))
    borrowed = rng.choice(left, n_borrowed, replace=False)
    y = np.append(relevant, np.zeros(len(borrowed), dtype=bool))
    weight = len(y) / 2 / np.where(y, y.sum() / candidate.preference, (~y).sum())
    svm = LinearSVC(C=candidate.C, random_state=0)
    svm.fit(X[[*rows, *borrowed]], y, sample_weight=weight)
    return X @ svm.coef_[0]


@click.command()
@click.option("--seeds", default=2, help="Number of runs of each candidate on each set.")
@click.option("--candidate", "chosen", multiple=True, help="Try only this candidate.")
def main(seeds: int, chosen: tuple[str, ...]) -> None:
    """Print the labels of each set, and the regret of each candidate."""
    names = chosen or tuple(CANDIDATES)
    costs: dict[tuple[str, str], Any] = {}
    for kind, records, labels in sets_of_records():
        parts = parts_of_all(records)
        matrices = {}
        for name in names:
            matrices[name] = normalize(
                hstack([w * parts[p] for p, w in CANDIDATES[name].parts], format="csr")
            )
        for of, relevant in labels.items():
            labels_of = [
                [
                    count_labels(
                        matrices[n], relevant, CANDIDATES[n], s, part=0.75 if s and kind in _REVIEWS else 1
                    )
                    for s in range(seeds)
                ]
                for n in names
            ]
            costs[kind, of] = np.log(labels_of).mean(axis=1)
            print(f"{kind:12}{of:34}", *(f"{np.exp(cost):6.0f}" for cost in costs[kind, of]), flush=True)
    kinds = list(dict.fromkeys(kind for kind, _ in costs))
    print(f"{'regret':26}", *(f"{kind:>10}" for kind in (*kinds, "all", "to first", "error")))
    means = np.array(
        [np.mean([c - c.min() for (k, _), c in costs.items() if k == kind], 0) for kind in kinds]
    )
    change, error = compare_with_first(costs)
    for i, name in enumerate(names):
        row = (*means[:, i], means[:, i].mean(), change[i], error[i])
        print(f"{name:26}", *(f"{number:10.3f}" for number in row))


def compare_with_first(costs: dict[tuple[str, str], Any]) -> tuple[Any, Any]:
    """Return the mean change against the first candidate over data sets, and its standard error."""
    by_data: dict[str, list[Any]] = {}
    for (kind, of), cost in costs.items():
        name = of.partition(",")[0] if kind in _REVIEWS else of
        by_data.setdefault(name, []).append(cost - cost[0])
    changes = np.array([np.mean(of_data, axis=0) for of_data in by_data.values()])
    return changes.mean(axis=0), changes.std(axis=0, ddof=min(1, len(changes) - 1)) / np.sqrt(len(changes))


if __name__ == "__main__":
    main()
